"""A property that is found out when it is first asked for: the standard library's takes a lock each
time, which costs more than many a value. Where two threads ask at once, both find the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")


class found_once(Generic[_Value]):
    """The decorator. What was found stands in the object, where it is asked for from then on."""

    def __init__(self, find: Callable[[Any], _Value]) -> None:
        self._find = find
        self._name = find.__name__
        self.__doc__ = find.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> found_once[_Value]: ...

    @overload
    def __get__(self, owner: object, kind: type) -> _Value: ...

    def __get__(self, owner: object | None, kind: type) -> found_once[_Value] | _Value:
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._find(owner)
        return value
