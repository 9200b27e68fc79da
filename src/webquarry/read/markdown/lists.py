"""The tags of lists: what is done when the walk comes to a list, an item, a term, a definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry.read.markdown.actions import Action, Element, Leave

if TYPE_CHECKING:
    from webquarry.read.markdown.walker import Walker


_LIST_TAGS = ("ul", "ol", "menu", "dir")
_LARGEST = 999_999_999  # Markdown takes nine digits
_MOST_DIGITS = 10  # of a number in the page
NOTE_INDENT = "    "  # of the lines in a footnote, whatever the length of its label


@dataclass(slots=True)
class Definitions:
    """A list of terms and definitions that is being walked through."""

    open: bool = False  # a definition is being written
    after_term: bool = False
    after_definition: bool = False


@dataclass(slots=True)
class Listing:
    """A list that is being walked through."""

    ordered: bool
    number: int = 1
    step: int = 1
    width: int = 2  # of the last marker
    shown: bool = False  # some item of it holds something
    end: int = 0  # how many blocks there were when that item ended
    nested: bool = False  # it stands in a list without an item of its own


def start_list(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    blocks = walker.blocks
    listing = _create_listing(element)
    if walker.lists:
        outer = walker.lists[-1]
        parent = element.getparent()
        if outer.shown and parent is not None and parent.tag in _LIST_TAGS:
            listing.nested = True  # a list right inside a list belongs to the item before it
            indent = " " * outer.width
            blocks.open(indent, indent)
            blocks.tight = True
        elif blocks.item_started:
            blocks.tight = True
    walker.lists.append(listing)
    return end_list


def _create_listing(element: Element) -> Listing:
    """A list with the number that it starts from, and counting down if it is reversed."""
    if element.tag != "ol":
        return Listing(ordered=False)
    start = element.get("start")
    if element.get("reversed") is None:
        return Listing(ordered=True, number=_parse_number(start, 1))
    count = sum(1 for _ in element.iterchildren("li"))
    return Listing(ordered=True, number=_parse_number(start, count), step=-1)


def end_list(walker: Walker, element: Element) -> None:
    walker.flush()
    listing = walker.lists.pop()
    if listing.nested:
        walker.blocks.close()
        walker.lists[-1].end = walker.blocks.count
    walker.blocks.tight = False


def start_item(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    blocks = walker.blocks
    listing = walker.lists[-1] if walker.lists else None
    label = walker.footnotes.find_note_label(element)
    marker = _create_marker(listing, element)
    indent = " " * len(marker)
    if label is not None:
        marker, indent = f"[^{label}]: ", NOTE_INDENT
    if listing is not None:
        listing.width = len(marker)
        if listing.shown:
            blocks.tight = listing.end == blocks.count
        else:
            # no other marker can end a paragraph, so after any other a blank line is needed
            blocks.tight = blocks.tight and marker in ("- ", "1. ")
    else:
        before = element.getprevious()
        if before is not None and before.tag == "li":
            blocks.tight = bool(blocks)
    blocks.open(marker, indent)
    return end_item


def end_item(walker: Walker, element: Element) -> None:
    walker.flush()
    blocks = walker.blocks
    if walker.lists and blocks.item_started:
        listing = walker.lists[-1]
        listing.shown, listing.end = True, blocks.count
    blocks.close()
    blocks.tight = False


def _create_marker(listing: Listing | None, element: Element) -> str:
    """The dash or the number of an item; the next item gets the next number."""
    if listing is None or not listing.ordered:
        return "- "
    number = _parse_number(element.get("value"), listing.number)
    listing.number = number + listing.step
    number = min(max(number, 0), _LARGEST)
    return f"{number}. "


def _parse_number(text: str | None, otherwise: int) -> int:
    """A whole number of an attribute, or another one where it holds none."""
    if text is None:
        return otherwise
    text = text.strip()
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS:
        return int(text)
    return otherwise


def start_definitions(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    walker.definitions.append(Definitions())
    return end_definitions


def end_definitions(walker: Walker, element: Element) -> None:
    _end_definition(walker)
    walker.definitions.pop()
    walker.blocks.tight = False


def start_term(walker: Walker, element: Element) -> Leave | None:
    _end_definition(walker)
    definitions = walker.definitions[-1]
    walker.blocks.tight = definitions.after_term
    definitions.after_term, definitions.after_definition = True, False
    return end_term


def end_term(walker: Walker, element: Element) -> None:
    walker.flush()


def start_definition(walker: Walker, element: Element) -> Leave | None:
    _end_definition(walker)  # the parser puts one that was not closed around the next one
    label = walker.footnotes.find_note_label(element)
    marker, indent = ": ", "  "
    if label is not None:
        marker, indent = f"[^{label}]: ", NOTE_INDENT
    definitions = walker.definitions[-1]
    walker.blocks.tight = definitions.after_term or definitions.after_definition
    walker.blocks.open(marker, indent)
    definitions.open = True
    return end_definition


def end_definition(walker: Walker, element: Element) -> None:
    _end_definition(walker)


def _end_definition(walker: Walker) -> None:
    walker.flush()
    definitions = walker.definitions[-1]
    if definitions.open:
        definitions.after_definition = walker.blocks.item_started
        walker.blocks.close()
        definitions.open = definitions.after_term = False


LIST_ACTIONS: dict[object, Action] = {
    **dict.fromkeys(_LIST_TAGS, start_list),
    "li": start_item,
    "dl": start_definitions,
    "dt": start_term,
    "dd": start_definition,
}
