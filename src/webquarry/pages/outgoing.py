"""An answer or an error on its way out -> the same, with every text in it fit to be read.

Every tool's answer and every tool's error passes here, whatever door it was called through: names
and values, however deep. No text holds what a person cannot see, turns the direction of reading or
passes for a delimiter of a chat. How long a text may be is decided where it comes in. The content
of a page was filtered when the page was read, by what is prose and what is code in it, so it is
passed over.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from operator import is_
from typing import Annotated, Any

from pydantic import BaseModel

from webquarry.errors import WebquarryError
from webquarry.pages.clean import clean_url
from webquarry.read.text.characters import clean
from webquarry.search.replies.text import shorten_text

_LONGEST_MESSAGE = 2_000  # characters of an error
_NO_TEXT = frozenset({int, float, bool, type(None)})
_READ = "was filtered when the page was read"

# The text of a page, or of several.
PageText = Annotated[str, _READ]
PageTextOrNone = Annotated[str | None, _READ]


def filter_answer(answer: BaseModel) -> None:
    """Filter every text of an answer, in its place."""
    values = answer.__dict__
    for name in _list_fields(type(answer)):
        value = values[name]
        if value is None:
            continue
        filtered = filter_value(value)
        if filtered is not value:
            values[name] = filtered


def filter_value(value: Any) -> Any:
    """A value of JSON, or a part of an answer, with its texts filtered; itself where nothing had to
    be changed.
    """
    kind = type(value)
    if kind is str:
        return filter_text(value)
    if kind in _NO_TEXT:
        return value
    if isinstance(value, str):
        return filter_text(value)
    if isinstance(value, BaseModel):
        filter_answer(value)
        return value
    if isinstance(value, (list, tuple)):
        members = [filter_value(member) for member in value]
        is_same = all(map(is_, members, value))
        return value if is_same else type(value)(members)
    if isinstance(value, dict):
        names = [filter_value(name) for name in value]
        members = [filter_value(member) for member in value.values()]
        is_same = all(map(is_, names, value)) and all(map(is_, members, value.values()))
        return value if is_same else dict(zip(names, members, strict=True))
    return value


def filter_text(text: str) -> str:
    """A text or an address."""
    if text.isascii() and text.isprintable() and "<" not in text and "[" not in text:
        return text  # as nearly all
    if text.startswith(("http://", "https://")) and " " not in text:
        return clean_url(text)
    return clean(text).text


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
def _list_fields(model: type[BaseModel]) -> list[str]:
    """The names of the fields of an answer that are looked at."""
    fields = model.model_fields.items()
    return [name for name, field in fields if _READ not in field.metadata]
