"""Pages are indexed by the worker processes that read them, so that a process that serves keeps its
interpreter to itself. From a thread; the workers belong to an event loop.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING

from webquarry.errors import WebquarryError
from webquarry.library.models import KeptPage

if TYPE_CHECKING:
    from webquarry._read.workers.job import JobRunner
    from webquarry.library.indexing import IndexedPage
    from webquarry.library.tokens import TermTokens

log = logging.getLogger(__name__)


class WorkerIndexer:
    """Has pages indexed by workers while nobody waits for it, and here where somebody does."""

    def __init__(self, open_runner: Callable[[], JobRunner]) -> None:
        self._open_runner = open_runner
        self._runner: JobRunner | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._pending: Future[bytes] | None = None
        self._waiting = 0  # who wait for pages that are still to be indexed

    def note_loop(self) -> None:
        """The workers belong to the running loop, and have just read a page."""
        self._loop = asyncio.get_running_loop()
        self._runner = self._open_runner()

    def index(self, owner: str, page: KeptPage, tokens: TermTokens) -> IndexedPage:
        """What is to be written of a page. Whatever a worker cannot do is done here."""
        from webquarry.library.indexing import index_page, unpack_index

        try:
            return unpack_index(self._ask(owner, page, tokens.key))
        except (CancelledError, RuntimeError):  # somebody waits, or the loop is gone
            return index_page(owner, page, tokens)
        except WebquarryError as error:
            log.debug("a page is indexed here: %s", error.message)
            return index_page(owner, page, tokens)

    def hurry(self) -> None:
        """Somebody waits, and not for a worker that may be busy."""
        with self._lock:
            self._waiting += 1
            if self._pending is not None:
                self._pending.cancel()

    def take_time(self) -> None:
        """Somebody waits no longer."""
        with self._lock:
            self._waiting -= 1

    def _ask(self, owner: str, page: KeptPage, key: bytes) -> bytes:
        from webquarry.library.indexing import describe_job

        with self._lock:
            if self._waiting or self._loop is None or self._runner is None:
                raise CancelledError
            job = describe_job(owner, page, key)
            asking = self._runner.run(job)
            try:
                pending = asyncio.run_coroutine_threadsafe(asking, self._loop)
            except RuntimeError:
                asking.close()  # it will never begin
                raise
            self._pending = pending
        try:
            return pending.result()
        finally:
            with self._lock:
                self._pending = None
