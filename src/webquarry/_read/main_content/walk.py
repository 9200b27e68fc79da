"""The walk through a page that makes its blocks, in Python: used where the compiled one
(`_walk.pyx`) could not be built.

Both have the same names and give the same blocks; a change to one is a change to both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from lxml import etree

from webquarry._read.html.panel_buttons import is_panel_button
from webquarry._read.main_content.tags import (
    ATOM,
    BLOCK,
    BLOCKS_IN_SVG,
    BREAK,
    BUTTON,
    DROP,
    FLAG_OF_ROLE,
    FLAGS,
    HEADINGS,
    HIDDEN_FLAG,
    IN_PRE,
    INLINE,
    KINDS,
    LINK,
    MOST_BLOCKS,
    OUTSIDE,
    PRE,
    SVG,
    TABLE_ROLE_FLAG,
    is_hidden,
    is_superfluous,
)
from webquarry._read.markdown.scope import INSIDE, TAIL, TEXT, Child, take_child

_CLASS_ONLY = ["class"]
_CELLS = ("td", "th")
# children that are asked for at once, which is quicker than one by one but takes memory for all
_FEW = 200

Element = etree._Element
Row = tuple[int, str, str, str, int, int, int]  # parent, tag, class, id, flags, level, first block
Card = tuple[int, str, int, int]  # box around it, class, first block, one past its last
BoxColumns = tuple[
    list[int],
    list[str],
    list[str],
    list[str],
    list[int],
    list[int],
    list[int],
    list[int],
]
_PARENT: Final = 0  # places in a row
_FLAGS: Final = 4
_LEVEL: Final = 5
_FIRST: Final = 6


class Walk:
    """Goes through a page once, and then knows its blocks, its boxes and the elements that the text
    came from.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._blocks: list[tuple[int, int, int]] = []  # box, characters of links, links
        self._rows: list[Row] = []
        self._last: list[int] = []  # one past the last block of each row; 0 while it is open
        self.image_places: list[int] = []  # the block that each image stands in or before
        self.cut = False  # the page has more blocks than are looked at
        self.cards: list[Card] = []  # links that hold boxes: they are no boxes themselves
        self.has_role_table = False  # a table that is one by its role
        # whose own text, and what behind whom, is in a block
        self.owners: list[tuple[list[Element], list[Element]]] = []
        # formulas and breaks, and the block they stand in or before
        self.atoms: list[tuple[Element, int]] = []
        self._images: list[Element] = []
        self._kinds = KINDS
        # the block that is being read
        self._parts: list[str] = []
        self._heads: list[Element] = []
        self._tails: list[Element] = []
        self._link_chars = 0
        self._links = 0
        self._open_links = 0
        # the outermost open link: the box around it, its first block, and whether it holds boxes
        self._link: Element | None = None
        self._link_box = -1
        self._link_first = 0
        self._holds_box = False
        self._box = -1
        self._broken = False  # the last thing in the block is a line break

    def images(self, blocks: AbstractSet[int], classes: Sequence[bytes]) -> list[Element]:
        """The images that stand in or before some blocks, and whose class holds one of those."""
        found = []
        for image, block in zip(self._images, self.image_places, strict=True):
            names = image.get("class")
            if names is None or block not in blocks:
                continue
            if any(one in names.encode() for one in classes):
                found.append(image)
        return found

    def choose_parts(self, blocks: AbstractSet[int], more: list[Element]) -> ChosenParts:
        """What some blocks, and some elements more, are made of."""
        return ChosenParts(self, blocks, more)

    def list_boxes(self) -> BoxColumns:
        """What is known of the boxes, a list each: parent, tag, class, id, flags, level, first
        block and the one behind the last; those still open end with the page.
        """
        last = [last or len(self.texts) for last in self._last]
        if not self._rows:
            return [], [], [], [], [], [], [], last
        columns = map(list, zip(*self._rows, strict=True))
        return (*columns, last)  # type: ignore[return-value]

    def list_blocks(self) -> tuple[list[int], list[int], list[int]]:
        """The box of each block, how many of its characters are links, and how many links it
        has.
        """
        if not self._blocks:
            return [], [], []
        boxes, link_chars, links = map(list, zip(*self._blocks, strict=True))
        return boxes, link_chars, links

    def walk(self, roots: Sequence[Element]) -> None:
        """Walk through the page with a stack of its own, so that no depth of nesting can exhaust
        Python's.
        """
        stack: list[tuple[Iterator[Element], Element, int]] = []
        enter, leave, add = self._enter, self._leave, self._add
        children = iter(roots)
        while True:
            for element in children:
                kind = enter(element)
                if kind < DROP:
                    if text := element.text:
                        add(text, element, self._heads)
                    if size := len(element):
                        stack.append((children, element, kind))
                        children = iter(element)
                        if size <= _FEW:
                            children = iter(element[:])  # type: ignore[index]  # of the stubs
                        break
                    leave(kind)
                if stack and (text := element.tail):
                    add(text, element, self._tails)
            else:
                if not stack or len(self.texts) >= MOST_BLOCKS:
                    self._flush()
                    self.cut = bool(stack)
                    return
                children, element, kind = stack.pop()
                leave(kind)
                if stack and (text := element.tail):
                    add(text, element, self._tails)

    def _enter(self, element: Element) -> int:
        """The kind of an element; DROP for one that is not walked into."""
        kind = self._kinds.get(element.tag, BLOCK)
        if kind >= BUTTON:
            kind = self._enter_odd(element, kind)
        if kind == LINK:
            if not self._open_links:
                self._link, self._link_box = element, self._box
                self._link_first = len(self.texts) + bool(self._parts)
                self._holds_box = False
            self._open_links += 1
            self._links += 1
        elif LINK < kind < DROP and not self._open_box(element, kind):
            return DROP
        return kind

    def _add(self, text: str, owner: Element, owners: list[Element]) -> None:
        """Put text into the block; blanks in front of it do not count, but in code."""
        if not text.isspace():
            self._parts.append(text)
            self._broken = False
            if self._open_links:
                self._link_chars += len(text.strip())
        elif self._parts or self._kinds is IN_PRE:
            self._parts.append(" ")
        else:
            return
        owners.append(owner)

    def _enter_odd(self, element: Element, kind: int) -> int:
        """How to take an element that is seldom walked into."""
        if kind == BUTTON:
            if self._box >= 0 and self._rows[self._box][_LEVEL]:
                return INLINE
            self._flush()
            if is_panel_button(element):
                return BLOCK
        elif kind == BREAK:
            self._break_line(element)
        elif kind == ATOM:
            self.atoms.append((element, len(self.texts)))
            self._parts.append(" ")
        elif kind == SVG:
            block = next(element.iterdescendants(*BLOCKS_IN_SVG), None)
            if block is not None:
                return INLINE
        elif element.tag == "img":
            self._images.append(element)
            self.image_places.append(len(self.texts))
        elif element.tag == "script" and (element.get("type") or "").startswith("math/tex"):
            self.atoms.append((element, len(self.texts)))
        return DROP

    def _break_line(self, element: Element) -> None:
        """One line break is white space, two end the block."""
        if self._broken:
            self._flush()
        elif self._parts:
            self._parts.append(" ")
            self.atoms.append((element, len(self.texts)))
            self._broken = True

    def _open_box(self, element: Element, kind: int) -> bool:
        """Start a box; false for one that is never the point of a page."""
        if kind == PRE:
            self._kinds = IN_PRE
        if self._parts:
            self._flush()
        parent, tag, rows = self._box, element.tag, self._rows
        above = level = 0
        if parent >= 0:
            row = rows[parent]
            above, level = row[_FLAGS], row[_LEVEL]
        flags = above | FLAGS.get(tag, 0)
        names: list[str] = element.keys()  # type: ignore[assignment]  # never bytes in HTML
        label = identity = ""
        if names == _CLASS_ONLY:  # as most are that have any
            label = element.get("class") or ""
            if ("hid" in label or "none" in label) and is_hidden(element, names, label):
                flags |= HIDDEN_FLAG
        elif names:
            role = (element.get("role") or "").strip().lower()
            flags |= FLAG_OF_ROLE.get(role, 0)
            self.has_role_table |= flags & TABLE_ROLE_FLAG > 0
            label = element.get("class") or ""
            identity = element.get("id") or ""
            if is_hidden(element, names, label):
                flags |= HIDDEN_FLAG
        fresh = flags & ~above
        if fresh & OUTSIDE and is_superfluous(element, fresh, above):
            return False
        level = HEADINGS.get(tag, level)
        self._holds_box = True
        self._box = len(rows)
        rows.append((parent, tag, label, identity, flags, level, len(self.texts)))
        self._last.append(0)
        return True

    def _leave(self, kind: int) -> None:
        """End an element of a kind: a link or a box."""
        if kind == INLINE:
            return
        if kind == LINK:
            self._open_links -= 1
            if not self._open_links and self._holds_box:
                self._end_card()
            return
        if kind == PRE:
            self._kinds = KINDS
        if self._parts:
            self._flush()
        box, blocks = self._box, len(self.texts)
        row = self._rows[box]
        self._box = row[_PARENT]
        if row[_FIRST] == blocks:
            # nothing in it, so everything behind it in the table is empty as well
            del self._rows[box:], self._last[box:]
        else:
            self._last[box] = blocks

    def _end_card(self) -> None:
        """Remember a link that holds boxes, if it holds several blocks."""
        first, last = self._link_first, len(self.texts) + bool(self._parts)
        if last - first < 2 or self._link_box < 0 or self._link is None:
            return
        names = self._link.get("class") or ""
        self.cards.append((self._link_box, names, first, last))

    def _flush(self) -> None:
        """End the block."""
        parts = self._parts
        self._broken = False
        if not parts:
            return
        text = parts[0] if len(parts) == 1 else "".join(parts)
        text = " ".join(text.split())
        self._parts = []
        if text and self._box >= 0:
            chars, links = self._link_chars, self._links
            if chars:
                chars, links = min(chars, len(text)), links or 1
            self.texts.append(text)
            self._blocks.append((self._box, chars, links))
            self.owners.append((self._heads, self._tails))
        self._heads, self._tails = [], []
        self._link_chars = self._links = 0


