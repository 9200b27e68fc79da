"""The library: pages that were read are stored after the answer, and found again by questions.

All work is done in threads, one at a time. Pages that are waiting when the process ends are stored
when the library is closed. There is no library while exchanges are recorded or replayed, so that a
recording does not answer for the web, nor the web for a recording.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from webquarry._search.models import LIBRARY, Query, Result
from webquarry.caller import caller
from webquarry.clock import Clock
from webquarry.library import KeptPage, LibraryStats
from webquarry.settings import Settings
from webquarry.store.open import find_records_folder

if TYPE_CHECKING:
    from webquarry.library.shelf import Shelf
    from webquarry.store.database import Connection, DisposableDatabase
    from webquarry.store.encryption import Cipher

T = TypeVar("T")

MakePage = Callable[[], KeptPage | None]

_MAX_WAITING = 1_000  # pages that are not stored yet; further ones are dropped
_MAX_WAITING_BYTES = 20_000_000
_ADDS_BETWEEN_TIDIES = 200
_GROUP = 20  # pages that are added in one transaction
_PAUSE_SECONDS = 1.0  # so that pages that are read together are stored together
_SNIPPET_CHARACTERS = 500
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
        self._working = threading.RLock()
        self._file: DisposableDatabase | None = None
        self._shelf: Shelf | None = None
        self._lock = threading.Lock()  # of the pages that wait
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
        owner = caller()
        now = self._clock.now()

        def find(shelf: Shelf) -> list[Result]:
            admits = build_filter(query)
            found = shelf.find(owner, query.text, query.count, admits, now.timestamp())
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
        with self._working:
            self._add_waiting()
            if self._adds:
                self._work(lambda shelf: shelf.tidy(), None)
            if self._file is not None:
                self._file.close()

    async def _run(self, work: Callable[[Shelf], T], otherwise: T) -> T:
        """Return the result of the work, after pages that wait are stored; `otherwise` if the file
        cannot be used.
        """
        self._is_wanted.set()

        def add_and_work() -> T:
            with self._working:
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

        if self._file is None:
            self._file = open_shelf_database(self.path)
        return self._file.try_do(work_on_shelf, otherwise, write=False)

    def _add_soon(self) -> None:
        self._is_wanted.wait(_PAUSE_SECONDS)
        self._is_wanted.clear()
        with self._working:
            self._add_waiting()

    def _add_waiting(self) -> None:
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
            self._adds += len(group)
            if self._adds % _ADDS_BETWEEN_TIDIES < len(group):
                self._work(lambda shelf: shelf.tidy(), None)
        while self._work(lambda shelf: shelf.repair(), False):
            pass


def _add_pages(owner: str, pages: list[KeptPage], shelf: Shelf) -> None:
    shelf.add(owner, pages)


def show_passage(found: KeptPage, now: datetime) -> Result:
    """Return a passage as a result, with the time since its page was read."""
    from webquarry._search.text import plain, shorten_text

    return Result(
        title=plain(found.title) or plain(found.url),
        url=found.url,
        snippet=shorten_text(plain(found.text.decode("utf-8", "replace")), _SNIPPET_CHARACTERS),
        provider=LIBRARY,
        published=found.published,
        age_seconds=max(0, int(now.timestamp() - found.fetched_at)),
    )


def build_filter(query: Query) -> Callable[[KeptPage], bool]:
    """Return a filter of pages: by domains, exact phrase and excluded words."""
    from webquarry._search.domains import DomainFilter
    from webquarry._search.filters import words_of
    from webquarry.evidence.language.words import fold

    domains = DomainFilter.of(query.allowed_domains, query.blocked_domains)
    phrase = " ".join(fold(query.exact_terms or "").split())
    unwanted = [fold(word) for word in words_of(query.exclude_terms)]

    def admits(page: KeptPage) -> bool:
        if domains and not domains.admits(page.url):
            return False
        if not phrase and not unwanted:
            return True
        text = fold(f"{page.title}\n{page.text.decode('utf-8', 'replace')}")
        words = " ".join(text.split())
        return phrase in words and not any(word in words for word in unwanted)

    return admits
