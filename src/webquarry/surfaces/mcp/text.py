"""An answer's JSON as text for a model: Markdown of the whole, or a digest within so many bytes.

Works on any answer by its shape: short values become lines, lists of objects become numbered
entries, long texts stand by themselves. Whatever is one line stays one line, so that no value can
pass for a heading of ours.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webquarry.tool import Answer

_LONG = 300  # characters from which a value is a text of its own
_NAME_KEYS = ("title", "name", "heading")  # what an entry is called by
_EMPTY: tuple[Any, ...] = (None, "", [], {})  # values that are not worth a line
_DIGEST_ENTRIES = 10
_DEEPEST = 5  # objects in objects
# Values of an entry that need no name, and those that repeat others.
_UNNAMED = ("snippet", "abstract")
_ALL_TEXTS = "combinedContent"  # holds the contents of all entries
_REPEATED = ("urls", "displayLink")
_CUT_MARK = " [...]"
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_PIECE = 200_000  # characters that are encoded without a pause


def as_json(data: Any) -> str:
    """JSON in its shortest form."""
    return _encode(data)


async def encode_json(data: Any) -> str:
    """The same, and others go on meanwhile: a long text is encoded piece by piece."""
    if _weigh(data) < _PIECE:
        return as_json(data)
    pieces = []
    encoded = 0
    for piece in _encode_pieces(data):
        pieces.append(piece)
        encoded += len(piece)
        if encoded > _PIECE:
            encoded = 0
            await asyncio.sleep(0)
    return "".join(pieces)


def _weigh(data: Any) -> int:
    """About how many characters there are to encode."""
    if isinstance(data, str):
        return len(data)
    if isinstance(data, dict):
        return sum(map(_weigh, data.values()))
    if isinstance(data, list | tuple):
        return sum(map(_weigh, data))
    return 1


def _encode_pieces(data: Any) -> Iterator[str]:
    """JSON in its shortest form, in pieces of a bounded length."""
    if isinstance(data, str):
        yield '"'
        for start in range(0, len(data), _PIECE):
            yield as_json(data[start : start + _PIECE])[1:-1]
        yield '"'
    elif isinstance(data, Mapping):
        opening = "{"
        for name, value in data.items():
            yield f"{opening}{as_json(str(name))}:"
            yield from _encode_pieces(value)
            opening = ","
        yield "}" if data else "{}"
    elif isinstance(data, list | tuple):
        opening = "["
        for value in data:
            yield opening
            yield from _encode_pieces(value)
            opening = ","
        yield "]" if data else "[]"
    else:
        yield as_json(data)


def render_markdown(data: Mapping[str, Any]) -> str:
    """The whole answer as Markdown: short values first, then entries, then texts, because a text
    has no end that a reader could see.
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


def digest_answer(answer: Answer, data: Mapping[str, Any], limit: int) -> str:
    """The beginning of an answer in at most `limit` bytes, in its own Markdown if it has some."""
    text = answer.as_markdown()
    if text is None:
        return render_digest(data, limit)
    return cut(text, limit)


def render_digest(data: Mapping[str, Any], limit: int) -> str:
    """The beginning of the answer as Markdown in at most `limit` bytes; what was cut is marked.

    A reader in a hurry can do without further entries, and objects inside entries.
    """
    short: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            entries = []
            for entry in value[:_DIGEST_ENTRIES]:
                texts = {name: part for name, part in entry.items() if isinstance(part, str)}
                entries.append(texts)
            short[key] = entries
        elif isinstance(value, str):
            short[key] = value[:limit]
        elif not isinstance(value, dict | list):
            short[key] = value
    return cut(render_markdown(short), limit)


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` bytes of UTF-8; what was cut is marked."""
    beginning = text.strip()[: limit + 1]  # a character is a byte at least
    encoded = beginning.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return encoded.decode()
    kept = encoded[: limit - len(_CUT_MARK)]
    return kept.decode("utf-8", "ignore") + _CUT_MARK


def _entry_lines(number: int, entry: Mapping[str, Any]) -> Iterator[str]:
    """An entry by its number and name, then a line for each of its other values."""
    name_key = next((key for key in _NAME_KEYS if entry.get(key)), None)
    if name_key is None:
        yield f"{number}."
    else:
        yield f"{number}. {_one_line(entry[name_key])}".rstrip()
    for key, value in entry.items():
        if key == name_key or key in _REPEATED or value in _EMPTY:
            continue
        if key in _UNNAMED:
            yield f"   - {_one_line(value)}"
        else:
            yield f"   - {key}: {_one_line(value)}"


def _one_line(value: Any, depth: int = 0) -> str:
    """A value in one line: members by their names, lists with commas between."""
    if isinstance(value, str):
        return " ".join(value.split())
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return as_json(value)
    if isinstance(value, dict):
        parts = []
        for name, part in value.items():
            if part not in _EMPTY:
                parts.append(f"{name} {_one_line(part, depth + 1)}")
    else:
        parts = [_one_line(part, depth + 1) for part in value]
    line = ", ".join(parts)
    if depth:
        return f"({line})"
    return line
