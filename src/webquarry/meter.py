"""Counters and spans of this process, for listeners such as metrics and traces.

    with span("provider", provider="brave") as end:
        ...
        end("ok")  # the outcome, if it is not an exception
    count("cache", result="hit")

Names and labels are a fixed, small set and never contain user input or page content.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

End = Callable[[str], None]


class Listener:
    """Receives counts and spans; every method is optional."""

    def on_count(self, name: str, value: float, labels: dict[str, str]) -> None:
        """Called for each count."""

    def on_end(self, name: str, seconds: float, outcome: str, labels: dict[str, str]) -> None:
        """Called at the end of a span."""

    def within(self, name: str, labels: dict[str, str]) -> AbstractContextManager[None]:
        """Return a context that is entered for the duration of a span."""
        return nullcontext()


_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Add a listener for the whole process."""
    _listeners.append(listener)


def unlisten(listener: Listener) -> None:
    """Remove a listener."""
    _listeners.remove(listener)


def count(name: str, value: float = 1.0, **labels: str) -> None:
    """Add to a counter."""
    for listener in _listeners:
        listener.on_count(name, value, labels)


def span(name: str, **labels: str) -> AbstractContextManager[End]:
    """Measure a block. Its outcome is the one that it sets, or the kind of the error it raises."""
    return _report_span(name, labels) if _listeners else _NOT_MEASURED


@contextmanager
def _report_span(name: str, labels: dict[str, str]) -> Iterator[End]:
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
        is_cancelled = type(error).__name__ == "CancelledError"
        outcome = "cancelled" if is_cancelled else getattr(error, "kind", "internal")
        raise
    finally:
        for one in reversed(inner):
            one.__exit__(None, None, None)
        for listener in _listeners:
            listener.on_end(name, time.monotonic() - started, outcome, labels)


_NOT_MEASURED: AbstractContextManager[End] = nullcontext(lambda how: None)
