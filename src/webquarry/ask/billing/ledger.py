"""The ledger in the record file that all processes of a user share: spending, reservations, the
bill.

Before a question is asked, its worst case is reserved; a reservation above a limit is refused.
Afterwards the actual cost replaces it. The reservation of a dead process counts as spent and
uncertain, because its calls may have been billed. Amounts are in billionths of a US dollar. Notes
on statements (their beginning, their first words, answers that cost nothing) are for reading only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from webquarry.ask.billing.statement import Statement
from webquarry.ask.models import AskLimits, Usage
from webquarry.secret import redact
from webquarry.store.claims import is_dead
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection

HELD_SECONDS = 900  # longer than any question may take
UNITS_PER_USD = 1_000_000_000
KEPT_SECONDS = 400 * 86400
MOST_WORDS = 120  # characters of a statement's text
_SUM = (
    "SELECT (SELECT coalesce(sum({spent}), 0) FROM ask_spending WHERE {column} = ?1)"
    " + (SELECT coalesce(sum({reserved}), 0) FROM ask_reservations WHERE {column} = ?1)"
)
_AMOUNTS = {"spent": "amount + uncertain", "reserved": "amount"}
_USED = {
    "statement": _SUM.format(column="statement", **_AMOUNTS),
    "day": _SUM.format(column="day", **_AMOUNTS),
    "questions": _SUM.format(column="statement", spent="questions", reserved="questions"),
}
_RESERVE = (
    "INSERT INTO ask_reservations (statement, door, day, model, amount, ends_at, questions, owner)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_RESERVED = " RETURNING id, statement, door, day, model, amount, questions"
_DELETE_ENDED = f"DELETE FROM ask_reservations WHERE ends_at < ?{_RESERVED}"  # noqa: S608 - constant
_DELETE_OWNED = f"DELETE FROM ask_reservations WHERE owner = ?{_RESERVED}"  # noqa: S608 - constant
_COLUMNS = (
    "day, statement, door, model, begun_at, questions, calls, searches,"
    " input_tokens, output_tokens, cached_tokens, amount, uncertain"
)
_READ_SPENDING = (
    f"SELECT {_COLUMNS} FROM ask_spending WHERE day >= ?"  # noqa: S608 - constant
    " ORDER BY begun_at DESC, statement, model"
)
_ADD_SPENDING = (
    f"INSERT INTO ask_spending ({_COLUMNS})"  # noqa: S608 - constant
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (day, statement, model) DO UPDATE SET"
    " questions = max(0, questions + excluded.questions),"
    " calls = calls + excluded.calls,"
    " searches = searches + excluded.searches,"
    " input_tokens = input_tokens + excluded.input_tokens,"
    " output_tokens = output_tokens + excluded.output_tokens,"
    " cached_tokens = cached_tokens + excluded.cached_tokens,"
    " amount = amount + excluded.amount,"
    " uncertain = max(0, uncertain + excluded.uncertain),"
    " seal = NULL"  # of earlier releases
)
_WRITE_NOTE = (
    "INSERT INTO ask_statements (statement, door, begun_at, words, hits, kept_searches)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (statement) DO UPDATE SET"
    " hits = hits + excluded.hits, kept_searches = kept_searches + excluded.kept_searches"
)
_READ_NOTES = (
    "SELECT statement, door, begun_at, words, hits, kept_searches FROM ask_statements"
    " WHERE begun_at >= ? ORDER BY begun_at DESC, statement"
)


class OverLimit(Exception):
    """The worst case is above a limit. `waiting`: calls of the same statement hold part of it."""

    def __init__(self, what: str, limit: float, spent: float, wanted: float, waiting: bool) -> None:
        super().__init__(what)
        self.what = what  # "statement", "day" or "questions"
        self.limit = limit
        self.spent = spent  # US dollars, or questions
        self.wanted = wanted
        self.waiting = waiting


@dataclass(frozen=True)
class ReservationRequest:
    """The worst case of one question and its limits; `questions` is 0 for more money of one."""

    statement: str
    door: str
    model: str
    usd: float
    limits: AskLimits
    questions: int = 0
    owner: str = ""  # the process (`store.claims`)


@dataclass(frozen=True)
class Reservation:
    """Reserved money of one question."""

    id: int | str
    statement: str
    door: str
    day: str
    model: str
    amount: int
    questions: int = 0


@dataclass(frozen=True)
class Settlement:
    """The actual cost of a reservation; `uncertain_usd` may have been billed."""

    held: Reservation
    usage: Usage
    uncertain_usd: float = 0.0
    questions: int = 1


@dataclass(frozen=True)
class SpendingRecord:
    """What one statement spent on one model on one day."""

    day: str
    statement: str
    door: str
    model: str
    begun_at: float
    questions: int = 0
    calls: int = 0
    searches: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0
    uncertain_usd: float = 0.0  # may have been billed
    hits: int = 0  # answers that cost nothing
    words: str = ""  # beginning of the statement's text
    kept_searches: int = 0  # from our own cache


@dataclass(frozen=True)
class StatementNote:
    """What is known of a statement besides money."""

    statement: str
    door: str
    begun_at: float
    words: str
    hits: int
    kept_searches: int


def reserve(database: Connection, request: ReservationRequest, now: float, day: str) -> Reservation:
    """Reserve the worst case. Raises OverLimit."""
    _count_as_spent(database, database.execute(_DELETE_ENDED, (now,)).fetchall(), now)
    amount = to_units(request.usd)
    limits = request.limits
    checks = [
        ("statement", request.statement, limits.max_usd, amount),
        ("day", day, limits.max_usd_per_day, amount),
        ("questions", request.statement, limits.max_rows, request.questions),
    ]
    for what, value, limit, wanted in checks:
        if limit is None or (not wanted and what == "questions"):
            continue
        most = limit if what == "questions" else to_units(limit)
        used = _read_number(database, _USED[what], value)
        if used + wanted > most:
            is_waiting = _has_reservations(database, request.statement, now)
            raise build_over_limit(request, what, used, is_waiting=is_waiting)
    row = (
        request.statement,
        request.door,
        day,
        request.model,
        amount,
        now + HELD_SECONDS,
        request.questions,
        request.owner,
    )
    id = database.execute(_RESERVE, row).lastrowid
    return build_reservation(int(id or 0), request, day)


def settle(database: Connection, settlement: Settlement, now: float) -> None:
    """Replace a reservation by the actual cost."""
    held = settlement.held
    uncertain = to_units(settlement.uncertain_usd)
    questions = settlement.questions
    deleted = database.execute(
        "DELETE FROM ask_reservations WHERE id = ? AND statement = ?", (held.id, held.statement)
    )
    if not deleted.rowcount:  # it has expired (the machine slept) and was counted in full
        uncertain -= held.amount
        questions -= held.questions
    _add_spending(database, held, settlement.usage, uncertain, now, questions)


def end_dead_reservations(database: Connection, now: float) -> None:
    """Count the reservations of dead processes as spent."""
    owners = database.execute("SELECT DISTINCT owner FROM ask_reservations").fetchall()
    for (owner,) in owners:
        if is_dead(str(owner)):
            ended = database.execute(_DELETE_OWNED, (owner,)).fetchall()
            _count_as_spent(database, ended, now)


def spent_since(database: Connection, day: str) -> list[SpendingRecord]:
    """Return the spending since a day, the newest first."""
    records = []
    for *values, amount, uncertain in database.execute(_READ_SPENDING, (day,)).fetchall():
        values += [amount / UNITS_PER_USD, uncertain / UNITS_PER_USD]
        records.append(SpendingRecord(*values))
    return records


def delete_old(database: Connection, now: float) -> None:
    """Delete spending and notes after about a year."""
    for table in ("ask_spending", "ask_statements"):
        database.execute(f"DELETE FROM {table} WHERE begun_at < ?", (now - KEPT_SECONDS,))  # noqa: S608 - constant


def write_notes(database: Connection, cipher: Cipher, statements: Iterable[Statement]) -> None:
    """Add what is new about these statements; several processes may share one."""
    for statement in statements:
        hits, searches = statement.take_free_counts()
        words = encrypt_words(cipher, statement)
        row = (statement.id, statement.door, statement.begun_at, words, hits, searches)
        database.execute(_WRITE_NOTE, row)


def read_bill(database: Connection, cipher: Cipher, day: str) -> list[SpendingRecord]:
    """Return the bill since a day, the newest first: a record per statement and model that was
    paid, and one per statement that cost nothing.
    """
    since = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    notes = []
    for row in database.execute(_READ_NOTES, (since,)).fetchall():
        statement, door, begun_at, encrypted, hits, searches = row
        words = decrypt_words(cipher, statement, encrypted)
        notes.append(StatementNote(statement, door, begun_at, words, hits, searches))
    return join_notes(spent_since(database, day), notes)


def join_notes(
    paid: Sequence[SpendingRecord], notes: Sequence[StatementNote]
) -> list[SpendingRecord]:
    """Join spending and notes, the newest first. Free answers count once per statement."""
    all_notes = {note.statement: note for note in notes}
    uncounted = dict(all_notes)
    records: list[SpendingRecord] = []
    for record in paid:
        note = all_notes.get(record.statement)
        if note is not None:
            record = replace(record, begun_at=note.begun_at, words=note.words)
        if uncounted.pop(record.statement, None) is not None and note is not None:
            record = replace(record, hits=note.hits, kept_searches=note.kept_searches)
        records.append(record)
    for note in uncounted.values():
        if note.hits:
            day = datetime.fromtimestamp(note.begun_at, UTC).date().isoformat()
            free = SpendingRecord(day, note.statement, note.door, "", note.begun_at)
            records.append(replace(free, hits=note.hits, words=note.words))
    return sorted(records, key=lambda one: (-one.begun_at, one.statement, one.model))


def add_total(records: Sequence[SpendingRecord]) -> SpendingRecord:
    """Return the sum of the records."""
    sums: dict[str, Any] = {}
    for field in fields(SpendingRecord):
        if field.name != "begun_at" and field.type in ("int", "float"):
            sums[field.name] = sum(getattr(record, field.name) for record in records)
    return SpendingRecord("", "total", "", "", 0.0, **sums)


def shorten_words(text: str) -> str:
    """Return the beginning of a text as one line."""
    line = " ".join(text.split())
    if len(line) <= MOST_WORDS:
        return line
    return line[: MOST_WORDS - 3].rstrip() + "..."


def encrypt_words(cipher: Cipher, statement: Statement) -> bytes:
    """Return the encrypted beginning of a statement's text."""
    words = redact(shorten_words(statement.words)).encode("utf-8", "replace")
    return cipher.encrypt(words, f"statement {statement.id}".encode())


