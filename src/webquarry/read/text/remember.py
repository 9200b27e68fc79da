"""A function of one text -> the same, which remembers what it said of short texts: style sheets say
the same things again and again, on one page and on the next.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

_LONGEST = 400  # characters or bytes of a text that is remembered
_MOST = 1_024  # texts; with what is made of them two megabytes at most

_Text = TypeVar("_Text", str, bytes)
_Answer = TypeVar("_Answer")


def remember_short(ask: Callable[[_Text], _Answer]) -> Callable[[_Text], _Answer]:
    """The function, called once for short texts that are the same; its answers may not be
    changed.
    """
    remembered = lru_cache(maxsize=_MOST)(ask)

    def ask_once(text: _Text) -> _Answer:
        if len(text) <= _LONGEST:
            return remembered(text)
        return ask(text)

    return ask_once
