"""The library's file: pages in, the best passages for a question out. Everything is done in the
calling thread.

    pages   one row for each page of each caller, its text compressed and encrypted
    words   FTS5 without contents: tokens of titles, headings and bodies, a row for each passage

The number of a row of `words` is that of its page and of the passage in it, so that nothing has to
be kept between them, and a row without a page is passed over. Rows leave the index by the tokens
they were made of, which are made again from the text; `terms` tells by which version of them. Each
page comes and goes in one transaction: whoever is killed meanwhile leaves the file as it was.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from typing import Any

from webquarry.library.models import FoundPassage, KeptPage, LibraryStats
from webquarry.library.passages import MOST_PASSAGES, PagePassage, split_passages
from webquarry.library.terms import VERSION as TERMS_VERSION
from webquarry.library.terms import find_languages, question_terms
from webquarry.library.tokens import Tokens
from webquarry.search.identity import identity
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import (
    Connection,
    Trouble,
    UnusableFile,
    check_row,
    roll_back,
    switch_to_wal,
)

_VERSION = 1
_PAGES = """
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner BLOB NOT NULL, name BLOB NOT NULL UNIQUE,
    head BLOB NOT NULL, body BLOB NOT NULL, digest BLOB NOT NULL, terms INTEGER NOT NULL,
    size INTEGER NOT NULL, fetched_at REAL NOT NULL, used_at REAL NOT NULL
)
"""
_WORDS = """
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
    title, headings, body, content='', detail=full, tokenize='ascii'
)
"""
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)"
_WEIGHTS = (3.0, 2.0, 1.0)  # of title, headings and body
_MOST_WORDS = 14  # of a question that are looked for: the rarest
_PASSAGES_LOOKED_AT = 8  # for each result that is wanted: several may be of one page
_LEVEL = 6  # of compression
_INDEX_SHARE = 0.8  # bytes of the index for each byte of a text, about
_KEPT_SHARE = 0.9  # of the room, after some was made
_TOUCH_SECONDS = 3_600  # how stale `used_at` may be before a read writes it again
_OWNER_BYTES = 8
_DIGEST_BYTES = 16


class Shelf:
    """The pages of all callers in one database."""

    def __init__(self, database: Connection, cipher: Cipher, max_bytes: int) -> None:
        self._database = database
        self._cipher = cipher
        self._max_bytes = max_bytes
        self._tokens: dict[str, Tokens] = {}

    def add(self, owner: str, pages: Iterable[KeptPage]) -> None:
        """Keep pages, each in the place of its older version; all of them or none."""
        with self._writing():
            for page in pages:
                self._add(owner, page)
            self._make_room()

    def find(
        self, owner: str, question: str, count: int, admits: Callable[[str], bool], now: float
    ) -> list[FoundPassage]:
        """The best passage of each of the best pages whose address is admitted."""
        match = self._build_match(owner, question)
        if not match:
            return []
        found: dict[int, FoundPassage] = {}
        passed: set[int] = set()
        rows = self._database.execute(
            f"SELECT rowid FROM words WHERE words MATCH ? AND rank MATCH 'bm25{_WEIGHTS}'"
            " ORDER BY rank LIMIT ?",
            (match, max(count, 10) * _PASSAGES_LOOKED_AT),
        )
        for (row,) in rows:
            number, place = divmod(row, MOST_PASSAGES)
            if number in passed:
                continue
            passed.add(number)
            passage = self._read_passage(owner, number, place, now)
            if passage is None or not admits(passage.url):
                continue
            found[number] = passage
            if len(found) >= count:
                break
        return list(found.values())

    def forget(self, owner: str, url: str | None = None, before: float | None = None) -> int:
        """Let go of a page, of those that were read before a moment, or of all; how many."""
        where, values = "owner = ?", [self._hash_owner(owner)]
        if url is not None:
            where, values = "name = ?", [self._hash_page(owner, url)]
        elif before is not None:
            where, values = "owner = ? AND fetched_at < ?", [*values, before]  # type: ignore[list-item]
        with self._writing():
            rows = self._database.execute(f"SELECT id FROM pages WHERE {where}", values).fetchall()
            for (number,) in rows:
                self._remove(number, owner)
        if rows:
            self._database.execute("PRAGMA incremental_vacuum")
        return len(rows)

    def list_pages(self, owner: str) -> Iterator[KeptPage]:
        """All pages of a caller, the newest first."""
        numbers = self._database.execute(
            "SELECT id FROM pages WHERE owner = ? ORDER BY fetched_at DESC, id DESC",
            (self._hash_owner(owner),),
        ).fetchall()
        for (number,) in numbers:
            page = self._read_page(owner, number)
            if page is not None:
                yield page

    def measure(self, owner: str, place: str) -> LibraryStats:
        """How much there is."""
        pages, size, oldest, newest = self._database.execute(
            "SELECT count(*), coalesce(sum(size), 0), min(fetched_at), max(fetched_at)"
            " FROM pages WHERE owner = ?",
            (self._hash_owner(owner),),
        ).fetchone()
        return LibraryStats(pages, size, self._count_bytes(), oldest, newest, place)

    def repair(self, most: int = 50) -> bool:
        """Index some pages anew whose terms are of another version; True if there may be more."""
        rows = self._database.execute(
            "SELECT id, owner FROM pages WHERE terms != ? LIMIT ?", (TERMS_VERSION, most)
        ).fetchall()
        if not rows:
            return False
        with self._writing():
            for number, _ in rows:
                self._index_again(number)
        return True

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction, undone where it fails."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            roll_back(self._database)
            raise

    def _add(self, owner: str, page: KeptPage) -> None:
        name = self._hash_page(owner, page.url)
        languages = find_languages(page.text.decode("utf-8", "replace"))
        digest = blake2b(page.text + page.title.encode(), digest_size=_DIGEST_BYTES).digest()
        sealed = self._cipher.hash_name(digest.hex())[:_DIGEST_BYTES]
        head = {
            "url": page.url,
            "title": page.title,
            "owner": owner,
            "languages": languages,
            "published": page.published,
        }
        kept_head = self._seal(json.dumps(head, ensure_ascii=False).encode(), name)
        row = self._database.execute(
            "SELECT id, digest, fetched_at FROM pages WHERE name = ?", (name,)
        ).fetchone()
        if row is not None:
            number, known, fetched_at = check_row(row, int, bytes, float)
            if fetched_at > page.fetched_at:
                return
            if known == sealed:
                self._database.execute(
                    "UPDATE pages SET head = ?, fetched_at = ?, used_at = ? WHERE id = ?",
                    (kept_head, page.fetched_at, page.fetched_at, number),
                )
                return
            self._remove(number, owner)
        body = self._cipher.encrypt(zlib.compress(page.text, _LEVEL), name)
        inserted = self._database.execute(
            "INSERT INTO pages (owner, name, head, body, digest, terms, size, fetched_at, used_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._hash_owner(owner), name, kept_head, body, sealed, TERMS_VERSION,
                len(page.text), page.fetched_at, page.fetched_at,
            ),  # fmt: skip
        )
        assert inserted.lastrowid is not None
        self._write_words(inserted.lastrowid, owner, page, languages, is_removal=False)

    def _write_words(
        self, number: int, owner: str, page: KeptPage, languages: dict[str, str], *, is_removal: bool
    ) -> None:
        """Put the passages of a page into the index, or take them out."""
        tokens = self._get_tokens(owner)
        columns, command, first = "rowid, title, headings, body", "", []
        if is_removal:
            columns, command, first = f"words, {columns}", "?, ", ["delete"]
        rows = []
        title = tokens.of_text(page.title, languages)
        for place, passage in enumerate(split_passages(page.text)):
            text = page.text[passage.start : passage.stop].decode("utf-8", "replace")
            headings = tokens.of_text(passage.headings, languages)
            body = tokens.of_text(text, languages)
            rows.append((*first, number * MOST_PASSAGES + place, title, headings, body))
        self._database.executemany(
            f"INSERT INTO words ({columns}) VALUES ({command}?, ?, ?, ?)", rows
        )

    def _remove(self, number: int, owner: str) -> None:
        """Take a page out; one that cannot be read any more leaves rows that nobody finds."""
        row = self._database.execute("SELECT terms FROM pages WHERE id = ?", (number,)).fetchone()
        page = self._read_page(owner, number)
        head = self._read_head(number)
        if page is not None and head is not None and row == (TERMS_VERSION,):
            self._write_words(number, owner, page, head["languages"], is_removal=True)
        self._database.execute("DELETE FROM pages WHERE id = ?", (number,))

    def _index_again(self, number: int) -> None:
        head = self._read_head(number)
        page = None
        if head is not None:
            page = self._read_page(head["owner"], number)
        if head is None or page is None:
            self._database.execute("DELETE FROM pages WHERE id = ?", (number,))
            return
        languages = find_languages(page.text.decode("utf-8", "replace"))
        head["languages"] = languages
        name = self._hash_page(head["owner"], head["url"])
        kept_head = self._seal(json.dumps(head, ensure_ascii=False).encode(), name)
        self._database.execute(
            "UPDATE pages SET head = ?, terms = ? WHERE id = ?", (kept_head, TERMS_VERSION, number)
        )
        self._write_words(number, head["owner"], page, languages, is_removal=False)

    def _make_room(self) -> None:
        """Let go of what was used longest ago, until a tenth of the room is free."""
        if self._count_bytes() <= self._max_bytes:
            return
        (total,) = self._database.execute("SELECT sum(size) FROM pages").fetchone()
        rows = self._database.execute(
            "SELECT id, size FROM pages ORDER BY used_at, id"
        ).fetchall()
        per_byte = self._count_bytes() / max(1, total or 0)
        surplus = self._count_bytes() - self._max_bytes * _KEPT_SHARE
        for number, size in rows:
            if surplus <= 0:
                break
            head = self._read_head(number)
            self._remove(number, head["owner"] if head else "")
            surplus -= size * per_byte
        self._database.execute("INSERT INTO words(words) VALUES ('optimize')")

    def _count_bytes(self) -> int:
        """The bytes of the file that are in use."""
        values = []
        for name in ("page_count", "freelist_count", "page_size"):
            (value,) = self._database.execute(f"PRAGMA {name}").fetchone()
            values.append(value)
        pages, free, size = values
        return int((pages - free) * size)

    def _build_match(self, owner: str, question: str) -> str:
        """The rarest words of a question that occur, as FTS5 asks for them."""
        tokens = self._get_tokens(owner)
        by_word = []
        for terms in question_terms(question):
            by_word.append([tokens.of_term(term) for term in sorted(terms)])
        asked = sorted({token for word in by_word for token in word})
        marks = ", ".join("?" * len(asked))
        counts: dict[str, int] = dict(
            self._database.execute(
                f"SELECT term, doc FROM vocabulary WHERE term IN ({marks})", asked
            ).fetchall()
        )
        ranked = []
        for word in by_word:
            known = [token for token in word if token in counts]
            if known:
                rows = sum(counts[token] for token in known)
                ranked.append((rows, known))
        ranked.sort()
        chosen: dict[str, None] = {}
        for _, known in ranked[:_MOST_WORDS]:
            chosen |= dict.fromkeys(known)
        return " OR ".join(f'"{token}"' for token in chosen)

    def _read_passage(self, owner: str, number: int, place: int, now: float) -> FoundPassage | None:
        page = self._read_page(owner, number)
        if page is None:
            return None
        passages = split_passages(page.text)
        if place >= len(passages):
            return None
        passage: PagePassage = passages[place]
        self._touch(number, now)
        text = page.text[passage.start : passage.stop].decode("utf-8", "replace")
        return FoundPassage(
            page.url, page.title, text, passage.headings, page.fetched_at, page.published
        )

    def _touch(self, number: int, now: float) -> None:
        self._database.execute(
            "UPDATE pages SET used_at = ? WHERE id = ? AND used_at < ?",
            (now, number, now - _TOUCH_SECONDS),
        )

    def _read_head(self, number: int) -> dict[str, Any] | None:
        row = self._database.execute(
            "SELECT name, head FROM pages WHERE id = ?", (number,)
        ).fetchone()
        if row is None:
            return None
        name, sealed = check_row(row, bytes, bytes)
        opened = self._cipher.decrypt(sealed, name)
        if opened is None:
            return None
        head: dict[str, Any] = json.loads(zlib.decompress(opened))
        return head

    def _read_page(self, owner: str, number: int) -> KeptPage | None:
        """A page of this caller; None where there is none, or none that can be read."""
        row = self._database.execute(
            "SELECT name, body, fetched_at FROM pages WHERE id = ? AND owner = ?",
            (number, self._hash_owner(owner)),
        ).fetchone()
        head = self._read_head(number)
        if row is None or head is None:
            return None
        name, body, fetched_at = check_row(row, bytes, bytes, float)
        text = self._cipher.decrypt(body, name)
        if text is None:
            return None
        return KeptPage(
            head["url"], head["title"], zlib.decompress(text), fetched_at, head["published"]
        )

    def _seal(self, value: bytes, name: bytes) -> bytes:
        return self._cipher.encrypt(zlib.compress(value, _LEVEL), name)

    def _get_tokens(self, owner: str) -> Tokens:
        if owner not in self._tokens:
            self._tokens[owner] = Tokens(self._cipher.hash_name(f"library terms {owner}"))
        return self._tokens[owner]

    def _hash_owner(self, owner: str) -> bytes:
        return self._cipher.hash_name(f"library owner {owner}")[:_OWNER_BYTES]

    def _hash_page(self, owner: str, url: str) -> bytes:
        return self._cipher.hash_name(f"library page {owner}\n{identity(url)}")[:_DIGEST_BYTES]


def prepare_shelf(database: Connection) -> None:
    """Of today's shape. An index that was made of other terms is begun anew, and filled by
    `repair`.
    """
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        text = f"version {version} where {_VERSION} was expected"
        raise UnusableFile(text, Trouble.NEWER)
    if version == 0:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    switch_to_wal(database)
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(_PAGES)
    database.execute("CREATE INDEX IF NOT EXISTS by_owner ON pages (owner, fetched_at)")
    database.execute("CREATE INDEX IF NOT EXISTS by_terms ON pages (terms)")
    other = database.execute(
        "SELECT 1 FROM pages WHERE terms != ? LIMIT 1", (TERMS_VERSION,)
    ).fetchone()
    current = database.execute(
        "SELECT 1 FROM pages WHERE terms = ? LIMIT 1", (TERMS_VERSION,)
    ).fetchone()
    if other is not None and current is None:
        database.execute("DROP TABLE IF EXISTS words")
    database.execute(_WORDS)
    database.execute(_VOCABULARY)
    database.execute(f"PRAGMA user_version = {_VERSION}")
