"""HTML and XHTML: parsed once, and converted whole or only the part that a reader came for.

A short main part may be all there is to read, or the only words on a wall: the outcome is then
judged by the whole page, and a page in which nothing was found to be the main part is given whole.
A page can also tell how it is built, should somebody doubt that it is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.html.page_blocks import PageBlocks
from webquarry._read.html.parse import CUT, Document, parse_html
from webquarry._read.markdown.convert import UNDECIDED_NOTE, title_of, to_markdown
from webquarry._read.models import LeftOutText
from webquarry._read.sites._wiki import READER as WIKI
from webquarry._read.sites._wiki import write_wiki_page

if TYPE_CHECKING:
    from webquarry._read.main_content.select import Selection

WHOLE_NOTE = "No main part was found on the page, so all of it is given."
_LOSSES = frozenset({CUT, UNDECIDED_NOTE})  # the notes which say that text is missing
_SHORT = 2_500  # characters; `outcome` suspects no page that says as much as that


class _Part(NamedTuple):
    """What is given of a page, and the whole where that is needed to judge it."""

    text: str
    title: str
    removed: Mapping[str, int]
    notes: tuple[str, ...]
    whole: str | None = None
    selection: Selection | None = None  # where the main part was looked for
    left_out: LeftOutText | None = None
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
            part = _convert_whole(document, source.url)
        list_blocks = None
        if not part.reader:  # else it is known what the page consists of
            list_blocks = partial(_list_blocks, document, part, source.url)
        notes = (*document.notes, *part.notes)
        return ConvertedDocument(
            part.text,
            title=part.title,
            encoding=source.text.encoding,
            removed=part.removed,
            notes=notes,
            lost=tuple([note for note in notes if note in _LOSSES]),
            traits=lambda: document.traits,
            whole=part.whole,
            document=document,
            blocks=list_blocks,
            is_chosen=part.selection is not None,
            left_out=part.left_out,
            reader=part.reader,
        )


def _convert_wiki_page(document: Document, source: FetchedDocument) -> _Part | None:
    """Convert the article of a MediaWiki page; None for any other page."""
    article = write_wiki_page(document, source.url, source.fragment)
    if article is None:
        return None
    return _Part(
        text=article.text,
        title=article.title,
        removed=article.removed,
        notes=article.notes,
        reader=WIKI,
    )


def _list_blocks(document: Document, part: _Part, url: str) -> PageBlocks:
    """The texts of a page, and which of them are its main part."""
    selection = part.selection
    if selection is None:
        from webquarry._read.main_content.select import select_main_content  # as below

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


def _read_whole(document: Document, part: _Part, url: str) -> str:
    """All that a person sees on the page."""
    if part.whole is not None:
        return part.whole
    if part.selection is None:
        return part.text
    return to_markdown(document, url).text


def _convert_whole(document: Document, url: str, *notes: str) -> _Part:
    """All that a person sees on the page, with more notes if there are any."""
    page = to_markdown(document, url)
    return _Part(
        text=page.text,
        title=page.title,
        removed=page.removed,
        notes=(*page.notes, *notes),
    )


def _convert_main_part(document: Document, url: str) -> _Part:
    """The main part of a page; all of it, with a note, where none is found."""
    # the trees, which whole pages do without
    from webquarry._read.main_content.render import render_selection
    from webquarry._read.main_content.select import select_main_content

    selection = select_main_content(document)
    if not selection.kept:
        return _convert_whole(document, url, WHOLE_NOTE)._replace(selection=selection)
    part = render_selection(document, selection, url)
    if len(part.text) >= _SHORT:
        return _Part(
            text=part.text,
            title=title_of(document),
            removed=part.removed,
            notes=part.notes,
            selection=selection,
            left_out=part.left_out,
        )
    if not part.text.strip():
        return _convert_whole(document, url, WHOLE_NOTE)._replace(selection=selection)
    page = to_markdown(document, url)
    return _Part(
        text=part.text,
        title=page.title,
        removed=part.removed,
        notes=part.notes,
        whole=page.text,
        selection=selection,
        left_out=part.left_out,
    )
