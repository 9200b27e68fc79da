"""Words of a parsed page: all visible text, menus and notes included, in document order.

Hidden text is included and marked; the same text is hidden as for Markdown, except menus.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from lxml import etree

from webquarry._read.html.fallbacks import FALLBACK_TAGS
from webquarry._read.html.parse import Document
from webquarry._read.plain.words import PageWords
from webquarry._read.plain.writer import WordWriter
from webquarry._read.style.styles import NAVIGATION, find_hidden
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
# Block elements are in a drawing only if its end tag is missing.
_BLOCKS_IN_DRAWING = ("div", "p", "table", "ul", "ol", "section", "article", "h1", "h2", "h3")
_MOST_DRAWINGS = 500  # that are searched for block elements

Element = etree._Element
_State = Literal["plain", "restyled", "hidden", "silent"]


def read_html_words(document: Document, title: str, *, with_fallbacks: bool = False) -> PageWords:
    """Return the words of a page. `with_fallbacks` includes what browsers show only without
    scripts.
    """
    walk = _WordWalk(document, with_fallbacks=with_fallbacks)
    walk.writer.add_title(title)
    for root in document.roots:
        walk.read(root)
    return walk.writer.finish()


class _WordWalk:
    """Walks through a page and writes its words."""

    def __init__(self, document: Document, *, with_fallbacks: bool) -> None:
        self.writer = WordWriter()
        roots, ignored = document.roots, frozenset({NAVIGATION})
        self._hidden = find_hidden(roots, document.page_info, ignored=ignored)
        self._muted = [False]  # whether text is hidden, inside of the elements that change it
        self._silent = _SILENT if with_fallbacks else _SILENT | FALLBACK_TAGS
        self._drawings = 0
        self._removed: Counter[str] = Counter()
        self._preformatted = 0
        self._concealed = False  # inside of a hidden element

    def read(self, root: Element) -> None:
        """Read one root and all that is in it."""
        open_elements: list[tuple[_State, int]] = []
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                state = self._enter(element)
                aside = -1
                if state == "silent":
                    walk.skip_subtree()
                else:
                    aside = self._open(element)
                    self._add(element.text)
                open_elements.append((state, aside))
                continue
            state, aside = open_elements.pop()
            if state != "silent":
                self._close(element, state, aside)
            if open_elements:
                self._add(element.tail)

    def _enter(self, element: Element) -> _State:
        """Return whether an element restyles or hides its text, or has none."""
        tag = element.tag
        if tag in self._silent or (tag == "svg" and not self._is_unclosed(element)):
            return "silent"
        if element in self._hidden.texts and not self._concealed:
            self._muted.append(self._hidden.texts[element] is not None)
            return "restyled"
        if self._concealed or element not in self._hidden.elements:
            return "plain"
        self._concealed = True
        return "hidden"

    def _is_unclosed(self, drawing: Element) -> bool:
        """Return whether the end tag of a drawing is missing."""
        self._drawings += 1
        if self._drawings > _MOST_DRAWINGS:
            return False
        return next(drawing.iterdescendants(*_BLOCKS_IN_DRAWING), None) is not None

    def _open(self, element: Element) -> int:
        """Start an element. Return where it starts if it may be an aside, else -1."""
        tag = element.tag
        self._break(tag)
        if tag in _HEADINGS:
            self.writer.open_heading(_HEADINGS[tag])
        self._preformatted += tag in _PREFORMATTED
        return self.writer.open_aside() if tag in _ASIDES else -1

    def _close(self, element: Element, state: _State, aside: int) -> None:
        """End an element."""
        tag = element.tag
        if aside >= 0:
            is_linked = element.find(".//a") is not None
            self.writer.close_aside(aside, is_reading=tag == "rt", is_linked=is_linked)
        self._preformatted -= tag in _PREFORMATTED
        if tag in _HEADINGS:
            self.writer.close_heading()
        self._break(tag)
        if state == "restyled":
            self._muted.pop()
        elif state == "hidden":
            self._concealed = False

    def _break(self, tag: str) -> None:
        """Separate the text before an element, or in it, from what follows."""
        if tag in _BLOCKS:
            self.writer.break_line()
        elif tag in _CELLS:
            self.writer.break_cell()

    def _add(self, text: str | None) -> None:
        """Write text, and whether it is hidden."""
        if not text:
            return
        self.writer.mark_hidden(is_hidden=self._concealed or self._muted[-1])
        visible = strip_invisible(text, self._removed)
        self.writer.add(visible, verbatim=bool(self._preformatted))
