"""What a store is: it keeps bytes under a key until a moment, and may forget them earlier.

Values enter and leave as bytes; what they mean, and for how long they are good, is the caller's to
know.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from webquarry.caller import LOCAL, caller

VARIANT = ":"  # behind the key of an entry, before the name of its variant
_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


@dataclass(frozen=True)
class CacheEntry:
    """A kept value with the moments (seconds since the epoch) it was stored and will expire."""

    value: bytes
    stored_at: float
    expires_at: float


@dataclass(frozen=True)
class CachedValue:
    """A value as callers get it, with its freshness."""

    value: bytes
    cached: bool
    age_seconds: float
    max_age_seconds: float
    thing: Any = None  # what was packed into the value, where that was made just now


@dataclass(frozen=True)
class Stats:
    """What a store holds."""

    name: str
    entries: int
    bytes: int
    place: str = ""


class Store(ABC):
    """One place that keeps entries. A failing store is a miss, never an error of the call it
    serves.
    """

    shared: ClassVar[bool] = False  # whether several servers see the same entries

    @abstractmethod
    async def get(self, key: str, now: float) -> CacheEntry | None:
        """The entry, if it is there and still good."""

    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        """The first of several entries that is there and still good, with its key."""
        for key in keys:
            entry = await self.get(key, now)
            if entry is not None:
                return key, entry
        return None

    def peek(self, key: str, now: float) -> CacheEntry | None:
        """The same, where it can be told without waiting."""
        return None

    @abstractmethod
    async def put(self, key: str, entry: CacheEntry) -> None:
        """Keep the entry; an older one under the same key is replaced."""

    async def put_all(self, entries: Sequence[tuple[str, CacheEntry]]) -> None:
        """Keep several entries, by their keys."""
        for key, entry in entries:
            await self.put(key, entry)

    @abstractmethod
    async def clear(self) -> int:
        """Forget everything; how many entries there were."""

    @abstractmethod
    async def stats(self) -> Stats:
        """What is held now."""

    async def aclose(self) -> None:  # noqa: B027 - most stores hold nothing open
        """Close what was opened."""


def name_variant(key: str, variant: str) -> str:
    """The key of a variant of an entry. Variants stand beside each other where they are kept, so
    that one look tells whether there is any.
    """
    return f"{key}{VARIANT}{variant}"


def key_of(kind: str, version: int, parameters: Mapping[str, Any]) -> str:
    """The key of a call: its kind, the version of the answer's shape, every parameter that affects
    the answer, and who asks, where that is not the user of this machine.
    """
    parts: list[Any] = [kind, version, parameters]
    if caller() != LOCAL:
        parts.append(caller())
    text = _encode(parts)
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()
