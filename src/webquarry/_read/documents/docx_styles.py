"""Styles and numbering of a Word document.

Style ids differ between languages (`berschrift1`); the names behind them do not (`heading 1`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from webquarry._read.documents.office import (
    Element,
    child_value,
    children_of,
    find_child,
    name_of,
    parse_number,
    value_of,
)

RunProperties = dict[str, str | None]  # by the name of the element: its value

_HEADING = re.compile(r"heading ([1-9])")
_CODE = re.compile(
    r"html preformatted|(?:source )?code(?: block)?|macro(?: text)?|preformatted text|listing"
)
_QUOTE = re.compile(r"(?:intense )?quote|quotations|block ?text|block quotation")
_OFF = frozenset({"0", "false", "off", "none"})
_OUTLINE_LEVELS = 9
_DEEPEST = 12  # styles based on styles


@dataclass(frozen=True)
class Style:
    """What a style says about a paragraph or a run; None where it says nothing."""

    heading: int | None = None
    code: bool = False
    quote: bool = False
    title: bool = False
    list_id: str | None = None
    list_level: int | None = None
    run: RunProperties = field(default_factory=dict)
    shaded: bool = False  # its paragraphs have a background


DEFAULT_STYLE = Style()


def run_properties(element: Element | None) -> RunProperties:
    """Return the properties of a run by name; a `w:shd` that paints nothing is left out."""
    if element is None:
        return {}
    found = {name_of(child.tag): value_of(child) for child in element}
    if not is_shaded(element):
        found.pop("w:shd", None)
    return found


def is_on(properties: RunProperties, name: str) -> bool:
    """Return whether a boolean property is set."""
    return name in properties and (properties[name] or "").lower() not in _OFF


def is_shaded(settings: Element | None) -> bool:
    """Return whether a paragraph, run, cell or table has a background of its own."""
    fill = child_value(settings, "w:shd", "fill") or "auto"
    return fill.lower() not in ("auto", "ffffff")


def outline_level(value: str | None) -> int | None:
    """Return the heading level of an outline level; 0 for the level of body text."""
    number = parse_number(value)
    if number is None:
        return None
    return number + 1 if number < _OUTLINE_LEVELS else 0


class Styles:
    """Styles of one document."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._resolved: dict[str, Style] = {}
        self._default = ""  # the style of paragraphs that name none
        self.run = run_properties(find_child(root, "w:docDefaults", "w:rPrDefault", "w:rPr"))
        for element in children_of(root, "w:style"):
            identity = value_of(element, "styleId")
            if not identity:
                continue
            self._elements.setdefault(identity, element)
            is_default = value_of(element, "default") in ("1", "true", "on")
            if is_default and value_of(element, "type") == "paragraph":
                self._default = identity

    def get(self, identity: str | None, depth: int = 0) -> Style:
        """Return a style with everything it inherits."""
        key = identity or self._default
        element = self._elements.get(key)
        if element is None or depth > _DEEPEST:
            return DEFAULT_STYLE
        if key not in self._resolved:
            based_on = child_value(element, "w:basedOn")
            base = self.get(based_on, depth + 1) if based_on else DEFAULT_STYLE
            self._resolved[key] = self._read(element, base)
        return self._resolved[key]

    def _read(self, element: Element, base: Style) -> Style:
        name = (child_value(element, "w:name") or "").strip().lower()
        settings = find_child(element, "w:pPr")
        named = _HEADING.fullmatch(name)
        heading = outline_level(child_value(settings, "w:outlineLvl"))
        heading = int(named[1]) if named else heading
        numbering = find_child(settings, "w:numPr")
        level = parse_number(child_value(numbering, "w:ilvl"))
        return Style(
            heading=base.heading if heading is None else heading,
            code=bool(_CODE.fullmatch(name)) or base.code,
            quote=bool(_QUOTE.fullmatch(name)) or base.quote,
            title=name == "title" or base.title,
            list_id=child_value(numbering, "w:numId") or base.list_id,
            list_level=base.list_level if level is None else level,
            run=base.run | run_properties(find_child(element, "w:rPr")),
            shaded=is_shaded(settings) or base.shaded,
        )


