"""Selection of the format to read a fetched document with: by its bytes, its header, its name.

Servers mislabel. A binary signature outranks every label; a document that clearly starts as HTML is
HTML even when the label says PDF, Markdown or, unless the server forbids sniffing, plain text;
"HTML" without a single tag is JSON or plain text. A document of no known text format is refused,
with its type and its size.
"""

from __future__ import annotations

import json
import re
from functools import cache
from urllib.parse import unquote, urlsplit

from webquarry._read.encoding.decode import BOMS, DecodedText
from webquarry._read.encoding.signatures import binary_type
from webquarry._read.format import FetchedDocument, Format
from webquarry.errors import Unreadable
from webquarry.registry import members_of
from webquarry.secret import redact

_HEAD = 4096
_HTML_TYPE = "<!doctype html"
_SNIFFED_JSON = 2_000_000  # characters; a larger page labelled HTML is not parsed to find out
_UNLABELLED = frozenset({"", "application/unknown", "unknown/unknown", "*/*"})
_UNSURE = _UNLABELLED | {"application/octet-stream", "binary/octet-stream", "text/plain"}
_COMMENTS = r"(?:\s|<!--(?:(?!-->)[\s\S]){0,2000}-->|<\?(?:(?!\?>)[\s\S]){0,500}\?>)*"
_HTML_START = re.compile(rf"(?i){_COMMENTS}<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])")
_HTML_FRAGMENT = re.compile(  # treated as HTML by browsers if there is no label
    rf"(?i){_COMMENTS}<(?:script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link|main"
    rf"|article)[\s>]"
)
_XML_START = re.compile(r"\s*<\?xml\s", re.IGNORECASE)
_FEED_START = re.compile(
    rf"(?i){_COMMENTS}<(?:rss[\s>]|feed[\s>]|rdf:RDF\s[^>]{{0,2000}}purl\.org/rss/)"
)
_TAG_OR_ENTITY = re.compile(r"<[A-Za-z!?/]|&#?[A-Za-z0-9]{2,31};")
_CONTROLS = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])  # except those of text
_NULS_IN_TEN = 3  # of the first bytes; text in a single-byte encoding has none
_MOST_BINARY = 0.1  # of the first bytes; text may contain a few stray control bytes


@cache
def load_formats() -> dict[str, Format]:
    """Return all formats by name."""
    return {kind.name: kind() for kind in members_of("webquarry._read.formats", Format)}


def pick_format(source: FetchedDocument) -> Format:
    """Return the format of a document; raises `Unreadable` if there is none."""
    formats = load_formats()
    kind = binary_type(source.body)
    for candidate in formats.values() if kind else ():
        if candidate.recognises(kind):
            return candidate
    label = _format_of_media_type(source.media_type)
    if kind is None and _is_binary(source.body, is_labelled_as_text=label is not None):
        kind = "binary data" if label or not source.media_type else source.media_type
    name = None if kind else _detect_text_format(source, label)
    if name is None:
        raise _build_refusal(source, kind or source.media_type)
    return formats[name]


@cache
def _format_of_media_type(media_type: str) -> str | None:
    """Return the name of the text format of a media type, or None."""
    for candidate in load_formats().values():
        if media_type in candidate.media_types:
            return None if candidate.binary else candidate.name
    if media_type.endswith("+json"):
        return "json"
    if media_type.endswith("+xml"):
        return "xml"
    return "text" if media_type.startswith("text/") else None


def _detect_text_format(source: FetchedDocument, label: str | None) -> str | None:
    """Return the name of the text format; None if the label is of no text format."""
    text = source.text
    if text.encoding == "replacement":
        raise Unreadable(
            f"{redact(source.url)} is in a character encoding that browsers refuse to read."
        )
    if label == "html" and text.text[: len(_HTML_TYPE)].lower() == _HTML_TYPE:
        return "html"
    head = text.text[:_HEAD]
    is_feed = _FEED_START.match(head) is not None
    if label == "html":  # servers also label feeds, JSON and plain text like this
        if is_feed and not _HTML_START.match(head):
            return "feed"
        if _is_json(text, head):
            return "json"
        has_tags = _TAG_OR_ENTITY.search(head) or _TAG_OR_ENTITY.search(text.text)
        return "html" if has_tags or not text.text.strip() else "text"
    if _HTML_START.match(head) and not (label == "text" and source.nosniff):
        return "html"
    if source.media_type in _UNSURE:
        label = _detect_unlabelled(source, label, head)
        if label is None:
            return "feed" if is_feed else "text"
    return "feed" if label == "xml" and is_feed else label


def _detect_unlabelled(source: FetchedDocument, label: str | None, head: str) -> str | None:
    """Return the format of a document by its name, else by its start; None if neither tells."""
    if source.media_type in _UNLABELLED and _HTML_FRAGMENT.match(head):
        return "html"
    path = unquote(urlsplit(source.url).path).lower()
    for name, candidate in load_formats().items():
        if not candidate.binary and path.endswith(candidate.suffixes):
            if name == "html" and label == "text":
                break  # the header has priority
            return name
    if _XML_START.match(head):
        return "xml"
    return "json" if _is_json(source.text, head) else None


def _is_json(text: DecodedText, head: str) -> bool:
    """Return whether a text is a valid JSON object or array."""
    if head.lstrip()[:1] not in ("{", "[") or len(text.text) > _SNIFFED_JSON:
        return False
    try:
        json.loads(text.text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _is_binary(body: bytes, *, is_labelled_as_text: bool) -> bool:
    """Return whether bytes without a known signature are not text."""
    head = body[:_HEAD]
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if not controls or head.startswith(tuple(BOMS)):
        return False
    if head.count(0) * 10 > len(head) * _NULS_IN_TEN:
        # UTF-16 without a byte order mark has them in every second place only
        even, odd = head[0::2].count(0), head[1::2].count(0)
        return min(even, odd) * 10 > max(even, odd)
    return not is_labelled_as_text or controls > len(head) * _MOST_BINARY


def _build_refusal(source: FetchedDocument, kind: str) -> Unreadable:
    """Return the error for a document that is not read, with its kind and size."""
    count = len(source.body)
    if count >= 1_000_000:
        size = f"{count / 1_000_000:.1f} MB"
    else:
        size = f"{count / 1_000:.1f} kB" if count >= 1_000 else f"{count} bytes"
    is_format = any(kind in candidate.media_types for candidate in load_formats().values())
    if kind == source.media_type and is_format:
        return Unreadable(
            f"{redact(source.url)} is labelled {kind}, but it is no such file, {size}."
        )
    return Unreadable(
        f"{redact(source.url)} is {kind}, {size}; no text can be made of that kind of file."
    )
