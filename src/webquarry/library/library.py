"""The library as its users see it: pages are handed over and kept behind the answer, questions are
answered with what was kept.

All work is done on threads, one at a time, so that no event loop waits for the disk; nothing heavy
is loaded before there is something to be done. Where worker processes read pages they also index
them, since threads share one interpreter with the event loop. The thread that adds pages holds up
no process that ends: what is still to be added then is added when the library is closed.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from webquarry._search.models import Query, Result
from webquarry.caller import caller
from webquarry.clock import Clock
from webquarry.library.models import KeptPage, LibraryStats

if TYPE_CHECKING:
    from webquarry.library.shelf import Shelf
    from webquarry.store.database import DisposableDatabase
    from webquarry.store.encryption import Cipher
    from webquarry.store.sqlite import Connection

T = TypeVar("T")

MakePage = Callable[[], KeptPage | None]

_MOST_WAITING = 1_000  # pages that are still to be added; further ones are not
_ADDS_BETWEEN_TIDIES = 200
_GROUP = 20  # pages that are added in one transaction
_PAUSE_SECONDS = 1.0  # in which no page came: the answers that they were read for have left
_MOST_PAUSES = 20  # before pages are added while others still come
_MOST_WAITING_BYTES = 20_000_000  # that are held until then


class Library:
    """Pages in `folder`/library.sqlite3, encrypted with `folder`/library.key."""

    def __init__(self, folder: Path, max_bytes: int, clock: Clock) -> None:
        self.path = folder / "library.sqlite3"
        self._max_bytes = max_bytes
        self._clock = clock
        self._adding = threading.Lock()
        self._working = threading.Lock()
        self._file: DisposableDatabase | None = None
        self._shelf: Shelf | None = None
        self._lock = threading.Lock()
        self._waiting: list[tuple[str, MakePage]] = []
        self._waiting_bytes = 0
        self._is_wanted = threading.Event()  # somebody waits for what is still to be added
        self._adds = 0
        self._is_closed = False

    def keep(self, make_page: MakePage, size: int) -> None:
        """Have a page of the caller kept soon. `make_page`, which holds so many bytes, is called
        on another thread.
        """
        with self._lock:
            if self._is_closed or len(self._waiting) >= _MOST_WAITING:
                return
            self._waiting.append((caller(), make_page))
            self._waiting_bytes += size
            is_first = len(self._waiting) == 1
        if is_first:
            name = "webquarry-library"
            threading.Thread(target=self._add_soon, name=name, daemon=True).start()

    async def find(self, query: Query) -> list[Result]:
        """The pages of the caller that answer a question, best first."""
        from webquarry.library.results import build_sieve, show_passage

        owner = caller()
        now = self._clock.now()
        admits = build_sieve(query)
        most = query.count

        def find(shelf: Shelf) -> list[Result]:
            found = shelf.find(owner, query.text, most, admits, now.timestamp())
            return [show_passage(passage, now) for passage in found]

        return await self._run(find, [])

    async def forget(self, url: str | None = None, before: float | None = None) -> int:
        """Let go of pages of the caller; how many there were."""
        owner = caller()
        return await self._run(lambda shelf: shelf.forget(owner, url, before), 0)

    async def list_pages(self) -> list[KeptPage]:
        """All pages of the caller, the newest first."""
        owner = caller()
        return await self._run(lambda shelf: list(shelf.list_pages(owner)), [])

    async def measure(self) -> LibraryStats:
        """How much of the caller there is."""
        owner = caller()
        place = str(self.path)
        nothing = LibraryStats(0, 0, 0, None, None, place)
        return await self._run(lambda shelf: shelf.measure(owner, place), nothing)

    async def holds(self, url: str) -> bool:
        """Whether a page of the caller is there, after all that was handed over is kept."""
        owner = caller()
        return await self._run(lambda shelf: shelf.holds(owner, url), False)

    async def aclose(self) -> None:
        """Keep what is still to be kept, and close the file."""
        with self._lock:
            self._is_closed = True
        self._is_wanted.set()
        if not self._waiting and self._file is None:
            return
        try:
            await asyncio.to_thread(self._close)
        except RuntimeError:  # at its exit an interpreter starts no thread any more
            self._close()

    def _close(self) -> None:
        self._add_waiting()
        if self._adds:
            self._work(lambda shelf: shelf.tidy(), None)
        with self._working:
            if self._file is not None:
                self._file.close()

    async def _run(self, work: Callable[[Shelf], T], otherwise: T) -> T:
        """What the work gives, after what is still to be added; `otherwise` where the file cannot
        be used.
        """
        self._is_wanted.set()

        def add_and_work() -> T:
            self._add_waiting()
            return self._work(work, otherwise)

        return await asyncio.to_thread(add_and_work)

    def _work(self, work: Callable[[Shelf], T], otherwise: T) -> T:
        # imports SQLite, cryptography and language data, which no answer waits for
        from webquarry.library.shelf import Shelf, open_shelf_database

        def work_on_shelf(connection: Connection, cipher: Cipher) -> T:
            if self._shelf is None or self._shelf.connection is not connection:
                self._shelf = Shelf(connection, cipher, self._max_bytes)
            return work(self._shelf)

        with self._working:
            if self._file is None:
                self._file = open_shelf_database(self.path)
            return self._file.try_do(work_on_shelf, otherwise, write=False)

    def _add_soon(self) -> None:
        """Add what came, at a moment when no more comes: whoever reads several pages has the
        processor for them first, and pages that come together are written together.
        """
        count = 0
        for _ in range(_MOST_PAUSES):
            if len(self._waiting) == count or self._waiting_bytes > _MOST_WAITING_BYTES:
                break
            count = len(self._waiting)
            if self._is_wanted.wait(_PAUSE_SECONDS):
                break
        self._is_wanted.clear()
        self._add_waiting()

    def _add_waiting(self) -> None:
        """Keep the pages that came; whoever comes meanwhile waits until they are kept."""
        with self._adding:
            self._add_groups()

    def _add_groups(self) -> None:
        """Keep the pages that came, some at a time, and repair some that are to be indexed anew."""
        while True:
            with self._lock:
                group, self._waiting = self._waiting[:_GROUP], self._waiting[_GROUP:]
                self._waiting_bytes = 0
            if not group:
                break
            by_owner: dict[str, list[KeptPage]] = {}
            for owner, make_page in group:
                page = make_page()
                if page is not None:
                    by_owner.setdefault(owner, []).append(page)
            for owner, pages in by_owner.items():
                self._work(partial(_add_pages, owner, pages), None)
                self._adds += len(pages)
            if self._adds % _ADDS_BETWEEN_TIDIES < len(group):
                self._work(lambda shelf: shelf.tidy(), None)
        while self._work(lambda shelf: shelf.repair(), False):
            pass


def _add_pages(owner: str, pages: list[KeptPage], shelf: Shelf) -> None:
    shelf.add(owner, pages)
