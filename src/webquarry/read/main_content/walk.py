"""The walk through a page that makes its blocks, in Python: used where the compiled one
(`_walk.pyx`) could not be built.

Both have the same names and give the same blocks; a change to one is a change to both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from lxml import etree

from webquarry.read.main_content.tags import (
    ATOM,
    BLOCK,
    BLOCKS_IN_SVG,
    BREAK,
    BUTTON,
    DROP,
    FLAG_OF_ROLE,
    FLAGS,
    HEAD,
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
    TAIL,
    WAY,
    is_hidden,
    is_panel_button,
    is_superfluous,
)

_CLASS_ONLY = ["class"]
# children that are asked for at once, which is quicker than one by one but takes memory for all
_FEW = 200

Element = etree._Element


class Walk:
    """Goes through a page once, and then knows its blocks, its boxes and the elements that the text
    came from.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.blocks: list[tuple[int, int, int]] = []  # box, characters of links, links
        self.rows: list[
            tuple[int, str, str, str, int, int, int]
        ] = []  # parent, tag, class, id, flags, level, first block
        self.last: list[int] = []  # one past the last block of each row; 0 while it is open
        self.image_places: list[int] = []  # the block that each image stands in or before
        self.cut = False  # the page has more blocks than are looked at
        self._kinds = KINDS
        self._parts: list[str] = []
        self._heads: list[Element] = []
        self._tails: list[Element] = []
        self._link_chars = 0
        self._links = 0
        self._open_links = 0
        self._box = -1
        self._broken = False  # the last thing in the block is a line break
        self.owners: list[
            tuple[list[Element], list[Element]]
        ] = []  # whose own text, and what behind whom, is in a block
        self.atoms: list[
            tuple[Element, int]
        ] = []  # formulas and breaks, and the block they stand in or before
        self._images: list[Element] = []

    def images(self, blocks: AbstractSet[int]) -> list[Element]:
        """The images that stand in or before some blocks."""
        return [
            element
            for element, block in zip(self._images, self.image_places, strict=True)
            if block in blocks
        ]

    def chosen(self, blocks: AbstractSet[int], more: list[Element]) -> Chosen:
        """What some blocks, and some elements more, are made of."""
        return Chosen(self, blocks, more)

    def walk(self, roots: Sequence[Element]) -> None:
        """Walk through the page with a stack of its own; no depth of nesting can exhaust Python's."""
        stack: list[tuple[Iterator[Element], Element, int]] = []
        children = iter(roots)
        open_box, leave, add, texts = self._open_box, self._leave, self._add, self.texts
        while True:
            for element in children:
                kind = self._kinds.get(element.tag, BLOCK)
                if kind >= BUTTON:
                    kind = self._odd_kind(element, kind)
                elif kind == LINK:
                    self._open_links += 1
                    self._links += 1
                if kind <= LINK or (kind < DROP and open_box(element, kind)):
                    if (text := element.text) and (
                        self._parts or not text.isspace() or self._kinds is IN_PRE
                    ):
                        add(text, element, self._heads)
                    if size := len(element):
                        stack.append((children, element, kind))
                        children = iter(element[:] if size <= _FEW else element)  # type: ignore[index]  # of the stubs
                        break
                    if kind:
                        leave(kind)
                if (
                    (text := element.tail)
                    and (self._parts or not text.isspace() or self._kinds is IN_PRE)
                    and stack
                ):
                    add(text, element, self._tails)
            else:
                if not stack or len(texts) >= MOST_BLOCKS:
                    self._flush()
                    self.cut = bool(stack)
                    return
                children, element, kind = stack.pop()
                if kind:
                    leave(kind)
                if (
                    (text := element.tail)
                    and (self._parts or not text.isspace() or self._kinds is IN_PRE)
                    and stack
                ):
                    add(text, element, self._tails)

    def _add(self, text: str, owner: Element, owners: list[Element]) -> None:
        owners.append(owner)
        if text.isspace():
            self._parts.append(" ")
        else:
            self._parts.append(text)
            self._broken = False
            if self._open_links:
                self._link_chars += len(text.strip())

    def _odd_kind(self, element: Element, kind: int) -> int:
        """How to take an element that is seldom walked into."""
        if kind == BUTTON:
            if self._box >= 0 and self.rows[self._box][5]:
                return INLINE
            self._flush()
            if is_panel_button(element):
                return BLOCK
            return DROP
        if kind == BREAK:
            self._break_line(element)
        elif kind == ATOM:
            self.atoms.append((element, len(self.texts)))
            self._parts.append(" ")
        elif (
            kind == SVG
            and len(element)
            and next(element.iterdescendants(*BLOCKS_IN_SVG), None) is not None
        ):
            return INLINE
        elif element.tag == "img":
            self._images.append(element)
            self.image_places.append(len(self.texts))
        elif element.tag == "script" and (element.get("type") or "").startswith("math/tex"):
            self.atoms.append((element, len(self.texts)))
        return DROP

    def _break_line(self, element: Element) -> None:
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
        parent, tag, rows = self._box, element.tag, self.rows
        if parent >= 0:
            _, _, _, _, above, level, _ = rows[parent]
        else:
            above = level = 0
        flags = above | FLAGS.get(tag, 0)
        names: list[str] = element.keys()  # type: ignore[assignment]  # bytes are for other uses of lxml
        label = identity = ""
        if names == _CLASS_ONLY:  # as most are that have any
            label = element.get("class") or ""
            if ("hid" in label or "none" in label) and is_hidden(element, names, label):
                flags |= HIDDEN_FLAG
        elif names:
            if "role" in names:
                flags |= FLAG_OF_ROLE.get((element.get("role") or "").strip().lower(), 0)
            label = element.get("class") or ""
            if "id" in names:
                identity = element.get("id") or ""
            if is_hidden(element, names, label):
                flags |= HIDDEN_FLAG
        fresh = flags & ~above
        if fresh & OUTSIDE and is_superfluous(element, fresh, above):
            return False
        self._box = len(rows)
        rows.append(
            (parent, tag, label, identity, flags, HEADINGS.get(tag, level), len(self.texts))
        )
        self.last.append(0)
        return True

    def _leave(self, kind: int) -> None:
        if kind == LINK:
            self._open_links -= 1
            return
        if kind == PRE:
            self._kinds = KINDS
        if self._parts:
            self._flush()
        box, blocks = self._box, len(self.texts)
        row = self.rows[box]
        self._box = row[0]
        if row[6] == blocks:  # nothing in it, so everything behind it in the table is empty as well
            del self.rows[box:], self.last[box:]
        else:
            self.last[box] = blocks

    def _flush(self) -> None:
        """End the block."""
        parts = self._parts
        self._broken = False
        if not parts:
            return
        text = " ".join((parts[0] if len(parts) == 1 else "".join(parts)).split())
        self._parts = []
        if text and self._box >= 0:
            chars, links = self._link_chars, self._links
            if chars:
                chars, links = min(chars, len(text)), links or 1
            self.texts.append(text)
            self.blocks.append((self._box, chars, links))
            self.owners.append((self._heads, self._tails))
        self._heads, self._tails = [], []
        self._link_chars = self._links = 0


