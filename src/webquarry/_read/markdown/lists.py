"""Actions of the tags of lists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry._read.markdown.walker import Action, Element

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

_LIST_TAGS = ("ul", "ol", "menu", "dir")
_DASH = "- "
_MAX_NUMBER = 999_999_999  # of an item in Markdown
_MAX_DIGITS = 10
NOTE_INDENT = "    "  # of the lines in a footnote


@dataclass(slots=True)
class Definitions:
    """An open list of terms and definitions."""

    is_open: bool = False  # a definition is open
    after_term: bool = False
    after_definition: bool = False


@dataclass(slots=True)
class Listing:
    """An open list."""

    is_ordered: bool
    number: int = 1
    width: int = 2  # of the last marker
    has_items: bool = False  # that are not empty
    end: int = 0  # number of blocks at the end of the last such item

    def create_marker(self, item: Element) -> str:
        """Return the marker of an item and count it."""
        if not self.is_ordered:
            return _DASH
        number = _parse_number(item.get("value"), self.number)
        self.number = number + 1
        return f"{min(max(number, 0), _MAX_NUMBER)}. "


def read_list(walker: Walker, element: Element) -> Iterator[None]:
    """Read a list directly below the line of its item, or as a block of its own."""
    walker.flush()
    blocks = walker.blocks
    listing = Listing(element.tag == "ol")
    if listing.is_ordered:
        listing.number = _parse_number(element.get("start"), 1)
    outer = walker.lists[-1] if walker.lists else None
    parent = element.getparent()
    is_nested = False  # in another list, not in an item of it: it belongs to the item before it
    if outer is not None:
        is_nested = outer.has_items and parent is not None and parent.tag in _LIST_TAGS
        if is_nested:
            blocks.open(" " * outer.width, " " * outer.width)
        blocks.tight = blocks.tight or is_nested or blocks.has_item()
    walker.lists.append(listing)
    yield
    walker.flush()
    walker.lists.pop()
    if is_nested and outer is not None:
        walker.blocks.close()
        outer.end = len(walker.blocks)
    walker.blocks.tight = False


def read_item(walker: Walker, element: Element) -> Iterator[None]:
    """Read an item, which may be a footnote."""
    walker.flush()
    blocks = walker.blocks
    listing = walker.lists[-1] if walker.lists else None
    marker = _DASH if listing is None else listing.create_marker(element)
    indent = " " * len(marker)
    label = walker.footnotes.find_note_label(element)
    if label is not None:
        marker, indent = f"[^{label}]: ", NOTE_INDENT
    if listing is None:
        before = element.getprevious()
        if before is not None and before.tag == "li":
            blocks.tight = bool(blocks)
    else:
        listing.width = len(marker)
        if listing.has_items:
            blocks.tight = listing.end == len(blocks)
        else:  # only these markers can end a paragraph without a blank line
            blocks.tight = blocks.tight and marker in (_DASH, "1. ")
    blocks.open(marker, indent)
    yield
    walker.flush()
    blocks = walker.blocks
    if walker.lists and blocks.has_item():
        walker.lists[-1].has_items = True
        walker.lists[-1].end = len(blocks)
    blocks.close()
    blocks.tight = False


def _parse_number(text: str | None, default: int) -> int:
    """Return the integer in an attribute, or the default if there is none."""
    text = (text or "").strip()
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS:
        return int(text)
    return default


def read_definitions(walker: Walker, element: Element) -> Iterator[None]:
    """Read a list of terms and definitions."""
    walker.flush()
    walker.definitions.append(Definitions())
    yield
    _end_definition(walker)
    walker.definitions.pop()
    walker.blocks.tight = False


def read_term(walker: Walker, element: Element) -> Iterator[None]:
    """Read a term; several in a row share a definition."""
    definitions = _end_definition(walker)
    walker.blocks.tight = definitions.after_term
    definitions.after_term = True
    definitions.after_definition = False
    yield
    walker.flush()


def read_definition(walker: Walker, element: Element) -> Iterator[None]:
    """Read a definition, which may be a footnote."""
    definitions = _end_definition(walker)  # the parser nests definitions that are not closed
    label = walker.footnotes.find_note_label(element)
    walker.blocks.tight = definitions.after_term or definitions.after_definition
    if label is None:
        walker.blocks.open(": ", "  ")
    else:
        walker.blocks.open(f"[^{label}]: ", NOTE_INDENT)
    definitions.is_open = True
    yield
    _end_definition(walker)


def _end_definition(walker: Walker) -> Definitions:
    """End the open definition, if any; return its list, since terms may be in none."""
    walker.flush()
    if not walker.definitions:
        walker.definitions.append(Definitions())
    definitions = walker.definitions[-1]
    if definitions.is_open:
        definitions.after_definition = walker.blocks.has_item()
        walker.blocks.close()
        definitions.is_open = definitions.after_term = False
    return definitions


LIST_ACTIONS: dict[object, Action] = {
    **dict.fromkeys(_LIST_TAGS, read_list),
    "li": read_item,
    "dl": read_definitions,
    "dt": read_term,
    "dd": read_definition,
}
