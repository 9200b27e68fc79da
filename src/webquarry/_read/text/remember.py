"""Caching of functions of short texts, such as style sheets repeat within and between pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

_MAX_LENGTH = 400  # characters or bytes of a text whose result is cached
_MAX_TEXTS = 1_024

_Text = TypeVar("_Text", str, bytes)
_Result = TypeVar("_Result")


def remember_short(function: Callable[[_Text], _Result]) -> Callable[[_Text], _Result]:
    """Cache the results of a function for short texts; they must not be changed."""
    cached = lru_cache(maxsize=_MAX_TEXTS)(function)

    def call(text: _Text) -> _Result:
        return cached(text) if len(text) <= _MAX_LENGTH else function(text)

    return call
