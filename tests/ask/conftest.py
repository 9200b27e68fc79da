"""Every test of asking has fake servers of its own: a model and a search engine on 127.0.0.1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ask.fakes import FakeServers


@pytest.fixture
def servers() -> Iterator[FakeServers]:
    with FakeServers() as servers:
        yield servers
