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

from webquarry.read.css.class_names import judge_classes

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
_KEPT_ATTRIBUTES = frozenset(
    """alt aria-controls aria-hidden bgcolor class color colspan content data-bs-target data-target disabled encoding
    hidden href id name open popover reversed role rowspan src start style title type value""".split()  # noqa: SIM905
)
_HIDING_ATTRIBUTES = frozenset(
    {"style", "hidden", "aria-hidden", "role", "popover", "color", "bgcolor"}
)
_STYLED_NAME = re.compile(r"[.#]([\w-]+)")
_RAW = frozenset(
    {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext"}
)
_VOID = frozenset(
    """area base br col embed frame hr img input link meta param source track wbr""".split()  # noqa: SIM905
)
_BOXES = frozenset(
    """address article aside blockquote center dd div dl dt fieldset figure font footer form header li main menu ol p
    section table tbody td tfoot th thead tr ul""".split()  # noqa: SIM905
)
_MARKS = frozenset(
    [
        "a",
        "abbr",
        "b",
        "big",
        "cite",
        "code",
        "del",
        "em",
        "i",
        "ins",
        "s",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "tt",
        "u",
    ]
)
_PLAIN = _BOXES | _MARKS
_REPEATED = frozenset(
    {"p", "li", "dt", "dd", "td", "th", "tr", "option"}
)  # one ends the one before it


@dataclass(frozen=True, slots=True)
class _Tag:
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
    done = seen = 0
    for place in range(_WINDOW, len(data), _WINDOW):
        if place < seen or data.find(b">", place, place + _WINDOW) >= 0:
            continue
        opening = data.rfind(b"<", done, place + _WINDOW)
        tag = None
        if opening >= 0 and data.find(b">", opening, place) < 0:
            tag = _NAME.match(data, opening + 1)
        if tag is not None and (seen := data.find(b">", place)) >= 0:
            attributes = data[tag.end() : seen].decode("utf-8", "replace")
            if (
                sum(1 for _ in islice(_ATTRIBUTE.finditer(attributes), _MOST_ATTRIBUTES))
                == _MOST_ATTRIBUTES
            ):
                parts += [data[done : tag.end()], "".join(_kept_attributes(attributes)).encode()]
                done = seen
    if parts:
        return b"".join([*parts, data[done:]])
    return data


def flatten(text: str) -> tuple[str, bool]:
    """The page with no more than about two thousand levels, and whether any text had to go."""
    styled = _styled_names(text)
    parts: list[str] = []
    done = 0
    open_tags: list[tuple[str, bool]] = []  # name, and whether it is still in the page
    counts: Counter[str] = Counter()
    kept = 0
    lost = False
    for tag in _tags(text):
        name = tag.name
        between = text[done : tag.start]
        if kept <= _DEEPEST_KEPT:
            parts.append(between)
        elif not lost:
            lost = not between.isspace() and bool(between)
        done = tag.end
        if name in _VOID:
            parts.append(text[tag.start : tag.end] if kept <= _DEEPEST_KEPT else "")
            continue
        if tag.closing or (name in _REPEATED and open_tags and open_tags[-1][0] == name):
            while counts[name]:
                last, stays = open_tags.pop()
                counts[last] -= 1
                kept -= stays
                if stays and kept <= _DEEPEST_KEPT:
                    parts.append(f"</{last}>")
                elif last in _BOXES:
                    parts.append("<br>")
                if last == name:
                    break
        if tag.closing:
            continue
        stays = len(open_tags) < _DEEPEST or name not in _PLAIN or _may_hide(tag.attributes, styled)
        open_tags.append((name, stays))
        counts[name] += 1
        kept += stays
        if stays and kept <= _DEEPEST_KEPT:
            parts.append(text[tag.start : tag.end])
        elif name in _BOXES:
            parts.append("<br>")
    if kept <= _DEEPEST_KEPT:
        parts.append(text[done:])
    return "".join(parts), lost or (kept > _DEEPEST_KEPT and bool(text[done:].strip()))


def _may_hide(attributes: str, styled: set[str]) -> bool:
    """Whether attributes, or a rule of the page about their names, could hide what is inside."""
    if not attributes or attributes.isspace():
        return False
    for found in _ATTRIBUTE.finditer(attributes[:_LONGEST_TAG]):
        name, value = found[1].lower(), (found[2] or "").strip("\"'").lower()
        if name in _HIDING_ATTRIBUTES:
            return True
        if name in ("class", "id") and (
            judge_classes(value) or not styled.isdisjoint(value.split())
        ):
            return True
    return len(attributes) > _LONGEST_TAG


def _styled_names(text: str) -> set[str]:
    """The names after full stops and number signs in the page's style elements."""
    names: set[str] = set()
    lowered = text.lower()
    place = 0
    while (start := lowered.find("<style", place)) >= 0:
        place = _end_of(lowered, "</style", start)
        names.update(_STYLED_NAME.findall(lowered, start, place))
    return names


def _tags(text: str) -> Iterator[_Tag]:
    """The tags of a page, those inside comments, scripts and the like left out."""
    place = 0
    lowered = ""
    while (found := _OPENING.search(text, place)) is not None:
        if found[2] is None:
            place = _end_of(text, "-->", found.end())
            continue
        name = found[2].lower()
        end = _end_of_tag(text, found.end())
        yield _Tag(found.start(), end, name, bool(found[1]), text[found.end() : end - 1])
        place = end
        if name in _RAW and not found[1]:
            lowered = lowered or text.lower()
            if len(lowered) == len(text):
                place = _start_of(lowered, f"</{name}", end)
            else:
                place = end


def _end_of_tag(text: str, place: int) -> int:
    """Where a tag ends; a quote counts only as the beginning of a value, and only if it is closed."""
    while (found := _TAG_END.search(text, place)) is not None:
        place = found.end()
        if found[0] == ">":
            return place
        if _BEFORE_VALUE.search(text, max(found.start() - 8, 0), found.start()):
            closed = text.find(found[0], place)
            place = closed + 1 if closed >= 0 else place
    return len(text)


def _end_of(text: str, wanted: str, place: int) -> int:
    found = text.find(wanted, place)
    if found < 0:
        return len(text)
    return found + len(wanted)


def _start_of(text: str, wanted: str, place: int) -> int:
    found = text.find(wanted, place)
    if found < 0:
        return len(text)
    return found


def _kept_attributes(attributes: str) -> Iterator[str]:
    seen: set[str] = set()
    for found in _ATTRIBUTE.finditer(attributes):
        name = found[1].lower()
        if name in _KEPT_ATTRIBUTES and name not in seen:
            seen.add(name)
            yield f" {name}={found[2]}" if found[2] else f" {name}"
