"""What this process does, for whoever runs it: counted, timed and traced, if somebody listens.

    with span("ask a provider", provider="brave") as end:
        ...
        end("ok")                                  # how it ended, when that is no exception
    count("cache", result="hit")

Names and labels are ours and few; nothing that a user typed or a page said is ever one of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

End = Callable[[str], None]


class Listener(Protocol):
    """Somebody who keeps what is told."""

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        """Something happened so many times."""

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        """Something took so long and came out like this."""

    def within(self, name: str, labels: dict[str, str]) -> AbstractContextManager[None]:
        """Something is being done."""


_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Tell this one too, from now on and for the whole process."""
    _listeners.append(listener)


def unlisten(listener: Listener) -> None:
    """Tell it no more."""
    _listeners.remove(listener)


def count(name: str, value: float = 1.0, **labels: str) -> None:
    """Say that something happened."""
    for listener in _listeners:
        listener.on_count(name, value, labels)


def span(name: str, **labels: str) -> AbstractContextManager[End]:
    """Say that something is being done, and how it ended: as told, or by the kind of the error it
    raised.
    """
    if not _listeners:
        return _NOBODY_LISTENS
    return _tell_span(name, labels)


@contextmanager
def _tell_span(name: str, labels: dict[str, str]) -> Iterator[End]:
    outcome = "ok"

    def end(how: str) -> None:
        nonlocal outcome
        outcome = how

    inner = [listener.within(name, labels) for listener in _listeners]
    started = time.monotonic()
    for one in inner:
        one.__enter__()
    try:
        yield end
    except BaseException as error:
        outcome = _name_outcome(error)
        raise
    finally:
        for one in reversed(inner):
            one.__exit__(None, None, None)
        for listener in _listeners:
            listener.on_end(name, time.monotonic() - started, outcome, labels)


def _name_outcome(error: BaseException) -> str:
    """The kind of an error of ours; any other is a cancelling or a bug."""
    if type(error).__name__ == "CancelledError":
        return "cancelled"
    return getattr(error, "kind", "internal")


def _ignore(how: str) -> None:
    """Nobody listens."""


_NOBODY_LISTENS = nullcontext(_ignore)
