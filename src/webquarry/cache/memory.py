"""Cache store in the memory of this process (LRU)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from webquarry.cache.base import CacheEntry, Stats, Store


class MemoryStore(Store):
    """Holds up to `max_bytes` of values."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[str, CacheEntry] = OrderedDict()
        self._bytes = 0

    async def get(self, key: str, now: float) -> CacheEntry | None:
        return self.peek(key, now)

    async def get_first(self, keys: Sequence[str], now: float) -> tuple[str, CacheEntry] | None:
        for key in keys:
            entry = self.peek(key, now)
            if entry is not None:
                return key, entry
        return None

    def peek(self, key: str, now: float) -> CacheEntry | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.expires_at <= now:
            self._forget(key)
            return None
        self._entries.move_to_end(key)
        return entry

    async def put(self, key: str, entry: CacheEntry) -> None:
        self._forget(key)
        if len(entry.value) > self._max_bytes:
            return
        self._entries[key] = entry
        self._bytes += len(entry.value)
        while self._bytes > self._max_bytes:
            oldest = next(iter(self._entries))
            self._forget(oldest)

    def _forget(self, key: str) -> None:
        """Remove the entry, if there is one."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= len(entry.value)

    async def clear(self) -> int:
        count = len(self._entries)
        self._entries.clear()
        self._bytes = 0
        return count

    async def stats(self) -> Stats:
        return Stats("memory", len(self._entries), self._bytes)
