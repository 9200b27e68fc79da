"""The toolkit: client, cache, reader, router and lenses built from the settings. Wiring only.

    async with Toolkit.open() as kit:
        page = await kit.reader.read("https://example.org")

Nothing is opened, nor imported, before it is first used: a server that is only asked what it has starts at once.
Everything opened is closed by the context.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.clock import Clock, FrozenClock
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry.cache.cache import Cache
    from webquarry.net.archive import Recorder, Replay
    from webquarry.net.client import Client
    from webquarry.read.reader import Reader
    from webquarry.records.base import Journals
    from webquarry.records.file import RecordFile
    from webquarry.search.lenses import Lens
    from webquarry.search.router import Router


class Toolkit:
    """What the tools work with."""

    def __init__(self, settings: Settings, environ: Mapping[str, str]) -> None:
        self.settings = settings
        self.environ = environ
        self._recorder: Recorder | None = None
        if settings.lenses is not None:
            _ = self.lenses  # a lens that cannot be used is told at the start, not in the middle of some search

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings | None = None, environ: Mapping[str, str] | None = None
    ) -> AsyncIterator[Toolkit]:
        """A toolkit for the time of a context; settings come from the environment unless given."""
        environ = os.environ if environ is None else environ
        kit = cls(settings or Settings.from_environment(environ), environ)
        try:
            yield kit
        finally:
            await kit.aclose()

    @cached_property
    def replay(self) -> Replay | None:
        if self.settings.replay is None:
            return None
        from webquarry.net.archive import Replay, recorded_web

        return Replay(recorded_web() if self.settings.replay == Path("demo") else self.settings.replay)

    @cached_property
    def clock(self) -> Clock:
        return FrozenClock(self.replay.moment) if self.replay else Clock()

    @cached_property
    def client(self) -> Client:
        from webquarry.net.client import Client

        if self.replay:
            transport = self.replay.transport()
            return Client(self.settings, self.clock, pages=transport, providers=transport)
        if self.settings.record:
            from webquarry.net.archive import Recorder
            from webquarry.net.guard import Guard
            from webquarry.net.transport import open_transport

            self._recorder = Recorder(self.settings.record, self.clock)
            pages = open_transport(self.settings, Guard.from_settings(self.settings))
            providers = open_transport(self.settings, None)
            wrap = self._recorder.wrap
            return Client(self.settings, self.clock, pages=wrap(pages), providers=wrap(providers))
        return Client(self.settings, self.clock)

    @cached_property
    def reader(self) -> Reader:
        from webquarry.read.reader import Reader

        return Reader(self.client, self.settings, self.clock)

    @cached_property
    def cache(self) -> Cache:
        from webquarry.cache.cache import Cache
        from webquarry.cache.place import open_stores

        return Cache(open_stores(self.settings, self.environ), self.clock)

    @cached_property
    def records(self) -> RecordFile:
        from webquarry.records.place import open_records

        return open_records(self.settings, self.environ)

    @cached_property
    def journals(self) -> Journals:
        from webquarry.records.journals import FileJournals

        return FileJournals(self.records)

    @cached_property
    def lenses(self) -> dict[str, Lens]:
        from webquarry.search.lenses import load_lenses

        return load_lenses(self.settings.lenses)

    @cached_property
    def router(self) -> Router:
        from webquarry.search.router import Router

        return Router(self.client, self.settings, self.environ, self.clock, lambda: self.cache)

    async def aclose(self) -> None:
        """Close what was opened."""
        if "client" in self.__dict__:
            await self.client.aclose()
        if "cache" in self.__dict__:
            await self.cache.aclose()
        if "journals" in self.__dict__:
            await self.journals.aclose()
        if "records" in self.__dict__:
            self.records.close()
        if self._recorder:
            self._recorder.close()
