"""JSON: indented and fenced. Numbers, key order and repeated keys stay exactly as the server wrote
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from webquarry.read.format import ConvertedDocument, FetchedDocument, Format
from webquarry.read.text.characters import clean
from webquarry.read.text.fence import fence

_LARGEST = 2_000_000  # characters; indenting more is slow, and nobody reads it
_GROWTH = 4  # how much longer indentation may make a document
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Json(Format):
    name = "json"
    media_types = ("application/json", "text/json", "application/x-json", "application/ld+json")
    suffixes = (".json", ".geojson", ".jsonld")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text, notes = _indent(source.text.text.removeprefix("\ufeff"))
        cleaned = clean(text)
        return ConvertedDocument(
            fence(cleaned.text, "json"),
            encoding=source.text.encoding,
            removed=cleaned.removed,
            notes=notes,
        )


def _indent(text: str) -> tuple[str, tuple[str, ...]]:
    """The document indented, or as it is with a note that says why."""
    if len(text) > _LARGEST:
        return text, ("The JSON is too large to be indented and is shown as it was sent.",)
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return text, ("This is not valid JSON; it is shown as it was sent.",)
    pieces: list[str] = []
    left = len(text) * _GROWTH + 1000
    for piece in _pieces(text):
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            return text, (
                "The JSON is nested too deeply to be indented and is shown as it was sent.",
            )
    return "".join(pieces), ()


def _pieces(text: str) -> Iterator[str]:
    """The tokens of a valid document with line breaks and indentation between them."""
    depth = 0
    previous = ""
    for found in _TOKEN.finditer(text):
        part = found[0]
        if part in "]}":
            depth -= 1
            if previous not in ("[", "{"):
                yield "\n" + "  " * depth
        elif previous in ("[", "{", ","):
            yield "\n" + "  " * depth
        yield ": " if part == ":" else _readable(part)
        if part in ("[", "{"):
            depth += 1
        previous = part


def _readable(part: str) -> str:
    """A string with its letters in place of \\u escapes, where they can be written."""
    if "\\u" not in part:
        return part
    letters = json.dumps(json.loads(part, strict=False), ensure_ascii=False)
    if letters.isprintable():
        return letters
    return part


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
