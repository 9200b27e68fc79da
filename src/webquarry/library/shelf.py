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
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from webquarry._read.slices.chunks import split_chunks
from webquarry._read.slices.text import WrittenText
from webquarry._search.identity import identity
from webquarry.evidence.language.words import fold
from webquarry.library import KeptPage, LibraryStats
from webquarry.library.terms import (
    SIGNS,
    TermTokens,
    find_languages,
    name_language,
    question_terms,
)
from webquarry.store.database import Connection, DisposableDatabase, check_row, transaction
from webquarry.store.encryption import Cipher

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

# compression dictionary, which must never change: the start of most pages
_DICTIONARY = (
    b'{"arabic":"arabic","cyrillic":"russian","devanagari":"hindi","unspaced":""}'
    b" of the and in to that was with for from this is have which are not "
    b'.html.org.com/wiki/en.wikipedia.org/"https://"http://www."https://www.'
    b'","",{"latin":"english"},null]\n'
)
_LEVEL = 4  # 1 % larger than level 6, in less than half the time
_WINDOW = -15  # raw deflate
_ENCODING = b"0"  # UTF-8
_PASSAGE_CHARACTERS = 1_600  # about
_MAX_PASSAGES = 1 << 12  # of a page


@dataclass(frozen=True)
class _Word:
    """A word of a question: its possible terms, their tokens that occur, and the rows of these."""

    terms: frozenset[str]
    tokens: list[str]
    rows: int


@dataclass(frozen=True)
class _StoredPage:
    """A page, its caller, the languages of its words by script, and the offsets in bytes where its
    passages start and stop; none if the whole page is one passage.
    """

    page: KeptPage
    owner: str
    languages: dict[str, str]
    bounds: list[int]
    id: int = 0
    terms: int = TERMS_VERSION


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
        with transaction(self.connection):
            for page in pages:
                self._add(owner, page)
            self._make_room()

    def find(
        self, owner: str, question: str, count: int, admits: Callable[[KeptPage], bool], now: float
    ) -> list[KeptPage]:
        """Return the best passages of the best pages that are admitted, one of each page."""
        found: list[_StoredPage] = []
        rarest, others = self._choose_words(owner, question)
        for id in self._rank_pages(rarest, others):
            stored = self._read(id)
            if stored is None or stored.owner != owner or not admits(stored.page):
                continue
            found.append(stored)
            if len(found) >= count:
                break
        self.connection.execute(
            "UPDATE pages SET used_at = ? WHERE used_at < ?"
            " AND id IN (SELECT value FROM json_each(?))",
            (int(now), now - _TOUCH_SECONDS, json.dumps([stored.id for stored in found])),
        )
        words = [*rarest, *others]
        return [_choose_passage(stored, words) for stored in found]

    def forget(self, owner: str, url: str | None = None, before: float | None = None) -> int:
        """Remove a page, those read before a moment, or all; return their number."""
        name = None
        if url is not None:
            name = self._hash_page(owner, url)
        with transaction(self.connection):
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
            stored = self._read(id)
            if stored is not None:
                yield stored.page

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
        with transaction(self.connection):
            for (id,) in ids:
                stored = self._read(id)
                if stored is None:
                    self.connection.execute("DELETE FROM pages WHERE id = ?", (id,))
                    continue
                self._insert_words(id, stored)
                update = "UPDATE pages SET terms = ? WHERE id = ?"
                self.connection.execute(update, (TERMS_VERSION, id))
        return True

    def tidy(self) -> None:
        """Merge parts of the index, a limited amount at a time."""
        statement = "INSERT INTO words (words, rank) VALUES ('merge', ?)"
        self.connection.execute(statement, (-_MERGED_PAGES,))
        self._shrink()

    def _shrink(self) -> None:
        """Return free pages to the file system."""
        self.connection.execute("PRAGMA incremental_vacuum").fetchall()  # a row for each page

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
        languages = find_languages(page.text.decode("utf-8", "replace"))
        stored = _StoredPage(page, owner, languages, split_passages(page.text))
        inserted = self.connection.execute(
            "INSERT INTO pages (passages, owner, name, content, digest, terms, size, fetched_at,"
            " used_at) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._hash_owner(owner),
                name,
                self._cipher.encrypt(pack_page(stored), name),
                digest,
                TERMS_VERSION,
                len(page.text),
                moment,
                moment,
            ),
        )
        self._insert_words(inserted.lastrowid or 0, stored)

    def _build_row(self, stored: _StoredPage) -> Row:
        """Return the tokens of a page; its headings include its languages."""
        tokens = self._get_tokens(stored.owner)
        languages = stored.languages
        text = stored.page.text.decode("utf-8", "replace")
        lines = [line for line in text.split("\n") if line.startswith("#")]
        headings = tokens.of_text("\n".join(lines), languages)
        names = [tokens.of_term(name_language(one)) for one in languages.values() if one]
        body = tokens.of_text(text, languages)
        title = tokens.of_text(stored.page.title, languages)
        return body, title, " ".join([headings, *names])

    def _insert_words(self, id: int, stored: _StoredPage) -> None:
        insert = "INSERT INTO words (rowid, body, title, headings) VALUES (?, ?, ?, ?)"
        self.connection.execute(insert, (id, *self._build_row(stored)))

    def _remove(self, id: int) -> None:
        """Remove a page; the tokens of an unreadable one remain in the index and match nothing."""
        stored = self._read(id)
        self.connection.execute("DELETE FROM pages WHERE id = ?", (id,))
        if stored is not None and stored.terms == TERMS_VERSION:
            self.connection.execute(
                "INSERT INTO words (words, rowid, body, title, headings)"
                " VALUES ('delete', ?, ?, ?, ?)",
                (id, *self._build_row(stored)),
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
        return replace(unpack_page(packed, fetched_at), id=id, terms=terms)

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


def pack_page(stored: _StoredPage) -> bytes:
    """Serialize a page, except when it was fetched."""
    page = stored.page
    head: list[Any] = [page.url, page.title, stored.owner, stored.languages, page.published]
    head += stored.bounds
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    data = line.encode("utf-8", "replace") + b"\n" + page.text
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, zdict=_DICTIONARY)
    return _ENCODING + compressor.compress(data) + compressor.flush()


