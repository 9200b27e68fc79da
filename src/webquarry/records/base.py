"""What keeps journals: each belongs to one caller, is only ever added to, and ends when nobody has
touched it for long.

An entry that was acknowledged is on disk (or wherever the journals are) before the call returns. A
failing store raises `RecordsFailure`: unlike a cache, it must not lose anything quietly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from webquarry.store.encryption import Cipher

LAST_MOMENT = 253_402_300_000.0  # in the year 9999; what is later was never written by us


class JournalMoved(Exception):
    """Somebody else added to the journal since it was read: read again, decide again."""


@dataclass(frozen=True)
class Journal:
    """A journal as it stands. Moments are seconds since the epoch."""

    id: str
    created_at: float
    touched_at: float
    entries: tuple[bytes, ...]
    finished: bool = False


class Journals(ABC):
    """One place that keeps journals."""

    @abstractmethod
    async def begin(
        self, owner: str, id: str, entry: bytes, now: float, *, most: int, idle_seconds: float
    ) -> None:
        """Begin a journal with its first entry. Those idle for longer than `idle_seconds` are
        dropped first; beyond `most` the one that was touched longest ago gives way, finished ones
        before all others. `FileExistsError` if there is one of this id.
        """

    @abstractmethod
    async def read(self, owner: str, id: str, now: float, *, idle_seconds: float) -> Journal | None:
        """The journal; None where there is none, it is another caller's, or it has been idle for
        too long.
        """

    @abstractmethod
    async def append(
        self,
        owner: str,
        id: str,
        entry: bytes,
        now: float,
        *,
        after: int | None = None,
        finished: bool | None = None,
    ) -> int:
        """Add an entry and touch the journal; how many entries there are then. With `after`, only
        if there were exactly so many (else `JournalMoved`). `finished` marks the journal as ended,
        or as open again. `KeyError` if there is none.
        """

    @abstractmethod
    async def list(self, owner: str, now: float, *, idle_seconds: float) -> list[Journal]:
        """The caller's journals without their entries, the one touched last first."""

    async def delete(self, owner: str, id: str) -> bool:
        """Drop a journal with all of its entries, for good; False if the caller has none of this
        id.
        """
        raise NotImplementedError(f"{type(self).__name__} only ever adds")

    async def aclose(self) -> None:  # noqa: B027 - not every place holds something open
        """Close what was opened."""


def hash_journal(cipher: Cipher, owner: str, id: str) -> bytes:
    """The name a journal is kept under. Whoever does not own it arrives at another one, so there is
    nothing to find.
    """
    return cipher.hash_name(f"journal {len(owner)} {owner} {id}")


def hash_owner(cipher: Cipher, owner: str) -> bytes:
    """The name that an owner's journals are listed under."""
    return cipher.hash_name(f"owner {owner}")


def name_entry(journal: bytes, number: int) -> bytes:
    """What an entry is encrypted for: it cannot be moved to another place."""
    return journal + number.to_bytes(8, "big")
