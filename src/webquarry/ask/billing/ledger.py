"""The ledger: what is spent and what may be, in the record file that all doors and processes of a
user share.

Before a question is asked its worst case is reserved, and no reservation is made that could break a
limit; afterwards what it really took is written down. A reservation that nobody settles, because
its process died, ends by itself: the calls may have been billed, so that it then counts as spent,
marked as uncertain. Money is in billionths of a dollar. Each row has a seal, and one that does not
fit is damage: money is not guessed at.
"""

from __future__ import annotations

from dataclasses import dataclass

from webquarry.ask.models import AskLimits, Usage
from webquarry.store.sqlite import Connection, UnusableRow, check_row

HELD_SECONDS = 900  # longer than any question may take, waits for the provider included
_UNITS_PER_USD = 1_000_000_000
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
}
_COUNT_RESERVATIONS = "SELECT count(*) FROM ask_reservations WHERE statement = ?"
_RESERVE = (
    "INSERT INTO ask_reservations (statement, door, day, model, amount, ends_at)"
    " VALUES (?, ?, ?, ?, ?, ?)"
)
_DELETE_RESERVATION = "DELETE FROM ask_reservations WHERE id = ? AND statement = ?"
_DELETE_ENDED = (
    "DELETE FROM ask_reservations WHERE ends_at < ?"
    " RETURNING id, statement, door, day, model, amount"
)
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
    " questions = questions + excluded.questions,"
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
        self.what = what  # "statement" or "day"
        self.limit = limit
        self.spent = spent
        self.wanted = wanted
        self.waiting = waiting


@dataclass(frozen=True)
class Reservation:
    """The worst case of one question, set aside."""

    id: int
    statement: str
    door: str
    day: str
    model: str
    amount: int


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


def reserve(
    database: Connection,
    statement: str,
    door: str,
    model: str,
    usd: float,
    limits: AskLimits,
    now: float,
    day: str,
) -> Reservation:
    """Set the worst case aside, or raise `OverLimit` and change nothing."""
    # What a dead process had set aside counts as spent, for nobody knows.
    ended = database.execute(_DELETE_ENDED, (now,)).fetchall()
    for fields in ended:
        held = Reservation(*check_row(fields, int, str, str, str, str, int))
        _add_spending(database, held, Usage(), held.amount, now, 0)
    wanted = _to_units(usd)
    for what, limit, value in (
        ("statement", limits.max_usd, statement),
        ("day", limits.max_usd_per_day, day),
    ):
        if limit is None:
            continue
        spent_query, reserved_query = _SUMS[what]
        used = _read_number(database, spent_query, value)
        used += _read_number(database, reserved_query, value)
        if used + wanted > _to_units(limit):
            own = _read_number(database, _COUNT_RESERVATIONS, statement)
            raise OverLimit(what, limit, used / _UNITS_PER_USD, usd, bool(own))
    row = (statement, door, day, model, wanted, now + HELD_SECONDS)
    id = database.execute(_RESERVE, row).lastrowid
    return Reservation(int(id or 0), statement, door, day, model, wanted)


def settle(
    database: Connection,
    held: Reservation,
    usage: Usage,
    uncertain_usd: float,
    now: float,
    *,
    questions: int = 1,
) -> None:
    """Write down what a question took instead of what it might have."""
    uncertain = _to_units(uncertain_usd)
    deleted = database.execute(_DELETE_RESERVATION, (held.id, held.statement))
    if not deleted.rowcount:
        # Ended meanwhile (a machine that slept): it was counted in full, which is taken back.
        uncertain -= held.amount
    _add_spending(database, held, usage, uncertain, now, questions)


def spent_since(database: Connection, day: str) -> list[SpendingRecord]:
    """Every statement since that day, the newest first."""
    _check_seals(database, _COUNT_DAMAGED_SINCE, day)
    rows = database.execute(_SPENT_SINCE, (day,)).fetchall()
    records = []
    for row in rows:
        *fields, amount, uncertain = check_row(row, *_SPENDING_TYPES)
        values = (*fields, amount / _UNITS_PER_USD, uncertain / _UNITS_PER_USD)
        records.append(SpendingRecord(*values))
    return records


def delete_old(database: Connection, now: float) -> None:
    """Let go of what is older than a year and a bit. Nothing is let go because its date was
    changed on the disk.
    """
    _check_seals(database, _COUNT_DAMAGED)
    oldest = now - KEPT_SECONDS
    database.execute("DELETE FROM ask_spending WHERE begun_at < ?", (oldest,))


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
        _to_units(usage.usd),
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


def _to_units(usd: float) -> int:
    """US dollars as the ledger counts them, in whole numbers."""
    return round(usd * _UNITS_PER_USD)
