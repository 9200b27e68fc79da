"""A parsed page -> its flow: blocks of text in order, and the table of the elements they stand in.

One walk. A block is what stands between two box boundaries; inline tags add to it. Blocks are contiguous for every
element, so whatever is to be known about a subtree is a difference of two running sums over blocks. What a person cannot
see is only flagged here, by its own attributes; `render.py` leaves it out. What is never the point of a page
(navigation, its footers, dialogs) does not become a block at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from webquarry.read.html import Document
from webquarry.read.main_content.head import read_head
from webquarry.read.main_content.tags import (
    ATOM,
    BLOCK,
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
    OUTSIDE,
    PRE,
    SVG,
    is_hidden,
    is_panel_button,
    is_superfluous,
)

_MOST_BLOCKS = 20_000  # more than any page a person reads; of such a page nothing is judged
_CLASS_ONLY = ["class"]
_FEW = 200  # children that are asked for at once, which is quicker than one by one but takes memory for all
_BLOCKS_IN_SVG = ("p", "div", "h1", "h2", "h3", "ul", "ol", "table", "section", "article", "main")

Element = etree._Element


class Flow:
    """Blocks (parallel lists, one entry a block) and box elements (one entry an element, parents before children)."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.boxes: list[int] = []  # the innermost element of the table that holds the block
        self.link_chars: list[int] = []
        self.links: list[int] = []
        self.heads: list[list[Element]] = []  # elements whose text is in the block
        self.tails: list[list[Element]] = []  # elements with text behind them that is in the block
        self.atoms: list[tuple[Element, int]] = []  # formulas and breaks, and the block they stand in or before
        self.images: list[tuple[Element, int]] = []  # and the block that each stands in or before
        self.parents: list[int] = []
        self.tags: list[str] = []
        self.names: list[str] = []  # the class attribute, as it stands in the page
        self.ids: list[str] = []
        self.flags: list[int] = []
        self.levels: list[int] = []  # of the heading around or at the element; 0 for none
        self.first: list[int] = []
        self.last: list[int] = []  # one past the last block
        self.title = ""
        self.topic: tuple[str, ...] = ()
        self.is_article = 0  # 1 for a page whose metadata says so, 2 where structured data does
        self.cut = False


def flow_of(document: Document) -> Flow:
    """The blocks of a page."""
    builder = _Builder()
    builder.walk(document.roots)
    flow = builder.finish()
    head = read_head(document)
    flow.title, flow.topic, flow.is_article = head.title, head.topic, head.kind
    return flow


class _Builder:
    """Fills a flow while it walks."""

    def __init__(self) -> None:
        self.flow = Flow()
        self._kinds = KINDS
        self._parts: list[str] = []
        self._heads: list[Element] = []
        self._tails: list[Element] = []
        self._link_chars = 0
        self._links = 0
        self._open_links = 0
        self._box = -1
        self._rows: list[tuple[int, str, str, str, int, int, int]] = []  # the columns of the table, as rows
        self._last: list[int] = []
        self._blocks: list[tuple[int, int, int, list[Element], list[Element]]] = []  # of blocks, likewise
        self._broken = False  # the last thing in the block is a line break

    def walk(self, roots: Sequence[Element]) -> None:
        """Walk through the page with a stack of its own; no depth of nesting can exhaust Python's."""
        stack: list[tuple[Iterator[Element], Element, int]] = []
        children = iter(roots)
        open_box, leave, add, texts = self._open_box, self._leave, self._add, self.flow.texts
        while True:
            for element in children:
                kind = self._kinds.get(element.tag, BLOCK)
                if kind >= BUTTON:
                    kind = self._odd_kind(element, kind)
                elif kind == LINK:
                    self._open_links += 1
                    self._links += 1
                if kind <= LINK or (kind < DROP and open_box(element, kind)):
                    if (text := element.text) and (self._parts or not text.isspace() or self._kinds is IN_PRE):
                        add(text, element, self._heads)
                    if size := len(element):
                        stack.append((children, element, kind))
                        children = iter(element[:] if size <= _FEW else element)  # type: ignore[index]  # of the stubs
                        break
                    if kind:
                        leave(kind)
                if (text := element.tail) and (self._parts or not text.isspace() or self._kinds is IN_PRE) and stack:
                    add(text, element, self._tails)
            else:
                if not stack or len(texts) >= _MOST_BLOCKS:
                    self._flush()
                    self.flow.cut = bool(stack)
                    return
                children, element, kind = stack.pop()
                if kind:
                    leave(kind)
                if (text := element.tail) and (self._parts or not text.isspace() or self._kinds is IN_PRE) and stack:
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
            if self._box >= 0 and self._rows[self._box][5]:
                return INLINE
            self._flush()
            return BLOCK if is_panel_button(element) else DROP
        if kind == BREAK:
            self._break_line(element)
        elif kind == ATOM:
            self.flow.atoms.append((element, len(self.flow.texts)))
            self._parts.append(" ")
        elif kind == SVG and len(element) and next(element.iterdescendants(*_BLOCKS_IN_SVG), None) is not None:
            return INLINE
        elif element.tag == "img":
            self.flow.images.append((element, len(self.flow.texts)))
        elif element.tag == "script" and (element.get("type") or "").startswith("math/tex"):
            self.flow.atoms.append((element, len(self.flow.texts)))
        return DROP

    def _break_line(self, element: Element) -> None:
        if self._broken:
            self._flush()
        elif self._parts:
            self._parts.append(" ")
            self.flow.atoms.append((element, len(self.flow.texts)))
            self._broken = True

    def _open_box(self, element: Element, kind: int) -> bool:
        """Start a box; false for one that is never the point of a page."""
        if kind == PRE:
            self._kinds = IN_PRE
        if self._parts:
            self._flush()
        parent, tag, rows = self._box, element.tag, self._rows
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
        rows.append((parent, tag, label, identity, flags, HEADINGS.get(tag, level), len(self.flow.texts)))
        self._last.append(0)
        return True

    def _leave(self, kind: int) -> None:
        if kind == LINK:
            self._open_links -= 1
            return
        if kind == PRE:
            self._kinds = KINDS
        if self._parts:
            self._flush()
        box, blocks = self._box, len(self.flow.texts)
        row = self._rows[box]
        self._box = row[0]
        if row[6] == blocks:  # nothing in it, so everything behind it in the table is empty as well
            del self._rows[box:], self._last[box:]
        else:
            self._last[box] = blocks

    def finish(self) -> Flow:
        """The flow, its table turned into columns; boxes that were still open when the walk was cut end here."""
        flow = self.flow
        flow.last = [last or len(flow.texts) for last in self._last]
        if self._rows:
            columns = map(list, zip(*self._rows, strict=True))
            flow.parents, flow.tags, flow.names, flow.ids, flow.flags, flow.levels, flow.first = columns
        if self._blocks:
            columns = map(list, zip(*self._blocks, strict=True))
            flow.boxes, flow.link_chars, flow.links, flow.heads, flow.tails = columns
        return flow

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
            self.flow.texts.append(text)
            self._blocks.append((self._box, chars, links, self._heads, self._tails))
        self._heads, self._tails = [], []
        self._link_chars = self._links = 0
