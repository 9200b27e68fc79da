"""What was fetched -> the format to read it with: first the bytes decide, then the header, then the
name.

Servers mislabel. A binary signature outranks every label; a document that plainly begins as HTML is
HTML even when the label says PDF, Markdown or, unless the server forbids sniffing, plain text;
"HTML" without a single tag is JSON or plain text. A document of no known text format is refused,
with its type and its size.
"""

from __future__ import annotations

import json
import re
from functools import cache
from urllib.parse import unquote, urlsplit

from webquarry._read.encoding.decode import DecodedText
from webquarry._read.encoding.labels import find_bom
from webquarry._read.encoding.signatures import binary_type
from webquarry._read.format import FetchedDocument, Format
from webquarry.errors import Unreadable
from webquarry.registry import members_of
from webquarry.secret import redact

try:
    from webquarry._read.encoding._utf8 import count_controls
except ImportError:  # not built: the same in Python
    from webquarry._read.encoding.utf8 import count_controls

_HEAD = 4096
_HTML_TYPE = "<!doctype html"
_SNIFFED_JSON = 2_000_000  # characters; a larger page labelled HTML is not parsed just to find out
_UNLABELLED = frozenset({"", "application/unknown", "unknown/unknown", "*/*"})
_UNSURE = _UNLABELLED | {"application/octet-stream", "binary/octet-stream", "text/plain"}
_COMMENTS = r"(?:\s|<!--(?:(?!-->)[\s\S]){0,2000}-->|<\?(?:(?!\?>)[\s\S]){0,500}\?>)*"
_HTML_START = re.compile(rf"(?i){_COMMENTS}<(?:!doctype\s+html|html[\s>]|head[\s>]|body[\s>])")
# what browsers take for HTML when there is no label at all
_HTML_FRAGMENT = re.compile(
    rf"(?i){_COMMENTS}<(?:script|iframe|h1|div|font|table|a|style|title|b|br|p|meta|link|main"
    rf"|article)[\s>]"
)
_XML_START = re.compile(r"\s*<\?xml\s", re.IGNORECASE)
_FEED_START = re.compile(
    rf"(?i){_COMMENTS}<(?:rss[\s>]|feed[\s>]|rdf:RDF\s[^>]{{0,2000}}purl\.org/rss/)"
)
_JSON_FEED = re.compile(r'\s*\{[\s\S]{0,2000}"version"\s*:\s*"https://jsonfeed\.org/version/')
_TAG_OR_ENTITY = re.compile(r"<[A-Za-z!?/]|&#?[A-Za-z0-9]{2,31};")
_NULS_IN_TEN = 3  # of the first bytes; text in an encoding of single bytes has none
_MOST_BINARY = 0.1  # of the first bytes; a page labelled as text may hold a few stray control bytes


@cache
def load_formats() -> dict[str, Format]:
    """Every format by name, one object each."""
    return {kind.name: kind() for kind in members_of("webquarry._read.formats", Format)}


@cache
def _formats_by_media_type() -> dict[str, Format]:
    """The first format that each label stands for."""
    found: dict[str, Format] = {}
    for candidate in load_formats().values():
        for media_type in candidate.media_types:
            found.setdefault(media_type, candidate)
    return found


def pick_format(source: FetchedDocument) -> Format:
    """The format to read a document with; raises `Unreadable` with what it is instead."""
    formats = load_formats()
    # The bytes decide before any label does.
    kind = binary_type(source.body)
    if kind:
        for candidate in formats.values():
            if candidate.recognises(kind):
                return candidate

    label = _text_format_of_media_type(source.media_type)
    if kind is None and _is_binary(source.body, is_labelled_as_text=label is not None):
        kind = "binary data"
        if source.media_type and label is None:
            kind = source.media_type
    if kind:
        raise _build_refusal(source, kind)
    name = _detect_text_format(source, label)
    if name is None:
        raise _build_refusal(source, source.media_type)
    return formats[name]


