"""Memory that is free goes back to the system: glibc keeps it unless it is told, and others have no
such function. And what is loaded to stay is not looked through for unused objects.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

_loaders: list[bool] = []  # for each that loads something now, whether it has to end the pause
_loaders_lock = threading.Lock()


def give_back_memory() -> None:
    """Hand what was freed back to the system. Takes some milliseconds; other threads go on."""
    _find_malloc_trim()(0)


@contextmanager
def load_to_stay() -> Iterator[None]:
    """A block that loads code and models, in whichever thread. Unused objects are not looked for
    meanwhile: to look through all that there is takes tens of milliseconds, in which no other
    thread goes on. What is there afterwards is not looked through again.
    """
    with _loaders_lock:
        _loaders.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _loaders_lock:
            ends_pause = _loaders.pop()
            if _loaders:
                _loaders[0] = _loaders[0] or ends_pause
            elif ends_pause:
                gc.freeze()
                gc.enable()


@cache
def _find_malloc_trim() -> Callable[[int], object]:
    import ctypes

    try:
        trim: Callable[[int], object] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return lambda _: None
    return trim
