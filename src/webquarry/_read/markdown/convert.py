"""A parsed page -> Markdown: what a person sees of it, with links made absolute.

Text that browsers show only without scripts or frames (`noscript`) is left out, unless the page is
next to nothing without it: forums keep whole threads there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from webquarry._read.html.fallbacks import FALLBACK_RATIO, FALLBACK_TAGS, LEAST_FALLBACK
from webquarry._read.html.page_info import PageInfo, collect_page_info
from webquarry._read.html.parse import Document
from webquarry._read.html.tree import texts_of
from webquarry._read.markdown.blocks import Block, write_blocks
from webquarry._read.markdown.elements import BOX_TAGS, VOCABULARY
from webquarry._read.markdown.footnotes import Footnotes
from webquarry._read.markdown.links import Links
from webquarry._read.markdown.scope import Parts, WalkScope
from webquarry._read.markdown.walker import Walker
from webquarry._read.models import LeftOutText
from webquarry._read.slices.text import WrittenText
from webquarry._read.style.styles import Styles
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim
from webquarry._read.text.remember import found_once

COMMENT = "comment"
UNDECIDED_NOTE = (
    "The page has more rules of style than can be weighed; what they may hide is left out."
)
FALLBACK_NOTE = "Most of the text stands where browsers without scripts would show it."
_LONGEST_TITLE = 500
_LONGEST_REQUEST = 2_000  # characters of a page that only asks for scripts
_REQUEST_STARTS_WITHIN = 600


@dataclass(frozen=True)
class Markdown:
    """Blocks of a page. `removed` says how many pieces were left out, by reason."""

    blocks: Sequence[Block]
    title: str
    removed: Counter[str]
    notes: tuple[str, ...] = ()
    left_out: LeftOutText | None = None  # where only a part was taken

    @found_once
    def written(self) -> WrittenText:
        """The blocks as Markdown; escaped chat delimiters are added to `removed`."""
        return write_blocks(self.blocks, self.removed)

    @property
    def text(self) -> str:
        """The Markdown with its link targets."""
        return self.written.markdown


@dataclass(frozen=True)
class PartsWriter:
    """Walks through parts of one page, as often as it is asked to."""

    document: Document
    visibility: Styles
    links: Links
    footnotes: Footnotes
    fallback_tags: frozenset[str] = FALLBACK_TAGS  # what does not count is no part of the flow

    def write(self, parts: Parts, *, script_has_run: bool = False) -> Walker:
        """Walk through some parts. Where a mark then leads to a note that is not there, because
        nobody sees it, they are walked through again without that mark.
        """
        document = self.document
        scope = WalkScope(
            parts=parts,
            fallback_tags=self.fallback_tags,
            heading_tags=BOX_TAGS,
            counts_hidden_skipped=True,
            script_has_run=script_has_run,
        )
        absent: set[str] = set()
        while True:
            footnotes = self.footnotes.start_again(absent)
            page_info = document.page_info
            walker = Walker(self.visibility, self.links, footnotes, page_info, scope, VOCABULARY)
            walker.walk(document.roots)
            if absent or not footnotes.find_unwritten():
                return walker
            absent = footnotes.find_unwritten()


def to_markdown(document: Document, base_url: str) -> Markdown:
    """The whole page."""
    page_info = document.page_info
    blocks, removed, notes = _render(document.roots, base_url, document.roots, page_info)
    removed[COMMENT] += document.comments
    title = _clean_title(page_info, removed)
    return Markdown(blocks, title, +removed, notes)


def title_of(document: Document) -> str:
    """The title alone."""
    title = document.page_info.title
    if title.isascii() and title.isprintable() and "<" not in title and "[" not in title:
        return title[:_LONGEST_TITLE]  # as most: nothing in it needs to be cleaned
    return _clean_title(document.page_info, Counter())


def render(
    elements: Sequence[etree._Element], base_url: str, page: Sequence[etree._Element]
) -> Markdown:
    """Some elements of a page, without its title. `page` are its roots: their styles, controls and
    base count.
    """
    page_info = collect_page_info(page)
    blocks, removed, notes = _render(elements, base_url, page, page_info)
    return Markdown(blocks, "", removed, notes)


def _clean_title(page_info: PageInfo, removed: Counter[str]) -> str:
    """The title without what cannot be seen in it or passes for a delimiter."""
    visible = strip_invisible(page_info.title, removed)
    title = defuse_verbatim(visible, removed)
    return title[:_LONGEST_TITLE]


def _render(
    elements: Sequence[etree._Element],
    base_url: str,
    page: Sequence[etree._Element],
    page_info: PageInfo,
) -> tuple[list[Block], Counter[str], tuple[str, ...]]:
    """The blocks of some elements, what was left out of it, and notes about it."""
    links = Links(base_url, page_info.base)

    def walk(fallback_tags: frozenset[str]) -> Walker:
        visibility = Styles(page, page_info)
        scope = WalkScope(fallback_tags=fallback_tags)
        walker = Walker(visibility, links, Footnotes(page), page_info, scope, VOCABULARY)
        walker.walk(elements)
        return walker

    walker = walk(frozenset())
    notes: tuple[str, ...] = ()
    for tags in (FALLBACK_TAGS, FALLBACK_TAGS | {"template"}):
        if "template" in tags and walker.blocks:
            continue  # templates count on empty pages only
        least = max(LEAST_FALLBACK, FALLBACK_RATIO * walker.shown)
        if not _has_more_text(walker.fallbacks, tags, least):
            continue
        fuller = walk(tags)
        text = " ".join(block.text for block in fuller.blocks)
        asks_for_scripts = (
            len(text) < _LONGEST_REQUEST and "javascript" in text[:_REQUEST_STARTS_WITHIN].lower()
        )
        if fuller.shown >= least and not asks_for_scripts:
            walker, notes = fuller, (FALLBACK_NOTE,)
    if walker.visibility.undecided:
        notes = (*notes, UNDECIDED_NOTE)
    return walker.blocks.blocks, walker.removed, notes


def _has_more_text(fallbacks: Sequence[etree._Element], tags: frozenset[str], least: int) -> bool:
    """Whether elements with certain tags that were passed over hold so many characters."""
    length = 0
    for element in fallbacks:
        if element.tag not in tags:
            continue
        for text in texts_of(element):
            length += len(text.strip())
            if length >= least:
                return True
    return False
