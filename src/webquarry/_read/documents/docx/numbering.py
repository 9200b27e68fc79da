"""The lists of a Word document: the list and the level that a paragraph names -> its bullet or its
number.

Numbers run on per list, wherever its items stand; an item begins the numbers of all deeper levels
anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from webquarry._read.documents.docx.styles import Styles
from webquarry._read.documents.office import (
    Element,
    child_of,
    child_value,
    children_of,
    parse_number,
    value_of,
)

_PLACE = re.compile(r"%([1-9])")
_SIMPLE = re.compile(r"%[1-9]([.)])")
_LARGEST = 99_999
_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)
_LAST_ROMAN = 3999
_MOST_SAME_LETTERS = 5  # behind `z` comes `aa`, then `bb`
_LONGEST_TEXT = 40  # characters in front of an item
_LEVELS = 9


@dataclass(frozen=True)
class Level:
    """How one level of a list is numbered."""

    start: int = 1
    format: str = "decimal"
    text: str = "%1."

    def format_number(self, number: int) -> str:
        """A number as the list writes it on this level."""
        if self.format in ("lowerLetter", "upperLetter") and number > 0:
            rounds, place = divmod(number - 1, 26)
            letter = chr(ord("a") + place)
            written = letter * min(rounds + 1, _MOST_SAME_LETTERS)
            if self.format == "upperLetter":
                return written.upper()
            return written
        if self.format in ("lowerRoman", "upperRoman") and 0 < number <= _LAST_ROMAN:
            written = ""
            for value, letters in _ROMAN:
                written += letters * (number // value)
                number %= value
            if self.format == "upperRoman":
                return written.upper()
            return written
        if self.format == "decimalZero":
            return f"{number:02}"
        if self.format == "none":
            return ""
        return str(number)


@dataclass(frozen=True)
class Mark:
    """What stands in front of an item. `marker` is Markdown's, `label` what a reader sees of a
    number.
    """

    marker: str
    label: str = ""
    level: int = 0


class Numbering:
    """The lists of one document, counting as its items go by."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, Element] = {}
        self._lists: dict[str, Element] = {}
        for element in children_of(root, "w:abstractNum"):
            identity = value_of(element, "abstractNumId") or ""
            self._abstract.setdefault(identity, element)
        for element in children_of(root, "w:num"):
            identity = value_of(element, "numId") or ""
            self._lists.setdefault(identity, element)
        self._levels: dict[str, dict[int, Level]] = {}
        self._counts: dict[str, list[int | None]] = {}

    def next(self, list_id: str, level: int) -> Mark | None:
        """The mark of the next item of a list; None for a list that is none."""
        if list_id == "0" or list_id not in self._lists:
            return None
        level = min(max(level, 0), _LEVELS - 1)
        levels = self._levels.get(list_id)
        if levels is None:
            levels = self._read_levels(self._lists[list_id])
            self._levels[list_id] = levels
        found = levels.get(level, Level(text=f"%{level + 1}."))
        if found.format == "bullet" or not found.text:
            return Mark("- ", level=level)
        if found.format == "none" and not _PLACE.search(found.text):
            return Mark("- ", found.text, level)
        number = self._count(list_id, level, levels)
        label = self._format_label(list_id, found, levels)
        simple = _SIMPLE.fullmatch(found.text)
        if simple and found.format in ("decimal", "decimalZero"):
            return Mark(f"{number}{simple[1]} ", label, level)
        return Mark("- ", label, level)

    def _count(self, list_id: str, level: int, levels: dict[int, Level]) -> int:
        """The number of the next item on a level; all deeper levels begin anew."""
        counts = self._counts.setdefault(list_id, [None] * _LEVELS)
        for above in range(level):
            if counts[above] is None:
                counts[above] = levels.get(above, Level()).start
        before = counts[level]
        if before is None:
            found = levels.get(level, Level())
            number = found.start
        else:
            number = min(before + 1, _LARGEST)
        counts[level] = number
        for below in range(level + 1, _LEVELS):
            counts[below] = None
        return number

    def _format_label(self, list_id: str, found: Level, levels: dict[int, Level]) -> str:
        """What stands in front of an item, with the numbers of its levels filled in."""
        counts = self._counts[list_id]

        def fill_in(place: re.Match[str]) -> str:
            level = int(place[1]) - 1
            number = counts[level] or 0
            return levels.get(level, Level()).format_number(number)

        return _PLACE.sub(fill_in, found.text)

    def _read_levels(self, element: Element) -> dict[int, Level]:
        """The levels of a list: those of the list it is made after, with its own changes."""
        abstract_id = child_value(element, "w:abstractNumId") or ""
        levels = self._read_abstract_levels(abstract_id, set())
        for override in children_of(element, "w:lvlOverride"):
            place = value_of(override, "ilvl") or ""
            if not place.isascii() or not place.isdigit():
                continue
            number = int(place)
            level = levels.get(number, Level())
            changed = child_of(override, "w:lvl")
            if changed is not None:
                level = _read_level(changed)
            start_text = child_value(override, "w:startOverride")
            start = _parse_start(start_text, level.start)
            levels[number] = replace(level, start=start)
        return levels

    def _read_abstract_levels(self, identity: str, seen: set[str]) -> dict[int, Level]:
        """The levels of a list that others are made after; a style of lists may stand for it."""
        element = self._abstract.get(identity)
        if element is None or identity in seen:
            return {}
        link = child_value(element, "w:numStyleLink")
        if link:
            list_id = self._styles.list_of(link) or ""
            other = self._lists.get(list_id)
            target = child_value(other, "w:abstractNumId") or ""
            return self._read_abstract_levels(target, seen | {identity})
        levels: dict[int, Level] = {}
        for child in children_of(element, "w:lvl"):
            place = value_of(child, "ilvl") or ""
            if place.isascii() and place.isdigit():
                levels[int(place)] = _read_level(child)
        return levels


def _read_level(element: Element) -> Level:
    """How a level is numbered, as its element says."""
    start = child_value(element, "w:start")
    number_format = child_value(element, "w:numFmt") or "decimal"
    text = child_value(element, "w:lvlText") or ""
    return Level(
        start=_parse_start(start, 1),
        format=number_format,
        text=text[:_LONGEST_TEXT],
    )


def _parse_start(text: str | None, otherwise: int) -> int:
    """The number that a level begins with."""
    number = parse_number(text)
    if number is None:
        return otherwise
    return min(number, _LARGEST)
