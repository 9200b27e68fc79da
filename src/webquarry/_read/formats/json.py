"""JSON: indented and fenced. Numbers, key order and repeated keys are those of the server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.text import show_text

_LARGEST = 2_000_000  # characters; indenting more is slow
_GROWTH = 4  # how much longer indentation may make a document
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Json(Format):
    name = "json"
    media_types = ("application/json", "text/json", "application/x-json", "application/ld+json")
    suffixes = (".json", ".geojson", ".jsonld")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text, notes = _indent(source.text.text.removeprefix("\ufeff"))
        return show_text(source, text, "json", notes)


def _indent(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a document indented, or unchanged with a note that says why."""
    if len(text) > _LARGEST:
        return text, ("The JSON is too large to be indented and is shown as it was sent.",)
    try:  # tokens need no further check
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text, ("This is not valid JSON; it is shown as it was sent.",)
    pieces: list[str] = []
    room = len(text) * _GROWTH + 1000
    for piece in _split(text):
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            note = "The JSON is nested too deeply to be indented and is shown as it was sent."
            return text, (note,)
    return "".join(pieces), ()


def _split(text: str) -> Iterator[str]:
    """Yield the tokens of a valid document with line breaks and indentation between them."""
    depth = 0
    previous = ""
    for symbol in _TOKEN.findall(text):
        is_end = symbol in "]}"
        depth -= is_end
        is_after_start = previous in ("[", "{")
        if (is_end and not is_after_start) or (not is_end and (is_after_start or previous == ",")):
            yield "\n" + "  " * depth
        if "\\u" in symbol:  # characters in place of escapes, where they are printable
            characters = json.dumps(json.loads(symbol, strict=False), ensure_ascii=False)
            yield characters if characters.isprintable() else symbol
        else:
            yield ": " if symbol == ":" else symbol
        depth += symbol in ("[", "{")
        previous = symbol


def _refuse_constant(constant: str) -> None:
    """Refuse `NaN` and other constants that Python accepts."""
    raise ValueError(f"{constant} is not JSON")
