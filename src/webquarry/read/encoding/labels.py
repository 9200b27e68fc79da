"""Which encodings a page claims for itself: byte order mark, HTTP header, `<meta>`, XML
declaration.

Labels are only ever looked up in the web's own table (webencodings): Python's codec names know
words such as `utf-7`, `zlib` or `unicode_escape` that a page must not be able to say, and give many
of the rest another meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import webencodings

PRESCAN_BYTES = 16 * 1024  # the standard says 1,024; one page in twelve declares itself later
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_HEADER_CHARSET = re.compile(
    r"(?i)(?:^|[;,\s])charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;,\"']+))"
)
_XML_DECLARATION = re.compile(
    rb"^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']\s*([A-Za-z0-9._:\-]{1,40})\s*[\"']"
)
_COMMENT_OR_META = re.compile(rb"<!--|<meta(?=[\s/])", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"[\s/]*([^\s=>/]+)(?:\s*=\s*(?:\"([^\">]*)\"|'([^'>]*)'|([^\s>]*)))?")
_CONTENT_CHARSET = re.compile(rb"(?i)charset\s*=\s*[\"']?\s*([^\s;\"']+)")


@dataclass(frozen=True)
class Label:
    """One claim: the WHATWG name of an encoding, and who made it (header, meta, xml)."""

    encoding: str
    source: str


def find_bom(body: bytes) -> tuple[str, int] | None:
    """The encoding a byte order mark stands for, and the mark's length."""
    return next(((name, len(mark)) for mark, name in _BOMS if body.startswith(mark)), None)


def claims(body: bytes, content_type_header: str) -> list[Label]:
    """Every claim in the order in which it is believed."""
    media_type = content_type_header.partition(";")[0].strip().lower()
    labels = [_header_label(content_type_header)]
    if "html" in media_type or not media_type or body[:64].lstrip().startswith(b"<"):
        labels += [_meta_label(body[:PRESCAN_BYTES]), _xml_label(body)]
    return [label for label in labels if label]


def name_of(label: str) -> str | None:
    """The WHATWG name that a label means, or None."""
    encoding = None
    if label.isascii():
        encoding = webencodings.lookup(label)
    if encoding:
        return str(encoding.name)
    return None


def _header_label(header: str) -> Label | None:
    for found in _HEADER_CHARSET.finditer(header[:1000]):
        name = name_of(next((group for group in found.groups() if group), ""))
        if name:
            return Label(name, "header")
    return None


def _xml_label(body: bytes) -> Label | None:
    found = _XML_DECLARATION.match(body[:400])
    name = name_of(found[1].decode("ascii")) if found else None
    if name:
        return Label(_readable_name(name), "xml")
    return None


def _meta_label(head: bytes) -> Label | None:
    position = 0
    while found := _COMMENT_OR_META.search(head, position):
        if found[0] == b"<!--":
            end = head.find(b"-->", found.start() + 2)  # `<!-->` is a whole comment
            if end < 0:
                return None
            position = end + 3
            continue
        position = found.end()
        name = _meta_charset(dict(_attributes(head, position)))
        if name:
            return Label(_readable_name(name), "meta")
    return None


def _attributes(head: bytes, position: int) -> Iterator[tuple[bytes, bytes]]:
    """Attributes of the tag that is open at `position`, the first of each name winning (so they
    come in reverse).
    """
    pairs: list[tuple[bytes, bytes]] = []
    while (
        (found := _ATTRIBUTE.match(head, position)) and found.end() > position and len(pairs) < 20
    ):
        pairs.append((found[1].lower(), found[2] or found[3] or found[4] or b""))
        position = found.end()
    return reversed(pairs)


def _meta_charset(attributes: dict[bytes, bytes]) -> str | None:
    label = attributes.get(b"charset", b"")
    if not label and attributes.get(b"http-equiv", b"").strip().lower() == b"content-type":
        found = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
        label = found[1] if found else b""
    return name_of(label.decode("ascii", "replace"))


def _readable_name(name: str) -> str:
    """A label that could be read as ASCII cannot be UTF-16, whatever it says; the standard's two
    corrections.
    """
    if name.startswith("utf-16"):
        return "utf-8"
    if name == "x-user-defined":
        return "windows-1252"
    return name
