"""The styles of a Word document: the id that a paragraph names -> what that style, and those it is
based on, say.

Ids differ from language to language (`berschrift1`); the names behind them do not (`heading 1`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from webquarry._read.documents.docx.shading import write_colour, write_shading
from webquarry._read.documents.office import (
    Element,
    child_of,
    child_value,
    children_of,
    find_child,
    name_of,
    parse_number,
    value_of,
)

RunProperties = dict[str, str | None]  # their names and values

_HEADING = re.compile(r"heading ([1-9])")
_CONTENTS = re.compile(r"toc ([1-9])")
# its items stand one level in: `List Bullet 2`
_LIST = re.compile(r"list (?:bullet |number )?([2-9])")
_CODE = re.compile(
    r"html preformatted|(?:source )?code(?: block)?|macro(?: text)?|preformatted text|listing"
)
_QUOTE = re.compile(r"(?:intense )?quote|quotations|block ?text|block quotation")
_OFF = frozenset({"0", "false", "off", "none"})
_OUTLINE_LEVELS = 9
_DEEPEST = 12  # styles based on styles
_TRANSPARENT = 95_000  # of 100,000


@dataclass(frozen=True)
class Style:
    """What one style says about a paragraph or a run; None where it says nothing."""

    heading: int | None = None
    contents: int | None = None  # the level of an entry of a table of contents
    code: bool = False
    quote: bool = False
    title: bool = False
    list_id: str | None = None
    list_level: int | None = None
    list_depth: int = 0  # how far in its items stand, where only its name says so
    run: RunProperties = field(default_factory=dict)  # the properties of its text, by name
    shading: str | None = None  # of its paragraphs, as `shading.py` reads it


PLAIN = Style()


def run_properties(element: Element | None) -> RunProperties:
    """The properties of a run that we look at."""
    if element is None:
        return {}
    found: RunProperties = {}
    for child in element:
        name = name_of(child.tag)
        if name == "w:shd":
            found[name] = write_shading(child)
        elif name == "w:color":
            found[name] = write_colour(child)
        elif name == "textFill":  # of Word 2010 and later
            found[name] = str(_is_transparent(child))
        else:
            found[name] = value_of(child)
    return found


def _is_transparent(fill: Element) -> bool:
    """Whether letters are filled with nothing, or with a colour that lets all through."""
    for part in fill.iter():
        name = name_of(part.tag)
        if name == "noFill":
            return True
        # here it is the share that is let through
        if name == "alpha" and (parse_number(value_of(part)) or 0) >= _TRANSPARENT:
            return True
    return False


def is_on(properties: RunProperties, name: str) -> bool:
    """Whether a property that can be switched is switched on."""
    if name not in properties:
        return False
    value = properties[name] or ""
    return value.lower() not in _OFF


def shading_of(settings: Element | None) -> str | None:
    """The shading that a paragraph, a cell or a table says that it has; None where it has none."""
    element = child_of(settings, "w:shd")
    if element is None:
        return None
    return write_shading(element)


class Styles:
    """The styles of one document."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._known: dict[str, Style] = {}
        self.default = ""  # the id of the style of paragraphs that name none
        # The properties of text that nobody says anything of.
        self.run = run_properties(find_child(root, "w:docDefaults", "w:rPrDefault", "w:rPr"))
        for element in children_of(root, "w:style"):
            identity = value_of(element, "styleId")
            if not identity:
                continue
            self._elements.setdefault(identity, element)
            if value_of(element, "type") != "paragraph":
                continue
            if value_of(element, "default") in ("1", "true", "on"):
                self.default = identity

    def get(self, identity: str | None) -> Style:
        """What a style says, with all it inherits."""
        key = identity or self.default
        style = self._known.get(key)
        if style is None:
            style = self._resolve(key, 0, set())
            self._known[key] = style
        return style

    def list_of(self, identity: str) -> str | None:
        """The list that a style of lists stands for."""
        element = self._elements.get(identity)
        numbering = find_child(element, "w:pPr", "w:numPr")
        return child_value(numbering, "w:numId")

    def _resolve(self, identity: str, depth: int, seen: set[str]) -> Style:
        """What a style says, and below that what those say that it is based on."""
        element = self._elements.get(identity)
        if element is None or depth > _DEEPEST or identity in seen:
            return PLAIN
        base = PLAIN
        based_on = child_value(element, "w:basedOn")
        if based_on:
            base = self._resolve(based_on, depth + 1, seen | {identity})
        written_name = child_value(element, "w:name") or ""
        name = written_name.strip().lower()
        settings = child_of(element, "w:pPr")
        heading = _number_in(name, _HEADING)
        if heading is None:
            heading = outline_level(child_value(settings, "w:outlineLvl"))
        if heading is None:
            heading = base.heading
        numbering = child_of(settings, "w:numPr")
        level = child_value(numbering, "w:ilvl")
        list_level = base.list_level
        if level and level.isascii() and level.isdigit():
            list_level = int(level)
        list_number = _number_in(name, _LIST)
        list_depth = base.list_depth
        if list_number:
            list_depth = list_number - 1
        return Style(
            heading=heading,
            contents=_number_in(name, _CONTENTS) or base.contents,
            code=bool(_CODE.fullmatch(name)) or base.code,
            quote=bool(_QUOTE.fullmatch(name)) or base.quote,
            title=name == "title" or base.title,
            list_id=child_value(numbering, "w:numId") or base.list_id,
            list_level=list_level,
            list_depth=list_depth,
            run=base.run | run_properties(child_of(element, "w:rPr")),
            shading=shading_of(settings) or base.shading,
        )


def _number_in(name: str, pattern: re.Pattern[str]) -> int | None:
    """The number at the end of the name of a style: `heading 2`."""
    found = pattern.fullmatch(name)
    if found is None:
        return None
    return int(found[1])


def outline_level(value: str | None) -> int | None:
    """The level of a heading that an outline level stands for; 0 for the level that means: no
    heading.
    """
    if value is None or not value.isascii() or not value.isdigit():
        return None
    number = int(value)
    return number + 1 if number < _OUTLINE_LEVELS else 0
