"""Hostile HTML -> HTML that libxml2 can take: fewer attributes on a tag, fewer levels of nesting,
the same text.

Both functions read the text once, from left to right. Only boxes and marks without attributes are
taken apart: whatever could hide its content, by name or by style, stays where it is, and what lies
too deep inside such elements goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from webquarry._read.html.class_names import judge_classes

_DEEPEST = 400  # levels; deeper boxes are taken apart
_DEEPEST_KEPT = 1_500  # levels of elements that must stay; what lies deeper is left out
_LONGEST_TAG = 16_384  # characters
_WINDOW = 16_384  # bytes
_MOST_ATTRIBUTES = 1_000  # a tag with more keeps only those that are read here
_NAME = re.compile(rb"[a-zA-Z][^\s/>]{0,100}")
_OPENING = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)|<!--")
_TAG_END = re.compile(r"[>\"']")
_BEFORE_VALUE = re.compile(r"=\s*\Z")
_ATTRIBUTE = re.compile(r"([^\s/>=\"']+)(?:\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?")
_READ_ATTRIBUTES = frozenset(
    {
        "alt", "aria-controls", "aria-hidden", "bgcolor", "class", "color", "colspan", "content",
        "data-bs-target", "data-target", "disabled", "encoding", "hidden", "href", "id", "name",
        "open", "popover", "reversed", "role", "rowspan", "src", "start", "style", "title", "type",
        "value",
    }
)  # fmt: skip
_HIDING_ATTRIBUTES = frozenset(
    {"style", "hidden", "aria-hidden", "role", "popover", "color", "bgcolor"}
)
_STYLED_NAME = re.compile(r"[.#]([\w-]+)")
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
_MARKS = frozenset(
    {
        "a", "abbr", "b", "big", "cite", "code", "del", "em", "i", "ins", "s", "small", "span",
        "strike", "strong", "sub", "sup", "tt", "u",
    }
)  # fmt: skip
_PLAIN = _BOXES | _MARKS
# One of these ends the one before it.
_REPEATED = frozenset({"p", "li", "dt", "dd", "td", "th", "tr", "option"})


@dataclass(frozen=True, slots=True)
class _Tag:
    """A tag, and where it stands in the page."""

    start: int
    end: int
    name: str
    closing: bool
    attributes: str


def trim_attributes(data: bytes) -> bytes:
    """The page with every tag that has thousands of attributes cut down to those that matter.

    Such a tag is long, so looking at one place in each 16 KB is enough to find it.
    """
    parts: list[bytes] = []
    done = tag_end = searched = 0
    opening = closing = -1  # the last bracket that opens, and the first that closes behind it
    for place in range(_WINDOW, len(data), _WINDOW):
        if place < tag_end or data.find(b">", place, place + _WINDOW) >= 0:
            continue
        window_end = place + _WINDOW
        opening = max(opening, data.rfind(b"<", max(done, searched), window_end))
        searched = window_end
        if opening > closing:
            closing = data.find(b">", opening)
            if closing < 0:
                break
        name = _NAME.match(data, opening + 1)
        if opening < done or closing < place or name is None:
            continue
        tag_end = closing
        attributes = data[name.end() : tag_end].decode("utf-8", "replace")
        first_attributes = islice(_ATTRIBUTE.finditer(attributes), _MOST_ATTRIBUTES)
        if sum(1 for _ in first_attributes) == _MOST_ATTRIBUTES:
            parts.append(data[done : name.end()])
            parts.append(_keep_read_attributes(attributes).encode())
            done = tag_end
    if not parts:
        return data
    parts.append(data[done:])
    return b"".join(parts)


def _keep_read_attributes(attributes: str) -> str:
    """Those of the attributes of a tag that are read here, the first of each name."""
    parts: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(attributes):
        name = found[1].lower()
        value = found[2]
        if name not in _READ_ATTRIBUTES or name in parts:
            continue
        parts[name] = f" {name}"
        if value:
            parts[name] = f" {name}={value}"
    return "".join(parts.values())


def flatten(text: str) -> tuple[str, bool]:
    """The page with no more than about two thousand levels, and whether any text had to go."""
    page = _FlatPage(text)
    done = 0
    for tag in _find_tags(text):
        page.add_text(text[done : tag.start])
        done = tag.end
        source = text[tag.start : tag.end]
        if tag.name in _VOID:
            page.add_void(source)
        elif tag.closing:
            page.close(tag.name)
        else:
            page.open(tag, source)
    page.add_text(text[done:])
    return "".join(page.parts), page.is_text_lost


class _FlatPage:
    """The page as it is written anew, tag by tag, and the elements that are open in it."""

    def __init__(self, source: str) -> None:
        self.parts: list[str] = []
        self.is_text_lost = False
        self._open: list[tuple[str, bool]] = []  # name, and whether it stayed in the page
        self._open_by_name: Counter[str] = Counter()
        self._depth = 0  # of the open elements that stayed
        # those after full stops and number signs in the page's style elements
        self._styled_names: set[str] = set()
        lowered = source.lower()
        place = 0
        while (start := lowered.find("<style", place)) >= 0:
            place = _find_behind(lowered, "</style", start)
            self._styled_names.update(_STYLED_NAME.findall(lowered, start, place))

    def add_text(self, text: str) -> None:
        """Write text, or note that it is lost if it lies too deep."""
        if self._depth <= _DEEPEST_KEPT:
            self.parts.append(text)
        elif text and not text.isspace():
            self.is_text_lost = True

    def add_void(self, source: str) -> None:
        """Write a tag that holds nothing."""
        if self._depth <= _DEEPEST_KEPT:
            self.parts.append(source)

    def open(self, tag: _Tag, source: str) -> None:
        """Write a start tag, or a line break in place of a box that lies too deep."""
        name = tag.name
        if name in _REPEATED and self._open and self._open[-1][0] == name:
            self.close(name)
        stays = len(self._open) < _DEEPEST or name not in _PLAIN or self._may_hide(tag.attributes)
        self._open.append((name, stays))
        self._open_by_name[name] += 1
        self._depth += stays
        if stays and self._depth <= _DEEPEST_KEPT:
            self.parts.append(source)
        elif name in _BOXES:
            self.parts.append("<br>")

    def close(self, name: str) -> None:
        """End the innermost element of a name with all that is open in it, if there is one.

        A box that was taken apart ends with a line break.
        """
        while self._open_by_name[name]:
            last, stayed = self._open.pop()
            self._open_by_name[last] -= 1
            self._depth -= stayed
            if stayed and self._depth <= _DEEPEST_KEPT:
                self.parts.append(f"</{last}>")
            elif last in _BOXES:
                self.parts.append("<br>")
            if last == name:
                break

    def _may_hide(self, attributes: str) -> bool:
        """Whether attributes, or a rule of the page about their names, could hide what is
        inside.
        """
        if not attributes or attributes.isspace():
            return False
        for found in _ATTRIBUTE.finditer(attributes[:_LONGEST_TAG]):
            name = found[1].lower()
            if name in _HIDING_ATTRIBUTES:
                return True
            if name in ("class", "id"):
                value = (found[2] or "").strip("\"'").lower()
                if judge_classes(value):
                    return True
                if not self._styled_names.isdisjoint(value.split()):
                    return True
        return len(attributes) > _LONGEST_TAG


def _find_tags(text: str) -> Iterator[_Tag]:
    """The tags of a page, those inside comments, scripts and the like left out."""
    place = 0
    lowered = ""
    while (found := _OPENING.search(text, place)) is not None:
        if found[2] is None:
            place = _find_behind(text, "-->", found.end())
            continue
        name = found[2].lower()
        is_closing = bool(found[1])
        end = _find_tag_end(text, found.end())
        yield _Tag(found.start(), end, name, is_closing, text[found.end() : end - 1])
        place = end
        if name in _RAW and not is_closing:
            lowered = lowered or text.lower()
            if len(lowered) == len(text):  # a few letters have longer lower cases
                place = lowered.find(f"</{name}", end)
                if place < 0:
                    place = len(text)


def _find_tag_end(text: str, place: int) -> int:
    """Where a tag ends that is open at a place.

    A quote counts only as the beginning of a value, and only if it is closed.
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


def _find_behind(text: str, wanted: str, place: int) -> int:
    """The place right behind the next occurrence of a text; the end where there is none."""
    found = text.find(wanted, place)
    if found < 0:
        return len(text)
    return found + len(wanted)
