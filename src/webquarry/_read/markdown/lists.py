"""The tags of lists: what is done when the walk comes to a list, an item, a term, a definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry._read.markdown.actions import Action, Element, Leave

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker


_LIST_TAGS = ("ul", "ol", "menu", "dir")
_DASH = "- "
_LARGEST = 999_999_999  # Markdown takes nine digits
_MOST_DIGITS = 10  # of a number in the page
NOTE_INDENT = "    "  # of the lines in a footnote, whatever the length of its label


@dataclass(slots=True)
class Definitions:
    """A list of terms and definitions that is being walked through."""

    open: bool = False  # a definition is being written
    after_term: bool = False
    after_definition: bool = False


class Listing:
    """A list that is being walked through."""

    def __init__(self, ordered: bool) -> None:
        self.ordered = ordered
        self.number = 1
        self.step = 1
        self.width = 2  # of the last marker
        self.shown = False  # some item of it holds something
        self.end = 0  # how many blocks there were when that item ended
        self.nested = False  # it stands in a list without an item of its own

    def create_marker(self, item: Element) -> str:
        """The dash or the number of an item; the next item gets the next number."""
        if not self.ordered:
            return _DASH
        number = _parse_number(item.get("value"), self.number)
        self.number = number + self.step
        shown = min(max(number, 0), _LARGEST)
        return f"{shown}. "


def start_list(walker: Walker, element: Element) -> Leave:
    """A list: right below the line of the item that it stands in, else a block of its own."""
    walker.flush()
    blocks = walker.blocks
    listing = Listing(element.tag == "ol")
    if listing.ordered:
        first = 1
        if element.get("reversed") is not None:
            listing.step = -1
            first = len(element.findall("li"))
        listing.number = _parse_number(element.get("start"), first)
    if walker.lists:
        outer = walker.lists[-1]
        parent = element.getparent()
        if outer.shown and parent is not None and parent.tag in _LIST_TAGS:
            listing.nested = True  # a list right inside a list belongs to the item before it
            indent = " " * outer.width
            blocks.open(indent, indent)
            blocks.tight = True
        elif blocks.has_item():
            blocks.tight = True
    walker.lists.append(listing)
    return end_list


def end_list(walker: Walker, element: Element) -> None:
    """What follows the list is a block of its own."""
    walker.flush()
    listing = walker.lists.pop()
    if listing.nested:
        walker.blocks.close()
        outer = walker.lists[-1]
        outer.end = len(walker.blocks)
    walker.blocks.tight = False


def start_item(walker: Walker, element: Element) -> Leave:
    """An item of a list, which may be a footnote as well."""
    walker.flush()
    blocks = walker.blocks
    listing = walker.lists[-1] if walker.lists else None
    marker = _DASH
    if listing is not None:
        marker = listing.create_marker(element)
    indent = " " * len(marker)
    label = walker.footnotes.find_note_label(element)
    if label is not None:
        marker, indent = f"[^{label}]: ", NOTE_INDENT
    if listing is not None:
        listing.width = len(marker)
        if listing.shown:
            blocks.tight = listing.end == len(blocks)
        else:
            # no other marker can end a paragraph, so after any other a blank line is needed
            blocks.tight = blocks.tight and marker in (_DASH, "1. ")
    else:
        before = element.getprevious()
        if before is not None and before.tag == "li":
            blocks.tight = bool(blocks)
    blocks.open(marker, indent)
    return end_item


def end_item(walker: Walker, element: Element) -> None:
    """An item that holds something makes its list one that is shown."""
    walker.flush()
    blocks = walker.blocks
    if walker.lists and blocks.has_item():
        listing = walker.lists[-1]
        listing.shown = True
        listing.end = len(blocks)
    blocks.close()
    blocks.tight = False


def _parse_number(text: str | None, otherwise: int) -> int:
    """A whole number of an attribute, or another one where it holds none."""
    if text is None:
        return otherwise
    text = text.strip()
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        return int(text)
    return otherwise


def start_definitions(walker: Walker, element: Element) -> Leave:
    """A list of terms and definitions."""
    walker.flush()
    walker.definitions.append(Definitions())
    return end_definitions


def end_definitions(walker: Walker, element: Element) -> None:
    _end_definition(walker)
    walker.definitions.pop()
    walker.blocks.tight = False


def _get_definitions(walker: Walker) -> Definitions:
    """The list that the walk is in; terms may also stand in none."""
    if not walker.definitions:
        walker.definitions.append(Definitions())
    return walker.definitions[-1]


def start_term(walker: Walker, element: Element) -> Leave:
    """A term; several of them in a row share a definition."""
    _end_definition(walker)
    definitions = _get_definitions(walker)
    walker.blocks.tight = definitions.after_term
    definitions.after_term = True
    definitions.after_definition = False
    return end_term


def end_term(walker: Walker, element: Element) -> None:
    walker.flush()


def start_definition(walker: Walker, element: Element) -> Leave:
    """A definition, which may be a footnote as well."""
    _end_definition(walker)  # the parser puts one that was not closed around the next one
    label = walker.footnotes.find_note_label(element)
    marker, indent = ": ", "  "
    if label is not None:
        marker, indent = f"[^{label}]: ", NOTE_INDENT
    definitions = _get_definitions(walker)
    walker.blocks.tight = definitions.after_term or definitions.after_definition
    walker.blocks.open(marker, indent)
    definitions.open = True
    return end_definition


def end_definition(walker: Walker, element: Element) -> None:
    _end_definition(walker)


def _end_definition(walker: Walker) -> None:
    """End the definition that is open, if one is."""
    walker.flush()
    definitions = _get_definitions(walker)
    if definitions.open:
        definitions.after_definition = walker.blocks.has_item()
        walker.blocks.close()
        definitions.open = definitions.after_term = False


LIST_ACTIONS: dict[object, Action] = {
    **dict.fromkeys(_LIST_TAGS, start_list),
    "li": start_item,
    "dl": start_definitions,
    "dt": start_term,
    "dd": start_definition,
}