def decrypt_words(cipher: Cipher, statement: str, encrypted: bytes) -> str:
    """Return the words of a statement; empty if they cannot be decrypted."""
    words = cipher.decrypt(encrypted, f"statement {statement}".encode()) or b""
    return words.decode("utf-8", "replace")


def build_reservation(id: int | str, request: ReservationRequest, day: str) -> Reservation:
    """Return the reservation of a request."""
    return Reservation(
        id,
        request.statement,
        request.door,
        day,
        request.model,
        to_units(request.usd),
        request.questions,
    )


def build_over_limit(
    request: ReservationRequest, what: str, used: int, *, is_waiting: bool
) -> OverLimit:
    """Return the error of a request above a limit; `used` is in units, or questions."""
    limits = request.limits
    if what == "questions":
        return OverLimit(what, limits.max_rows or 0, used, request.questions, is_waiting)
    limit = limits.max_usd if what == "statement" else limits.max_usd_per_day
    return OverLimit(what, limit or 0.0, used / UNITS_PER_USD, request.usd, is_waiting)


def to_units(usd: float) -> int:
    """Return US dollars in billionths."""
    return round(usd * UNITS_PER_USD)


def _count_as_spent(database: Connection, ended: list[Any], now: float) -> None:
    """Count reservations of dead processes in full, as uncertain."""
    for row in ended:
        held = Reservation(*row)
        _add_spending(database, held, Usage(), held.amount, now, held.questions)


def _has_reservations(database: Connection, statement: str, now: float) -> bool:
    """Whether a live process has reservations of the statement."""
    end_dead_reservations(database, now)
    query = "SELECT count(*) FROM ask_reservations WHERE statement = ?"
    return _read_number(database, query, statement) > 0


def _add_spending(
    database: Connection,
    held: Reservation,
    usage: Usage,
    uncertain: int,
    now: float,
    questions: int,
) -> None:
    row = (
        held.day,
        held.statement,
        held.door,
        held.model,
        now,
        questions,
        usage.calls,
        usage.searches,
        usage.input_tokens,
        usage.output_tokens,
        usage.cached_tokens,
        to_units(usage.usd),
        uncertain,
    )
    database.execute(_ADD_SPENDING, row)


def _read_number(database: Connection, query: str, value: str) -> int:
    return int(database.execute(query, (value,)).fetchone()[0])
