"""JSON: indented and fenced. Numbers, key order and repeated keys stay exactly as the server wrote
them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.text.characters import clean
from webquarry._read.text.fence import fence

_LARGEST = 2_000_000  # characters; indenting more is slow, and nobody reads it
_GROWTH = 4  # how much longer indentation may make a document
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]+')


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
    """The text of a document -> the same indented, or as it is with a note that says why.

    It is checked first, so that the tokens need not be.
    """
    if len(text) > _LARGEST:
        return text, ("The JSON is too large to be indented and is shown as it was sent.",)
    try:
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text, ("This is not valid JSON; it is shown as it was sent.",)
    pieces: list[str] = []
    room = len(text) * _GROWTH + 1000
    for piece in _split_into_pieces(text):
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            return text, (
                "The JSON is nested too deeply to be indented and is shown as it was sent.",
            )
    return "".join(pieces), ()


def _split_into_pieces(text: str) -> Iterator[str]:
    """The symbols of a valid document with line breaks and indentation between them."""
    depth = 0
    previous = ""
    for found in _TOKEN.finditer(text):
        symbol = found[0]
        if symbol in "]}":
            depth -= 1
            if previous not in ("[", "{"):
                yield "\n" + "  " * depth
        elif previous in ("[", "{", ","):
            yield "\n" + "  " * depth
        if symbol == ":":
            yield ": "
        elif "\\u" in symbol:
            # a string with its letters in place of escapes, where they can be written
            value = json.loads(symbol, strict=False)
            letters = json.dumps(value, ensure_ascii=False)
            if letters.isprintable():
                yield letters
            else:
                yield symbol
        else:
            yield symbol
        if symbol in ("[", "{"):
            depth += 1
        previous = symbol


def _refuse_constant(constant: str) -> None:
    """`NaN` and the like, which Python would take."""
    raise ValueError(f"{constant} is not JSON")
