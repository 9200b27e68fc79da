"""Convert a parsed page, or some of its elements, to blocks: the visible text, with absolute links.

Text for browsers without scripts or frames is left out unless the page is nearly empty without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from webquarry._read.html.fallbacks import FALLBACK_TAGS, is_read_without_scripts
from webquarry._read.html.parse import Document
from webquarry._read.markdown.actions import ACTIONS, ACTIONS_IN_CODE
from webquarry._read.markdown.blocks import Block, write_blocks
from webquarry._read.markdown.footnotes import Footnotes
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.walker import Element, Scope, Walker
from webquarry._read.models import LeftOutText
from webquarry._read.slices.text import WrittenText
from webquarry._read.style.styles import HiddenNodes, find_hidden
from webquarry._read.text.characters import clean

COMMENT = "comment"
UNDECIDED_NOTE = (
    "The page has more rules of style than can be weighed; what they may hide is left out."
)
FALLBACK_NOTE = "Most of the text stands where browsers without scripts would show it."
_MAX_TITLE = 500  # characters


@dataclass(frozen=True)
class Markdown:
    """Blocks of a page. `removed` counts the omitted parts by reason."""

    blocks: Sequence[Block]
    title: str
    removed: Counter[str]
    notes: tuple[str, ...] = ()
    left_out: LeftOutText | None = None  # if only a part was selected

    @cached_property
    def written(self) -> WrittenText:
        """The blocks as Markdown; escaped chat delimiters are added to `removed`."""
        return write_blocks(self.blocks, self.removed)

    @property
    def text(self) -> str:
        """The Markdown with its link targets."""
        return self.written.markdown


def walk(
    document: Document,
    hidden: HiddenNodes,
    links: Links,
    scope: Scope,
    elements: Sequence[Element] | None = None,
) -> Walker:
    """Walk through some elements of a page, or all; return the walker with its blocks."""
    footnotes = Footnotes(document.roots)
    page_info = document.page_info
    walker = Walker(hidden, links, footnotes, page_info, scope, ACTIONS, ACTIONS_IN_CODE)
    walker.walk(document.roots if elements is None else elements)
    footnotes.restore_links(walker.blocks, links)
    return walker


def to_markdown(document: Document, base_url: str) -> Markdown:
    """Convert a whole page."""
    page = render(document, base_url)
    page.removed[COMMENT] += document.comments
    title = title_of(document, page.removed)
    return Markdown(page.blocks, title, +page.removed, page.notes)


def render(
    document: Document, base_url: str, elements: Sequence[Element] | None = None
) -> Markdown:
    """Convert some elements of a page, or all, without its title."""
    links = Links(base_url, document.page_info.base)
    tags = frozenset[str]()
    is_fallback = elements is None and is_read_without_scripts(document.roots)
    if is_fallback:
        tags = FALLBACK_TAGS
    hidden = find_hidden(document.roots, document.page_info, elements=elements)
    walker = walk(document, hidden, links, Scope(fallback_tags=tags), elements)
    if not walker.blocks and elements is None:
        # some pages are in a template until a script has run
        scope = Scope(fallback_tags=frozenset({*tags, "template"}))
        walker = walk(document, hidden, links, scope)
        is_fallback = bool(walker.blocks)
    notes: list[str] = []
    if is_fallback:
        notes.append(FALLBACK_NOTE)
    if walker.is_undecided:
        notes.append(UNDECIDED_NOTE)
    return Markdown(walker.blocks.blocks, "", walker.removed, tuple(notes))


def title_of(document: Document, removed: Counter[str] | None = None) -> str:
    """Return the title of a page without invisible characters and chat delimiters."""
    return clean(document.page_info.title, removed)[:_MAX_TITLE]
