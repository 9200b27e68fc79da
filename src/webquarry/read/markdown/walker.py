"""The walk through a page: elements in, Markdown blocks out.

One pass with a stack of its own, so that no depth of nesting can exhaust Python's. What a tag means
is looked up in `elements.py`; whether a person sees it, in `visible.py`. Here is what they work on:
the pieces of the block that is being written, the marks that are open, the blocks that are done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lxml import etree

from webquarry.read.html.page_info import PageInfo
from webquarry.read.html.tree import has_text, texts_of
from webquarry.read.markdown.actions import SKIP, Action, Leave
from webquarry.read.markdown.blocks import Blocks
from webquarry.read.markdown.elements import ACTIONS, IN_CODE, called_heading, skip
from webquarry.read.markdown.footnotes import Footnotes
from webquarry.read.markdown.formulas import is_formula_image
from webquarry.read.markdown.inline import BREAK, CLOSE, Inline, Piece, Span
from webquarry.read.markdown.links import Links
from webquarry.read.markdown.lists import Definitions, Listing
from webquarry.read.markdown.tables import Table
from webquarry.read.text.escape import escape_heading, escape_line_starts
from webquarry.read.visibility.tracker import SAME_COLOUR, VisibilityTracker

_NO_NAMES: list[str] = []
# A script or a template that calls itself a heading is still one.
_MAY_BE_HEADINGS = frozenset("a b center div em header i p section strong".split())  # noqa: SIM905
_SHORT_HEADING = 300  # characters; a longer one has swallowed what follows it


class _Frame(NamedTuple):
    """What is put aside while a cell or a piece of code is being collected."""

    pieces: list[Piece]
    spans: list[Span]
    marked: bool
    blocks: Blocks
    lists: list[Listing]
    heading: int
    actions: Mapping[object, Action]


class Walker:
    """Writes Markdown while it walks."""

    def __init__(
        self,
        sight: VisibilityTracker,
        links: Links,
        footnotes: Footnotes,
        furniture: PageInfo,
        kept: frozenset[str] = frozenset(),
    ) -> None:
        self.sight = sight
        self.typesets_tex = furniture.typesets_tex
        self.links = links
        self.footnotes = footnotes
        # tags whose text browsers show only without scripts or frames, and that are kept all the
        # same
        self.kept = kept
        self.removed: Counter[str] = Counter()
        self.fallbacks: list[etree._Element] = []
        self.pieces: list[Piece] = []
        self.spans: list[Span] = []
        self.marked = False  # the pieces are not all plain text
        self.blocks = Blocks()
        self.lists: list[Listing] = []
        self.tables: list[Table | None] = []  # None for one that only arranges the page
        self.heading = 0
        self.heading_is_short = True
        self.definitions = [Definitions()]
        self.drawings = 0
        self.cells = 0  # cells of data tables that are open, one inside the other
        self.actions: Mapping[object, Action] = ACTIONS
        self._inline = Inline(self.removed, typesets_tex=furniture.typesets_tex)
        self._frames: list[_Frame] = []

    def walk(self, elements: Iterable[etree._Element]) -> None:
        """Walk through elements and everything in them; the text behind the elements themselves is
        not theirs.
        """
        for element in elements:
            self._walk_one(element)
            self.flush()

    def _walk_one(self, root: etree._Element) -> None:
        sight, unwatched, tags = self.sight, self.sight.watched.isdisjoint, self.sight.tags
        events = etree.iterwalk(root, events=("start", "end"))
        open_elements: list[
            tuple[Leave | None, bool]
        ] = []  # what to do on leaving, and whether the look changes back
        for event, element in events:
            if event == "end":
                leave, changed = open_elements.pop()
                if leave is not None:
                    leave(self, element)
                if changed:
                    sight.leave()
                text = element.tail
                if text and open_elements and (self.pieces or not text.isspace()):
                    if sight.muted is None:
                        self.pieces.append(text)
                    else:
                        self._mute(text)
                continue
            tag = element.tag
            action = self.actions.get(tag)
            changed = False
            names: list[str] = element.keys() if element.attrib else _NO_NAMES
            if ((names and not unwatched(names)) or tag in tags) and not sight.is_plain(
                element, names
            ):
                seen = self._look_at(element, names) if action is not skip else False
                changed = bool(seen)
                if seen is None:
                    action = skip
                elif (
                    "role" in names and self.actions is ACTIONS and element.get("role") == "heading"
                ):
                    action = called_heading if action is None or tag in _MAY_BE_HEADINGS else action
            if tag == "a" and sight.muted == SAME_COLOUR and not changed and "style" not in names:
                changed = sight.enter_link()
            leave = action(self, element) if action is not None else None
            if leave is SKIP:
                events.skip_subtree()
                open_elements.append((None, changed))
                continue
            open_elements.append((leave, changed))
            text = element.text
            if text and (self.pieces or not text.isspace()):
                if sight.muted is None:
                    self.pieces.append(text)
                else:
                    self._mute(text)

    def _look_at(self, element: etree._Element, names: list[str]) -> bool | None:
        """Whether the look of the text changes inside an element; None when nothing of it is seen."""
        verdict = self.sight.enter(element, names)
        if isinstance(verdict, bool):
            return verdict
        if element.tag == "img" and is_formula_image(
            element
        ):  # shown to eyes, though hidden from screen readers
            return False
        if has_text(element) or element.get("alt"):
            self.removed[verdict] += 1
        return None

    def _mute(self, text: str) -> None:
        if self.sight.muted is not None and not text.isspace():
            self.removed[self.sight.muted] += 1

    def leave_out(self, element: etree._Element, reason: str) -> None:
        """Count an element that is not shown, if there was anything to see in it."""
        if has_text(element):
            self.removed[reason] += 1

    def add_mark(self, piece: Piece) -> None:
        """Put something other than plain text into the block."""
        self.pieces.append(piece)
        self.marked = True

    def open_span(self, kind: str, target: str = "") -> bool:
        """Start a mark, unless one of its kind is open already."""
        for span in self.spans:
            if span.kind == kind:
                return False
        span = Span(kind, target)
        self.spans.append(span)
        self.add_mark(span)
        return True

    def close_span(self) -> None:
        """End the mark that was opened last."""
        self.spans.pop()
        self.pieces.append(CLOSE)

    def flush(self) -> None:
        """End the block. Marks that are still open go on in the next one."""
        pieces, spans = self.pieces, self.spans
        if len(pieces) <= len(spans):
            return
        if self.marked:
            text = self._inline.render(pieces + [CLOSE] * len(spans) if spans else pieces)
        else:
            text = self._inline.render_plain(pieces)  # type: ignore[arg-type]  # without marks there is only text
        pieces.clear()
        pieces.extend(spans)
        self.marked = bool(spans)
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
        level, self.heading = self.heading, 0
        if level:
            text = escape_heading(text.replace("\n", " "))
            if (
                text.startswith("**")
                and text.endswith("**")
                and text.count("**") == 2
                and len(text) > 4
            ):
                text = text[2:-2]
            text = f"**{text}**" if self.cells else f"{'#' * level} {text}"
        elif not self.cells:
            text = escape_line_starts(text)
        self.blocks.add(text)

    def start_heading(self, element: etree._Element, level: int) -> None:
        self.flush()
        self.heading = level
        self.heading_is_short = not len(element) or _is_short(element)

    def break_line(self) -> None:
        """A line break; two of them in a row end the block."""
        pieces = self.pieces
        if self.heading:
            pieces.append(" ")
            return
        while (
            pieces
            and pieces[-1].__class__ is str
            and pieces[-1] is not BREAK
            and pieces[-1].isspace()
        ):
            pieces.pop()
        if pieces and pieces[-1] is BREAK:
            pieces.pop()
            self.flush()
        elif len(pieces) > len(self.spans):
            pieces.append(BREAK)

    def collect(self, *, code: bool) -> None:
        """Put everything aside and start afresh, for a cell or for code."""
        self._frames.append(
            _Frame(
                self.pieces,
                self.spans,
                self.marked,
                self.blocks,
                self.lists,
                self.heading,
                self.actions,
            )
        )
        self.pieces, self.spans, self.marked = ([""] if code else []), [], False
        self.heading = 0
        if code:
            self.actions = IN_CODE
        else:
            self.blocks, self.lists = Blocks(), []

    def collected_code(self) -> str:
        """What was collected as code; the walk goes on where it was."""
        text = "".join(piece for piece in self.pieces if isinstance(piece, str))
        self._restore()
        return text

    def collected_blocks(self) -> str:
        """What was collected as blocks; the walk goes on where it was."""
        self.flush()
        text = self.blocks.text()
        self._restore()
        return text

    def _restore(self) -> None:
        frame = self._frames.pop()
        (
            self.pieces,
            self.spans,
            self.marked,
            self.blocks,
            self.lists,
            self.heading,
            self.actions,
        ) = frame


def _is_short(heading: etree._Element) -> bool:
    length = 0
    for number, text in enumerate(texts_of(heading)):
        length += len(text)
        if length > _SHORT_HEADING or number > 100:
            return False
    return True
