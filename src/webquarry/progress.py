"""What a long call is doing just now: the engine says it with `note`, and the door that began the
call may listen.

    with listening(lambda message: ...):
        await tool.call(kit, arguments)      # somewhere below: note("asking Brave Search")

Nobody has to listen, and whoever notes something never waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("webquarry_progress", default=None)


def note(message: str) -> None:
    """Say in a few words what begins now."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(message)


@contextmanager
def listening(hear: Callable[[str], None]) -> Iterator[None]:
    """Hear what is noted by the work of this context, its child tasks included."""
    token = _LISTENER.set(hear)
    try:
        yield
    finally:
        _LISTENER.reset(token)
