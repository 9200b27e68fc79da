"""An answer's JSON as text for a model: Markdown of the whole, or a digest within so many bytes.

Works on any answer by its shape: short values become lines, lists of objects become numbered
entries, long texts stand by themselves. Whatever is one line stays one line, so that no value can
pass for a heading of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_LONG = 300  # characters from which a value is a text of its own
_NAMES = ("title", "name", "heading")  # what an entry is called by
_DIGEST_ENTRIES = 10
_CUT = " [...]"


def as_json(data: Any) -> str:
    """JSON in its shortest form."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def markdown(data: Mapping[str, Any]) -> str:
    """The whole answer as Markdown."""
    return "\n".join(_lines(data)).strip() + "\n"


def digest(data: Mapping[str, Any], limit: int, as_json: bool = False) -> str:
    """The beginning of the answer in at most `limit` bytes; what was cut is marked."""
    if as_json:
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    else:
        text = markdown(_shortened(data, limit))
    whole = text.strip().encode("utf-8", "replace")
    if len(whole) <= limit:
        return whole.decode()
    return whole[: limit - len(_CUT)].decode("utf-8", "ignore") + _CUT


def _shortened(data: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """Without what a reader in a hurry can do without: further entries, and objects inside entries."""
    short: dict[str, Any] = {}
    for key, value in data.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            entries = [
                {name: part for name, part in entry.items() if isinstance(part, str)}
                for entry in value
            ]
            short[key] = entries[:_DIGEST_ENTRIES]
        elif isinstance(value, str):
            short[key] = value[:limit]
        elif not isinstance(value, dict | list):
            short[key] = value
    return short


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    """Short values first, then entries, then texts: a text has no end that a reader could see."""
    texts = {
        key: value for key, value in data.items() if isinstance(value, str) and _is_text(value)
    }
    for key, value in data.items():
        if key in texts or value in (None, "", [], {}):
            continue
        if isinstance(value, list) and isinstance(value[0], dict):
            yield f"\n## {key}\n"
            for number, entry in enumerate(value, 1):
                yield from _entry(number, entry)
        else:
            yield f"- {key}: {_one_line(value)}"
    for key, value in texts.items():
        yield f"\n## {key}\n\n{value}"


def _entry(number: int, entry: Mapping[str, Any]) -> Iterator[str]:
    name = next((key for key in _NAMES if entry.get(key)), None)
    yield f"{number}. {_one_line(entry[name]) if name else ''}".rstrip()
    for key, value in entry.items():
        if key != name and value not in (None, "", [], {}):
            yield f"   - {key}: {_one_line(value)}"


def _is_text(value: str) -> bool:
    return len(value) > _LONG or "\n" in value.strip()


def _one_line(value: Any) -> str:
    return " ".join((value if isinstance(value, str) else as_json(value)).split())
