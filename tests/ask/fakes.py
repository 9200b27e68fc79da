"""The model and the search engine that the tests ask: the fake servers, and an engine that takes
them for real.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.model_servers import (
    MODEL_KEY,
    SEARCH_KEY,
    FakeReply,
    FakeServers,
    error_reply,
    first_text,
)
from webquarry.ask.engine import Engine
from webquarry.toolkit import Toolkit

__all__ = [
    "MODEL_KEY",
    "SEARCH_KEY",
    "FakeReply",
    "FakeServers",
    "error_reply",
    "first_text",
    "home",
    "open_engine",
]


def home(servers: FakeServers, folder: Path, *, search: bool = True, **more: str) -> dict[str, str]:
    """The environment of a user whose home is this folder and whose model and search engine are
    these servers.
    """
    given = servers.environ if search else servers.environ_without_search
    return given | {"HOME": str(folder), "WEBQUARRY_LOG_LEVEL": "warning"} | more


@asynccontextmanager
async def open_engine(environ: Mapping[str, str]) -> AsyncIterator[Engine]:
    """An engine and everything under it, for the time of a block."""
    async with Toolkit.open(environ=environ) as kit:
        engine = kit.open_engine()
        try:
            yield engine
        finally:
            await engine.aclose()
