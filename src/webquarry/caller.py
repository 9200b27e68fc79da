"""The caller of the current task: the user of this machine, or a principal of a server.

Cached answers, large results and research sessions belong to one caller: the name is part of every
cache key and owns every record. A context variable holds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LOCAL = ""  # the user of this machine

_caller: ContextVar[str] = ContextVar("caller", default=LOCAL)


def caller() -> str:
    """Return the name of the caller."""
    return _caller.get()


@contextmanager
def serving(name: str) -> Iterator[None]:
    """Set the caller for the block, and for tasks that it starts."""
    token = _caller.set(name)
    try:
        yield
    finally:
        _caller.reset(token)
