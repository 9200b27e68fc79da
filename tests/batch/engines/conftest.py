"""Every test of this folder needs an engine, and is run by `make test-engines` alone. There a missing
engine is an error, but for Spark, which is tested only where it is and where there is Java; that
it was not is said.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.ask.fakes import FakeServers

HERE = Path(__file__).parent
SPARK = "test_spark.py"
MARK = "engines"
_left_out: list[str] = []


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Elsewhere these files are not even imported: their engines are not there."""
    if collection_path.parent != HERE or not collection_path.name.startswith("test_"):
        return None
    if config.option.markexpr != MARK:
        return True
    has_spark = find_spec("pyspark") is not None and shutil.which("java") is not None
    if collection_path.name == SPARK and not has_spark:
        _left_out.append("Spark: pyspark or Java is not installed")
        return True
    return None


def pytest_itemcollected(item: pytest.Item) -> None:
    if HERE in item.path.parents:
        item.add_marker(MARK)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _left_out:
        terminalreporter.write_line(f"NOT TESTED {line}")


@pytest.fixture
def slow_model(servers: FakeServers) -> FakeServers:
    """A model that takes a moment, so that workers meet at the same questions."""
    servers.latency = 0.02
    return servers
