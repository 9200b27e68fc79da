"""Answers as text for a model: Markdown of the whole, or a digest of limited size.

Works on any JSON object: short values become list items, arrays of objects numbered entries, long
strings sections. A value of one line stays on one line, so that it cannot pass for a heading.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webquarry.tool import Answer

_LONG = 300  # characters from which a string is a section
_NAME_KEYS = ("title", "name", "heading")  # the name of an entry
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_DIGEST_ENTRIES = 10
_MAX_DEPTH = 5
_UNNAMED = ("snippet", "abstract")  # values of an entry that are shown without their key
_ALL_TEXTS = "combinedContent"  # contains the `content` of all entries
_REPEATED = ("urls", "displayLink")  # repeat other values
_ELLIPSIS = " [...]"


def render_markdown(data: Mapping[str, Any]) -> str:
    """Return an object as Markdown: short values, entries, then long strings, whose end cannot be
    recognized.
    """
    lines: list[str] = []
    texts: dict[str, str] = {}
    for key, value in data.items():
        if value in _EMPTY or key in _REPEATED:
            continue
        if isinstance(value, str) and (len(value) > _LONG or "\n" in value.strip()):
            texts[key] = value
        elif isinstance(value, list) and isinstance(value[0], dict):
            lines.append(f"\n## {key}\n")
            for number, entry in enumerate(value, 1):
                if _ALL_TEXTS in data:
                    entry = {**entry, "content": None}
                lines.extend(_entry_lines(number, entry))
        else:
            lines.append(f"- {key}: {_one_line(value)}")
    for key, text in texts.items():
        lines.append(f"\n## {key}\n\n{text}")
    return "\n".join(lines).strip() + "\n"


def render_digest(answer: Answer, data: Mapping[str, Any], limit: int) -> str:
    """Return at most `limit` bytes of an answer: of its own Markdown, else of the strings in the
    first entries of `data`.
    """
    text = answer.as_markdown()
    if text is not None:
        return truncate(text, limit)
    short: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            short[key] = [
                {name: part for name, part in entry.items() if isinstance(part, str)}
                for entry in value[:_DIGEST_ENTRIES]
            ]
        elif isinstance(value, str):
            short[key] = value[:limit]
        elif not isinstance(value, dict | list):
            short[key] = value
    return truncate(render_markdown(short), limit)


def truncate(text: str, limit: int) -> str:
    """Return at most `limit` bytes of a text; truncation is marked."""
    start = text.strip()[: limit + 1]  # a character has at least one byte
    encoded = start.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return encoded.decode()
    return encoded[: limit - len(_ELLIPSIS)].decode("utf-8", "ignore") + _ELLIPSIS


def _entry_lines(number: int, entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield an entry with its number and name, and a line for each other value."""
    name_key = next((key for key in _NAME_KEYS if entry.get(key)), "")
    yield f"{number}. {_one_line(entry.get(name_key, ''))}".rstrip()
    for key, value in entry.items():
        if key == name_key or key in _REPEATED or value in _EMPTY:
            continue
        yield f"   - {_one_line(value)}" if key in _UNNAMED else f"   - {key}: {_one_line(value)}"


def _one_line(value: Any, depth: int = 0) -> str:
    """Return a value on one line: members with their names, separated by commas."""
    if isinstance(value, str):
        return " ".join(value.split())
    if depth > _MAX_DEPTH or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if isinstance(value, dict):
        parts = [
            f"{name} {_one_line(part, depth + 1)}"
            for name, part in value.items()
            if part not in _EMPTY
        ]
    else:
        parts = [_one_line(part, depth + 1) for part in value]
    line = ", ".join(parts)
    return f"({line})" if depth else line