class Chosen:
    """The elements that some blocks are made of, and all those around them."""

    def __init__(self, walk: Walk, blocks: AbstractSet[int], more: list[Element]) -> None:
        self._parts: dict[Element, int] = defaultdict(int)
        ways: list[Element | None] = [
            *more,
            *(element for element, block in walk.atoms if block in blocks),
        ]
        for block in blocks:
            heads, tails = walk.owners[block]
            for element in heads:
                self._parts[element] |= HEAD
                ways.append(element)
            for element in tails:
                self._parts[element] |= TAIL
                ways.append(element.getparent())
        for way in ways:
            self._open_way(way)

    def among(self, elements: list[Element]) -> list[tuple[Element, int]]:
        """Those of some elements that are chosen, each with what it is."""
        return [(element, self._parts[element]) for element in elements if element in self._parts]

    def children(self, element: Element) -> list[tuple[Element, int]]:
        """The children of an element that are chosen, each with what it is."""
        return self.among(list(element))

    def names(self) -> frozenset[str]:
        """The classes and ids of the elements that are walked into, in lower case."""
        ways = [element for element, parts in self._parts.items() if parts & WAY]
        values = {value for way in ways for value in (way.get("class"), way.get("id")) if value}
        return frozenset(" ".join(values).lower().split())

    def _open_way(self, element: Element | None) -> None:
        while element is not None and not self._parts[element] & WAY:
            self._parts[element] |= WAY
            element = element.getparent()
