"""Walk through elements of a page and write blocks.

`Scope` yields the elements and texts that are read, `actions.py` has the action of each tag, and
`HiddenNodes` the invisible nodes. The walker has the state that actions change: the pieces and open
spans of the current block, and the finished blocks. It has its own stack, because pages nest deeper
than Python's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from lxml import etree

from webquarry._read.html.inline_boxes import SIDE_BY_SIDE, are_apart, holds_boxes
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.tree import first_texts, has_text
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

Element = etree._Element
Action = Callable[["Walker", Element], Iterator[None]]
# Tags that mean nothing but a box; `role` may make a heading of it.
BOX_TAGS = frozenset(
    """
    address article aside body caption center details dialog div fieldset figcaption figure footer
    form head header hgroup html legend main marquee optgroup p search section
    """.split()  # noqa: SIM905
)
ROLE_HEADING = "role=heading"  # key of the action of elements with this role
_SKIPPED = object()  # of an action that has not yielded

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
# Remaining siblings, the element, its running action, and whether it changed `muted`.
_OpenElement = tuple[Iterator[Child], Child, Iterator[None] | None, bool]
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


def skip(walker: Walker, element: Element) -> Iterator[None]:
    """Skip an element that is never visible."""
    yield from ()


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
                is_read = restyled = False
                running: Iterator[None] | None = None
                if parts & INSIDE:
                    if tag_before in SIDE_BY_SIDE and tag in SIDE_BY_SIDE:
                        self._separate(element)
                    action = self._find_action(element, tag, names)
                    restyled = self._restyled
                    running = action(self, element) if action is not None else None
                    is_read = running is None or next(running, _SKIPPED) is not _SKIPPED
                    if text and is_read:
                        self._take_text(text)
                if is_read and parts & HOLDS:
                    open_elements.append((children, child, running, restyled))
                    children = iter(get_children(element))
                    tag_before = None
                    break
                tag_before = self._leave(child, running, restyled)
            else:
                if not open_elements:
                    return
                children, child, running, restyled = open_elements.pop()
                tag_before = self._leave(child, running, restyled)

    def _leave(self, child: Child, running: Iterator[None] | None, restyled: bool) -> object:
        """End an element and take its tail; return its tag if nothing follows."""
        _, _, tag, _, _, tail = child
        if running is not None:
            next(running, None)
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
        """Whether the parent holds inline boxes; the last result is cached."""
        parent = element.getparent()
        if parent is not self._boxes_in:
            self._boxes_in = parent
            self._holds_boxes = parent is not None and holds_boxes(parent)
        return self._holds_boxes

    def _find_action(self, element: Element, tag: str, names: list[str]) -> Action | None:
        """Return the action of an element: `skip` if it is hidden, None for a part of its line."""
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
            return skip
        if element in hidden.texts:
            self._muted_before.append(self.muted)
            self.muted = hidden.texts[element]
            self._restyled = True
        may_be_heading = "role" in names and (action is None or tag in BOX_TAGS)
        if may_be_heading and element.get("role") == "heading":
            return self.actions.get(ROLE_HEADING)
        return action

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

    def end_code_line(self) -> None:
        """End a line of code, unless it has just ended."""
        last = next(filter(None, reversed(self.pieces)), None)
        if isinstance(last, str) and not last.endswith(("\n", BREAK)):
            self.pieces.append(BREAK)

    def _save_state(self) -> None:
        self._frames.append(
            (self.pieces, self.spans, self.blocks, self.lists, self.heading, self.actions)
        )
        self.spans, self.heading = [], 0

    def _restore_state(self) -> None:
        state = self._frames.pop()
        self.pieces, self.spans, self.blocks, self.lists, self.heading, self.actions = state
