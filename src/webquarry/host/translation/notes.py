"""How a keyword that a vendor cannot express reads in a description.

Two ways of writing: Anthropic's own, `{minimum: 1, maximum: 20}` after a blank line, and words in
parentheses.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_TEMPLATES = {
    "exclusiveMinimum": "greater than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "default": "default {}",
    "enum": "one of {}",
    "const": "always {}",
}
# Nothing a model could act on, or already said by the shape of what is left.
_UNSAID = frozenset(
    {
        "uniqueItems",
        "definitions",
        "deprecated",
        "readOnly",
        "writeOnly",
        "nullable",
        "additionalProperties",
    }
    | {"discriminator", "example"}
)


def with_braces(description: str | None, lost: Mapping[str, Any]) -> str | None:
    """The description with the lost keywords as Anthropic's own library writes them."""
    notes = []
    for word, value in lost.items():
        is_worth_a_note = word == "uniqueItems" or _says_something(word, value)
        if is_worth_a_note:
            notes.append(f"{word}: {value}")
    if not notes:
        return description
    note = "{" + ", ".join(notes) + "}"
    if description:
        return f"{description}\n\n{note}"
    return note


def with_words(description: str | None, lost: Mapping[str, Any], *further: str) -> str | None:
    """The description with the lost keywords in words."""
    words = []
    low = lost.get("minLength")
    high = lost.get("maxLength")
    if low is not None and high is not None:
        words.append(f"{low}-{high} characters")
    elif low is not None:
        words.append(f"at least {low} characters")
    elif high is not None:
        words.append(f"at most {high} characters")
    for word, value in lost.items():
        if word in ("minLength", "maxLength") or not _says_something(word, value):
            continue
        if word == "format" and value == "date":
            words.append("YYYY-MM-DD")
        elif word == "format":
            words.append(f"format {value}")
        elif word == "enum":
            choices = ", ".join(map(_write_json, value))
            words.append(f"one of {choices}")
        else:
            template = _TEMPLATES.get(word, f"{word} {{}}")
            words.append(template.replace("{}", _write_json(value)))
    words += further
    if not words:
        return description
    note = "; ".join(words)
    if description:
        return f"{description} ({note})"
    return note


def _says_something(word: str, value: Any) -> bool:
    """Whether a model could act on it."""
    if word in _UNSAID or word.startswith(("$", "x-")):
        return False
    if word == "default":
        return value is not None
    return True


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
