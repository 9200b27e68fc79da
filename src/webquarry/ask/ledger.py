"""The ledger in the record file that all processes of a user share: spending, reservations, the
bill.

Before a question is asked, its worst case is reserved; a reservation above a limit is refused.
Afterwards the actual cost replaces it. The reservation of a dead process counts as spent and
uncertain, because its calls may have been billed. Amounts are in billionths of a US dollar. Notes
on statements (their start, their first words, answers that cost nothing) are for reading only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any

from webquarry.ask.models import AskLimits, Usage
from webquarry.ask.statement import Statement
from webquarry.clock import Clock
from webquarry.errors import LimitReached
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.claims import is_dead
from webquarry.store.database import Connection
from webquarry.store.encryption import Cipher
from webquarry.store.records import RecordFile

RESERVED_SECONDS = 900  # longer than any question may take
UNITS_PER_USD = 1_000_000_000
KEPT_SECONDS = 400 * 86400
MOST_WORDS = 120  # characters of a statement's text
# Money of a statement, money of a day, and questions of a statement: spent and reserved.
_USED_USD = (
    "SELECT (SELECT coalesce(sum(amount + uncertain), 0) FROM ask_spending WHERE {column} = ?1)"
    " + (SELECT coalesce(sum(amount), 0) FROM ask_reservations WHERE {column} = ?1)"
)
_USED = {
    "statement": _USED_USD.format(column="statement"),
    "day": _USED_USD.format(column="day"),
    "questions": "SELECT (SELECT coalesce(sum(questions), 0) FROM ask_spending"
    " WHERE statement = ?1)"
    " + (SELECT coalesce(sum(questions), 0) FROM ask_reservations WHERE statement = ?1)",
}
_RESERVATION = "statement, door, day, model, amount, questions"
_RESERVE = (
    f"INSERT INTO ask_reservations ({_RESERVATION}, ends_at, owner)"  # noqa: S608 - constant
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_COLUMNS = (
    "day, statement, door, model, begun_at, questions, calls, searches,"
    " input_tokens, output_tokens, cached_tokens, amount, uncertain"
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
    " uncertain = max(0, uncertain + excluded.uncertain)"
)
_WRITE_NOTE = (
    "INSERT INTO ask_statements (statement, door, begun_at, words, hits, kept_searches)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (statement) DO UPDATE SET"
    " hits = hits + excluded.hits, kept_searches = kept_searches + excluded.kept_searches"
)


class OverLimit(LimitReached):
    """A reservation is above a limit: `what` is "statement", "day" or "questions". `waiting`: calls
    of the same statement hold part of it. Amounts are in US dollars, or questions.
    """

    def __init__(self, what: str, limit: float, spent: float, wanted: float, waiting: bool) -> None:
        self.what = what
        self.limit = limit
        self.spent = spent
        self.wanted = wanted
        self.waiting = waiting
        option = {"questions": "max_rows", "statement": "max_usd"}.get(what, "max_usd_per_day")
        message = (
            f"The next question may cost {wanted:.4f} USD, and of the {limit:g} USD for the {what} "
            f"({option}) {spent:.4f} are spent or reserved."
        )
        if what == "questions":
            message = (
                f"The run has asked {spent:,.0f} questions, and its limit ({option}) is "
                f"{limit:,.0f}."
            )
        action = f"Raise {option}, or ask for fewer rows; finished answers are stored."
        super().__init__(message, suggested_action=action)


@dataclass(frozen=True)
class Reservation:
    """The worst case of one question, and its limits; the store fills in `id` and `day`.
    `questions` is 0 for more money of a question.
    """

    statement: str
    door: str
    model: str
    usd: float
    limits: AskLimits = field(default_factory=AskLimits)
    questions: int = 1
    id: int | str = 0
    day: str = ""

    @property
    def amount(self) -> int:
        return to_units(self.usd)

    def build_over_limit(self, what: str, used: int, *, is_waiting: bool) -> OverLimit:
        """Return the error of a limit; `used` is in units, or questions."""
        limits = self.limits
        if what == "questions":
            return OverLimit(what, limits.max_rows or 0, used, self.questions, is_waiting)
        limit = limits.max_usd if what == "statement" else limits.max_usd_per_day
        return OverLimit(what, limit or 0.0, used / UNITS_PER_USD, self.usd, is_waiting)


@dataclass(frozen=True)
class Cost:
    """The actual cost of a question; `uncertain_usd` may have been billed."""

    usage: Usage = field(default_factory=Usage)
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

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> SpendingRecord:
        """Return the record of a row with the columns of `ask_spending`."""
        *values, amount, uncertain = row
        usd, uncertain_usd = amount / UNITS_PER_USD, uncertain / UNITS_PER_USD
        names = [one.name for one in fields(cls)]
        return cls(**dict(zip(names, (*values, usd, uncertain_usd), strict=False)))


SUMMED = (
    "questions", "hits", "calls", "searches", "kept_searches", "input_tokens", "output_tokens",
    "cached_tokens", "usd", "uncertain_usd",
)  # fmt: skip


def reserve(
    database: Connection, wanted: Reservation, owner: str, now: float, day: str
) -> Reservation:
    """Reserve the worst case for a process (`store.claims`). Raises OverLimit."""
    _end_reservations(database, "ends_at < ?", now, now)
    limits = wanted.limits
    checks = [
        ("statement", wanted.statement, wanted.amount, _to_units_or_none(limits.max_usd)),
        ("day", day, wanted.amount, _to_units_or_none(limits.max_usd_per_day)),
    ]
    if wanted.questions:
        checks.append(("questions", wanted.statement, wanted.questions, limits.max_rows))
    for what, value, more, most in checks:
        if most is None:
            continue
        used = _read_number(database, _USED[what], value)
        if used + more > most:
            end_dead_reservations(database, now)
            query = "SELECT count(*) FROM ask_reservations WHERE statement = ?"
            is_waiting = _read_number(database, query, wanted.statement) > 0
            raise wanted.build_over_limit(what, used, is_waiting=is_waiting)
    row = (wanted.statement, wanted.door, day, wanted.model, wanted.amount, wanted.questions)
    id = database.execute(_RESERVE, (*row, now + RESERVED_SECONDS, owner)).lastrowid
    return replace(wanted, id=int(id or 0), day=day)


def settle(database: Connection, held: Reservation, cost: Cost, now: float) -> None:
    """Replace a reservation by the actual cost."""
    uncertain, questions = to_units(cost.uncertain_usd), cost.questions
    delete = "DELETE FROM ask_reservations WHERE id = ? AND statement = ?"
    if not database.execute(delete, (held.id, held.statement)).rowcount:
        # It has expired (the machine slept) and was counted in full.
        uncertain -= held.amount
        questions -= held.questions
    key = (held.day, held.statement, held.door, held.model)
    _add_spending(database, key, cost.usage, uncertain, questions, now)


def end_dead_reservations(database: Connection, now: float) -> None:
    """Count the reservations of dead processes as spent."""
    for (owner,) in database.execute("SELECT DISTINCT owner FROM ask_reservations").fetchall():
        if is_dead(str(owner)):
            _end_reservations(database, "owner = ?", owner, now)


def spent_since(database: Connection, day: str) -> list[SpendingRecord]:
    """Return the spending since a day."""
    query = f"SELECT {_COLUMNS} FROM ask_spending WHERE day >= ?"  # noqa: S608 - constant
    return [SpendingRecord.from_row(row) for row in database.execute(query, (day,)).fetchall()]


def delete_old(database: Connection, now: float) -> None:
    """Delete spending and notes after about a year."""
    for table in ("ask_spending", "ask_statements"):
        database.execute(f"DELETE FROM {table} WHERE begun_at < ?", (now - KEPT_SECONDS,))  # noqa: S608 - constant


def write_notes(database: Connection, cipher: Cipher, statements: Iterable[Statement]) -> None:
    """Add the new counts of these statements; several processes may share one."""
    for statement in statements:
        database.execute(_WRITE_NOTE, build_note(cipher, statement))


def read_bill(database: Connection, cipher: Cipher, day: str) -> list[SpendingRecord]:
    """Return the bill since a day, the newest first: a record per statement and model that was
    paid, and one per statement that cost nothing.
    """
    since = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    query = (
        "SELECT statement, door, begun_at, words, hits, kept_searches FROM ask_statements"
        " WHERE begun_at >= ?"
    )
    notes = database.execute(query, (since,)).fetchall()
    return join_notes(cipher, spent_since(database, day), notes)


def build_note(cipher: Cipher, statement: Statement) -> tuple[Any, ...]:
    """Return the note of a statement: its words are encrypted, its counts are the new ones."""
    words = redact(shorten_words(statement.words)).encode("utf-8", "replace")
    encrypted = cipher.encrypt(words, f"statement {statement.id}".encode())
    new = statement.take_new("hits", "kept_searches")
    return (statement.id, statement.door, statement.begun_at, encrypted, *new)


def join_notes(
    cipher: Cipher, paid: Iterable[SpendingRecord], notes: Iterable[Sequence[Any]]
) -> list[SpendingRecord]:
    """Join spending and notes, the newest first. Free answers count once per statement."""
    free: dict[str, SpendingRecord] = {}
    for statement, door, begun_at, encrypted, hits, searches in notes:
        words = cipher.decrypt(encrypted, f"statement {statement}".encode()) or b""
        day = datetime.fromtimestamp(begun_at, UTC).date().isoformat()
        free[statement] = SpendingRecord(
            day, statement, door, "", begun_at,
            hits=hits, kept_searches=searches, words=words.decode("utf-8", "replace"),
        )  # fmt: skip
    records: list[SpendingRecord] = []
    counted: set[str] = set()
    for record in paid:
        note = free.get(record.statement)
        if note is not None:
            record = replace(record, begun_at=note.begun_at, words=note.words)
            if record.statement not in counted:
                record = replace(record, hits=note.hits, kept_searches=note.kept_searches)
            counted.add(record.statement)
        records.append(record)
    records += [note for id, note in free.items() if id not in counted and note.hits]
    return sorted(records, key=lambda one: (-one.begun_at, one.statement, one.model))


def add_total(records: Sequence[SpendingRecord]) -> SpendingRecord:
    """Return the sum of the records."""
    sums = {name: sum(getattr(record, name) for record in records) for name in SUMMED}
    return SpendingRecord("", "total", "", "", 0.0, **sums)


def shorten_words(text: str) -> str:
    """Return the beginning of a text as one line."""
    line = " ".join(text.split())
    if len(line) <= MOST_WORDS:
        return line
    return line[: MOST_WORDS - 3].rstrip() + "..."


def to_units(usd: float) -> int:
    """Return US dollars in billionths."""
    return round(usd * UNITS_PER_USD)


class PagePayments:
    """Costs of pages from paid services: reserved before the request, settled after it. The daily
    limit is that of `ask`; the pages of a day are one statement in the bill.
    """

    def __init__(
        self, get_records: Callable[[], RecordFile], settings: Settings, clock: Clock
    ) -> None:
        self._get_records = get_records
        self._limits = AskLimits(max_usd_per_day=settings.ask_max_usd_per_day)
        self._clock = clock

    async def reserve(self, service: str, usd: float) -> Reservation:
        """Reserve the cost of one page. Raises LimitReached above the daily limit."""
        now = self._clock.now()
        day = now.date().isoformat()
        wanted = Reservation(f"pages {day}", "pages", service, usd, self._limits, questions=0)
        try:
            return await self._get_records().run(
                lambda database, _: reserve(database, wanted, "", now.timestamp(), day)
            )
        except OverLimit as error:
            raise LimitReached(
                f"A page of {service} may cost {error.wanted:.4f} USD, and of the "
                f"{error.limit:g} USD for the day {error.spent:.4f} are spent or reserved.",
                suggested_action="Raise WEBQUARRY_ASK_MAX_USD_PER_DAY, or choose another source.",
            ) from None

    async def settle(self, held: Reservation, usd: float, uncertain_usd: float = 0.0) -> None:
        """Settle the actual cost; `uncertain_usd` may have been billed."""
        now = self._clock.now().timestamp()
        cost = Cost(Usage(calls=1, usd=usd), uncertain_usd, questions=0)
        await self._get_records().run(lambda database, _: settle(database, held, cost, now))


def _end_reservations(database: Connection, condition: str, value: Any, now: float) -> None:
    """Count reservations in full, as uncertain."""
    delete = f"DELETE FROM ask_reservations WHERE {condition} RETURNING {_RESERVATION}"  # noqa: S608 - conditions of our own
    for statement, door, day, model, amount, questions in database.execute(
        delete, (value,)
    ).fetchall():
        _add_spending(database, (day, statement, door, model), Usage(), amount, questions, now)


def _add_spending(
    database: Connection,
    key: tuple[str, ...],
    usage: Usage,
    uncertain: int,
    questions: int,
    now: float,
) -> None:
    counts = (questions, usage.calls, usage.searches)
    tokens = (usage.input_tokens, usage.output_tokens, usage.cached_tokens)
    row = (*key, now, *counts, *tokens, to_units(usage.usd), uncertain)
    database.execute(_ADD_SPENDING, row)


def _to_units_or_none(usd: float | None) -> int | None:
    return None if usd is None else to_units(usd)


def _read_number(database: Connection, query: str, value: str) -> int:
    return int(database.execute(query, (value,)).fetchone()[0])
