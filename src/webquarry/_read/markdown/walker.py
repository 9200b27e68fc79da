"""The walk through a page: elements in, Markdown blocks out.

One pass with a stack of its own, so that no depth of nesting can exhaust Python's. Which elements
it comes to is told by `scope.py`; what a tag means, by `elements.py`; whether a person sees it, by
the visibility tracker. Here is what they work on: the pieces of the block that is being written,
the spans that are open, the blocks that are done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._read.html.class_names import HIDDEN_CLASS
from webquarry._read.html.inline_boxes import SIDE_BY_SIDE, InlineBoxes
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.tree import first_texts, has_text
from webquarry._read.markdown.actions import SKIP, Action, Leave, Vocabulary, skip
from webquarry._read.markdown.blocks import Block, Blocks, write_marked
from webquarry._read.markdown.footnotes import Footnotes
from webquarry._read.markdown.formulas import is_formula_image
from webquarry._read.markdown.inline import BREAK, CLOSE, Inline, Piece, Span
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.scope import HOLDS, INSIDE, Child, WalkScope, take_child
from webquarry._read.markdown.tables import Table
from webquarry._read.style.styles import (
    DISPLAY,
    HIDDEN,
    NO_SIZE,
    SAME_COLOUR,
    TRANSPARENT,
    VISIBILITY,
    Styles,
)
from webquarry._read.text.escape import escape_line_starts

if TYPE_CHECKING:
    from webquarry._read.markdown.lists import Definitions, Listing

# How pages hide themselves until their script has run; the other ways are never undone.
_UNDONE_BY_SCRIPTS = frozenset({HIDDEN, DISPLAY, TRANSPARENT, HIDDEN_CLASS, VISIBILITY, NO_SIZE})
_SHORT_HEADING = 300  # characters; a longer one has swallowed what follows it
_MOST_HEADING_TEXTS = 100  # pieces of text in a short heading
_MARKS_BETWEEN = 6  # pieces in which the text before an inline element is looked for
_BOLD = "**"

# What is left of the siblings of an element, itself with its parts, what to do on leaving it, and
# whether it changed the style that the visibility tracker keeps.
_OpenElement = tuple[Iterator[Child], Child, Leave, bool]
# The state of the walk: pieces, spans, whether there are marks, blocks, lists, heading, actions.
_Frame = tuple[list[Piece], list[Span], bool, Blocks, "list[Listing]", int, dict[object, Action]]


class Walker:
    """Writes Markdown while it walks through what its scope lets it take."""

    def __init__(
        self,
        visibility: Styles,
        links: Links,
        footnotes: Footnotes,
        page_info: PageInfo,
        scope: WalkScope,
        vocabulary: Vocabulary,
    ) -> None:
        self.visibility = visibility
        self.typesets_tex = page_info.typesets_tex
        self.links = links
        self.footnotes = footnotes
        self.scope = scope
        self.removed: Counter[str] = Counter()
        self.fallbacks: list[etree._Element] = []  # passed over, though the page may live there
        self.shown = 0  # characters of the text that was taken
        self.pieces: list[Piece] = []
        self.spans: list[Span] = []
        self.has_marks = False  # the pieces are not all plain text
        self.blocks = Blocks()
        self.lists: list[Listing] = []
        self.tables: list[Table | None] = []  # None for one that only arranges the page
        self.heading = 0
        self.heading_is_short = True
        self.definitions: list[Definitions] = []
        self.drawings = 0
        self.cells = 0  # cells of data tables that are open, one inside the other
        self.actions = vocabulary.actions
        self._vocabulary = vocabulary
        self._usual_actions = vocabulary.actions
        self._watched_tags = visibility.tags
        self._watched = visibility.watched
        self._counts_hidden_skipped = scope.counts_hidden_skipped
        self._script_has_run = scope.script_has_run
        self._restyled = False  # the style of the text changed at the element just entered
        self._inline = Inline(self.removed, typesets_tex=page_info.typesets_tex)
        self._boxes = InlineBoxes()
        self._frames: list[_Frame] = []  # what is put aside while a cell or code is collected

    def walk(self, elements: Iterable[etree._Element]) -> None:
        """Walk through elements and everything in them; the text behind the elements themselves is
        not theirs.
        """
        for root, parts in self.scope.parts.among(list(elements)):
            self._walk_tree(take_child(root, parts))
            self.flush()

    def _walk_tree(self, root: Child) -> None:
        """Walk through one element. What is done on leaving an element stands here twice, because
        a call for every element makes the conversion of a page 1.5 % slower.
        """
        visibility = self.visibility
        get_children = self.scope.parts.children
        open_elements: list[_OpenElement] = []
        children = iter([root])
        tag_before: object = None  # of the element that was left last, if nothing is behind it
        inside, holds = INSIDE, HOLDS
        while True:
            for child in children:
                element, parts, tag, names, text, tail = child
                if parts & inside:
                    if (
                        tag_before is not None
                        and tag in SIDE_BY_SIDE
                        and tag_before in SIDE_BY_SIDE
                    ):
                        self._set_apart(element)
                    leave = self._enter(element, tag, names)
                    restyled = self._restyled
                    if leave is not SKIP:
                        if text:
                            self._take_text(text)
                        if parts & holds and (inner := get_children(element)):
                            open_elements.append((children, child, leave, restyled))
                            children = iter(inner)
                            tag_before = None
                            break
                        if leave is not None:
                            leave(self, element)
                    if restyled:
                        visibility.leave()
                tag_before = tag
                if tail:
                    self._take_text(tail)
                    tag_before = None
            else:
                if not open_elements:
                    return
                children, child, leave, restyled = open_elements.pop()
                element, _, tag, _, _, tail = child
                if leave is not None:
                    leave(self, element)
                if restyled:
                    visibility.leave()
                tag_before = tag
                if tail:
                    self._take_text(tail)
                    tag_before = None

    def _set_apart(self, element: etree._Element) -> None:
        """Put a blank before an inline element that only the layout sets apart from the last."""
        if self.actions is not self._usual_actions:
            return
        for piece in self.pieces[: -_MARKS_BETWEEN - 1 : -1]:
            if isinstance(piece, str):
                if self._boxes.stands_apart(element, piece):
                    self.pieces.append(" ")
                return

    def _enter(self, element: etree._Element, tag: str, names: list[str]) -> Leave:
        """Act on an element. Gives what to do on leaving it, SKIP where nothing in it is taken;
        `_restyled` then says whether the style changes back there.
        """
        visibility = self.visibility
        action = self.actions.get(tag)
        restyled = self._restyled = False
        if (
            (tag in self._watched_tags or (names and self._is_watched(names)))
            and (action is not skip or self._counts_hidden_skipped)
            and not visibility.is_plain(element, names)
        ):
            seen = self._look_at(element, names)
            if seen is None:
                return SKIP
            restyled = seen
            if (
                "role" in names
                and (action is None or tag in self.scope.heading_tags)
                and self.actions is self._usual_actions
                and element.get("role") == "heading"
            ):
                action = self._vocabulary.start_role_heading
        if tag == "a" and visibility.muted == SAME_COLOUR and not restyled and "style" not in names:
            restyled = visibility.enter_link(element, names)
        self._restyled = restyled
        if action is None:
            return None
        return action(self, element)

    def _is_watched(self, names: list[str]) -> bool:
        """Whether one of the attributes may say that an element is not seen."""
        watched = self._watched
        for name in names:  # noqa: SIM110 - a generator takes longer
            if name in watched:
                return True
        return False

    def _look_at(self, element: etree._Element, names: list[str]) -> bool | None:
        """Whether the style of the text changes inside an element; None when nothing of it is
        seen.
        """
        verdict = self.visibility.enter(element, names)
        if isinstance(verdict, bool):
            return verdict
        if self._script_has_run:
            if verdict in _UNDONE_BY_SCRIPTS:
                return False
            self.removed[verdict] += 1
            return None
        if element.tag == "img" and is_formula_image(element):
            return False  # shown to eyes, though hidden from screen readers
        if has_text(element) or element.get("alt"):
            self.removed[verdict] += 1
        return None

    def _take_text(self, text: str) -> None:
        """Put text into the block, if it can be seen."""
        muted = self.visibility.muted
        if muted is None or (muted == VISIBILITY and self._script_has_run):
            self.shown += len(text)
            if self.pieces or not text.isspace():
                self.pieces.append(text)
        elif not text.isspace():
            self.removed[muted] += 1

    def leave_out(self, element: etree._Element, reason: str) -> None:
        """Count an element that is not shown, if there was anything to see in it."""
        if has_text(element):
            self.removed[reason] += 1

    def add_mark(self, piece: Piece) -> None:
        """Put something other than plain text into the block."""
        self.pieces.append(piece)
        self.has_marks = True

    def open_span(self, kind: str, target: str = "") -> bool:
        """Start a span of marked text, unless one of its kind is open already."""
        for span in self.spans:
            if span.kind == kind:
                return False
        span = Span(kind, target)
        self.spans.append(span)
        self.add_mark(span)
        return True

    def close_span(self) -> None:
        """End the span that was opened last."""
        self.spans.pop()
        self.pieces.append(CLOSE)

    def flush(self) -> None:
        """End the block. Spans that are still open go on in the next one."""
        pieces, spans = self.pieces, self.spans
        if len(pieces) <= len(spans):
            return
        if not self.has_marks:
            # without marks there is only text
            text = self._inline.render_plain(pieces)  # type: ignore[arg-type]
        elif spans:
            text = self._inline.render(pieces + [CLOSE] * len(spans))
        else:
            text = self._inline.render(pieces)
        pieces.clear()
        pieces.extend(spans)
        self.has_marks = bool(spans)
        if text:
            self._add_block(text)

    def end_block(self) -> None:
        """End the block, but keep a short heading together, whatever boxes are inside it."""
        if self.heading and self.heading_is_short:
            if self.pieces:
                self.pieces.append(" ")
        elif self.pieces:
            self.flush()

    def _add_block(self, text: str) -> None:
        """Add a block that is done: a heading or a paragraph."""
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

    def start_heading(self, element: etree._Element, level: int) -> None:
        """Make the next block a heading."""
        self.flush()
        self.heading = level
        self.heading_is_short = True
        if not len(element):
            return
        texts = first_texts(element, _MOST_HEADING_TEXTS + 2, _SHORT_HEADING + 1)
        has_many = len(texts) > _MOST_HEADING_TEXTS + 1
        self.heading_is_short = not has_many and sum(map(len, texts)) <= _SHORT_HEADING

    def break_line(self) -> None:
        """A line break; two of them in a row end the block."""
        pieces = self.pieces
        if self.heading:
            pieces.append(" ")
            return
        while pieces:
            last = pieces[-1]
            if type(last) is not str or last is BREAK or not last.isspace():
                break
            pieces.pop()  # white space before a break is not seen
        if pieces and pieces[-1] is BREAK:
            pieces.pop()
            self.flush()
        elif len(pieces) > len(self.spans):
            pieces.append(BREAK)

    def collect_blocks(self) -> None:
        """Put everything aside and start afresh, for the blocks in a cell."""
        self._put_aside()
        self.pieces = []
        self.blocks, self.lists = Blocks(), []

    def collect_code(self) -> None:
        """Put everything aside but the blocks and start afresh, for code."""
        self._put_aside()
        self.pieces = [""]
        self.actions = self._vocabulary.actions_in_code

    def _put_aside(self) -> None:
        """Remember where the walk was."""
        frame = (
            self.pieces,
            self.spans,
            self.has_marks,
            self.blocks,
            self.lists,
            self.heading,
            self.actions,
        )
        self._frames.append(frame)
        self.spans, self.has_marks, self.heading = [], False, 0

    def finish_code(self) -> str:
        """What was collected as code; the walk goes on where it was."""
        texts = [piece for piece in self.pieces if isinstance(piece, str)]
        self._restore()
        return "".join(texts)

    def finish_blocks(self) -> str:
        """What was collected as blocks; the walk goes on where it was."""
        self.flush()
        text = write_marked(self.blocks)
        self._restore()
        return text

    def _restore(self) -> None:
        """Go on where things were put aside."""
        (
            self.pieces,
            self.spans,
            self.has_marks,
            self.blocks,
            self.lists,
            self.heading,
            self.actions,
        ) = self._frames.pop()
