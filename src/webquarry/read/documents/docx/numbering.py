"""The lists of a Word document: the list and the level that a paragraph names -> its bullet or its
number.

Numbers run on per list, wherever its items stand; an item begins the numbers of all deeper levels
anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from webquarry.read.documents.docx.styles import Styles
from webquarry.read.documents.office import child_of, name_of, value_of

_PLACE = re.compile(r"%([1-9])")
_SIMPLE = re.compile(r"%[1-9]([.)])")
_LARGEST = 99_999
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_LEVELS = 9


@dataclass(frozen=True)
class Level:
    """How one level of a list is numbered."""

    start: int = 1
    format: str = "decimal"
    text: str = "%1."


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

    def __init__(self, root: etree._Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract: dict[str, etree._Element] = {}
        self._lists: dict[str, etree._Element] = {}
        for element in root if root is not None else ():
            name = name_of(element.tag)
            if name == "w:abstractNum":
                self._abstract.setdefault(value_of(element, "abstractNumId") or "", element)
            elif name == "w:num":
                self._lists.setdefault(value_of(element, "numId") or "", element)
        self._levels: dict[str, dict[int, Level]] = {}
        self._counts: dict[str, list[int | None]] = {}

    def next(self, list_id: str, level: int) -> Mark | None:
        """The mark of the next item of a list; None for a list that is none."""
        if list_id == "0" or list_id not in self._lists:
            return None
        level = min(max(level, 0), _LEVELS - 1)
        levels = self._levels_of(list_id)
        found = levels.get(level, Level(text=f"%{level + 1}."))
        if found.format == "bullet" or not found.text:
            return Mark("- ", level=level)
        if found.format == "none" and not _PLACE.search(found.text):
            return Mark("- ", found.text, level)
        number = self._count(list_id, level, levels)
        label = self._label(list_id, found, levels)
        simple = _SIMPLE.fullmatch(found.text)
        if simple and found.format in ("decimal", "decimalZero"):
            return Mark(f"{number}{simple[1]} ", label, level)
        return Mark("- ", label, level)

    def _count(self, list_id: str, level: int, levels: dict[int, Level]) -> int:
        counts = self._counts.setdefault(list_id, [None] * _LEVELS)
        for above in range(level):
            if counts[above] is None:
                counts[above] = levels.get(above, Level()).start
        before = counts[level]
        if before is None:
            number = levels.get(level, Level()).start
        else:
            number = min(before + 1, _LARGEST)
        counts[level:] = [number, *[None] * (_LEVELS - level - 1)]
        return number

    def _label(self, list_id: str, found: Level, levels: dict[int, Level]) -> str:
        counts = self._counts[list_id]

        def written(place: re.Match[str]) -> str:
            level = int(place[1]) - 1
            return _written(counts[level] or 0, levels.get(level, Level()).format)

        return _PLACE.sub(written, found.text)

    def _levels_of(self, list_id: str) -> dict[int, Level]:
        if list_id not in self._levels:
            element = self._lists[list_id]
            levels = self._abstract_levels(
                value_of(child_of(element, "w:abstractNumId")) or "", set()
            )
            for override in element:
                place = value_of(override, "ilvl") or ""
                if name_of(override.tag) == "w:lvlOverride" and place.isdigit():
                    number = int(place)
                    changed = child_of(override, "w:lvl")
                    if changed is not None:
                        level = _level(changed)
                    else:
                        level = levels.get(number, Level())
                    start = value_of(child_of(override, "w:startOverride"))
                    levels[number] = Level(_integer(start, level.start), level.format, level.text)
            self._levels[list_id] = levels
        return self._levels[list_id]

    def _abstract_levels(self, identity: str, seen: set[str]) -> dict[int, Level]:
        element = self._abstract.get(identity)
        if element is None or identity in seen:
            return {}
        if link := value_of(child_of(element, "w:numStyleLink")):
            other = self._lists.get(self._styles.list_of(link) or "")
            target = value_of(child_of(other, "w:abstractNumId")) or ""
            return self._abstract_levels(target, seen | {identity})
        levels: dict[int, Level] = {}
        for child in element:
            place = value_of(child, "ilvl") or ""
            if name_of(child.tag) == "w:lvl" and place.isdigit():
                levels[int(place)] = _level(child)
        return levels


def _level(element: etree._Element) -> Level:
    start = value_of(child_of(element, "w:start"))
    form = value_of(child_of(element, "w:numFmt")) or "decimal"
    return Level(_integer(start, 1), form, (value_of(child_of(element, "w:lvlText")) or "")[:40])


def _integer(text: str | None, otherwise: int) -> int:
    if text and text.isascii() and text.isdigit() and len(text) < 9:
        return min(int(text), _LARGEST)
    return otherwise


def _written(number: int, form: str) -> str:
    """A number as the list writes it."""
    if form in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 5)
        if form == "lowerLetter":
            return letter
        return letter.upper()
    if form in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = _roman(number)
        if form == "lowerRoman":
            return roman
        return roman.upper()
    if form == "decimalZero":
        return f"{number:02}"
    if form == "none":
        return ""
    return str(number)


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
