"""Every test of this folder needs an engine; those whose engine is not installed are left out, and
that is said.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.ask.fakes import FakeServers

HERE = Path(__file__).parent
NEEDED = {"test_spark.py": ("pyspark", "java")}  # what is tested only where it is
_left_out: set[str] = set()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = []
    for item in items:
        if HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.engines)
        library, program = NEEDED.get(item.path.name, ("", ""))
        if library and (find_spec(library) is None or shutil.which(program) is None):
            left_out.append(item)
            _left_out.add(f"{item.path.name}: {library} or {program} is not installed")
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in sorted(_left_out):
        terminalreporter.write_line(f"NOT TESTED {line}")


@pytest.fixture
def slow_model(servers: FakeServers) -> FakeServers:
    """A model that takes a moment, so that workers meet at the same questions."""
    servers.latency = 0.02
    return servers
