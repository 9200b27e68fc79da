"""Prepare HTML for libxml2: rename inline tags, trim attributes, reduce the levels of nesting.

libxml2 closes some inline tags where a paragraph starts; browsers keep them open, so that a hidden
`<u>` hides the paragraphs in it. It takes quadratic time over the attributes of one tag and stops
at 2,048 levels: only elements that cannot hide their content are taken apart. All functions read
the text once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from webquarry._read.html.class_names import judge_classes

_MAX_DEPTH = 400  # deeper boxes are taken apart
_MAX_KEPT_DEPTH = 1_500  # deeper content of elements that must stay is left out
_MAX_TAG = 16_384  # characters of attributes that are searched for hiding ones
_WINDOW = 16_384  # bytes
_MAX_ATTRIBUTES = 1_000  # a tag with more keeps only those that are read
_NAME = re.compile(rb"[a-zA-Z][^\s/>]{0,100}")
_OPENING = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)|<!--")
_TAG_END = re.compile(r"[>\"']")
_BEFORE_VALUE = re.compile(r"=\s*\Z")
_ATTRIBUTE = re.compile(r"([^\s/>=\"']+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_HIDING_ATTRIBUTES = frozenset(
    {"style", "hidden", "aria-hidden", "role", "popover", "color", "bgcolor"}
)
_READ_ATTRIBUTES = _HIDING_ATTRIBUTES | {
    "alt", "aria-controls", "class", "colspan", "content", "data-bs-target", "data-target",
    "disabled", "encoding", "href", "id", "name", "open", "reversed", "rowspan", "src", "start",
    "title", "type", "value",
}  # fmt: skip
_RAW = frozenset(
    {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext"}
)
_VOID = frozenset(
    {
        "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta",
        "param", "source", "track", "wbr",
    }
)  # fmt: skip
_BOXES = frozenset(
    {
        "address", "article", "aside", "blockquote", "center", "dd", "div", "dl", "dt", "fieldset",
        "figure", "font", "footer", "form", "header", "li", "main", "menu", "ol", "p", "section",
        "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
    }
)  # fmt: skip
_PLAIN = _BOXES | {
    "a", "abbr", "b", "big", "cite", "code", "del", "em", "i", "ins", "s", "small", "span",
    "strike", "strong", "sub", "sup", "tt", "u",
}  # fmt: skip
_REPEATED = frozenset({"p", "li", "dt", "dd", "td", "th", "tr", "option"})  # each ends the last one


_RENAMED = {
    b"b": b"strong",
    b"u": b"ins",
    b"s": b"del",
    b"strike": b"del",
    b"tt": b"samp",
    b"big": b"span",
    b"small": b"span",
}
_INLINE_TAGS = rb"(?:b|u|s|strike|tt|big|small)"
_RAW_NAMES = rb"script|style|textarea|title|xmp"
_INLINE_TAG = re.compile(rb"<(?i:b|u|s|strike|tt|big|small)[\s/>]")
_TAG_ATTRIBUTES = (
    rb"""(?:\s++[^\s"'<>/=]++(?:\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++))?+)*+\s*+/?"""
)
# An inline element without anything that ends it early or contains a false end.
_CLOSED = re.compile(
    rb"<(" + _INLINE_TAGS + rb")" + _TAG_ATTRIBUTES + rb">"
    rb"(?:[^<]++|<(?!/?+(?:\1|p|td|th|center|" + _RAW_NAMES
    + rb"|iframe|noscript|noembed|noframes|plaintext)[\s/>])/?+[a-z][\w:-]*+" + _TAG_ATTRIBUTES
    + rb">)*+</\1\s*+>",
    re.IGNORECASE,
)  # fmt: skip
# The start of a comment or of raw text, or a tag with its attributes.
_TOKEN = re.compile(
    rb"<(?:(!--)|(" + _RAW_NAMES + rb")(?=[\s/>])|(/?)(" + _INLINE_TAGS + rb")(?=[\s/>])|/?[a-z])"
    rb"""(?(1)|(?(2)|(?:[^"'=>]++|=\s*+(?:"[^"]*+"|'[^']*+')|["'=])*+))""",
    re.IGNORECASE,
)
_RAW_ENDS = {
    name: re.compile(rb"</" + name + rb"(?=[\s/>])", re.IGNORECASE)
    for name in _RAW_NAMES.split(b"|")
}


def rename_inline_tags(data: bytes) -> bytes:
    """Return a page with `<b>` as `<strong>` and the like if one of them contains a paragraph."""
    if all(_CLOSED.match(data, found.start()) for found in _INLINE_TAG.finditer(data)):
        return data
    parts: list[bytes] = []
    done = place = 0
    while (found := _TOKEN.search(data, place)) is not None:
        place = found.end()
        if found[1]:
            end = data.find(b"-->", found.start() + 2)
            place = max(end, place) if end >= 0 else len(data)
        elif found[2]:
            closing = _RAW_ENDS[found[2].lower()].search(data, place)
            place = closing.end() if closing else len(data)
        elif found[4]:
            parts += (data[done : found.start(4)], _RENAMED[found[4].lower()])
            done = found.end(4)
    parts.append(data[done:])
    return b"".join(parts)


def trim_attributes(data: bytes) -> bytes:
    """Return a page in which tags with thousands of attributes have only those that are read.

    Such a tag is long, so that examining one position in each 16 KB finds it.
    """
    parts: list[bytes] = []
    done = tag_end = searched = 0
    opening = closing = -1  # the last "<", and the first ">" behind it
    for place in range(_WINDOW, len(data), _WINDOW):
        if place < tag_end or data.find(b">", place, place + _WINDOW) >= 0:
            continue
        opening = max(opening, data.rfind(b"<", max(done, searched), place + _WINDOW))
        searched = place + _WINDOW
        if opening > closing:
            closing = data.find(b">", opening)
            if closing < 0:
                break
        name = _NAME.match(data, opening + 1)
        if opening < done or closing < place or name is None:
            continue
        tag_end = closing
        attributes = data[name.end() : tag_end].decode("utf-8", "replace")
        if sum(1 for _ in islice(_ATTRIBUTE.finditer(attributes), _MAX_ATTRIBUTES)) == (
            _MAX_ATTRIBUTES
        ):
            parts += (data[done : name.end()], _select_attributes(attributes).encode())
            done = tag_end
    parts.append(data[done:])
    return b"".join(parts)


def _select_attributes(attributes: str) -> str:
    """Return the attributes that are read, the first of each name."""
    parts: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(attributes):
        name, value = found[1].lower(), found[2]
        if name not in _READ_ATTRIBUTES or name in parts:
            continue
        parts[name] = f" {name}"
        if value:
            parts[name] = f" {name}={value}"
    return "".join(parts.values())


class _Tag(NamedTuple):
    start: int
    end: int
    name: str
    is_closing: bool
    attributes: str


def flatten(text: str) -> tuple[str, bool]:
    """Return a page with at most about two thousand levels, and whether any text was left out."""
    page = _FlatPage("<style" in text.lower())
    done = 0
    for tag in _find_tags(text):
        page.add_text(text[done : tag.start])
        done = tag.end
        source = text[tag.start : tag.end]
        if tag.name in _VOID:
            page.add(source)
        elif tag.is_closing:
            page.close(tag.name)
        else:
            page.open(tag, source)
    page.add_text(text[done:])
    return "".join(page.parts), page.is_text_lost


class _FlatPage:
    """The parts of the flattened page, and the elements that are open."""

    def __init__(self, has_styles: bool) -> None:
        self.parts: list[str] = []
        self.is_text_lost = False
        self._has_styles = has_styles
        self._open: list[tuple[str, bool]] = []  # name, and whether the element is written
        self._open_by_name: Counter[str] = Counter()
        self._depth = 0  # of the written elements

    def add(self, source: str) -> None:
        """Add a part unless it is too deep."""
        if self._depth <= _MAX_KEPT_DEPTH:
            self.parts.append(source)

    def add_text(self, text: str) -> None:
        self.add(text)
        if self._depth > _MAX_KEPT_DEPTH and text.strip():
            self.is_text_lost = True

    def open(self, tag: _Tag, source: str) -> None:
        """Add a start tag, or a line break for a box that is taken apart."""
        name = tag.name
        if name in _REPEATED and self._open and self._open[-1][0] == name:
            self.close(name)
        may_hide = self._may_hide(tag.attributes)
        is_kept = len(self._open) < _MAX_DEPTH or name not in _PLAIN or may_hide
        self._open.append((name, is_kept))
        self._open_by_name[name] += 1
        self._depth += is_kept
        if is_kept and self._depth <= _MAX_KEPT_DEPTH:
            self.parts.append(source)
        elif name in _BOXES:
            self.parts.append("<br>")

    def close(self, name: str) -> None:
        """Close the innermost element of a name and all that is open in it, if there is one."""
        while self._open_by_name[name]:
            last, is_kept = self._open.pop()
            self._open_by_name[last] -= 1
            self._depth -= is_kept
            if is_kept and self._depth <= _MAX_KEPT_DEPTH:
                self.parts.append(f"</{last}>")
            elif last in _BOXES:
                self.parts.append("<br>")
            if last == name:
                break

    def _may_hide(self, attributes: str) -> bool:
        """Whether attributes, or a rule of the page about them, may hide an element."""
        for found in _ATTRIBUTE.finditer(attributes[:_MAX_TAG]):
            name = found[1].lower()
            if name in _HIDING_ATTRIBUTES:
                return True
            if name in ("class", "id"):
                value = (found[2] or "").strip("\"'").lower()
                if self._has_styles or judge_classes(value):
                    return True
        return len(attributes) > _MAX_TAG


def _find_tags(text: str) -> Iterator[_Tag]:
    """Yield the tags of a page, without those inside of comments, scripts and the like."""
    place = 0
    lowered = ""
    while (found := _OPENING.search(text, place)) is not None:
        if found[2] is None:
            end = text.find("-->", found.end())
            place = end + 3 if end >= 0 else len(text)
            continue
        name = found[2].lower()
        place = _find_tag_end(text, found.end())
        yield _Tag(found.start(), place, name, bool(found[1]), text[found.end() : place - 1])
        if name in _RAW and not found[1]:
            lowered = lowered or text.lower()
            if len(lowered) == len(text):  # a few letters have longer lower cases
                end = lowered.find(f"</{name}", place)
                place = end if end >= 0 else len(text)


def _find_tag_end(text: str, place: int) -> int:
    """Return the end of the tag that is open at a position; only quotes around the value of an
    attribute count, if they are closed.
    """
    while (found := _TAG_END.search(text, place)) is not None:
        place = found.end()
        if found[0] == ">":
            return place
        if _BEFORE_VALUE.search(text, max(found.start() - 8, 0), found.start()):
            closing = text.find(found[0], place)
            if closing >= 0:
                place = closing + 1
    return len(text)
