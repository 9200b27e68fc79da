"""Who is asking: nobody in particular on one's own machine, a principal behind a server that serves
several.

What is kept for one caller (answers, large results, research sessions) is found by that caller
alone: the name goes into every cache key and owns every record. It follows the task that serves the
request, so nothing has to hand it on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LOCAL = ""  # the user of this machine

_caller: ContextVar[str] = ContextVar("caller", default=LOCAL)


def caller() -> str:
    """The name of whoever this task works for."""
    return _caller.get()


@contextmanager
def serving(name: str) -> Iterator[None]:
    """Work for this caller within the block, and in tasks that are begun in it."""
    token = _caller.set(name)
    try:
        yield
    finally:
        _caller.reset(token)
