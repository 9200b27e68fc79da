"""Plain text and formats that read as such: source code and YAML as sent, XML and JSON fenced."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.markdown.blocks import Block
from webquarry._read.text.characters import clean

_LARGEST_JSON = 2_000_000  # characters; indenting more is slow
_GROWTH = 4  # how much longer indentation may make a document
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]|[^\s{}\[\],:"]+')
_APPLICATION_TYPES = (
    "graphql", "javascript", "jsonl", "sql", "toml", "x-javascript", "x-latex", "x-ndjson",
    "x-python", "x-sh", "x-subrip", "x-tex", "x-yaml", "yaml",
)  # fmt: skip


class PlainText(Format):
    name = "text"
    media_types = ("text/plain", *(f"application/{name}" for name in _APPLICATION_TYPES))
    suffixes = (".txt", ".text", ".log", ".rst", ".yaml", ".yml", ".toml")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        return show_text(source, source.text.text)


class Xml(Format):
    """XML. It is never parsed, so entities cannot expand."""

    name = "xml"
    media_types = ("application/xml", "text/xml", "application/xml-dtd")
    suffixes = (".xml", ".rdf", ".svg", ".xsd", ".xsl", ".xslt")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        return show_text(source, source.text.text, "xml")


class Json(Format):
    """JSON, indented. Numbers, key order and repeated keys are those of the server."""

    name = "json"
    media_types = ("application/json", "text/json", "application/x-json", "application/ld+json")
    suffixes = (".json", ".geojson", ".jsonld")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text, note = _indent(source.text.text.removeprefix("\ufeff"))
        return show_text(source, text, "json", (note,) if note else ())


def show_text(
    source: FetchedDocument, text: str, language: str | None = None, notes: tuple[str, ...] = ()
) -> ConvertedDocument:
    """Return text as it was sent, in a fenced block if a language is given."""
    removed: Counter[str] = Counter()
    cleaned = clean(normalise_newlines(text), removed)
    block = Block("verbatim", cleaned)
    if language is not None and cleaned.strip():
        block = Block("code", cleaned, language=language)
    return ConvertedDocument(
        [block],
        encoding=source.text.encoding,
        removed=removed,
        notes=notes,
    )


def normalise_newlines(text: str) -> str:
    """Return the text with line feeds only, and without any around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def _indent(text: str) -> tuple[str, str]:
    """Return a document indented, or unchanged with a note that says why."""
    if len(text) > _LARGEST_JSON:
        return text, "The JSON is too large to be indented and is shown as it was sent."
    try:  # tokens need no further check
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text, "This is not valid JSON; it is shown as it was sent."
    pieces: list[str] = []
    room = len(text) * _GROWTH + 1000
    for piece in _split(text):
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            return text, "The JSON is nested too deeply to be indented and is shown as it was sent."
    return "".join(pieces), ""


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
