"""The tags of lists: what is done when the walk comes to a list, an item, a term, a definition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry.read.markdown.actions import Action, Element, Leave

if TYPE_CHECKING:
    from webquarry.read.markdown.walker import Walker


@dataclass(slots=True)
class Definitions:
    """A list of terms and definitions that is being walked through."""

    open: bool = False  # a definition is being written
    after_term: bool = False
    after_definition: bool = False


_LARGEST = 999_999_999  # Markdown takes nine digits


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
    if element.tag == "ol":
        down = element.get("reversed") is not None
        count = 1
        if down:
            count = sum(1 for _ in element.iterchildren("li"))
        listing = Listing(True, _number(element.get("start"), count), -1 if down else 1)
    else:
        listing = Listing(False)
    outer = walker.lists[-1] if walker.lists else None
    parent = element.getparent()
    if (
        outer is not None
        and outer.shown
        and parent is not None
        and parent.tag in ("ul", "ol", "menu", "dir")
    ):
        listing.nested = True  # a list right inside a list belongs to the item before it
        blocks.open(" " * outer.width, " " * outer.width)
        blocks.tight = True
    elif walker.lists and blocks.item_started:
        blocks.tight = True
    walker.lists.append(listing)
    return end_list


def end_list(walker: Walker, element: Element) -> None:
    walker.flush()
    listing = walker.lists.pop()
    if listing.nested:
        walker.blocks.close()
        walker.lists[-1].end = walker.blocks.count
    walker.blocks.tight = False


def start_item(walker: Walker, element: Element) -> Leave | None:
    walker.flush()
    listing = walker.lists[-1] if walker.lists else None
    marker = _marker(walker, listing, element)
    if listing is not None:
        listing.width = len(marker)
        if listing.shown:
            joins = listing.end == walker.blocks.count  # no other ends a line
        else:
            joins = marker in ("- ", "1. ")
        walker.blocks.tight = joins and (walker.blocks.tight or listing.shown)
    elif (before := element.getprevious()) is not None and before.tag == "li":
        walker.blocks.tight = bool(walker.blocks)
    walker.blocks.open(marker, "    " if marker.startswith("[^") else " " * len(marker))
    return end_item


def end_item(walker: Walker, element: Element) -> None:
    walker.flush()
    blocks = walker.blocks
    if walker.lists and blocks.item_started:
        walker.lists[-1].shown, walker.lists[-1].end = True, blocks.count
    blocks.close()
    blocks.tight = False


def _marker(walker: Walker, listing: Listing | None, element: Element) -> str:
    label = walker.footnotes.note(element)
    if listing is None or not listing.ordered:
        if label is not None:
            return f"[^{label}]: "
        return "- "
    number = _number(element.get("value"), listing.number)
    listing.number = number + listing.step
    if label is not None:
        return f"[^{label}]: "
    return f"{min(max(number, 0), _LARGEST)}. "


def _number(text: str | None, otherwise: int) -> int:
    text = (text or "").strip()
    if text.startswith("-"):
        sign, digits = (-1, text[1:])
    else:
        sign, digits = (1, text)
    if digits.isascii() and digits.isdigit() and len(digits) <= 10:
        return sign * int(digits)
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
    label = walker.footnotes.note(element)
    definitions = walker.definitions[-1]
    walker.blocks.tight = definitions.after_term or definitions.after_definition
    walker.blocks.open(
        ": " if label is None else f"[^{label}]: ", "  " if label is None else "    "
    )
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
    **dict.fromkeys(("ul", "ol", "menu", "dir"), start_list),
    "li": start_item,
    "dl": start_definitions,
    "dt": start_term,
    "dd": start_definition,
}
