"""The database of the library: pages, and the best pages for a question with their best passages.

    pages   one row for each page of each caller, compressed and encrypted
    words   FTS5 without contents: keyed hashes of the terms of bodies, titles and headings, a row
            for each page

Rows are removed from the index by their tokens, which are computed again from the text. Each page
is added and removed in one transaction.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from webquarry._search.identity import identity
from webquarry.evidence.language.words import fold
from webquarry.library.models import FoundPassage, KeptPage, LibraryStats
from webquarry.library.packing import PackedPage, pack_page, split_passages, unpack_page
from webquarry.library.terms import (
    SIGNS,
    TermTokens,
    find_languages,
    name_language,
    question_terms,
)
from webquarry.store.database import DisposableDatabase
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection, check_row, roll_back

TERMS_VERSION = 2  # of the terms and rows of the index; 0: not in the index
_WORDS = f"""
    CREATE VIRTUAL TABLE words USING fts5(
        body, title, headings, content='', detail=full, tokenize="ascii tokenchars '{SIGNS}'"
    );
    INSERT INTO words (words, rank) VALUES ('pgsz', 2000)
"""  # noqa: S608 - constants
_MIGRATIONS = [
    f"""
    CREATE TABLE IF NOT EXISTS pages (
        id INTEGER PRIMARY KEY, passages INTEGER NOT NULL, owner BLOB NOT NULL,
        name BLOB NOT NULL UNIQUE, content BLOB NOT NULL, digest BLOB NOT NULL,
        terms INTEGER NOT NULL, size INTEGER NOT NULL, fetched_at INTEGER NOT NULL,
        used_at INTEGER NOT NULL
    );
    {_WORDS}
    """,
    f"""
    DROP TABLE words;
    DROP TABLE IF EXISTS next;
    {_WORDS};
    UPDATE pages SET terms = 0
    """,  # noqa: S608 - constants
]
_PRAGMAS = ["page_size = 2048", "auto_vacuum = INCREMENTAL"]  # most texts are short
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
_SELECT = "SELECT rowid FROM words WHERE words MATCH ?"
_FIND = "SELECT rowid FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?"
_HOLDS = "SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?"
_RANK = "bm25(1.0, 3.0, 2.0)"
_MAX_WORDS = 10  # of a question
_MAX_ROWS = 8_000  # of the rarest words, unless the two rarest have more
_FEWEST_WORDS = 2
_MAX_CANDIDATES = 120  # pages that are ranked by the rarest words
_FEWEST_CANDIDATES = 20  # of these, pages that are ranked by all words
_KEPT_SHARE = 0.9  # of the maximum size, after pages were removed
_TOUCH_SECONDS = 3_600  # how old `used_at` may be before a read updates it
_OWNER_BYTES = 8
_NAME_BYTES = 12
_DIGEST_BYTES = 8
_MERGED_PAGES = 500  # of the file, written at most by one merge of the index

Row = tuple[str, str, str]  # tokens of body, title and headings


@dataclass(frozen=True)
class _Word:
    """A word of a question: its possible terms, their tokens that occur, and the rows of these."""

    terms: frozenset[str]
    tokens: list[str]
    rows: int


@dataclass(frozen=True)
class _StoredPage:
    id: int
    terms: int
    packed: PackedPage


class Shelf:
    """The pages of all callers in one database."""

    def __init__(self, connection: Connection, cipher: Cipher, max_bytes: int) -> None:
        self.connection = connection
        self._cipher = cipher
        self._max_bytes = max_bytes
        self._tokens: dict[str, TermTokens] = {}
        self._large_counts: dict[str, int] = {}

    def add(self, owner: str, pages: Iterable[KeptPage]) -> None:
        """Store pages, replacing older versions; all of them or none."""
        with self._writing():
            for page in pages:
                self._add(owner, page)
            self._make_room()

    def find(
        self, owner: str, question: str, count: int, admits: Callable[[KeptPage], bool], now: float
    ) -> list[FoundPassage]:
        """Return the best passages of the best pages that are admitted, one of each page."""
        found: list[_StoredPage] = []
        rarest, others = self._choose_words(owner, question)
        for id in self._rank_pages(rarest, others):
            page = self._read(id)
            if page is None or page.packed.owner != owner or not admits(page.packed.page):
                continue
            found.append(page)
            if len(found) >= count:
                break
        self._touch([page.id for page in found], now)
        words = [*rarest, *others]
        return [self._choose_passage(page.packed, words) for page in found]

    def forget(self, owner: str, url: str | None = None, before: float | None = None) -> int:
        """Remove a page, those read before a moment, or all; return their number."""
        name = None
        if url is not None:
            name = self._hash_page(owner, url)
        with self._writing():
            rows = self.connection.execute(
                "SELECT id FROM pages WHERE owner = ?1 AND (?2 IS NULL OR name = ?2)"
                " AND (?3 IS NULL OR fetched_at < ?3)",
                (self._hash_owner(owner), name, before),
            ).fetchall()
            for (id,) in rows:
                self._remove(id)
        if rows:
            self._shrink()
        return len(rows)

    def holds(self, owner: str, url: str) -> bool:
        """Return whether a page is stored."""
        name = self._hash_page(owner, url)
        found = self.connection.execute("SELECT 1 FROM pages WHERE name = ?", (name,)).fetchone()
        return found is not None

    def list_pages(self, owner: str) -> Iterator[KeptPage]:
        """Yield all pages of a caller, the newest first."""
        ids = self.connection.execute(
            "SELECT id FROM pages WHERE owner = ? ORDER BY fetched_at DESC, id DESC",
            (self._hash_owner(owner),),
        ).fetchall()
        for (id,) in ids:
            page = self._read(id)
            if page is not None:
                yield page.packed.page

    def measure(self, owner: str, place: str) -> LibraryStats:
        """Return the size of the pages of a caller."""
        pages, size, oldest, newest = self.connection.execute(
            "SELECT count(*), coalesce(sum(size), 0), min(fetched_at), max(fetched_at)"
            " FROM pages WHERE owner = ?",
            (self._hash_owner(owner),),
        ).fetchone()
        return LibraryStats(pages, size, self._count_bytes(), oldest, newest, place)

    def repair(self, most: int = 50) -> bool:
        """Index pages that are not in the index; return whether there may be more."""
        ids = self.connection.execute(
            "SELECT id FROM pages WHERE terms != ? LIMIT ?", (TERMS_VERSION, most)
        ).fetchall()
        if not ids:
            return False
        with self._writing():
            for (id,) in ids:
                page = self._read(id)
                if page is None:
                    self.connection.execute("DELETE FROM pages WHERE id = ?", (id,))
                    continue
                self._insert_words(id, self._build_row(page.packed))
                update = "UPDATE pages SET terms = ? WHERE id = ?"
                self.connection.execute(update, (TERMS_VERSION, id))
        return True

    def tidy(self) -> None:
        """Merge parts of the index, a limited amount at a time."""
        statement = "INSERT INTO words (words, rank) VALUES ('merge', ?)"
        self.connection.execute(statement, (-_MERGED_PAGES,))
        self._shrink()

    def _shrink(self) -> None:
        """Return free pages to the file system; `execute` would return only one."""
        self.connection.executescript("PRAGMA incremental_vacuum")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            roll_back(self.connection)
            raise

    def _add(self, owner: str, page: KeptPage) -> None:
        digest = self._hash_content(page)
        name = self._hash_page(owner, page.url)
        moment = int(page.fetched_at)
        known = self.connection.execute(
            "SELECT id, digest, fetched_at FROM pages WHERE name = ?", (name,)
        ).fetchone()
        if known is not None:
            id, known_digest, fetched_at = check_row(known, int, bytes, int)
            if fetched_at > page.fetched_at:
                return
            if known_digest == digest:
                self.connection.execute(
                    "UPDATE pages SET fetched_at = ?, used_at = ? WHERE id = ?",
                    (moment, moment, id),
                )
                return
            self._remove(id)
        packed = PackedPage(
            owner,
            find_languages(page.text.decode("utf-8", "replace")),
            split_passages(page.text),
            page,
        )
        content = self._cipher.encrypt(pack_page(packed), name)
        inserted = self.connection.execute(
            "INSERT INTO pages (passages, owner, name, content, digest, terms, size, fetched_at,"
            " used_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._hash_owner(owner),
                name,
                content,
                digest,
                TERMS_VERSION,
                len(page.text),
                moment,
                moment,
            ),
        )
        self._insert_words(inserted.lastrowid or 0, self._build_row(packed))

    def _build_row(self, packed: PackedPage) -> Row:
        """Return the tokens of a page; its headings include its languages."""
        tokens = self._get_tokens(packed.owner)
        languages = packed.languages
        text = packed.page.text.decode("utf-8", "replace")
        lines = [line for line in text.split("\n") if line.startswith("#")]
        headings = tokens.of_text("\n".join(lines), languages)
        names = [tokens.of_term(name_language(one)) for one in languages.values() if one]
        body = tokens.of_text(text, languages)
        title = tokens.of_text(packed.page.title, languages)
        return body, title, " ".join([headings, *names])

    def _insert_words(self, id: int, row: Row) -> None:
        insert = "INSERT INTO words (rowid, body, title, headings) VALUES (?, ?, ?, ?)"
        self.connection.execute(insert, (id, *row))

    def _remove(self, id: int) -> None:
        """Remove a page; the tokens of an unreadable one remain in the index and match nothing."""
        page = self._read(id)
        self.connection.execute("DELETE FROM pages WHERE id = ?", (id,))
        if page is None or page.terms != TERMS_VERSION:
            return
        self.connection.execute(
            "INSERT INTO words (words, rowid, body, title, headings) VALUES ('delete', ?, ?, ?, ?)",
            (id, *self._build_row(page.packed)),
        )

    def _make_room(self) -> None:
        """Remove the pages that were used longest ago, until a tenth of the size is free."""
        used = self._count_bytes()
        if used <= self._max_bytes:
            return
        (total,) = self.connection.execute("SELECT coalesce(sum(size), 0) FROM pages").fetchone()
        bytes_per_byte = used / max(1, total)
        surplus = used - self._max_bytes * _KEPT_SHARE
        rows = self.connection.execute("SELECT id, size FROM pages ORDER BY used_at, id").fetchall()
        for id, size in rows:
            if surplus <= 0:
                break
            self._remove(id)
            surplus -= size * bytes_per_byte
        # removed tokens are stored as deletions until the index is rewritten
        self.connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def _count_bytes(self) -> int:
        """Return the bytes of the file that are in use."""
        (pages,) = self.connection.execute("PRAGMA page_count").fetchone()
        (free,) = self.connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = self.connection.execute("PRAGMA page_size").fetchone()
        return int((pages - free) * size)

    def _choose_words(self, owner: str, question: str) -> tuple[list[_Word], list[_Word]]:
        """Return the rarest words of a question that occur, and the others."""
        tokens = self._get_tokens(owner)

        def is_known(language: str) -> bool:
            return self._count_rows(tokens.of_term(name_language(language))) > 0

        words: list[_Word] = []
        for terms in question_terms(question, is_known):
            rows = {token: self._count_rows(token) for token in map(tokens.of_term, sorted(terms))}
            found = [token for token in rows if rows[token]]
            if found:
                words.append(_Word(terms, found, sum(rows.values())))
        words.sort(key=lambda word: word.rows)
        total = 0
        for number, word in enumerate(words):
            total += word.rows
            if number >= _MAX_WORDS or (total > _MAX_ROWS and number >= _FEWEST_WORDS):
                return words[:number], words[number:]
        return words, []

    def _count_rows(self, token: str) -> int:
        """Return the number of rows with a token; large numbers are those of an earlier count."""
        count = self._large_counts.get(token)
        if count is None:
            most = max(_MAX_ROWS, self._estimate_pages() // 2)  # more rows have no weight
            (count,) = self.connection.execute(_COUNT, (f'"{token}"', most)).fetchone()
        if count > _MAX_ROWS // 2:
            self._large_counts[token] = count
        return int(count)

    def _estimate_pages(self) -> int:
        """Return the highest id, since counting reads the whole table."""
        (highest,) = self.connection.execute("SELECT max(id) FROM pages").fetchone()
        return int(highest or 0)

    def _rank_pages(self, rarest: Sequence[_Word], others: Sequence[_Word]) -> list[int]:
        """Return the ids of pages, the best first. Without other words they are ranked by BM25;
        else the best of them are ranked by the words that they contain.
        """
        if not rarest:
            return []
        match = _match_any(token for word in rarest for token in word.tokens)
        found = self.connection.execute(_FIND, (match, _RANK, _MAX_CANDIDATES)).fetchall()
        ids = [id for (id,) in found]
        if not others:
            return ids
        pages = self._estimate_pages()
        scores = dict.fromkeys(ids, 0.0)
        for word in rarest:
            rows = self.connection.execute(_SELECT, (_match_any(word.tokens),))
            weight = _weigh(word, pages)
            for id in scores.keys() & {id for (id,) in rows}:
                scores[id] += weight
        for word in others:
            match = _match_any(word.tokens)
            weight = _weigh(word, pages)
            ids = sorted(ids, key=lambda id: scores[id], reverse=True)
            for id in ids[: max(_FEWEST_CANDIDATES, len(ids) // 2)]:
                if weight > 0 and self.connection.execute(_HOLDS, (match, id)).fetchone():
                    scores[id] += weight
            ids = ids[: max(_FEWEST_CANDIDATES, len(ids) // 2)]
        return sorted(scores, key=lambda id: scores[id], reverse=True)

    def _choose_passage(self, packed: PackedPage, words: Sequence[_Word]) -> FoundPassage:
        """Return the passage with most of the words, rare ones counting more."""
        page = packed.page
        best_score = -1.0
        best = page.text
        bounds = packed.bounds
        for start, stop in zip(bounds[::2], bounds[1::2], strict=True):
            text = page.text[start:stop]
            folded = fold(text.decode("utf-8", "replace"))
            held = [word for word in words if any(term in folded for term in word.terms)]
            score = sum(1 / word.rows for word in held)
            if score > best_score:
                best_score, best = score, text
        shown = best.decode("utf-8", "replace")
        return FoundPassage(page.url, page.title, shown, page.fetched_at, page.published)

    def _touch(self, ids: Iterable[int], now: float) -> None:
        """Note that pages were found."""
        self.connection.execute(
            "UPDATE pages SET used_at = ? WHERE used_at < ?"
            " AND id IN (SELECT value FROM json_each(?))",
            (int(now), now - _TOUCH_SECONDS, json.dumps(list(ids))),
        )

    def _read(self, id: int) -> _StoredPage | None:
        """Return a page; None if there is none that can be decrypted."""
        row = self.connection.execute(
            "SELECT name, content, terms, fetched_at FROM pages WHERE id = ?", (id,)
        ).fetchone()
        if row is None:
            return None
        name, content, terms, fetched_at = check_row(row, bytes, bytes, int, int)
        packed = self._cipher.decrypt(content, name)
        if packed is None:
            return None
        return _StoredPage(id, terms, unpack_page(packed, fetched_at))

    def _get_tokens(self, owner: str) -> TermTokens:
        if owner not in self._tokens:
            self._tokens[owner] = TermTokens(self._cipher.hash_name(f"library terms {owner}"))
        return self._tokens[owner]

    def _hash_owner(self, owner: str) -> bytes:
        return self._cipher.hash_name(f"library owner {owner}")[:_OWNER_BYTES]

    def _hash_page(self, owner: str, url: str) -> bytes:
        return self._cipher.hash_name(f"library page {owner}\n{identity(url)}")[:_NAME_BYTES]

    def _hash_content(self, page: KeptPage) -> bytes:
        digest = blake2b(page.text + b"\n" + page.title.encode("utf-8", "replace")).hexdigest()
        return self._cipher.hash_name(f"library text {digest}")[:_DIGEST_BYTES]


def open_shelf_database(path: Path) -> DisposableDatabase:
    """Return the database of a shelf."""
    return DisposableDatabase(path, _MIGRATIONS, pragmas=_PRAGMAS)


def _match_any(tokens: Iterable[str]) -> str:
    return " OR ".join(f'"{token}"' for token in tokens)


def _weigh(word: _Word, pages: int) -> float:
    """Return the inverse document frequency of a word, at most 0 if most pages have it."""
    rows = min(pages, word.rows)
    return math.log((pages - rows + 0.5) / (rows + 0.5))
