"""The ledger: what is spent and what may be, in the record file that all doors and processes of a
user share.

Before a question is asked its worst case is reserved, and no reservation is made that could break a
limit; afterwards what it really took is written down. A reservation that nobody settles, because
its process died, ends by itself: the calls may have been billed, so that it then counts as spent,
marked as uncertain. Money is in billionths of a dollar.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from webquarry.ask.models import AskLimits, Usage

HELD_SECONDS = 900  # longer than any question may take, waits for the provider included
_UNIT = 1_000_000_000
_KEPT_DAYS = 400
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


class NoRoom(Exception):
    """The worst case does not fit below a limit now. `waiting` says whether this statement's own
    calls hold some of it.
    """

    def __init__(self, what: str, limit: float, spent: float, wanted: float, waiting: bool) -> None:
        super().__init__(what)
        self.what, self.limit, self.spent, self.wanted, self.waiting = (
            what,
            limit,
            spent,
            wanted,
            waiting,
        )


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
class Spent:
    """What one statement has taken of one model on one day. `uncertain_usd` may have been billed:
    nobody said.
    """

    day: str
    statement: str
    door: str
    model: str
    begun_at: float
    questions: int
    calls: int
    searches: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    usd: float
    uncertain_usd: float
    hits: int = 0  # answers that cost nothing; only known of statements of this process


def reserve(
    database: sqlite3.Connection,
    statement: str,
    door: str,
    model: str,
    usd: float,
    limits: AskLimits,
    now: float,
    day: str,
) -> Reservation:
    """Set the worst case aside, or raise `NoRoom` and change nothing."""
    _release_ended(database, now)
    wanted = _units(usd)
    for what, limit, value in (
        ("statement", limits.max_usd, statement),
        ("day", limits.max_usd_per_day, day),
    ):
        if limit is None:
            continue
        spent, held = (_sum(database, query, value) for query in _SUMS[what])
        if spent + held + wanted > _units(limit):
            own = _sum(
                database, "SELECT count(*) FROM ask_reservations WHERE statement = ?", statement
            )
            raise NoRoom(what, limit, (spent + held) / _UNIT, usd, bool(own))
    row = (statement, door, day, model, wanted, now + HELD_SECONDS)
    id = database.execute(
        "INSERT INTO ask_reservations (statement, door, day, model, amount, ends_at) VALUES (?, "
        "?, ?, ?, ?, ?)",
        row,
    ).lastrowid
    return Reservation(int(id or 0), statement, door, day, model, wanted)


def settle(
    database: sqlite3.Connection,
    held: Reservation,
    usage: Usage,
    uncertain_usd: float,
    now: float,
    *,
    questions: int = 1,
) -> None:
    """Write down what a question took instead of what it might have."""
    there = database.execute(
        "DELETE FROM ask_reservations WHERE id = ? AND statement = ?", (held.id, held.statement)
    )
    # Ended meanwhile (a machine that slept): it was counted in full, which is taken back.
    if there.rowcount:
        back = 0
    else:
        back = held.amount
    _add(database, held, usage, _units(uncertain_usd) - back, now, questions)


def spent_since(database: sqlite3.Connection, day: str) -> list[Spent]:
    """Every statement since that day, the newest first."""
    rows = database.execute(
        "SELECT day, statement, door, model, begun_at, questions, calls, searches, input_tokens, "
        "output_tokens,"
        " cached_tokens, amount, uncertain FROM ask_spending WHERE day >= ? ORDER BY begun_at "
        "DESC, statement, model",
        (day,),
    ).fetchall()
    return [Spent(*(*row[:11], row[11] / _UNIT, row[12] / _UNIT)) for row in rows]


def forget(database: sqlite3.Connection, now: float) -> None:
    """Let go of what is older than a year and a bit."""
    database.execute("DELETE FROM ask_spending WHERE begun_at < ?", (now - _KEPT_DAYS * 86400,))


def _release_ended(database: sqlite3.Connection, now: float) -> None:
    ended = database.execute(
        "DELETE FROM ask_reservations WHERE ends_at < ? RETURNING id, statement, door, day, "
        "model, amount",
        (now,),
    ).fetchall()
    for row in ended:
        held = Reservation(*row)
        _add(database, held, Usage(), held.amount, now, 0)


def _add(
    database: sqlite3.Connection,
    held: Reservation,
    usage: Usage,
    uncertain: int,
    now: float,
    questions: int,
) -> None:
    database.execute(
        "INSERT INTO ask_spending (day, statement, model, door, begun_at, questions, calls, "
        "searches, input_tokens,"
        " output_tokens, cached_tokens, amount, uncertain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?)"
        " ON CONFLICT (day, statement, model) DO UPDATE SET questions = questions + "
        "excluded.questions,"
        " calls = calls + excluded.calls, searches = searches + excluded.searches,"
        " input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + "
        "excluded.output_tokens,"
        " cached_tokens = cached_tokens + excluded.cached_tokens, amount = amount + "
        "excluded.amount,"
        " uncertain = max(0, uncertain + excluded.uncertain)",
        (
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
            _units(usage.usd),
            uncertain,
        ),
    )


def _sum(database: sqlite3.Connection, query: str, value: str) -> int:
    return int(database.execute(query, (value,)).fetchone()[0] or 0)


def _units(usd: float) -> int:
    return round(usd * _UNIT)