def unpack_page(data: bytes, fetched_at: float) -> _StoredPage:
    """Return a page that was serialized."""
    decompressor = zlib.decompressobj(_WINDOW, zdict=_DICTIONARY)
    text = decompressor.decompress(data[1:]) + decompressor.flush()
    line, _, body = text.partition(b"\n")
    url, title, owner, languages, published, *bounds = json.loads(line)
    return _StoredPage(KeptPage(url, title, body, fetched_at, published), owner, languages, bounds)


def split_passages(data: bytes) -> list[int]:
    """Return where the passages of a text in UTF-8 start and stop: runs of paragraphs of one
    section. A short text has none.
    """
    characters = len(data.decode("utf-8", "replace"))
    longest = _PASSAGE_CHARACTERS * len(data) // max(1, characters)
    if len(data) <= longest and b"\n#" not in data:
        return []
    bounds: list[int] = []
    section = None
    for chunk in split_chunks(WrittenText.of_lines(data)):
        if bounds and chunk.section is section and chunk.stop - bounds[-2] <= longest:
            bounds[-1] = chunk.stop
        elif len(bounds) < 2 * _MAX_PASSAGES:
            bounds += (chunk.start, chunk.stop)
        section = chunk.section
    return bounds


def _choose_passage(stored: _StoredPage, words: Sequence[_Word]) -> KeptPage:
    """Return the passage with most of the words, rare ones counting more."""
    best_score = -1.0
    best = text = stored.page.text
    for start, stop in zip(stored.bounds[::2], stored.bounds[1::2], strict=True):
        folded = fold(text[start:stop].decode("utf-8", "replace"))
        score = sum(1 / word.rows for word in words if any(term in folded for term in word.terms))
        if score > best_score:
            best_score, best = score, text[start:stop]
    return replace(stored.page, text=best)


def _match_any(tokens: Iterable[str]) -> str:
    return " OR ".join(f'"{token}"' for token in tokens)


def _weigh(word: _Word, pages: int) -> float:
    """Return the inverse document frequency of a word, at most 0 if most pages have it."""
    rows = min(pages, word.rows)
    return math.log((pages - rows + 0.5) / (rows + 0.5))
