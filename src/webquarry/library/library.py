"""The library: pages that were read are stored after the answer, and found again by questions.

All work is done in threads, one at a time. Pages that are waiting when the process ends are stored
when the library is closed. There is no library while exchanges are recorded or replayed, so that a
recording does not answer for the web, nor the web for a recording.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from webquarry._search.models import Query, Result
from webquarry.caller import caller
from webquarry.clock import Clock
from webquarry.library.models import KeptPage, LibraryStats
from webquarry.settings import Settings
from webquarry.store.folder import find_records_folder

if TYPE_CHECKING:
    from webquarry.library.shelf import Shelf
    from webquarry.store.database import DisposableDatabase
    from webquarry.store.encryption import Cipher
    from webquarry.store.sqlite import Connection

T = TypeVar("T")

MakePage = Callable[[], KeptPage | None]

_MAX_WAITING = 1_000  # pages that are not stored yet; further ones are dropped
_MAX_WAITING_BYTES = 20_000_000
_ADDS_BETWEEN_TIDIES = 200
_GROUP = 20  # pages that are added in one transaction
_PAUSE_SECONDS = 1.0  # so that pages that are read together are stored together
_NO_HOME = Path("/nonexistent")  # the home of users without one on many systems


def open_library(settings: Settings, environ: Mapping[str, str], clock: Clock) -> Library | None:
    """Return the library, which creates its file on first use; None if it is turned off."""
    folder = find_records_folder(settings, environ)
    if not settings.library or settings.record or settings.replay:
        return None
    if folder is None or folder.is_relative_to(_NO_HOME):
        return None
    return Library(folder, settings.library_max_bytes, clock)


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
        self._is_wanted = threading.Event()  # a caller waits for pages to be stored
        self._adds = 0
        self._is_closed = False

    def keep(self, make_page: MakePage, size: int) -> None:
        """Store a page of the caller soon. `make_page`, which holds `size` bytes, is called in
        another thread.
        """
        with self._lock:
            if self._is_closed or len(self._waiting) >= _MAX_WAITING:
                return
            self._waiting.append((caller(), make_page))
            self._waiting_bytes += size
            if self._waiting_bytes > _MAX_WAITING_BYTES:
                self._is_wanted.set()
            is_first = len(self._waiting) == 1
        if is_first:
            name = "webquarry-library"
            threading.Thread(target=self._add_soon, name=name, daemon=True).start()

    async def find(self, query: Query) -> list[Result]:
        """Return the pages of the caller that answer a question, the best first."""
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
        """Remove pages of the caller; return their number."""
        owner = caller()
        return await self._run(lambda shelf: shelf.forget(owner, url, before), 0)

    async def list_pages(self) -> list[KeptPage]:
        """Return all pages of the caller, the newest first."""
        owner = caller()
        return await self._run(lambda shelf: list(shelf.list_pages(owner)), [])

    async def measure(self) -> LibraryStats:
        """Return the size of the pages of the caller."""
        owner = caller()
        place = str(self.path)
        nothing = LibraryStats(0, 0, 0, None, None, place)
        return await self._run(lambda shelf: shelf.measure(owner, place), nothing)

    async def holds(self, url: str) -> bool:
        """Return whether a page of the caller is stored, after those that wait."""
        owner = caller()
        return await self._run(lambda shelf: shelf.holds(owner, url), False)

    async def aclose(self) -> None:
        """Store the pages that wait, and close the file."""
        with self._lock:
            self._is_closed = True
        self._is_wanted.set()
        if not self._waiting and self._file is None:
            return
        try:
            await asyncio.to_thread(self._close)
        except RuntimeError:  # the interpreter exits and starts no more threads
            self._close()

    def _close(self) -> None:
        self._add_waiting()
        if self._adds:
            self._work(lambda shelf: shelf.tidy(), None)
        with self._working:
            if self._file is not None:
                self._file.close()

    async def _run(self, work: Callable[[Shelf], T], otherwise: T) -> T:
        """Return the result of the work, after pages that wait are stored; `otherwise` if the file
        cannot be used.
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
        self._is_wanted.wait(_PAUSE_SECONDS)
        self._is_wanted.clear()
        self._add_waiting()

    def _add_waiting(self) -> None:
        """Store the pages that wait, in one thread at a time."""
        with self._adding:
            self._add_groups()

    def _add_groups(self) -> None:
        """Store the pages that wait in groups, then index pages that are not in the index."""
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
