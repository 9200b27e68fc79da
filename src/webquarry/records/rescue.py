"""What can still be read of a record file, whatever happened to it: its folder goes in, rows for
JSON come out, and a report of how many were lost.

All work is done on a copy: the file, its log and its key stay as they are. Each value is tried by
itself, so that one damaged page costs what was on it and nothing else. Where the first page is
damaged, which says what tables there are, that of a new file takes its place in the copy: tables
are always made in the same order.
"""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webquarry.records.base import name_entry
from webquarry.records.journals import HEAD_QUERY, read_head
from webquarry.records.shape import KEY_NAME, NAME, make_record_file, seal_row
from webquarry.store.encryption import Cipher
from webquarry.store.log_check import count_dropped_commits
from webquarry.store.log_place import has_foreign_log
from webquarry.store.sqlite import FILE_ERRORS, Connection, check_row, connect

Write = Callable[[dict[str, Any]], None]
Read = Callable[[Sequence[Any]], None]

_ANSWERS_QUERY = "SELECT name, value, made_at FROM ask_answers"
_SPENDING = (
    "day", "statement", "model", "door", "begun_at", "questions", "calls", "searches",
    "input_tokens", "output_tokens", "cached_tokens", "amount", "uncertain",
)  # fmt: skip
_SPENDING_TYPES = (str, str, str, str, float, *(int,) * 8)
_SPENDING_QUERY = (
    "SELECT day, statement, model, door, begun_at, questions, calls, searches,"
    " input_tokens, output_tokens, cached_tokens, amount, uncertain, seal FROM ask_spending"
)
_PAGE_SIZE = slice(16, 18)  # in the header of a file
_PAGE_COUNT = slice(28, 32)
_FREE_PAGES = slice(32, 40)
_LARGEST_PAGE = 65_536
_MOST_GONE = 100_000  # entries of one journal


@dataclass
class RescueReport:
    """How much was read, and how much was there and could not be."""

    journals: int = 0
    entries: int = 0
    answers: int = 0
    spending: int = 0
    lost: int = 0  # values that are there, or must have been, and cannot be read
    unreadable_tables: int = 0  # of which some part could not even be looked at
    dropped_commits: int = 0  # finished transactions at the end of the log that are damaged
    key_missing: bool = False
    beginning_damaged: bool = False  # so that it is not even known what was there

    @property
    def is_whole(self) -> bool:
        """Whether everything was read."""
        losses = (self.lost, self.unreadable_tables, self.dropped_commits)
        return not (any(losses) or self.key_missing or self.beginning_damaged)

    def describe(self) -> str:
        """What was read and what was lost, for a person."""
        text = (
            f"{self.journals} sessions with {self.entries} entries, {self.answers} paid answers "
            f"and {self.spending} rows of the ledger were read."
        )
        if self.is_whole:
            return f"{text} Nothing is lost."
        text = f"{text} At least {self.lost} values are lost."
        if self.key_missing:
            text = f"{text} The key is missing or damaged: only the ledger can be read without it."
        if self.beginning_damaged:
            text = f"{text} The beginning of the file is damaged: more may have been there."
        if self.unreadable_tables:
            text = f"{text} Parts of {self.unreadable_tables} tables cannot be looked at."
        if self.dropped_commits:
            text = f"{text} {self.dropped_commits} writes at the end of the log are damaged."
        return text


def rescue_records(folder: Path, write: Write) -> RescueReport:
    """Write down every row that can be read; what is in the folder is not changed."""
    with tempfile.TemporaryDirectory(prefix="webquarry-rescue-") as place:
        copy = Path(place) / NAME
        shutil.copyfile(folder / NAME, copy)
        if not has_foreign_log(folder / NAME):
            with suppress(FileNotFoundError):
                shutil.copyfile(folder / f"{NAME}-wal", f"{copy}-wal")
        cipher = _read_cipher(folder / KEY_NAME)
        dropped_commits = count_dropped_commits(copy)
        database, is_mended = _open_copy(copy)
        try:
            report = _Rescuer(database, cipher, write).run()
        finally:
            database.close()
    report.dropped_commits = dropped_commits
    report.beginning_damaged = is_mended
    return report


