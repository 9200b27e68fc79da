"""The library's file: pages in, the best passages for a question out. Everything is done in the
calling thread.

    pages   one row for each page of each caller, compressed and encrypted
    words   FTS5 without contents: tokens of bodies, titles and headings, a row for each passage

The number of a page is that of its first row in `words`, and the others follow it, so that nothing
has to be kept between them; a row without a page is passed over. Rows leave the index by the
tokens they were made of, which are made again from the text. Each page comes and goes in one
transaction: whoever is killed meanwhile leaves the file as it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from webquarry._search.identity import identity
from webquarry.library.indexing import IndexedPage, index_page, write_rows
from webquarry.library.models import FoundPassage, KeptPage, LibraryStats
from webquarry.library.packing import PackedPage, unpack_page
from webquarry.library.passages import split_passages
from webquarry.library.terms import VERSION as TERMS_VERSION
from webquarry.library.terms import name_language, question_terms
from webquarry.library.tokens import SIGNS, TermTokens
from webquarry.store.database import DisposableDatabase
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import (
    Connection,
    check_row,
    roll_back,
)

_PAGE_BYTES = 2_048  # most texts are short
_INDEX_PAGE_BYTES = 2_000  # which fits into one of them
# Most tokens are of bodies: those of the first column take the least room.
_MIGRATIONS = [
    f"""
    CREATE TABLE IF NOT EXISTS pages (
        id INTEGER PRIMARY KEY, passages INTEGER NOT NULL, owner BLOB NOT NULL,
        name BLOB NOT NULL UNIQUE, content BLOB NOT NULL, digest BLOB NOT NULL,
        terms INTEGER NOT NULL, size INTEGER NOT NULL, fetched_at INTEGER NOT NULL,
        used_at INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS next (id INTEGER NOT NULL);
    INSERT INTO next VALUES (1);
    CREATE VIRTUAL TABLE words USING fts5(
        body, title, headings, content='', detail=full, tokenize="ascii tokenchars '{SIGNS}'"
    );
    INSERT INTO words (words, rank) VALUES ('pgsz', {_INDEX_PAGE_BYTES})
    """  # noqa: S608 - constants
]
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
_RANK = "bm25(1.0, 3.0, 2.0)"
_MOST_WORDS = 10  # of a question that are looked for: the rarest
_MOST_ROWS = 1_200  # of the index that a question looks at, about: common words tell little
_FEWEST_WORDS = 2
_PASSAGES_LOOKED_AT = 8  # for each result that is wanted: several may be of one page
_FEWEST_RESULTS = 10
_COMMON = 10  # passages that hold a word which tells half as much as the rarest
_KEPT_SHARE = 0.9  # of the room, after some was made
_TOUCH_SECONDS = 3_600  # how stale `used_at` may be before a read writes it again
_OWNER_BYTES = 8
_NAME_BYTES = 12
_DIGEST_BYTES = 8
_NONE: Mapping[bytes, IndexedPage] = {}
_MERGED_PAGES = 500  # of the file, written at most when the index is tidied up


@dataclass(frozen=True)
class _Row:
    """A page as its row has it."""

    number: int
    terms: int
    kept: PackedPage


@dataclass(frozen=True)
class _Known:
    """What tells whether a page is there as it is."""

    number: int
    digest: bytes
    fetched_at: int


class Shelf:
    """The pages of all callers in one database."""

    def __init__(self, connection: Connection, cipher: Cipher, max_bytes: int) -> None:
        self.connection = connection
        self._cipher = cipher
        self._max_bytes = max_bytes
        self._tokens: dict[str, TermTokens] = {}
        self._languages: dict[str, dict[str, bool]] = {}  # by caller
        self._version_of_languages: int | None = None

    def add(
        self, owner: str, pages: Iterable[KeptPage], indexes: Mapping[bytes, IndexedPage] = _NONE
    ) -> None:
        """Keep pages, each in the place of its older version; all of them or none. Of those in
        `indexes`, by their digests, what is to be written is known already.
        """
        with self._writing():
            for page in pages:
                self._add(owner, page, indexes)
            self._make_room()

    def find_changed(self, owner: str, pages: Iterable[KeptPage]) -> dict[bytes, KeptPage]:
        """The pages that are not there as they are, and the older versions that they will take the
        place of, by their digests: what has to be indexed to add them.
        """
        changed: dict[bytes, KeptPage] = {}
        for page in pages:
            known = self._find_known(owner, page)
            digest = self._hash_content(page)
            if known is None:
                changed[digest] = page
            elif known.digest != digest and known.fetched_at <= page.fetched_at:
                changed[digest] = page
                old = self._read(known.number)
                if old is not None:
                    changed[known.digest] = old.kept.page
        return changed

    def find(
        self, owner: str, question: str, count: int, admits: Callable[[KeptPage], bool], now: float
    ) -> list[FoundPassage]:
        """The best passage of each of the best pages whose address is admitted."""
        counts = self._count_rarest(owner, question)
        if not counts:
            return []
        match = " OR ".join(f'"{token}"' for token in counts)
        limit = max(count, _FEWEST_RESULTS) * _PASSAGES_LOOKED_AT
        rows = self.connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?",
            (match, _RANK, limit),
        ).fetchall()
        found: dict[int, tuple[_Row, int]] = {}
        seen: set[int] = set()
        for (place,) in rows:
            number = self._find_page(owner, place)
            if number is None or number in seen:
                continue
            seen.add(number)
            row = self._read(number)
            if row is None or row.kept.owner != owner or not admits(row.kept.page):
                continue
            found[number] = (row, place - number)
            if len(found) >= count:
                break
        self._touch(found, now)
        scores = self._score_passages(found, counts)
        return [_take_passage(row, place, scores) for row, place in found.values()]

    def forget(self, owner: str, url: str | None = None, before: float | None = None) -> int:
        """Let go of a page, of those that were read before a moment, or of all; how many."""
        name = None
        if url is not None:
            name = self._hash_page(owner, url)
        with self._writing():
            rows = self.connection.execute(
                "SELECT id FROM pages WHERE owner = ?1 AND (?2 IS NULL OR name = ?2)"
                " AND (?3 IS NULL OR fetched_at < ?3)",
                (self._hash_owner(owner), name, before),
            ).fetchall()
            for (number,) in rows:
                self._remove(number)
        if rows:
            self._shrink()
        return len(rows)

    def holds(self, owner: str, url: str) -> bool:
        """Whether a page is there."""
        name = self._hash_page(owner, url)
        found = self.connection.execute("SELECT 1 FROM pages WHERE name = ?", (name,)).fetchone()
        return found is not None

    def list_pages(self, owner: str) -> Iterator[KeptPage]:
        """All pages of a caller, the newest first."""
        numbers = self.connection.execute(
            "SELECT id FROM pages WHERE owner = ? ORDER BY fetched_at DESC, id DESC",
            (self._hash_owner(owner),),
        ).fetchall()
        for (number,) in numbers:
            row = self._read(number)
            if row is not None:
                yield row.kept.page

    def measure(self, owner: str, place: str) -> LibraryStats:
        """How much there is."""
        pages, size, oldest, newest = self.connection.execute(
            "SELECT count(*), coalesce(sum(size), 0), min(fetched_at), max(fetched_at)"
            " FROM pages WHERE owner = ?",
            (self._hash_owner(owner),),
        ).fetchone()
        return LibraryStats(pages, size, self._count_bytes(), oldest, newest, place)

    def repair(self, most: int = 50) -> bool:
        """Index some pages anew whose terms are of another version; True if there may be more."""
        numbers = self.connection.execute(
            "SELECT id FROM pages WHERE terms != ? LIMIT ?", (TERMS_VERSION, most)
        ).fetchall()
        if not numbers:
            return False
        with self._writing():
            for (number,) in numbers:
                row = self._read(number)
                self.connection.execute("DELETE FROM pages WHERE id = ?", (number,))
                if row is not None:
                    self._insert(row.kept.owner, row.kept.page)
        return True

    def tidy(self) -> None:
        """Merge what the index was written in, some of it at a time."""
        statement = "INSERT INTO words (words, rank) VALUES ('merge', ?)"
        self.connection.execute(statement, (-_MERGED_PAGES,))
        self._shrink()

    def _shrink(self) -> None:
        """Give the room that is free back to the disk. `execute` would do one page of it."""
        self.connection.executescript("PRAGMA incremental_vacuum")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction, undone where it fails."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            roll_back(self.connection)
            raise

    def _add(self, owner: str, page: KeptPage, indexes: Mapping[bytes, IndexedPage]) -> None:
        digest = self._hash_content(page)
        known = self._find_known(owner, page)
        if known is not None:
            if known.fetched_at > page.fetched_at:
                return
            if known.digest == digest:
                moment = int(page.fetched_at)
                self.connection.execute(
                    "UPDATE pages SET fetched_at = ?, used_at = ? WHERE id = ?",
                    (moment, moment, known.number),
                )
                return
            self._remove(known.number, indexes.get(known.digest))
        self._insert(owner, page, indexes.get(digest))

    def _find_known(self, owner: str, page: KeptPage) -> _Known | None:
        """What is there of a page."""
        row = self.connection.execute(
            "SELECT id, digest, fetched_at FROM pages WHERE name = ?",
            (self._hash_page(owner, page.url),),
        ).fetchone()
        if row is None:
            return None
        number, digest, fetched_at = check_row(row, int, bytes, int)
        return _Known(number, digest, fetched_at)

    def _insert(self, owner: str, page: KeptPage, indexed: IndexedPage | None = None) -> None:
        """Put a page into the file, and its passages into the index."""
        self._languages.clear()
        if indexed is None:
            indexed = index_page(owner, page, self.get_tokens(owner))
        name = self._hash_page(owner, page.url)
        content = self._cipher.encrypt(indexed.packed, name)
        rows = indexed.rows
        (number,) = self.connection.execute("SELECT id FROM next").fetchone()
        self.connection.execute("UPDATE next SET id = ?", (number + len(rows),))
        moment = int(page.fetched_at)
        self.connection.execute(
            "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                number, len(rows), self._hash_owner(owner), name, content,
                self._hash_content(page), TERMS_VERSION, len(page.text), moment, moment,
            ),
        )  # fmt: skip
        numbered = [(number + place, *row) for place, row in enumerate(rows)]
        self.connection.executemany(
            "INSERT INTO words (rowid, body, title, headings) VALUES (?, ?, ?, ?)", numbered
        )

    def _remove(self, number: int, indexed: IndexedPage | None = None) -> None:
        """Take a page out; one that cannot be read any more leaves rows that nobody finds."""
        row = self._read(number)
        self.connection.execute("DELETE FROM pages WHERE id = ?", (number,))
        if row is None or row.terms != TERMS_VERSION:
            return
        if indexed is not None:
            rows = indexed.rows
        else:
            passages = split_passages(row.kept.page.text)
            rows = write_rows(row.kept, passages, self.get_tokens(row.kept.owner))
        numbered = [("delete", number + place, *words) for place, words in enumerate(rows)]
        self.connection.executemany(
            "INSERT INTO words (words, rowid, body, title, headings) VALUES (?, ?, ?, ?, ?)",
            numbered,
        )

    def _make_room(self) -> None:
        """Let go of what was used longest ago, until a tenth of the room is free."""
        used = self._count_bytes()
        if used <= self._max_bytes:
            return
        (total,) = self.connection.execute("SELECT coalesce(sum(size), 0) FROM pages").fetchone()
        bytes_per_byte = used / max(1, total)
        surplus = used - self._max_bytes * _KEPT_SHARE
        rows = self.connection.execute("SELECT id, size FROM pages ORDER BY used_at, id").fetchall()
        for number, size in rows:
            if surplus <= 0:
                break
            self._remove(number)
            surplus -= size * bytes_per_byte
        # What was removed takes room until the index is written anew.
        self.connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def _count_bytes(self) -> int:
        """The bytes of the file that are in use."""
        (pages,) = self.connection.execute("PRAGMA page_count").fetchone()
        (free,) = self.connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = self.connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * size)

    def _count_rarest(self, owner: str, question: str) -> dict[str, int]:
        """The tokens of the rarest words of a question that occur, with the number of passages
        that hold each, as far as it is counted.
        """
        tokens = self.get_tokens(owner)

        known = self._get_known_languages(owner)

        def is_known(language: str) -> bool:
            if language not in known:
                token = tokens.of_term(name_language(language))
                known[language] = self._count_rows(token, 1) > 0
            return known[language]

        ranked = []
        for terms in question_terms(question, is_known):
            counts: dict[str, int] = {}
            for term in sorted(terms):
                token = tokens.of_term(term)
                held_by = self._count_rows(token, _MOST_ROWS)
                if held_by:
                    counts[token] = held_by
            if counts:
                ranked.append(counts)
        ranked.sort(key=lambda counts: sum(counts.values()))
        chosen: dict[str, int] = {}
        rows = 0
        for counts in ranked[:_MOST_WORDS]:
            rows += sum(counts.values())
            if rows > _MOST_ROWS and len(chosen) >= _FEWEST_WORDS:
                break
            chosen |= counts
        return chosen

    def _get_known_languages(self, owner: str) -> dict[str, bool]:
        """Whether pages of a caller are in a language, as far as it was asked since something was
        written, here or by another process.
        """
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        if version != self._version_of_languages:
            self._languages.clear()
            self._version_of_languages = version
        return self._languages.setdefault(owner, {})

    def _count_rows(self, token: str, most: int) -> int:
        """The passages that hold a token; no more than so many are counted."""
        (count,) = self.connection.execute(_COUNT, (f'"{token}"', most)).fetchone()
        return int(count)

    def _score_passages(
        self, found: Mapping[int, tuple[_Row, int]], counts: Mapping[str, int]
    ) -> dict[int, float]:
        """How much of what was asked for the passages of pages hold, their titles aside, which
        stand above all of them. By their numbers in the index.
        """
        scores: dict[int, float] = {}
        for number, (row, _) in found.items():
            passages = len(row.kept.bounds) // 2
            scores |= dict.fromkeys(range(number, number + passages), 0.0)
        if not scores:
            return scores
        ends = (min(scores), max(scores))
        for token, held_by in counts.items():
            match = f'{{body headings}} : "{token}"'
            rows = self.connection.execute(
                "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?",
                (match, *ends),
            )
            for (place,) in rows:
                if place in scores:
                    scores[place] += 1 / (_COMMON + held_by)
        return scores

    def _find_page(self, owner: str, place: int) -> int | None:
        """The page of this caller that a row of the index belongs to."""
        row = self.connection.execute(
            "SELECT id, passages, owner FROM pages WHERE id <= ? ORDER BY id DESC LIMIT 1",
            (place,),
        ).fetchone()
        if row is None:
            return None
        number, passages, whose = check_row(row, int, int, bytes)
        if place >= number + passages or whose != self._hash_owner(owner):
            return None
        return int(number)

    def _touch(self, numbers: Iterable[int], now: float) -> None:
        """Note that pages were of use."""
        self.connection.execute(
            "UPDATE pages SET used_at = ? WHERE used_at < ?"
            " AND id IN (SELECT value FROM json_each(?))",
            (int(now), now - _TOUCH_SECONDS, json.dumps(list(numbers))),
        )

    def _read(self, number: int) -> _Row | None:
        """A page; None where there is none, or none that can be read."""
        row = self.connection.execute(
            "SELECT name, content, terms, fetched_at FROM pages WHERE id = ?", (number,)
        ).fetchone()
        if row is None:
            return None
        name, content, terms, fetched_at = check_row(row, bytes, bytes, int, int)
        packed = self._cipher.decrypt(content, name)
        if packed is None:
            return None
        return _Row(number, terms, unpack_page(packed, fetched_at))

    def get_tokens(self, owner: str) -> TermTokens:
        """What stands for the terms of a caller."""
        if owner not in self._tokens:
            self._tokens[owner] = TermTokens(self._cipher.hash_name(f"library terms {owner}"))
        return self._tokens[owner]

    def _hash_owner(self, owner: str) -> bytes:
        return self._cipher.hash_name(f"library owner {owner}")[:_OWNER_BYTES]

    def _hash_page(self, owner: str, url: str) -> bytes:
        return self._cipher.hash_name(f"library page {owner}\n{identity(url)}")[:_NAME_BYTES]

    def _hash_content(self, page: KeptPage) -> bytes:
        """Tells whether a page has changed, to us alone."""
        digest = blake2b(page.text + b"\n" + page.title.encode("utf-8", "replace")).hexdigest()
        return self._cipher.hash_name(f"library text {digest}")[:_DIGEST_BYTES]


def open_shelf_database(path: Path) -> DisposableDatabase:
    """The database of a shelf."""
    pragmas = [f"page_size = {_PAGE_BYTES}", "auto_vacuum = INCREMENTAL"]
    return DisposableDatabase(path, _MIGRATIONS, pragmas=pragmas)


def _take_passage(row: _Row, place: int, scores: Mapping[int, float]) -> FoundPassage:
    """The passage of a page that holds most of what was asked for; of equally good ones that at
    `place`.
    """
    page = row.kept.page
    data = page.text
    bounds = row.kept.bounds
    if bounds:
        others = range(len(bounds) // 2)
        best = max(others, key=lambda one: (scores[row.number + one], one == place))
        data = data[bounds[2 * best] : bounds[2 * best + 1]]
    text = data.decode("utf-8", "replace")
    return FoundPassage(page.url, page.title, text, page.fetched_at, page.published)
