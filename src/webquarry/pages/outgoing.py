"""An answer or an error on its way out -> the same, with every text in it fit to be read.

Every tool's answer and every tool's error passes here, whatever door it was called through: names
and values, however deep. No text holds what a person cannot see, turns the direction of reading or
passes for a delimiter of a chat. How long a text may be is decided where it comes in. The content
of a page was filtered when the page was read, by what is prose and what is code in it, so it is
passed over.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, get_type_hints

import msgspec

from webquarry._read.text.characters import clean
from webquarry._search.text import shorten_text
from webquarry.errors import WebquarryError
from webquarry.pages.clean import clean_url

_LONGEST_MESSAGE = 2_000  # characters of an error
_NO_TEXT = frozenset({int, float, bool, type(None)})
_READ = "was filtered when the page was read"

# The text of a page, or of several.
PageText = Annotated[str, _READ]
PageTextOrNone = Annotated[str | None, _READ]


def filter_answer(answer: msgspec.Struct) -> None:
    """Filter every text of an answer, in its place."""
    for name in _list_fields(type(answer)):
        value = getattr(answer, name)
        if value is None:
            continue
        # `_is_plain`, without calling it for every field of every result
        is_ascii = type(value) is str and value.isascii() and value.isprintable()
        if is_ascii and "<" not in value and "[" not in value:
            continue
        filtered = filter_value(value)
        if filtered is not value:
            setattr(answer, name, filtered)


def filter_value(value: Any) -> Any:
    """A value of JSON, or a part of an answer, with its texts filtered; itself where nothing had to
    be changed.
    """
    kind = type(value)
    if kind is str and _is_plain(value):
        return value
    if kind in _NO_TEXT:
        return value
    if isinstance(value, str):
        return filter_text(value)
    if isinstance(value, msgspec.Struct):
        filter_answer(value)
        return value
    if isinstance(value, (list, tuple)):
        members = _filter_all(value)
        return value if members is None else type(value)(members)
    if isinstance(value, dict):
        names = _filter_all(value)
        members = _filter_all(value.values())
        if names is None and members is None:
            return value
        return dict(zip(names or value, members or value.values(), strict=True))
    return value


def _filter_all(values: Collection[Any]) -> list[Any] | None:
    """The values filtered; None where nothing had to be changed, as in nearly all."""
    changed: dict[int, Any] = {}
    for place, value in enumerate(values):
        kind = type(value)
        if kind in _NO_TEXT:
            continue
        # `_is_plain`, without calling it for every text
        is_ascii = kind is str and value.isascii() and value.isprintable()
        if is_ascii and "<" not in value and "[" not in value:
            continue
        filtered = filter_value(value)
        if filtered is not value:
            changed[place] = filtered
    if not changed:
        return None
    return [changed.get(place, value) for place, value in enumerate(values)]


def filter_text(text: str) -> str:
    """A text or an address."""
    if _is_plain(text):
        return text
    if text.startswith(("http://", "https://")) and " " not in text:
        return clean_url(text)
    return clean(text)


def _is_plain(text: str) -> bool:
    """Whether nothing in a text has to be looked for, as in nearly all."""
    return text.isascii() and text.isprintable() and "<" not in text and "[" not in text


def filter_error(error: WebquarryError) -> None:
    """Filter what an error says, which may quote somebody's reply, in its place."""
    message = shorten_text(error.message, _LONGEST_MESSAGE)
    error.args = (filter_text(message), *error.args[1:])
    action = filter_text(error.suggested_action)
    if action is not error.suggested_action:
        error.suggested_action = action
    if error.attempts:
        attempts = [replace(one, reason=filter_text(one.reason)) for one in error.attempts]
        error.attempts = tuple(attempts)


@cache
def _list_fields(model: type[msgspec.Struct]) -> list[str]:
    """The names of the fields of an answer that are looked at."""
    hints = get_type_hints(model, include_extras=True)
    names = model.__struct_fields__
    return [name for name in names if _READ not in getattr(hints[name], "__metadata__", ())]