class ChosenParts:
    """The elements that some blocks are made of, and all those around them."""

    def __init__(self, walk: Walk, blocks: AbstractSet[int], more: list[Element]) -> None:
        self._parts: dict[Element, int] = defaultdict(int)
        for element in more:
            self._open_way(element)
        for element, block in walk.atoms:
            if block in blocks:
                self._open_way(element)
        for block in blocks:
            heads, tails = walk.owners[block]
            for element in heads:
                self._parts[element] |= TEXT
                self._open_way(element)
            for element in tails:
                self._parts[element] |= TAIL
                self._open_way(element.getparent())

    def among(self, elements: list[Element]) -> list[tuple[Element, int]]:
        """Those of some elements that are chosen, each with what is chosen of it."""
        chosen = []
        for element in elements:
            if element in self._parts:
                chosen.append((element, self._parts[element]))
        return chosen

    def children(self, element: Element) -> list[Child]:
        """The children of an element that are chosen, each with what is chosen of it. Of a row, all
        cells: without the empty ones the others would stand in the wrong columns.
        """
        is_row = element.tag == "tr"
        chosen: list[Child] = []
        for child in element:
            parts = self._parts.get(child, 0)
            if is_row and not parts and child.tag in _CELLS:
                parts = INSIDE
            if parts:
                chosen.append(take_child(child, parts))
        return chosen

    def names(self) -> frozenset[str]:
        """The classes and ids of the elements that are walked into, in lower case."""
        values: set[str] = set()
        for element, parts in self._parts.items():
            if parts & INSIDE:
                values.update((element.get("class") or "", element.get("id") or ""))
        return frozenset(" ".join(values).lower().split())

    def _open_way(self, element: Element | None) -> None:
        """Let the walk come to an element and go into it."""
        while element is not None and not self._parts[element] & INSIDE:
            self._parts[element] |= INSIDE
            element = element.getparent()
