"""Walk through elements of a page and write blocks.

`Scope` yields the elements and texts that are read, `elements.py` has the action of each tag, and
`HiddenNodes` what is not visible. The walker has the state that actions change: the pieces and open
spans of the current block, and the finished blocks. It has its own stack, because pages nest deeper
than Python's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from webquarry._read.html.inline_boxes import SIDE_BY_SIDE, are_apart, holds_boxes
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.tree import first_texts, has_text
from webquarry._read.markdown.actions import (
    BOX_TAGS,
    ROLE_HEADING,
    SKIP,
    Action,
    Element,
    Leave,
    skip,
)
from webquarry._read.markdown.blocks import Block, Blocks, write_marked
from webquarry._read.markdown.footnotes import Footnotes
from webquarry._read.markdown.formulas import is_formula_image
from webquarry._read.markdown.inline import BREAK, CLOSE, Piece, Span, render_inline
from webquarry._read.markdown.links import Links
from webquarry._read.style.styles import HiddenNodes
from webquarry._read.text.escape import escape_line_starts

if TYPE_CHECKING:
    from webquarry._read.markdown.lists import Definitions, Listing
    from webquarry._read.markdown.tables import Table

# Parts of an element that are read, as bits: its children, its `text`, its `tail`; and whether it
# has children.
INSIDE, TEXT, TAIL = 1, 2, 4
HOLDS = 8

_MAX_HEADING = 300  # characters; a longer heading contains what follows it
_MAX_HEADING_TEXTS = 100  # pieces of text in it
_MARKS_BETWEEN = 6  # pieces in which the text before an inline element is searched
_BOLD = "**"

# An element, its parts, tag and attribute names, and those of its `text` and `tail` that are read.
Child = tuple[Element, int, str, list[str], str | None, str | None]
# Remaining siblings, the element, the function for its end, and whether it changed `muted`.
_OpenElement = tuple[Iterator[Child], Child, Leave, bool]
_Frame = tuple[list[Piece], list[Span], Blocks, "list[Listing]", int, Mapping[object, Action]]


class Parts(Protocol):
    """Selects the elements that a walk reads."""

    def among(self, elements: list[Element]) -> Iterable[tuple[Element, int]]:
        """Return those of the elements that are read, with their parts."""

    def children(self, element: Element) -> Iterable[Child]:
        """Return the children that are read; empty if there are none."""


class AllParts:
    """Selects everything."""

    def among(self, elements: list[Element]) -> Iterable[tuple[Element, int]]:
        return [(element, INSIDE | TEXT) for element in elements]

    def children(self, element: Element) -> Iterable[Child]:
        return map(_take_whole, element)


def _take_whole(element: Element) -> Child:
    return _take(element, INSIDE | TEXT | TAIL)


def _take(element: Element, parts: int) -> Child:
    names: list[str] = element.keys()  # type: ignore[assignment]  # never bytes in HTML
    if len(element):
        parts |= HOLDS
    text = element.text if parts & TEXT else None
    tail = element.tail if parts & TAIL else None
    return element, parts, element.tag, names, text, tail


_ALL_PARTS = AllParts()


@dataclass(frozen=True, slots=True)
class Scope:
    """What a walk reads; by default all that is visible in a page."""

    parts: Parts = _ALL_PARTS
    fallback_tags: frozenset[str] = frozenset()  # read although browsers with scripts skip them


class Walker:
    """Walks through the parts of a scope and writes blocks."""

    def __init__(
        self,
        hidden: HiddenNodes,
        links: Links,
        footnotes: Footnotes,
        page_info: PageInfo,
        scope: Scope,
        actions: Mapping[object, Action],
        actions_in_code: Mapping[object, Action],
    ) -> None:
        self.hidden = hidden
        self.muted: str | None = None  # why text is not visible
        self.is_undecided = False  # rules about a hidden element were not matched
        self.typesets_tex = page_info.typesets_tex
        self.links = links
        self.footnotes = footnotes
        self.scope = scope
        self.removed: Counter[str] = Counter()
        self.shown = 0  # characters of visible text
        self.pieces: list[Piece] = []
        self.spans: list[Span] = []
        self.blocks = Blocks()
        self.lists: list[Listing] = []
        self.tables: list[Table | None] = [None]  # None outside, and for a layout table
        self.heading = 0
        self.heading_is_short = True
        self.definitions: list[Definitions] = []
        self.drawings = 0
        self.cells = 0  # open cells of data tables
        self.actions = actions
        self._page_actions = actions
        self._code_actions = actions_in_code
        self._muted_before: list[str | None] = []  # outside of the elements that changed `muted`
        self._restyled = False  # the last entered element changed `muted`
        self._boxes_in: Element | None = None  # the last element asked for inline boxes
        self._holds_boxes = False
        self._frames: list[_Frame] = []  # states of the walk outside of a cell or code

    def walk(self, elements: Iterable[Element]) -> None:
        """Walk through elements, without their tails."""
        for root, parts in self.scope.parts.among(list(elements)):
            self._walk_tree(_take(root, parts))
            self.flush()

    def _walk_tree(self, root: Child) -> None:
        get_children = self.scope.parts.children
        open_elements: list[_OpenElement] = []
        children = iter([root])
        tag_before: object = None  # of the sibling directly before, without text between
        while True:
            for child in children:
                element, parts, tag, names, text, _ = child
                leave: Leave = SKIP
                restyled = False
                if parts & INSIDE:
                    if tag_before in SIDE_BY_SIDE and tag in SIDE_BY_SIDE:
                        self._separate(element)
                    leave = self._enter(element, tag, names)
                    restyled = self._restyled
                    if text and leave is not SKIP:
                        self._take_text(text)
                if leave is not SKIP and parts & HOLDS:
                    open_elements.append((children, child, leave, restyled))
                    children = iter(get_children(element))
                    tag_before = None
                    break
                tag_before = self._leave(child, leave, restyled)
            else:
                if not open_elements:
                    return
                children, child, leave, restyled = open_elements.pop()
                tag_before = self._leave(child, leave, restyled)

    def _leave(self, child: Child, leave: Leave, restyled: bool) -> object:
        """End an element and take its tail; return its tag if nothing follows."""
        element, _, tag, _, _, tail = child
        if leave is not None and leave is not SKIP:
            leave(self, element)
        if restyled:
            self.muted = self._muted_before.pop()
        if not tail:
            return tag
        self._take_text(tail)
        return None

    def _separate(self, element: Element) -> None:
        """Add a space before an inline element that only the layout separates from the last."""
        if self.actions is not self._page_actions:
            return
        for piece in self.pieces[: -_MARKS_BETWEEN - 1 : -1]:
            if isinstance(piece, str):
                if are_apart(element, piece) and self._is_box(element):
                    self.pieces.append(" ")
                return

    def _is_box(self, element: Element) -> bool:
        """Whether the parent holds inline boxes; the last answer is kept."""
        parent = element.getparent()
        if parent is not self._boxes_in:
            self._boxes_in = parent
            self._holds_boxes = parent is not None and holds_boxes(parent)
        return self._holds_boxes

    def _enter(self, element: Element, tag: str, names: list[str]) -> Leave:
        """Start an element: leave it out if it is hidden, or run its action."""
        action = self.actions.get(tag)
        hidden = self.hidden
        self._restyled = False
        # formulas are only hidden from screen readers
        if (
            element in hidden.elements
            and action is not skip
            and not (tag == "img" and is_formula_image(element))
        ):
            self.is_undecided = self.is_undecided or element in hidden.undecided
            if has_text(element) or element.get("alt"):
                self.removed[hidden.elements[element]] += 1
            return SKIP
        if element in hidden.texts:
            self._muted_before.append(self.muted)
            self.muted = hidden.texts[element]
            self._restyled = True
        if "role" in names and self._is_role_heading(element, action):
            action = self.actions.get(ROLE_HEADING)
        if action is None:
            return None
        return action(self, element)

    def _is_role_heading(self, element: Element, action: Action | None) -> bool:
        """Whether a box or an inline element is a heading by its role."""
        return (action is None or element.tag in BOX_TAGS) and element.get("role") == "heading"

    def _take_text(self, text: str) -> None:
        """Add text to the block if it is visible."""
        muted = self.muted
        if muted is None:
            self.shown += len(text)
            if self.pieces or not text.isspace():
                self.pieces.append(text)
        elif not text.isspace():
            self.removed[muted] += 1

    def leave_out(self, element: Element, reason: str) -> None:
        """Count an element that is left out, if it has text."""
        if has_text(element):
            self.removed[reason] += 1

    def open_span(self, kind: str, target: str = "") -> bool:
        """Start a span; return False if one of its kind is open already."""
        for span in self.spans:
            if span.kind == kind:
                return False
        span = Span(kind, target)
        self.spans.append(span)
        self.pieces.append(span)
        return True

    def close_span(self) -> None:
        """End the innermost span."""
        self.spans.pop()
        self.pieces.append(CLOSE)

    def flush(self) -> None:
        """End the block. Open spans continue in the next one."""
        pieces, spans = self.pieces, self.spans
        if len(pieces) <= len(spans):
            return
        closed = [*pieces, *[CLOSE] * len(spans)]
        text = render_inline(closed, self.removed, typesets_tex=self.typesets_tex)
        pieces[:] = spans
        if text:
            self._add_block(text)

    def end_block(self) -> None:
        """End the block; boxes do not divide a short heading."""
        if self.heading and self.heading_is_short:
            if self.pieces:
                self.pieces.append(" ")
        elif self.pieces:
            self.flush()

    def _add_block(self, text: str) -> None:
        """Add a paragraph or a heading."""
        level, self.heading = self.heading, 0
        if not level:
            if not self.cells:
                text = escape_line_starts(text)
            self.blocks.add(text)
            return
        text = text.replace("\n", " ")
        is_bold = text.startswith(_BOLD) and text.endswith(_BOLD) and text.count(_BOLD) == 2
        if is_bold and len(text) > 2 * len(_BOLD):
            text = text[len(_BOLD) : -len(_BOLD)]
        if self.cells:
            self.blocks.add(f"{_BOLD}{text}{_BOLD}")
        else:
            self.blocks.add(Block("heading", text, level))

    def start_heading(self, element: Element, level: int) -> None:
        """Make the next block a heading."""
        self.flush()
        self.heading = level
        self.heading_is_short = True
        if len(element):
            texts = first_texts(element, _MAX_HEADING_TEXTS + 2, _MAX_HEADING + 1)
            is_few = len(texts) <= _MAX_HEADING_TEXTS + 1
            self.heading_is_short = is_few and sum(map(len, texts)) <= _MAX_HEADING

    def break_line(self) -> None:
        """Add a line break; two in a row end the block."""
        pieces = self.pieces
        if self.heading:
            pieces.append(" ")
            return
        while pieces:
            last = pieces[-1]
            if type(last) is not str or last is BREAK or not last.isspace():
                break
            pieces.pop()
        if pieces and pieces[-1] is BREAK:
            pieces.pop()
            self.flush()
        elif len(pieces) > len(self.spans):
            pieces.append(BREAK)

    def collect_blocks(self) -> None:
        """Start the content of a cell."""
        self._save_state()
        self.pieces = []
        self.blocks, self.lists = Blocks(), []

    def finish_blocks(self) -> str:
        """Return the content of a cell as Markdown."""
        self.flush()
        text = write_marked(self.blocks)
        self._restore_state()
        return text

    def collect_code(self) -> None:
        """Start code."""
        self._save_state()
        self.pieces = [""]
        self.actions = self._code_actions

    def finish_code(self) -> str:
        """Return the text of code."""
        texts = [piece for piece in self.pieces if isinstance(piece, str)]
        self._restore_state()
        return "".join(texts)

    def _save_state(self) -> None:
        frame = (
            self.pieces,
            self.spans,
            self.blocks,
            self.lists,
            self.heading,
            self.actions,
        )
        self._frames.append(frame)
        self.spans, self.heading = [], 0

    def _restore_state(self) -> None:
        (
            self.pieces,
            self.spans,
            self.blocks,
            self.lists,
            self.heading,
            self.actions,
        ) = self._frames.pop()