def _text_format_of_media_type(media_type: str) -> str | None:
    """The name of the text format that a label stands for, or None."""
    candidate = _formats_by_media_type().get(media_type)
    if candidate is not None:
        return None if candidate.binary else candidate.name
    if media_type.endswith("+json"):
        return "json"
    if media_type.endswith("+xml"):
        return "xml"
    if media_type.startswith("text/"):
        return "text"
    return None


def _detect_text_format(source: FetchedDocument, label: str | None) -> str | None:
    """The name of the text format, or None when the label names something that is not text."""
    text = source.text
    if text.encoding == "replacement":
        raise Unreadable(
            f"{redact(source.url)} is in a character encoding that browsers refuse to read."
        )
    if label == "html" and text.beginning(len(_HTML_TYPE)).lower() == _HTML_TYPE:
        return "html"  # as nearly all
    head = text.beginning(_HEAD)
    if label == "html":
        # Servers label feeds, JSON and plain text so.
        if _is_feed(head) and not _HTML_START.match(head):
            return "feed"
        if _is_json(text, head):
            return "json"
        if _TAG_OR_ENTITY.search(head):  # as in nearly all
            return "html"
        if _TAG_OR_ENTITY.search(text.text) or not text.text.strip():
            return "html"
        return "text"

    must_stay_text = label == "text" and source.nosniff
    if _HTML_START.match(head) and not must_stay_text:
        return "html"
    if source.media_type not in _UNSURE:
        if label in ("xml", "json") and _is_feed(head):
            return "feed"
        return label
    return _detect_by_name_or_start(source, label, head)


def _detect_by_name_or_start(source: FetchedDocument, label: str | None, head: str) -> str:
    """The text format of a document whose label says little: by its name, else by how it begins."""
    if source.media_type in _UNLABELLED and _HTML_FRAGMENT.match(head):
        return "html"
    by_name = None
    path = unquote(urlsplit(source.url).path).lower()
    for name, candidate in load_formats().items():
        if not candidate.binary and path.endswith(candidate.suffixes):
            by_name = name
            break
    if by_name in ("xml", "json") and _is_feed(head):
        return "feed"
    if by_name == "html" and label == "text":
        by_name = None  # the header is believed before the name
    if by_name:
        return by_name
    if _is_feed(head):
        return "feed"
    if _XML_START.match(head):
        return "xml"
    if _is_json(source.text, head):
        return "json"
    return "text"


def _is_feed(head: str) -> bool:
    """Whether a text begins as RSS, Atom or JSON Feed."""
    if _FEED_START.match(head):
        return True
    return _JSON_FEED.match(head) is not None


def _is_json(text: DecodedText, head: str) -> bool:
    """Whether a text is a valid JSON object or array."""
    if head.lstrip()[:1] not in ("{", "["):
        return False
    if len(text.text) > _SNIFFED_JSON:
        return False
    try:
        json.loads(text.text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _is_binary(body: bytes, *, is_labelled_as_text: bool) -> bool:
    """Whether bytes without a known signature are no text."""
    head = body[:_HEAD]
    controls = count_controls(head)
    if not controls or find_bom(head):
        return False  # as nearly all, for the first reason
    if head.count(0) * 10 > len(head) * _NULS_IN_TEN:
        # UTF-16 without a mark has them in every other place only.
        even = head[0::2].count(0)
        odd = head[1::2].count(0)
        return min(even, odd) * 10 > max(even, odd)
    if is_labelled_as_text:
        return controls > len(head) * _MOST_BINARY
    return True


def _build_refusal(source: FetchedDocument, kind: str) -> Unreadable:
    """The error for a document of a kind that is not read, with its size."""
    count = len(source.body)
    if count >= 1_000_000:
        size = f"{count / 1_000_000:.1f} MB"
    elif count >= 1_000:
        size = f"{count / 1_000:.1f} kB"
    else:
        size = f"{count} bytes"
    if kind == source.media_type:
        for candidate in load_formats().values():
            if kind in candidate.media_types:
                return Unreadable(
                    f"{redact(source.url)} is labelled {kind}, but it is no such file, {size}."
                )
    return Unreadable(
        f"{redact(source.url)} is {kind}, {size}; no text can be made of that kind of file."
    )