class _Rescuer:
    """Goes through the tables of a copy."""

    def __init__(self, database: Connection, cipher: Cipher | None, write: Write) -> None:
        self._database = database
        self._cipher = cipher
        self._write = write
        self.report = RescueReport(key_missing=cipher is None)

    def run(self) -> RescueReport:
        self._rescue_journals()
        self._read_table(_ANSWERS_QUERY, "name", self._add_answer)
        self._read_table(_SPENDING_QUERY, "day, statement, model", self._add_spending)
        return self.report

    def _rescue_journals(self) -> None:
        """Journals by their heads, and those of which only entries are left."""
        numbers: dict[bytes, set[int]] = {}
        heads: dict[bytes, Sequence[Any]] = {}

        def add_head(row: Sequence[Any]) -> None:
            if isinstance(row[0], bytes):
                heads[row[0]] = row
                numbers.setdefault(row[0], set())

        def add_number(row: Sequence[Any]) -> None:
            name, number = check_row(row, bytes, int)
            if 0 < number < 1 << 60:
                numbers.setdefault(name, set()).add(number)

        self._read_table(HEAD_QUERY, "name", add_head)
        query = "SELECT journal, number FROM journal_entries"
        self._read_table(query, "journal, number", add_number)
        for name, found in numbers.items():
            self._rescue_journal(name, found, heads.get(name))

    def _rescue_journal(self, name: bytes, numbers: set[int], row: Sequence[Any] | None) -> None:
        """One journal: what its head says, and every entry that can be read."""
        if self._cipher is None:
            self.report.lost += max(len(numbers), 1)
            return
        fields: dict[str, Any] = {"type": "journal", "name": name.hex()}
        if row is not None:
            fields |= self._describe_head(row)
        is_sound = bool(fields.pop("sound", False))
        entries: list[dict[str, Any]] = []
        for number in sorted(numbers):
            value = self._read_entry(name, number)
            if value is not None:
                entries.append({"number": number, "value": _show_value(value)})
        lost = _count_expected(numbers) - len(entries)
        if not is_sound:
            lost = max(lost, 1)  # the head, or an entry at the end
        self.report.lost += lost
        if not entries and not is_sound:
            return
        self.report.journals += 1
        self.report.entries += len(entries)
        fields["whole"] = not lost
        fields["entries"] = entries
        self._write(fields)

    def _describe_head(self, row: Sequence[Any]) -> dict[str, Any]:
        """What the head of a journal says; what of it does not check is left out."""
        assert self._cipher is not None
        fields: dict[str, Any] = {}
        name, owner, encrypted_id = row[:3]
        with suppress(TypeError, UnicodeDecodeError):
            id = self._cipher.decrypt(encrypted_id, name)
            if id is not None:
                fields["id"] = id.decode()
        with suppress(*FILE_ERRORS):
            head = read_head(self._cipher, row)
            fields |= {
                "owner": owner.hex(),
                "createdAt": head.created_at,
                "touchedAt": head.touched_at,
                "finished": head.finished,
                "sound": True,
            }
        return fields

    def _read_entry(self, name: bytes, number: int) -> bytes | None:
        """One entry, asked for by itself."""
        assert self._cipher is not None
        query = "SELECT value FROM journal_entries WHERE journal = ? AND number = ?"
        with suppress(TypeError, *FILE_ERRORS):
            row = self._database.execute(query, (name, number)).fetchone()
            if row is not None:
                return self._cipher.decrypt(row[0], name_entry(name, number))
        return None

    def _add_answer(self, row: Sequence[Any]) -> None:
        name, value, made_at = check_row(row, bytes, bytes, float)
        content = self._cipher.decrypt(value, name) if self._cipher else None
        if content is None:
            self.report.lost += 1
            return
        self.report.answers += 1
        self._write({"type": "answer", "madeAt": made_at, "value": _show_value(content)})

    def _add_spending(self, row: Sequence[Any]) -> None:
        *fields, seal = row
        values = check_row(fields, *_SPENDING_TYPES)
        if seal is not None and self._cipher and seal != seal_row(self._cipher, values):
            self.report.lost += 1
            return
        self.report.spending += 1
        self._write({"type": "spending"} | dict(zip(_SPENDING, values, strict=True)))

    def _read_table(self, query: str, order: str, read: Read) -> None:
        """Every row, in order and, from where that ends too early, from behind. A row is known by
        its first value that differs, so that none is read twice.
        """
        seen: set[Any] = set()
        keys = len(order.split(","))
        descending = ", ".join(f"{column} DESC" for column in order.split(", "))
        is_whole = True
        for direction in (order, descending):
            for row in self._scan(f"{query} ORDER BY {direction}"):
                if row is None:
                    is_whole = False
                    break
                key = row[:keys]
                if key in seen:
                    continue
                seen.add(key)
                try:
                    read(row)
                except FILE_ERRORS:
                    self.report.lost += 1
            if is_whole:
                return
        self.report.unreadable_tables += 1

    def _scan(self, query: str) -> Iterator[tuple[Any, ...] | None]:
        """The rows of a query; None where it cannot go on."""
        try:
            rows = self._database.execute(query)
            while True:
                row = rows.fetchone()
                if row is None:
                    return
                yield row
        except FILE_ERRORS:
            yield None


