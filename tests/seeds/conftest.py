"""What the seeds' tests are run with: the executables in this process, and a model and a search
engine on 127.0.0.1.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ask.fakes import FakeServers
from tests.executables import InProcess


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> InProcess:
    return InProcess(monkeypatch)


@pytest.fixture
def stage() -> Iterator[FakeServers]:
    with FakeServers() as stage:
        yield stage
