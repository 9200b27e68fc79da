"""What was found out is known from then on. A function of one text remembers what it said of short
texts: style sheets say the same things again and again, on one page and on the next. An object
keeps what is found once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, TypeVar, overload

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


class found_once(Generic[_Answer]):
    """A property that is found out when it is first asked for, and then stands in the object. The
    standard library's takes a lock each time, which costs more than many a value; where two threads
    ask at once here, both find the same.
    """

    def __init__(self, find: Callable[[Any], _Answer]) -> None:
        self._find = find
        self._name = find.__name__
        self.__doc__ = find.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> found_once[_Answer]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> _Answer: ...

    def __get__(self, owner: object | None, kind: type) -> found_once[_Answer] | _Answer:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._find(owner)
        return value
