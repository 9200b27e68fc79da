"""The bill: what the ledger says of money, with what is noted of each statement beside it: when it
began, its first words, and what it got for nothing.

Notes are for reading and decide nothing; they are written a moment after what they tell, and the
words are encrypted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from webquarry.ask.billing import ledger
from webquarry.ask.billing.ledger import SpendingRecord
from webquarry.ask.billing.statement import Statement
from webquarry.secret import redact
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection, UnusableRow, check_row

MOST_WORDS = 120  # letters of a statement's text
_WRITE = (
    "INSERT INTO ask_statements (statement, door, begun_at, words, hits, kept_searches)"
    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (statement) DO UPDATE SET"
    " hits = hits + excluded.hits, kept_searches = kept_searches + excluded.kept_searches"
)
_READ = (
    "SELECT statement, door, begun_at, words, hits, kept_searches FROM ask_statements"
    " WHERE begun_at >= ? ORDER BY begun_at DESC, statement"
)


@dataclass(frozen=True)
class StatementNote:
    """What is noted of a statement."""

    statement: str
    door: str
    begun_at: float
    words: str
    hits: int
    kept_searches: int


def shorten_words(text: str) -> str:
    """How a text begins, in one line."""
    line = " ".join(text.split())
    if len(line) <= MOST_WORDS:
        return line
    return line[: MOST_WORDS - 3].rstrip() + "..."


def write_notes(database: Connection, cipher: Cipher, statements: Iterable[Statement]) -> None:
    """Note what is known of these statements now. Several processes may work on one, so each adds
    what is new.
    """
    for statement in statements:
        hits, kept_searches = statement.take_free_counts()
        row = (
            statement.id,
            statement.door,
            statement.begun_at,
            encrypt_words(cipher, statement),
            hits,
            kept_searches,
        )
        database.execute(_WRITE, row)


def encrypt_words(cipher: Cipher, statement: Statement) -> bytes:
    """How a statement's text begins, as it is kept."""
    words = redact(shorten_words(statement.words)).encode("utf-8", "replace")
    return cipher.encrypt(words, _name(statement.id))


def decrypt_words(cipher: Cipher, statement: str, sealed: bytes) -> str:
    """The words of a statement, none where they cannot be read."""
    words = cipher.decrypt(sealed, _name(statement)) or b""
    return words.decode("utf-8", "replace")


def delete_old_notes(database: Connection, oldest: float) -> None:
    """Let go of notes on statements that began before that moment."""
    database.execute("DELETE FROM ask_statements WHERE begun_at < ?", (oldest,))


def read_bill(database: Connection, cipher: Cipher, day: str) -> list[SpendingRecord]:
    """Every statement since that day, the newest first: a record for each model that was paid, and
    one for a statement that was answered for nothing.
    """
    since = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    notes = _read_notes(database, cipher, since)
    return join_notes(ledger.spent_since(database, day), notes)


def join_notes(
    paid: Sequence[SpendingRecord], all_notes: Sequence[StatementNote]
) -> list[SpendingRecord]:
    """What was paid and what is noted, as one bill, the newest first."""
    notes = {note.statement: note for note in all_notes}
    records: list[SpendingRecord] = []
    for record in paid:
        note = notes.get(record.statement)
        if note is None:
            records.append(record)
            continue
        record = replace(record, begun_at=note.begun_at, words=note.words)
        records.append(record)
    records = _add_free_counts(records, notes)
    return sorted(records, key=lambda one: (-one.begun_at, one.statement, one.model))


def add_total(records: Sequence[SpendingRecord]) -> SpendingRecord:
    """All of them as one."""
    total = SpendingRecord("", "total", "", "", 0.0)
    for one in records:
        total = replace(
            total,
            questions=total.questions + one.questions,
            hits=total.hits + one.hits,
            calls=total.calls + one.calls,
            searches=total.searches + one.searches,
            kept_searches=total.kept_searches + one.kept_searches,
            input_tokens=total.input_tokens + one.input_tokens,
            output_tokens=total.output_tokens + one.output_tokens,
            cached_tokens=total.cached_tokens + one.cached_tokens,
            usd=total.usd + one.usd,
            uncertain_usd=total.uncertain_usd + one.uncertain_usd,
        )
    return total


def _add_free_counts(
    records: list[SpendingRecord], notes: dict[str, StatementNote]
) -> list[SpendingRecord]:
    """The records with what was had for nothing, which is counted once for each statement."""
    left = dict(notes)
    counted: list[SpendingRecord] = []
    for record in records:
        note = left.pop(record.statement, None)
        if note is not None:
            record = replace(record, hits=note.hits, kept_searches=note.kept_searches)
        counted.append(record)
    for note in left.values():
        if not note.hits:
            continue
        day = datetime.fromtimestamp(note.begun_at, UTC).date().isoformat()
        free = SpendingRecord(day, note.statement, note.door, "", note.begun_at)
        counted.append(replace(free, hits=note.hits, words=note.words))
    return counted


def _read_notes(database: Connection, cipher: Cipher, since: float) -> list[StatementNote]:
    """Notes on statements that began at that moment or later; what cannot be read is left out."""
    notes = []
    for row in database.execute(_READ, (since,)).fetchall():
        try:
            statement, door, begun_at, sealed, hits, searches = check_row(
                row, str, str, float, bytes, int, int
            )
        except UnusableRow:
            continue
        text = decrypt_words(cipher, statement, sealed)
        notes.append(StatementNote(statement, door, begun_at, text, hits, searches))
    return notes


def _name(statement: str) -> bytes:
    """What the words of a statement are encrypted for."""
    return f"statement {statement}".encode()
