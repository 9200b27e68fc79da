"""A parsed page -> its words: all that a person sees of it, menus and notes included, in the order
of the page.

One pass with a stack of its own, so that no depth of nesting can exhaust Python's. Whether a person
sees an element is told by the visibility tracker, as it is for Markdown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from lxml import etree

from webquarry._read.html.fallbacks import FALLBACK_TAGS
from webquarry._read.html.parse import Document
from webquarry._read.plain.words import PageWords
from webquarry._read.plain.writer import WordWriter
from webquarry._read.style.styles import NAVIGATION, Styles
from webquarry._read.text.characters import strip_invisible

_BLOCKS = frozenset(
    """
    address article aside blockquote body br button caption center dd details dialog div dl dt
    fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe
    legend li listing main menu nav ol optgroup option p plaintext pre search section select summary
    table tbody tfoot thead tr ul video xmp
    """.split()  # noqa: SIM905
)
_CELLS = frozenset({"td", "th"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
_ASIDES = frozenset({"sup", "rt"})
_SILENT = frozenset(
    """
    script style template title meta link base area param col colgroup frame frameset rp object
    applet audio canvas datalist progress meter annotation annotation-xml desc metadata defs symbol
    mask pattern clippath marker
    """.split()  # noqa: SIM905
)
# What a drawing may hold only where its end was never written.
_BLOCKS_IN_DRAWING = ("div", "p", "table", "ul", "ol", "section", "article", "h1", "h2", "h3")
_MOST_DRAWINGS = 500  # that are looked into

Element = etree._Element
_State = Literal["plain", "restyled", "hidden"]
_OpenElement = tuple[Iterator[Element], Element, _State, int]


def read_html_words(document: Document, title: str, *, with_fallbacks: bool = False) -> PageWords:
    """The words of a page. `with_fallbacks` takes what browsers show without scripts only."""
    walk = _WordWalk(document, with_fallbacks=with_fallbacks)
    walk.writer.add_title(title)
    for root in document.roots:
        walk.walk(root)
    return walk.writer.finish()


class _WordWalk:
    """Goes through a page once and writes its words."""

    def __init__(self, document: Document, *, with_fallbacks: bool) -> None:
        self.writer = WordWriter()
        self._visibility = Styles(document.roots, document.page_info)
        self._silent = _SILENT
        if not with_fallbacks:
            self._silent |= FALLBACK_TAGS
        self._drawings = 0
        self._removed: Counter[str] = Counter()
        self._preformatted = 0
        self._concealed = False  # inside of an element of which nothing is seen

    def walk(self, root: Element) -> None:
        """Walk through one root and all that is in it."""
        open_elements: list[_OpenElement] = []
        children: Iterator[Element] = iter([root])
        while True:
            for element in children:
                state = self._enter(element)
                if state is not None:
                    aside = self._open(element)
                    if text := element.text:
                        self._take(text)
                    if len(element):
                        open_elements.append((children, element, state, aside))
                        children = iter(element)
                        break
                    self._close(element, state, aside)
                if open_elements and (text := element.tail):
                    self._take(text)
            else:
                if not open_elements:
                    return
                children, element, state, aside = open_elements.pop()
                self._close(element, state, aside)
                if open_elements and (text := element.tail):
                    self._take(text)

    def _enter(self, element: Element) -> _State | None:
        """Whether an element changes the style of its text or hides it; None where it holds
        nothing that is text.
        """
        tag = element.tag
        if not isinstance(tag, str) or tag in self._silent:
            return None
        if tag == "svg" and not self._is_unclosed(element):
            return None
        if self._concealed:
            return "plain"
        visibility = self._visibility
        names: list[str] = element.keys()  # type: ignore[assignment]  # never bytes in HTML
        is_watched = tag in visibility.tags or not visibility.watched.isdisjoint(names)
        if not is_watched or visibility.is_plain(element, names):
            return "plain"
        verdict = visibility.enter(element, names)
        if verdict is True:
            return "restyled"
        if verdict is False or verdict == NAVIGATION:
            return "plain"
        self._concealed = True
        return "hidden"

    def _is_unclosed(self, drawing: Element) -> bool:
        """Whether a drawing has swallowed the rest of the page."""
        self._drawings += 1
        if self._drawings > _MOST_DRAWINGS:
            return False
        return next(drawing.iterdescendants(*_BLOCKS_IN_DRAWING), None) is not None

    def _open(self, element: Element) -> int:
        """Begin an element; where an aside begins, if it is one."""
        tag = element.tag
        writer = self.writer
        if tag in _BLOCKS:
            writer.break_line()
        elif tag in _CELLS:
            writer.break_cell()
        if tag in _HEADINGS:
            writer.open_heading(_HEADINGS[tag])
        if tag in _PREFORMATTED:
            self._preformatted += 1
        if tag in _ASIDES:
            return writer.open_aside()
        return -1

    def _close(self, element: Element, state: _State, aside: int) -> None:
        """End an element."""
        tag = element.tag
        writer = self.writer
        if aside >= 0:
            is_linked = element.find(".//a") is not None
            writer.close_aside(aside, is_reading=tag == "rt", is_linked=is_linked)
        if tag in _PREFORMATTED:
            self._preformatted -= 1
        if tag in _HEADINGS:
            writer.close_heading()
        if tag in _BLOCKS:
            writer.break_line()
        elif tag in _CELLS:
            writer.break_cell()
        if state == "restyled":
            self._visibility.leave()
        elif state == "hidden":
            self._concealed = False

    def _take(self, text: str) -> None:
        """Write text, and whether it can be seen."""
        is_hidden = self._concealed or self._visibility.muted is not None
        self.writer.mark_hidden(is_hidden=is_hidden)
        visible = strip_invisible(text, self._removed)
        self.writer.add(visible, verbatim=bool(self._preformatted))
