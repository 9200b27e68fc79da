"""Memory that is free goes back to the system: glibc keeps it unless it is told, and others have no
such function.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache


def give_back_memory() -> None:
    """Hand what was freed back to the system. Takes some milliseconds; other threads go on."""
    _find_malloc_trim()(0)


@cache
def _find_malloc_trim() -> Callable[[int], object]:
    import ctypes

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _: None
    return trim