def _count_expected(numbers: set[int]) -> int:
    """How many entries there must have been: they are numbered from 1 on. A number that is far
    too high was damaged itself.
    """
    highest = max(numbers, default=0)
    if highest > len(numbers) + _MOST_GONE:
        return len(numbers)
    return max(highest, len(numbers))


def _read_cipher(path: Path) -> Cipher | None:
    """The cipher of the key, if there is a whole one."""
    with suppress(OSError):
        if Cipher.is_key(path):
            return Cipher.open(path)
    return None


def _open_copy(copy: Path) -> tuple[Connection, bool]:
    """A connection to the copy, and whether it had to be mended for that."""
    try:
        return connect(copy, _look_at_tables), False
    except FILE_ERRORS:
        _mend_first_page(copy)
    try:
        return connect(copy, _look_at_tables), True
    except FILE_ERRORS:
        copy.unlink()  # of which nothing can be read
        make_record_file(copy, Cipher(bytes(32)))
        return connect(copy, _look_at_tables), True


def _look_at_tables(database: Connection) -> None:
    """See that the tables are known."""
    database.text_factory = str
    database.execute(f"{HEAD_QUERY} LIMIT 0")
    database.execute("SELECT journal, number FROM journal_entries LIMIT 0")
    database.execute(f"{_ANSWERS_QUERY} LIMIT 0")
    database.execute(f"{_SPENDING_QUERY} LIMIT 0")


def _mend_first_page(copy: Path) -> None:
    """Put the first page of a new file over that of the copy, and leave its log out."""
    Path(f"{copy}-wal").unlink(missing_ok=True)
    Path(f"{copy}-shm").unlink(missing_ok=True)
    sample = copy.with_name("sample.sqlite3")
    make_record_file(sample, Cipher(bytes(32)))
    header = bytearray(sample.read_bytes())
    size = int.from_bytes(header[_PAGE_SIZE], "big")
    if size == 1:
        size = _LARGEST_PAGE
    page = header[:size]
    page[_PAGE_COUNT] = (copy.stat().st_size // size).to_bytes(4, "big")
    page[_FREE_PAGES] = bytes(8)
    with copy.open("r+b") as file:
        file.write(page)


def _show_value(value: bytes) -> Any:
    """A value as JSON has it: what it says, or its bytes."""
    try:
        return json.loads(value)
    except ValueError:
        return {"base64": base64.b64encode(value).decode()}
