"""Every test of asking has a stage of its own: a model and a search engine on 127.0.0.1."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ask.fakes import Rehearsal


@pytest.fixture
def stage() -> Iterator[Rehearsal]:
    with Rehearsal() as stage:
        yield stage
