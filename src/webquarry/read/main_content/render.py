"""A selection -> Markdown, with the headings, lists, tables, quotes and code that the kept blocks
stand in.

The serialiser's own walk and actions are used; elements without anything kept in them are passed
by. Hidden text is left out here, by the same judgement as for the whole page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lxml import etree

from webquarry.read.css.class_names import HIDDEN_CLASS
from webquarry.read.html.page_info import PageInfo
from webquarry.read.html.parse import Document
from webquarry.read.main_content.blocks import Chosen
from webquarry.read.main_content.select import Selection
from webquarry.read.main_content.tags import HEAD, TAIL, WAY
from webquarry.read.markdown.actions import SKIP, Leave
from webquarry.read.markdown.convert import Markdown
from webquarry.read.markdown.elements import ACTIONS, called_heading, skip
from webquarry.read.markdown.footnotes import Footnotes
from webquarry.read.markdown.formulas import is_formula_image
from webquarry.read.markdown.links import Links
from webquarry.read.markdown.walker import Walker
from webquarry.read.text.delimiters import defuse_prose
from webquarry.read.visibility.concealment import DISPLAY, NO_SIZE, TRANSPARENT
from webquarry.read.visibility.tracker import HIDDEN, SAME_COLOUR, VISIBILITY, VisibilityTracker

READY_NOTE = "The page hides its text until its script has run; it was read as if it had."
_NEARLY_NOTHING = (
    0.05  # of the chosen text; a page that shows no more of it hides itself until it is ready
)

# How pages hide themselves until they are ready; the other ways are never undone.
_UNDONE_BY_SCRIPTS = frozenset({HIDDEN, DISPLAY, TRANSPARENT, HIDDEN_CLASS, VISIBILITY, NO_SIZE})
_FALLBACKS = frozenset(
    {"noscript", "noframes", "noembed"}
)  # the model has judged what stands there

Element = etree._Element


def render_selection(document: Document, selection: Selection, base_url: str) -> Markdown:
    """The kept blocks as Markdown; the title is for the caller to add."""
    furniture = document.page_info
    links = Links(base_url, furniture.base)
    walker = _walk(document, selection, furniture, links, ready=False)
    notes: tuple[str, ...] = ()
    if walker.shown < _NEARLY_NOTHING * sum(map(len, selection.texts)):
        walker = _walk(document, selection, furniture, links, ready=True)
        notes = (READY_NOTE,)
    text = defuse_prose(walker.blocks.text(), walker.removed)
    return Markdown(text, "", dict(walker.removed), notes)


def _walk(
    document: Document, selection: Selection, furniture: PageInfo, links: Links, *, ready: bool
) -> _SelectedWalker:
    kept, owners = set(selection.kept), selection.flow.owners
    chosen = owners.chosen(kept, list(filter(is_formula_image, owners.images(kept))))
    sight = VisibilityTracker(document.roots, furniture, chosen.names() if furniture.css else None)
    walker = _SelectedWalker(sight, links, Footnotes(document.roots), furniture, _FALLBACKS)
    walker.chosen = chosen
    walker.ready = ready
    walker.walk(document.roots)
    return walker


class _SelectedWalker(Walker):
    """Walks through the elements that hold something kept, and takes no other text."""

    chosen: Chosen
    ready = False  # take the page as it is once its script has run
    shown = 0  # characters

    def walk(self, elements: Iterable[Element]) -> None:
        """As the whole page is walked through, but only where something is kept."""
        stack: list[tuple[Iterator[tuple[Element, int]], Element, int, Leave | None, bool]] = []
        sight, chosen_children = self.sight, self.chosen.children
        children = iter(self.chosen.among(list(elements)))
        while True:
            for element, parts in children:
                if parts & WAY:
                    leave, changed = self._enter(element)
                    if leave is not SKIP:
                        if parts & HEAD:
                            self._take(element.text)
                        if inner := chosen_children(element):
                            stack.append((children, element, parts, leave, changed))
                            children = iter(inner)
                            break
                        if leave is not None:
                            leave(self, element)
                    if changed:
                        sight.leave()
                if parts & TAIL:
                    self._take(element.tail)
            else:
                if not stack:
                    self.flush()
                    return
                children, element, parts, leave, changed = stack.pop()
                if leave is not None:
                    leave(self, element)
                if changed:
                    sight.leave()
                if parts & TAIL:
                    self._take(element.tail)

    def _enter(self, element: Element) -> tuple[Leave | None, bool]:
        """What to do on leaving an element (SKIP for one that is not seen), and whether the look
        changes back then.
        """
        tag, sight = element.tag, self.sight
        names: list[str] = element.keys()  # type: ignore[assignment]  # bytes are for other uses of lxml
        action = self.actions.get(tag)
        changed = False
        if (names or tag in sight.tags) and not sight.is_plain(element, names):
            seen = self._look_at(element, names)
            if seen is None:
                return SKIP, False
            changed = seen
            if (
                "role" in names
                and self.actions is ACTIONS
                and action is not skip
                and element.get("role") == "heading"
            ):
                action = called_heading
        if tag == "a" and sight.muted == SAME_COLOUR and not changed and "style" not in names:
            changed = sight.enter_link()
        return (action(self, element) if action is not None else None), changed

    def _look_at(self, element: Element, names: list[str]) -> bool | None:
        """As for the whole page, but on a page that is ready nothing waits for its script."""
        if not self.ready:
            return super()._look_at(element, names)
        verdict = self.sight.enter(element, names)
        if isinstance(verdict, bool):
            return verdict
        if verdict in _UNDONE_BY_SCRIPTS:
            return False
        self.removed[verdict] += 1
        return None

    def _take(self, text: str | None) -> None:
        """Put text into the block, if it can be seen."""
        muted = self.sight.muted
        if text is None:  # a block has no part without text
            return
        if muted is None or (self.ready and muted == VISIBILITY):
            self.shown += len(text)
            if self.pieces or not text.isspace():
                self.pieces.append(text)
        elif not text.isspace():
            self.removed[muted] += 1
