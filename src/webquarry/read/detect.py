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

from webquarry.errors import Unreadable
from webquarry.read.encoding.decode import DecodedText
from webquarry.read.encoding.labels import find_bom
from webquarry.read.encoding.signatures import binary_type
from webquarry.read.format import FetchedDocument, Format
from webquarry.registry import members_of
from webquarry.secret import redact

_HEAD = 4096
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
_BINARY_BYTES = bytes([*range(9), 11, *range(14, 27), *range(28, 32)])
_MOST_BINARY = 0.1  # of the first bytes; a page labelled as text may hold a few stray control bytes


@cache
def load_formats() -> dict[str, Format]:
    """Every format by name, one object each."""
    return {kind.name: kind() for kind in members_of("webquarry.read.formats", Format)}


def pick_format(source: FetchedDocument) -> Format:
    """The format of a document, or `Unreadable` with what it is instead."""
    for candidate in load_formats().values():
        if candidate.recognises(source.body):
            return candidate
    kind = binary_type(source.body)
    labelled = _by_media_type(source.media_type)
    if kind is None and _is_binary(source.body, labelled is not None):
        kind = "binary data"
        if source.media_type and labelled is None:
            kind = source.media_type
    if kind:
        raise _unreadable(source, kind)
    name = _name_of_text(source, labelled)
    if name is None:
        raise _unreadable(source, source.media_type)
    return load_formats()[name]


def _name_of_text(source: FetchedDocument, labelled: str | None) -> str | None:
    """The name of the text format, or None when the label names something that is not text."""
    if source.text.encoding == "replacement":
        raise Unreadable(
            f"{redact(source.url)} is in a character encoding that browsers refuse to read."
        )
    text, head = source.text, source.text.beginning(_HEAD)
    if labelled == "html":
        return _really(text, head)
    if _HTML_START.match(head) and not (labelled == "text" and source.nosniff):
        return "html"
    if source.media_type not in _UNSURE:
        if labelled in ("xml", "json") and _is_feed(head):
            return "feed"
        return labelled
    if source.media_type in _UNLABELLED and _HTML_FRAGMENT.match(head):
        return "html"
    named = _by_name(source.url)
    if named in ("xml", "json") and _is_feed(head):
        return "feed"
    if named and (named, labelled) != ("html", "text"):
        return named
    return _by_start(text, head)


def _really(text: DecodedText, head: str) -> str:
    """What a document labelled as HTML is: servers label feeds, JSON and plain text so."""
    if _is_feed(head) and not _HTML_START.match(head):
        return "feed"
    if _is_json(text, head):
        return "json"
    if _TAG_OR_ENTITY.search(head):  # as in nearly all
        return "html"
    if _TAG_OR_ENTITY.search(text.text) or not text.text.strip():
        return "html"
    return "text"


def _by_start(text: DecodedText, head: str) -> str:
    if _is_feed(head):
        return "feed"
    if _XML_START.match(head):
        return "xml"
    if _is_json(text, head):
        return "json"
    return "text"


def _is_feed(head: str) -> bool:
    return _FEED_START.match(head) is not None or _JSON_FEED.match(head) is not None


def _by_media_type(media_type: str) -> str | None:
    for name, candidate in load_formats().items():
        if media_type in candidate.media_types:
            if candidate.binary:
                return None
            return name
    if media_type.endswith("+json"):
        return "json"
    if media_type.endswith("+xml"):
        return "xml"
    if media_type.startswith("text/"):
        return "text"
    return None


def _by_name(url: str) -> str | None:
    path = unquote(urlsplit(url).path).lower()
    named = (
        name
        for name, one in load_formats().items()
        if not one.binary and path.endswith(one.suffixes)
    )
    return next(named, None)


def _is_json(text: DecodedText, head: str) -> bool:
    if head.lstrip()[:1] not in ("{", "[") or len(text.text) > _SNIFFED_JSON:
        return False
    try:
        json.loads(text.text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _is_binary(body: bytes, labelled_as_text: bool) -> bool:
    head = body[:_HEAD]
    if find_bom(head) or not head:
        return False
    if head.count(0) * 10 > len(head) * 3:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        return min(even, odd) * 10 > max(even, odd)  # every other byte: UTF-16 without a mark
    strange = len(head) - len(head.translate(None, _BINARY_BYTES))
    return strange > (len(head) * _MOST_BINARY if labelled_as_text else 0)


def _unreadable(source: FetchedDocument, kind: str) -> Unreadable:
    size = _size(len(source.body))
    if kind == source.media_type and any(
        kind in candidate.media_types for candidate in load_formats().values()
    ):
        return Unreadable(
            f"{redact(source.url)} is labelled {kind}, but it is no such file, {size}."
        )
    return Unreadable(
        f"{redact(source.url)} is {kind}, {size}; no text can be made of that kind of file."
    )


def _size(count: int) -> str:
    for unit, step in (("MB", 1_000_000), ("kB", 1_000)):
        if count >= step:
            return f"{count / step:.1f} {unit}"
    return f"{count} bytes"
