"""The ledger: what is spent and what may be, in the record file that all doors and processes of a
user share.

Before a question is asked its worst case is reserved, and no reservation is made that could break a
limit; afterwards what it really took is written down. A reservation that nobody settles, because
its process died, ends by itself, and at once where that process is seen to be dead: the calls may
have been billed, so that it then counts as spent, marked as uncertain. Money is in billionths of a
dollar. Each row has a seal, and one that does not fit is damage: money is not guessed at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from webquarry.ask.models import AskLimits, Usage
from webquarry.store.claims import is_dead
from webquarry.store.sqlite import Connection, UnusableRow, check_row

HELD_SECONDS = 900  # longer than any question may take, waits for the provider included
UNITS_PER_USD = 1_000_000_000
KEPT_SECONDS = 400 * 86400

# For each limit: what is spent below it, and what is reserved below it.
_SUMS = {
    "statement": (
        "SELECT sum(amount + uncertain) FROM ask_spending WHERE statement = ?",
        "SELECT sum(amount) FROM ask_reservations WHERE statement = ?",
    ),
    "day": (
        "SELECT sum(amount + uncertain) FROM ask_spending WHERE day = ?",
        "SELECT sum(amount) FROM ask_reservations WHERE day = ?",
    ),
    "questions": (
        "SELECT sum(questions) FROM ask_spending WHERE statement = ?",
        "SELECT sum(questions) FROM ask_reservations WHERE statement = ?",
    ),
}
_COUNT_RESERVATIONS = "SELECT count(*) FROM ask_reservations WHERE statement = ?"
_RESERVE = (
    "INSERT INTO ask_reservations (statement, door, day, model, amount, ends_at, questions, owner)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_DELETE_RESERVATION = "DELETE FROM ask_reservations WHERE id = ? AND statement = ?"
_RESERVED = " RETURNING id, statement, door, day, model, amount, questions"
_DELETE_ENDED = f"DELETE FROM ask_reservations WHERE ends_at < ?{_RESERVED}"  # noqa: S608
_DELETE_OWNED = f"DELETE FROM ask_reservations WHERE owner = ?{_RESERVED}"  # noqa: S608
_OWNERS = "SELECT DISTINCT owner FROM ask_reservations"
_SPENT_SINCE = (
    "SELECT day, statement, door, model, begun_at, questions, calls, searches,"
    " input_tokens, output_tokens, cached_tokens, amount, uncertain"
    " FROM ask_spending WHERE day >= ? ORDER BY begun_at DESC, statement, model"
)
_SEAL = (
    "row_seal(day, statement, model, door, begun_at, questions, calls, searches,"
    " input_tokens, output_tokens, cached_tokens, amount, uncertain)"
)
_THIS_ROW = "WHERE day = ? AND statement = ? AND model = ?"
# Rows of an older release have no seal.
_COUNT_DAMAGED = f"SELECT count(*) FROM ask_spending WHERE seal <> {_SEAL}"  # noqa: S608 - constant
_COUNT_DAMAGED_SINCE = f"{_COUNT_DAMAGED} AND day >= ?"
_COUNT_DAMAGED_HERE = f"{_COUNT_DAMAGED} AND day = ? AND statement = ? AND model = ?"
_SEAL_ROW = f"UPDATE ask_spending SET seal = {_SEAL} {_THIS_ROW}"  # noqa: S608 - constant
_SPENDING_TYPES = (str, str, str, str, float, *(int,) * 8)
_ADD_SPENDING = (
    "INSERT INTO ask_spending (day, statement, model, door, begun_at, questions, calls, searches,"
    " input_tokens, output_tokens, cached_tokens, amount, uncertain)"
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


class OverLimit(Exception):
    """The worst case does not fit below a limit now. `waiting` says whether this statement's own
    calls hold some of it.
    """

    def __init__(self, what: str, limit: float, spent: float, wanted: float, waiting: bool) -> None:
        super().__init__(what)
        self.what = what  # "statement", "day" or "questions"
        self.limit = limit
        self.spent = spent  # US dollars, or questions
        self.wanted = wanted
        self.waiting = waiting


@dataclass(frozen=True)
class ReservationRequest:
    """What is to be set aside, and below which limits: the worst case of one question, or more for
    one that was asked already (`questions` is 0).
    """

    statement: str
    door: str
    model: str
    usd: float
    limits: AskLimits
    questions: int = 0
    owner: str = ""  # the process (`records.owners`)


@dataclass(frozen=True)
class Reservation:
    """The worst case of one question, set aside."""

    id: int | str
    statement: str
    door: str
    day: str
    model: str
    amount: int
    questions: int = 0


@dataclass(frozen=True)
class Settlement:
    """What came of a reservation. `uncertain_usd` may have been billed: nobody said."""

    held: Reservation
    usage: Usage
    uncertain_usd: float = 0.0
    questions: int = 1


@dataclass(frozen=True)
class SpendingRecord:
    """What one statement has taken of one model on one day. `uncertain_usd` may have been billed:
    nobody said.
    """

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
    uncertain_usd: float = 0.0
    hits: int = 0  # answers that cost nothing
    words: str = ""  # how the statement's text begins
    kept_searches: int = 0  # that our own cache answered


def reserve(database: Connection, request: ReservationRequest, now: float, day: str) -> Reservation:
    """Set the worst case aside, or raise `OverLimit` and set nothing aside."""
    _count_as_spent(database, database.execute(_DELETE_ENDED, (now,)).fetchall(), now)
    wanted = to_units(request.usd)
    limits = request.limits
    for what, limit, value in (
        ("statement", limits.max_usd, request.statement),
        ("day", limits.max_usd_per_day, day),
    ):
        if limit is None:
            continue
        used = _add_up(database, what, value)
        if used + wanted > to_units(limit):
            waiting = _is_waiting(database, request.statement, now)
            raise OverLimit(what, limit, used / UNITS_PER_USD, request.usd, waiting)
    most = limits.max_rows
    if most is not None and request.questions:
        asked = _add_up(database, "questions", request.statement)
        if asked + request.questions > most:
            waiting = _is_waiting(database, request.statement, now)
            raise OverLimit("questions", most, asked, request.questions, waiting)
    row = (
        request.statement,
        request.door,
        day,
        request.model,
        wanted,
        now + HELD_SECONDS,
        request.questions,
        request.owner,
    )
    id = database.execute(_RESERVE, row).lastrowid
    return Reservation(
        int(id or 0),
        request.statement,
        request.door,
        day,
        request.model,
        wanted,
        request.questions,
    )


def settle(database: Connection, settlement: Settlement, now: float) -> None:
    """Write down what a question took instead of what it might have."""
    held = settlement.held
    uncertain = to_units(settlement.uncertain_usd)
    questions = settlement.questions
    deleted = database.execute(_DELETE_RESERVATION, (held.id, held.statement))
    if not deleted.rowcount:
        # Ended meanwhile (a machine that slept): it was counted in full, which is taken back.
        uncertain -= held.amount
        questions -= held.questions
    _add_spending(database, held, settlement.usage, uncertain, now, questions)


def end_dead_reservations(database: Connection, now: float) -> None:
    """Count as spent what processes had set aside that are seen to be dead."""
    owners = [str(owner) for (owner,) in database.execute(_OWNERS).fetchall()]
    for owner in owners:
        if is_dead(owner):
            ended = database.execute(_DELETE_OWNED, (owner,)).fetchall()
            _count_as_spent(database, ended, now)


def spent_since(database: Connection, day: str) -> list[SpendingRecord]:
    """Every statement since that day, the newest first."""
    _check_seals(database, _COUNT_DAMAGED_SINCE, day)
    rows = database.execute(_SPENT_SINCE, (day,)).fetchall()
    records = []
    for row in rows:
        *fields, amount, uncertain = check_row(row, *_SPENDING_TYPES)
        values = (*fields, amount / UNITS_PER_USD, uncertain / UNITS_PER_USD)
        records.append(SpendingRecord(*values))
    return records


def delete_old(database: Connection, now: float) -> None:
    """Let go of what is older than a year and a bit. Nothing is let go because its date was
    changed on the disk.
    """
    _check_seals(database, _COUNT_DAMAGED)
    oldest = now - KEPT_SECONDS
    database.execute("DELETE FROM ask_spending WHERE begun_at < ?", (oldest,))


def _count_as_spent(database: Connection, ended: list[Any], now: float) -> None:
    """What a dead process had set aside counts as spent, for nobody knows."""
    for fields in ended:
        held = Reservation(*check_row(fields, int, str, str, str, str, int, int))
        _add_spending(database, held, Usage(), held.amount, now, held.questions)


def _add_up(database: Connection, what: str, value: str) -> int:
    """What is spent and what is set aside below a limit."""
    spent_query, reserved_query = _SUMS[what]
    spent = _read_number(database, spent_query, value)
    return spent + _read_number(database, reserved_query, value)


def _is_waiting(database: Connection, statement: str, now: float) -> bool:
    """Whether calls of the statement are under way, of processes that live."""
    end_dead_reservations(database, now)
    return bool(_read_number(database, _COUNT_RESERVATIONS, statement))


def _add_spending(
    database: Connection,
    held: Reservation,
    usage: Usage,
    uncertain: int,
    now: float,
    questions: int,
) -> None:
    """Add to the row of this day, statement and model."""
    row = (
        held.day,
        held.statement,
        held.model,
        held.door,
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
    key = (held.day, held.statement, held.model)
    _check_seals(database, _COUNT_DAMAGED_HERE, *key)
    database.execute(_ADD_SPENDING, row)
    database.execute(_SEAL_ROW, key)


def _check_seals(database: Connection, query: str, *values: str) -> None:
    """Raise where rows were changed on the disk."""
    (damaged,) = database.execute(query, values).fetchone()
    if damaged:
        raise UnusableRow("of the ledger does not fit its seal: it was changed on the disk")


def _read_number(database: Connection, query: str, value: str) -> int:
    """The one number that a query gives; none is 0."""
    (number,) = database.execute(query, (value,)).fetchone()
    if number is None:
        return 0
    (number,) = check_row((number,), int)
    return int(number)


def to_units(usd: float) -> int:
    """US dollars as the ledger counts them, in whole numbers."""
    return round(usd * UNITS_PER_USD)
