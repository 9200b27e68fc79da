"""Which encodings a page claims for itself: byte order mark, HTTP header, `<meta>`, XML
declaration.

Labels are only ever looked up in the web's own table (webencodings): Python's codec names know
words such as `utf-7`, `zlib` or `unicode_escape` that a page must not be able to say, and give many
of the rest another meaning.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import webencodings

from webquarry._read.text.remember import remember_short

PRESCAN_BYTES = 16 * 1024  # the standard says 1,024; one page in twelve declares itself later
_LONGEST_HEADER = 1_000  # characters
_MOST_ATTRIBUTES = 20
_UTF8 = frozenset({"utf-8", "UTF-8"})
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_ANY_BOM = tuple(mark for mark, _ in _BOMS)
_HEADER_CHARSET = re.compile(
    r"(?i)(?:^|[;,\s])charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;,\"']+))"
)
_XML_DECLARATION = re.compile(
    rb"^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']\s*([A-Za-z0-9._:\-]{1,40})\s*[\"']"
)
_COMMENT_OR_META = re.compile(rb"<!--|<meta(?=[\s/])", re.IGNORECASE)
_ATTRIBUTE = re.compile(rb"[\s/]*([^\s=>/]+)(?:\s*=\s*(?:\"([^\">]*)\"|'([^'>]*)'|([^\s>]*)))?")
_CONTENT_CHARSET = re.compile(rb"(?i)charset\s*+=\s*+[\"']?\s*+([^\s;\"']+)")


class Label(NamedTuple):
    """One claim: the WHATWG name of an encoding, and who made it (header, meta, xml)."""

    encoding: str
    source: str


def find_bom(body: bytes) -> tuple[str, int] | None:
    """The first bytes of a page -> the encoding that their byte order mark stands for, and the
    mark's length; None without a mark.
    """
    if not body.startswith(_ANY_BOM):
        return None  # as nearly all
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return encoding, len(mark)
    return None


@remember_short  # servers say few different things
def find_header_label(content_type_header: str) -> Label | None:
    """What the header claims. Some have several charsets; the first that the web knows is meant."""
    for charset in _HEADER_CHARSET.finditer(content_type_header[:_LONGEST_HEADER]):
        name = resolve_label(charset[1] or charset[2] or charset[3] or "")
        if name:
            return Label(name, "header")
    return None


def find_labels(body: bytes, content_type_header: str) -> list[Label]:
    """Every claim about the encoding, in the order in which it is believed."""
    labels: list[Label] = []
    header_label = find_header_label(content_type_header)
    if header_label:
        labels.append(header_label)
    media_type = content_type_header.partition(";")[0].strip().lower()
    starts_with_tag = body[:64].lstrip().startswith(b"<")
    if "html" in media_type or not media_type or starts_with_tag:
        meta_label = _find_meta_label(body[:PRESCAN_BYTES])
        if meta_label:
            labels.append(meta_label)
        declaration = _XML_DECLARATION.match(body[:400])
        if declaration:
            name = resolve_label(declaration[1].decode("ascii"))
            if name:
                labels.append(Label(_correct_name(name), "xml"))
    return labels


def resolve_label(label: str) -> str | None:
    """The WHATWG name that a label means, or None."""
    if label in _UTF8:
        return "utf-8"  # as nearly all
    if not label.isascii():
        return None
    encoding = webencodings.lookup(label)
    if encoding is None:
        return None
    return str(encoding.name)


def _find_meta_label(head: bytes) -> Label | None:
    """The encoding that a `<meta>` outside comments declares: the first one that the web knows,
    by `charset` or by `http-equiv`.
    """
    position = 0
    while found := _COMMENT_OR_META.search(head, position):
        if found[0] == b"<!--":
            end = head.find(b"-->", found.start() + 2)  # `<!-->` is a whole comment
            if end < 0:
                return None
            position = end + 3
            continue
        position = found.end()
        attributes = _parse_attributes(head, position)
        label = attributes.get(b"charset", b"")
        equivalent = attributes.get(b"http-equiv", b"").strip().lower()
        if not label and equivalent == b"content-type":
            charset = _CONTENT_CHARSET.search(attributes.get(b"content", b""))
            if charset:
                label = charset[1]
        name = resolve_label(label.decode("ascii", "replace"))
        if name:
            return Label(_correct_name(name), "meta")
    return None


def _parse_attributes(head: bytes, position: int) -> dict[bytes, bytes]:
    """Attributes of the tag that is open at `position`, the first of each name winning."""
    attributes: dict[bytes, bytes] = {}
    for _ in range(_MOST_ATTRIBUTES):
        found = _ATTRIBUTE.match(head, position)
        if found is None or found.end() <= position:
            break
        name = found[1].lower()
        value = found[2] or found[3] or found[4] or b""
        attributes.setdefault(name, value)
        position = found.end()
    return attributes


def _correct_name(name: str) -> str:
    """A label that could be read as ASCII cannot be UTF-16, whatever it says; the standard's two
    corrections.
    """
    if name.startswith("utf-16"):
        return "utf-8"
    if name == "x-user-defined":
        return "windows-1252"
    return name
