"""Claims in the record file: a name, an owner and a time go in; whether the owner has it now comes
out. To be called in a transaction.

A claim that is not renewed ends by itself, and at once where its process is seen to be dead.
"""

from __future__ import annotations

from webquarry.records.owners import is_dead
from webquarry.store.encryption import Cipher
from webquarry.store.sqlite import Connection, UnusableRow, check_row


def take_claim(
    database: Connection, cipher: Cipher, key: str, owner: str, now: float, seconds: float
) -> bool:
    """Claim it for so many seconds; False where somebody else has it."""
    if is_claimed(database, cipher, key, owner, now, seconds):
        return False
    row = (_name(cipher, key), owner, now + seconds)
    database.execute("INSERT OR REPLACE INTO ask_claims VALUES (?, ?, ?)", row)
    return True


def is_claimed(
    database: Connection, cipher: Cipher, key: str, owner: str, now: float, seconds: float
) -> bool:
    """Whether somebody else has it, whose claim is good."""
    query = "SELECT owner, ends_at FROM ask_claims WHERE name = ?"
    row = database.execute(query, (_name(cipher, key),)).fetchone()
    if row is None:
        return False
    try:
        holder, ends_at = check_row(row, str, float)
    except UnusableRow:
        return False  # it is written anew
    # One from further ahead than a claim lasts was made by a clock that was wrong.
    is_current = now < ends_at <= now + 2 * seconds
    return holder != owner and is_current and not is_dead(holder)


def renew_claims(database: Connection, owner: str, now: float, seconds: float) -> None:
    """Let every claim of an owner last for so many seconds from now."""
    database.execute("UPDATE ask_claims SET ends_at = ? WHERE owner = ?", (now + seconds, owner))


def release_claim(database: Connection, cipher: Cipher, key: str, owner: str) -> None:
    """Give a claim up, if it is still this owner's."""
    row = (_name(cipher, key), owner)
    database.execute("DELETE FROM ask_claims WHERE name = ? AND owner = ?", row)


def delete_ended_claims(database: Connection, now: float) -> None:
    """Let go of what nobody renewed."""
    database.execute("DELETE FROM ask_claims WHERE ends_at < ?", (now,))


def _name(cipher: Cipher, key: str) -> bytes:
    return cipher.hash_name(f"claim {key}")
