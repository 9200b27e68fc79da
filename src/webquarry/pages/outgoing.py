"""Filter of every answer and every error: no text in it has invisible characters, bidi controls or
chat delimiters.

Names and values are filtered at any depth. The content of pages is filtered when a page is read,
with regard to code in it, and is not filtered again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Annotated, Any, get_type_hints

import msgspec

from webquarry._read.text.characters import clean
from webquarry._search.text import shorten_text
from webquarry.errors import WebquarryError
from webquarry.pages.clean import clean_url

_MAX_MESSAGE = 2_000  # characters of an error
_FILTERED = "filtered when the page was read"

# The text of a page, or of several.
PageText = Annotated[str, _FILTERED]
PageTextOrNone = Annotated[str | None, _FILTERED]


def filter_answer(answer: msgspec.Struct) -> None:
    """Filter every text of an answer in place."""
    for name in _list_fields(type(answer)):
        value = getattr(answer, name)
        if value:
            setattr(answer, name, filter_value(value))


def filter_value(value: Any) -> Any:
    """Return a JSON value with its texts filtered; parts of an answer are filtered in place."""
    if isinstance(value, str):
        return filter_text(value)
    if isinstance(value, msgspec.Struct):
        filter_answer(value)
    elif isinstance(value, (list, tuple)):
        return type(value)(map(filter_value, value))
    elif isinstance(value, dict):
        return {filter_value(name): filter_value(member) for name, member in value.items()}
    return value


def filter_text(text: str) -> str:
    """Return a text or a URL filtered."""
    if text.startswith(("http://", "https://")) and " " not in text:
        return clean_url(text)
    return clean(text)


def filter_error(error: WebquarryError) -> None:
    """Filter the texts of an error in place; they may quote a response."""
    message = shorten_text(error.message, _MAX_MESSAGE)
    error.args = (filter_text(message), *error.args[1:])
    error.suggested_action = filter_text(error.suggested_action)
    error.attempts = tuple(replace(one, reason=filter_text(one.reason)) for one in error.attempts)


@cache
def _list_fields(model: type[msgspec.Struct]) -> list[str]:
    """Return the names of the fields that are filtered."""
    hints = get_type_hints(model, include_extras=True)
    names = model.__struct_fields__
    return [name for name in names if _FILTERED not in getattr(hints[name], "__metadata__", ())]