_LEVEL_NUMBER = re.compile(r"%([1-9])")
_SIMPLE = re.compile(r"%[1-9]([.)])")
_LARGEST = 99_999
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LAST_ROMAN = 3999
_MOST_SAME_LETTERS = 5  # `z` is followed by `aa`, then `bb`
_LONGEST_LABEL = 40  # characters
_LEVELS = 9


@dataclass
class Level:
    """Numbering of one level of a list."""

    start: int = 1
    format: str = "decimal"
    text: str = "%1."

    def format_number(self, number: int) -> str:
        """Return a number in the format of this level."""
        written = str(number)
        if self.format.endswith("Letter") and number > 0:
            rounds, index = divmod(number - 1, 26)
            written = chr(ord("a") + index) * min(rounds + 1, _MOST_SAME_LETTERS)
        elif self.format.endswith("Roman") and 0 < number <= _LAST_ROMAN:
            written = ""
            for value, letters in _ROMAN:
                written += letters * (number // value)
                number %= value
        return written.upper() if self.format.startswith("upper") else written


@dataclass(frozen=True)
class ItemMark:
    """Marker of a list item: that of Markdown, and the label that Word shows."""

    marker: str
    label: str = ""
    level: int = 0


class Numbering:
    """Lists of one document with the numbers of their items so far."""

    def __init__(self, root: Element | None) -> None:
        self._abstract: dict[str, Element] = {}
        self._lists: dict[str, Element] = {}
        for element in children_of(root, "w:abstractNum"):
            self._abstract.setdefault(value_of(element, "abstractNumId") or "", element)
        for element in children_of(root, "w:num"):
            self._lists.setdefault(value_of(element, "numId") or "", element)
        self._levels: dict[str, dict[int, Level]] = {}
        self._numbers: dict[str, dict[int, int]] = {}  # of the last items, by list and level

    def next(self, list_id: str, level: int) -> ItemMark | None:
        """Return the marker of the next item of a list; None if there is no such list."""
        if list_id == "0" or list_id not in self._lists:
            return None
        level = min(level, _LEVELS - 1)
        if list_id not in self._levels:
            self._levels[list_id] = self._read_levels(self._lists[list_id])
        levels = self._levels[list_id]
        found = levels.get(level, Level(text=f"%{level + 1}."))
        if found.format in ("bullet", "none") or not found.text:
            return ItemMark("- ", "" if found.format == "bullet" else found.text, level)
        before = self._numbers.get(list_id, {})
        numbers = {one: before.get(one, levels.get(one, Level()).start) for one in range(level + 1)}
        if level in before:
            numbers[level] = min(before[level] + 1, _LARGEST)
        self._numbers[list_id] = numbers  # deeper levels restart

        def fill_in(reference: re.Match[str]) -> str:
            other = int(reference[1]) - 1
            return levels.get(other, Level()).format_number(numbers.get(other, 0))

        label = _LEVEL_NUMBER.sub(fill_in, found.text)
        simple = _SIMPLE.fullmatch(found.text)
        if simple and found.format in ("decimal", "decimalZero"):
            return ItemMark(f"{numbers[level]}{simple[1]} ", label, level)
        return ItemMark("- ", label, level)

    def _read_levels(self, element: Element) -> dict[int, Level]:
        """Return the levels of a list: those of its definition with its own overrides."""
        levels: dict[int, Level] = {}
        definition = self._abstract.get(child_value(element, "w:abstractNumId") or "")
        overrides = children_of(element, "w:lvlOverride")
        for one in [*children_of(definition, "w:lvl"), *overrides]:
            number = parse_number(value_of(one, "ilvl"))
            changed = find_child(one, "w:lvl") if one in overrides else one
            if number is None:
                continue
            if changed is not None:
                levels[number] = _read_level(changed)
            start = parse_number(child_value(one, "w:startOverride"))
            if start is not None:
                levels.setdefault(number, Level()).start = min(start, _LARGEST)
        return levels


def _read_level(element: Element) -> Level:
    start = parse_number(child_value(element, "w:start"))
    return Level(
        start=1 if start is None else min(start, _LARGEST),
        format=child_value(element, "w:numFmt") or "decimal",
        text=(child_value(element, "w:lvlText") or "")[:_LONGEST_LABEL],
    )
