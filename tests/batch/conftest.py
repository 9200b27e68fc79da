"""A model on loopback, the environment of those who ask it, and a process that has nothing open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import webquarry.batch
from tests.ask.fakes import FakeServers, home


@pytest.fixture
def servers() -> Iterator[FakeServers]:
    with FakeServers() as servers:
        yield servers


@pytest.fixture
def environ(
    servers: FakeServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    """The environment of this process and of its children."""
    given = home(servers, tmp_path, search=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    yield given
    webquarry.batch.close()
