"""The toolkit: client, cache, reader, pages, router and the rest, built from the settings.

    async with Toolkit.open() as kit:
        page = await kit.reader.read("https://example.org")

Each part is imported and opened on first use, and closed by the context. A `shared` toolkit uses
the configured Redis, so that several servers share cache, quotas and sessions.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from webquarry.clock import Clock, FrozenClock
from webquarry.settings import Settings

if TYPE_CHECKING:
    import httpx2

    from webquarry._read.browser.renderer import PageRenderer
    from webquarry._read.reader import Reader
    from webquarry._read.workers.job import JobRunner, RunnerKind
    from webquarry._search.guard import Breakers
    from webquarry._search.lenses import Lens
    from webquarry._search.patents.finder import PatentFinder
    from webquarry._search.router import Router
    from webquarry._search.scholarly.finder import Finder
    from webquarry._search.services import Pace
    from webquarry.ask.engine import Engine
    from webquarry.ask.store import QuestionStore
    from webquarry.library.library import Library
    from webquarry.net.archive.recorder import Recorder
    from webquarry.net.archive.replay import Replay
    from webquarry.net.client import Client
    from webquarry.pages.exa import ExaContents
    from webquarry.pages.pages import Pages
    from webquarry.sessions.sessions import Sessions
    from webquarry.store.cache import Cache
    from webquarry.store.calls import CallLog
    from webquarry.store.journals import Journals
    from webquarry.store.quota import Quota
    from webquarry.store.records import RecordFile
    from webquarry.store.redis_connection import RedisConnection
    from webquarry.verify.references.checker import CitationChecker


class Toolkit:
    """The parts that tools use."""

    def __init__(
        self,
        settings: Settings,
        environ: Mapping[str, str],
        shared: bool = False,
        runner: RunnerKind = "threads",
    ) -> None:
        self.settings = settings
        self.environ = environ
        self.shared = shared
        self._runner_kind = runner
        self._recorder: Recorder | None = None
        self._opened = AsyncExitStack()  # closes parts in reverse order
        if settings.lenses is not None:
            # report an unusable lens at the start, not during a search
            for lens in self.lenses.values():
                if lens.routing:
                    self.router.check_lens(lens)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
        shared: bool = False,
        runner: RunnerKind = "threads",
    ) -> AsyncIterator[Toolkit]:
        """Open a toolkit; settings default to those of the environment.

        Raises if it is shared and its Redis is unusable. Long-lived interfaces use `workers` as the
        runner of page jobs.
        """
        if environ is None:
            environ = os.environ
        kit = cls(settings or Settings.from_environment(environ), environ, shared, runner)
        try:
            if kit.redis is not None:
                from webquarry.store.redis_config import check_redis

                await check_redis(kit.redis)
            yield kit
        finally:
            await kit.aclose()

    @cached_property
    def replay(self) -> Replay | None:
        if self.settings.replay is None:
            return None
        from webquarry.net.archive.replay import Replay, demo_recording

        if self.settings.replay == Path("demo"):
            return Replay(demo_recording())
        return Replay(self.settings.replay)

    @cached_property
    def clock(self) -> Clock:
        if self.replay:
            return FrozenClock(self.replay.moment)
        return Clock()

    @cached_property
    def client(self) -> Client:
        client = self._open_client()
        self._opened.push_async_callback(client.aclose)
        return client

    def _open_client(self) -> Client:
        """Open a client of the network or of a recording, with a recorder if configured."""
        from webquarry.net.client import Client

        settings, clock = self.settings, self.clock
        if settings.record:
            from webquarry.net.archive.recorder import Recorder

            self._recorder = Recorder(settings.record, clock)
            self._opened.callback(self._recorder.close)
        wrap = self._recorder.wrap if self._recorder else lambda transport: transport
        if self.replay:
            transport = wrap(self.replay.transport())
            return Client(settings, clock, pages=transport, providers=transport)
        if not self._recorder:
            return Client(settings, clock)
        from webquarry.net.guard import Guard
        from webquarry.net.transport import Transport

        pages = wrap(Transport(settings, Guard.from_settings(settings)))
        return Client(settings, clock, pages=pages, providers=wrap(Transport(settings, None)))

    @cached_property
    def runner(self) -> JobRunner:
        """Runs page jobs in processes or threads."""
        from webquarry._read.workers.job import Job
        from webquarry._read.workers.pool import open_runner
        from webquarry.pages.preload import read_sample_page

        runner = open_runner(self._runner_kind, self.settings, Job(read_sample_page))
        self._opened.push_async_callback(runner.aclose)
        return runner

    @cached_property
    def reader(self) -> Reader:
        from webquarry._read.reader import Reader

        return Reader(self.client, self.settings, self.clock, self.runner, self.environ)

    @cached_property
    def pages(self) -> Pages:
        from webquarry.pages.pages import Pages

        return Pages(
            self.client,
            self.reader,
            self.cache,
            self.settings,
            self.clock,
            (lambda: self.renderer) if os.name == "posix" else None,
            self._open_contents(),
            self.library,
        )

    @cached_property
    def renderer(self) -> PageRenderer:
        """Renders pages in a browser."""
        from webquarry._read.browser.renderer import PageRenderer

        renderer = PageRenderer(self.client, self.settings)
        self._opened.push_async_callback(renderer.aclose)
        return renderer

    def _open_contents(self) -> ExaContents | None:
        """Open the service for pages that we cannot read; None unless configured."""
        if not self.settings.exa_contents:
            return None
        from webquarry._search.providers.exa import Exa
        from webquarry.ask.ledger import PagePayments
        from webquarry.pages.exa import ExaContents

        exa = Exa.configure(self.settings, self.environ, self.clock)
        if not exa.configured:
            return None
        payments = PagePayments(lambda: self.records, self.settings, self.clock)
        return ExaContents(exa, self.client, self.clock, payments)

    @cached_property
    def library(self) -> Library | None:
        """The library of pages read before; None if it is turned off."""
        from webquarry.library.library import open_library

        library = open_library(self.settings, self.environ, self.clock)
        if library is not None:
            self._opened.push_async_callback(library.aclose)
        return library

    @cached_property
    def redis(self) -> RedisConnection | None:
        """The connection to Redis; None unless shared and configured."""
        if not self.shared:
            return None
        from webquarry.store.redis_config import open_redis

        connection = open_redis(self.settings, self.environ)
        if connection is not None:
            self._opened.push_async_callback(connection.aclose)
        return connection

    @cached_property
    def cache(self) -> Cache:
        from webquarry.store.open import open_cache

        cache = open_cache(self.settings, self.environ, self.clock, self.redis)
        self._opened.push_async_callback(cache.aclose)
        return cache

    @cached_property
    def records(self) -> RecordFile:
        from webquarry.store.open import open_records

        records = open_records(self.settings, self.environ)
        self._opened.callback(records.close)
        return records

    @cached_property
    def calls(self) -> CallLog:
        """The log of calls. Calls have receipts even if it is turned off."""
        from webquarry.store.open import open_call_log

        calls = open_call_log(self.settings, self.environ)
        self._opened.callback(calls.close)
        return calls

    @cached_property
    def journals(self) -> Journals:
        if self.redis is not None:
            from webquarry.store.redis_stores import RedisJournals

            return RedisJournals(self.redis)
        from webquarry.store.journals import FileJournals

        return FileJournals(self.records)

    @cached_property
    def quota(self) -> Quota:
        """Rate limit counters; the interface knows the limits."""
        if self.redis is not None:
            from webquarry.store.redis_stores import RedisQuota

            return RedisQuota(self.redis)
        from webquarry.store.quota import LocalQuota

        return LocalQuota()

    @cached_property
    def sessions(self) -> Sessions:
        from webquarry.sessions.sessions import Sessions

        is_replay = self.replay is not None
        return Sessions(self.journals, self.clock, self.settings, repeatable=is_replay)

    @cached_property
    def lenses(self) -> dict[str, Lens]:
        from webquarry._search.lenses import load_lenses

        return load_lenses(self.settings.lenses)

    @cached_property
    def router(self) -> Router:
        from webquarry._search.router import Router

        return Router(
            self.client,
            self.settings,
            self.environ,
            self.clock,
            lambda: self.cache,
            self.breakers,
            self.library,
        )

    @cached_property
    def breakers(self) -> Breakers:
        """Circuit breakers of the providers."""
        from webquarry._search.guard import Breakers

        return Breakers(self.settings, self.clock)

    @cached_property
    def patents(self) -> PatentFinder:
        from webquarry._search.patents.finder import PatentFinder
        from webquarry.evidence.page.patent_page import read_patent

        return PatentFinder(
            self.client,
            self.settings,
            self.environ,
            self.clock,
            lambda: self.cache,
            self.router,
            lambda number: read_patent(self.reader, number),
            self.breakers,
        )

    @cached_property
    def scholar(self) -> Finder:
        from webquarry._search.scholarly.finder import Finder

        return Finder(
            self.client,
            self.settings,
            self.environ,
            self.clock,
            lambda: self.cache,
            lambda: self.router,
            lambda: self.lenses,
            self.breakers,
            self.pace,
        )

    @cached_property
    def pace(self) -> Pace:
        """Pauses between calls of scholarly indexes."""
        from webquarry._search.services import Pace

        return Pace(self.clock)

    @cached_property
    def citations(self) -> CitationChecker:
        from webquarry.verify.references.checker import CitationChecker

        return CitationChecker(
            self.client,
            self.settings,
            self.environ,
            self.clock,
            lambda: self.cache,
            lambda: self.runner,
            self.breakers,
            self.pace,
        )

    async def warm_up(self) -> None:
        """Open what searching and reading need, before the first call."""
        self.runner.prepare()
        await asyncio.to_thread(lambda: (self.router.services.by_name(), self.pages))
        await self.client.warm_up()
        await self.cache.get("")  # opens its file

    def open_engine(self) -> Engine:
        """Open an engine that asks models, one per database instance. The caller closes it."""
        from webquarry._search.router import Router
        from webquarry.ask.engine import Engine

        def open_router(environ: Mapping[str, str]) -> Router:
            return Router(self.client, self.settings, environ, self.clock, lambda: self.cache)

        return Engine(
            self.settings,
            self.environ,
            self._open_question_store,
            open_router,
            self._open_transport,
            self.clock,
        )

    def _open_question_store(self, clock: Clock) -> QuestionStore:
        """Open the state that asking processes share: in Redis or in the record file."""
        if self.redis is not None:
            from webquarry.ask.redis_store import RedisQuestionStore

            return RedisQuestionStore(self.redis, clock)
        from webquarry.ask.store import FileQuestionStore

        return FileQuestionStore(self.records, clock)

    def _open_transport(self) -> httpx2.AsyncBaseTransport:
        """Open the transport to models: network or recording, with a recorder if configured."""
        from webquarry.net.transport import Transport

        transport = self.replay.transport() if self.replay else Transport(self.settings, None)
        _ = self.client  # opens the recorder
        return self._recorder.wrap(transport) if self._recorder else transport

    async def aclose(self) -> None:
        """Close all open parts."""
        await self._opened.aclose()
