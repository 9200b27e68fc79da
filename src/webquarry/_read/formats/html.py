"""HTML and XHTML: the whole page, or its main content.

A page with short main content may be complete, or a wall: its outcome is judged by all of its
texts. A page without main content is returned whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.html.parse import CUT, Document, parse_html
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.convert import UNDECIDED_NOTE, Markdown, title_of, to_markdown
from webquarry._read.markdown.words import PageBlocks, Words
from webquarry._read.sites._wiki import READER as WIKI
from webquarry._read.sites._wiki import write_wiki_page

if TYPE_CHECKING:
    from webquarry._read.main_content.select import Selection

WHOLE_NOTE = "No main part was found on the page, so all of it is given."
_LOSSES = frozenset({CUT, UNDECIDED_NOTE})  # notes on missing text
_SHORT = 2_500  # bytes; longer main content is never suspected to be a wall


class _Part(NamedTuple):
    """The returned part of a page, and all of its texts if they are needed to judge the outcome."""

    content: Markdown
    notes: tuple[str, ...] = ()
    whole: Sequence[Block] | None = None
    selection: Selection | None = None  # if main content was selected
    reader: str = ""  # the site reader of the page


class Html(Format):
    name = "html"
    media_types = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
    suffixes = (".html", ".htm", ".xhtml", ".shtml")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        document = parse_html(source.text.text, source.url, source.styles)
        if source.selection == "main":
            part = _convert_wiki_page(document, source)
            part = part or _convert_main_part(document, source.url)
        else:
            part = _Part(to_markdown(document, source.url))
        list_blocks = None
        if not part.reader:
            list_blocks = partial(_list_blocks, document, part, source.url)
        content = part.content
        notes = (*document.notes, *content.notes, *part.notes)
        return ConvertedDocument(
            content.blocks,
            title=content.title or title_of(document),
            encoding=source.text.encoding,
            removed=content.removed,
            notes=notes,
            lost=tuple([note for note in notes if note in _LOSSES]),
            traits=lambda: document.traits,
            whole=part.whole,
            document=document,
            page_blocks=list_blocks,
            is_chosen=part.selection is not None,
            left_out=content.left_out,
            reader=part.reader,
        )


def _convert_wiki_page(document: Document, source: FetchedDocument) -> _Part | None:
    """Convert the article of a MediaWiki page; None for any other page."""
    article = write_wiki_page(document, source.url, source.fragment)
    return None if article is None else _Part(article, reader=WIKI)


def _list_blocks(document: Document, part: _Part, url: str) -> PageBlocks:
    """Return the texts of a page, and which of them are its main content."""
    selection = part.selection
    if selection is None:
        from webquarry._read.main_content.select import select_main_content

        selection = select_main_content(document)
    flow = selection.flow
    return PageBlocks(
        texts=flow.texts,
        kept=selection.kept,
        link_chars=flow.link_chars,
        boxes=flow.boxes,
        parents=flow.parents,
        tags=flow.tags,
        names=flow.names,
        ids=flow.ids,
        levels=flow.levels,
        read_whole=lambda: _read_whole(document, part, url),
    )


def _read_whole(document: Document, part: _Part, url: str) -> Sequence[Block]:
    """Return all that a person sees on the page."""
    if part.selection is None:
        return part.content.blocks
    return to_markdown(document, url).blocks


def _convert_main_part(document: Document, url: str) -> _Part:
    """Return the main content of a page; the whole page with a note if there is none."""
    # imported here, because whole pages do not need the model
    from webquarry._read.main_content.blocks import list_texts
    from webquarry._read.main_content.render import render_selection
    from webquarry._read.main_content.select import select_main_content

    selection = select_main_content(document)
    part = render_selection(document, selection, url) if selection.kept else None
    if part is None or not part.blocks:
        return _Part(to_markdown(document, url), (WHOLE_NOTE,), selection=selection)
    size = Words(part.blocks).size
    if size >= _SHORT:
        return _Part(part, selection=selection)
    whole = list_texts(selection.flow)
    is_larger = Words(whole).size > size
    return _Part(part, whole=whole if is_larger else part.blocks, selection=selection)
