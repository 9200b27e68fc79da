"""Answers that were written already, beside the cache: the same call gets the same bytes for as
long as the entry is kept that they were made of.

    written.keep(call, WrittenAnswer(source, b'"content":[...]', meta))
    found = written.find(call)     # None, or the answer and how fresh its entry is now

Whether there still is such an entry, and how old it is, the cache alone knows: it is asked every
time.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.cache.base import CachedValue, EntrySource
from webquarry.cache.cache import Cache

MOST_BYTES = 8_000_000
_LARGEST = 200_000  # bytes of one answer


@dataclass(frozen=True)
class WrittenAnswer:
    """An answer as bytes, what travelled beside it, and the entry that it was made of."""

    source: EntrySource
    content: bytes
    meta: dict[str, Any]
    named: tuple[Any, ...] = ()  # the sources in it
    digest: str = ""  # of the answer, for its receipt

    def sources(self) -> Sequence[Any]:
        """The sources that it names, for the log of calls."""
        return self.named

    def failures(self) -> Sequence[Exception]:
        """What it had to do without: nothing, or it were not kept."""
        return ()

    def write(self) -> str:
        """The answer as it was written."""
        return self.content.decode("utf-8", "replace")

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.content) + len(self.source.value)


class WrittenAnswers:
    """The answers of one process, the least recently used ones forgotten first."""

    def __init__(self, open_cache: Callable[[], Cache], most_bytes: int = MOST_BYTES) -> None:
        self._open_cache = open_cache
        self._most_bytes = most_bytes
        self._answers: OrderedDict[Hashable, WrittenAnswer] = OrderedDict()
        self._bytes = 0

    def find(self, call: Hashable) -> tuple[WrittenAnswer, CachedValue] | None:
        """The answer to a call, with the entry that it was made of; None where that is no longer
        what the cache has at hand.
        """
        answer = self._answers.get(call)
        if answer is None:
            return None
        kept = self._open_cache().peek(answer.source.key)
        if kept is None:
            return None  # it may only be far away
        if kept.value != answer.source.value:
            self._forget(call)
            return None
        self._answers.move_to_end(call)
        return answer, kept

    def keep(self, call: Hashable, answer: WrittenAnswer) -> None:
        """Keep the answer to a call, unless it is too large, or its entry is not kept."""
        self._forget(call)
        if answer.size > min(_LARGEST, self._most_bytes):
            return
        if self._open_cache().peek(answer.source.key) is None:
            return
        self._answers[call] = answer
        self._bytes += answer.size
        while self._bytes > self._most_bytes:
            self._forget(next(iter(self._answers)))

    def _forget(self, call: Hashable) -> None:
        answer = self._answers.pop(call, None)
        if answer is not None:
            self._bytes -= answer.size
