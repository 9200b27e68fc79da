"""Papers of arXiv: what its API says of them, the abstract, and the full text from its HTML where
`/html/` or `/pdf/` was asked for; else from the PDF.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.article_html import (
    find_by_class,
    parse_article,
    take_out,
    write_article,
)
from webquarry._read.special._parts.json_fields import get_text, get_texts
from webquarry._read.special._parts.site_markdown import join_blocks, join_facts
from webquarry._read.special._parts.site_request import SiteRequest, SiteWriter
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry._search.scholarly.xml import parse_xml, text_of
from webquarry.errors import NotFound, ProviderFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply

if TYPE_CHECKING:
    from lxml import etree

    from webquarry._read.html.parse import Document

API = "https://export.arxiv.org"
SITE = "https://arxiv.org"
_HOSTS = frozenset({"arxiv.org", "www.arxiv.org", "export.arxiv.org", "ar5iv.labs.arxiv.org"})
_DOI_HOSTS = frozenset({"doi.org", "dx.doi.org"})
_ID = r"([0-9]{4}\.[0-9]{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/[0-9]{7})(v[0-9]{1,2})?"
_PATH = re.compile(rf"/(abs|pdf|html)/{_ID}(?:\.pdf)?/?")
_DOI = re.compile(rf"/10\.48550/arxiv\.{_ID}/?", re.IGNORECASE)
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)
_FAILED = b"Conversion to HTML had a Fatal error"
_OK = 200
_MOST_AUTHORS = 20


class ArxivReader(SpecialReader):
    name = "arxiv"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS or host in _DOI_HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        return bool(parse_paper(url))

    async def read(self, url: str, context: SiteContext) -> SiteReply | Reply:
        wanted = parse_paper(httpx2.URL(url))
        assert wanted is not None
        kind, number, version = wanted
        request = SiteRequest(self.name, url, context)
        record = await _fetch_record(request, number + version)
        data: dict[str, Any] = {"number": number, "record": record, "lost": []}
        if kind == "abs":
            return request.build_reply(data)
        html = await _fetch_html(request, number + version)
        if html:
            return request.build_reply(data, html)
        pdf = await request.fetch(f"{SITE}/pdf/{number}{version}", "application/pdf")
        if pdf.status == _OK:
            return pdf
        data["lost"] = ["The full text could not be had: this is the abstract."]
        return request.build_reply(data)

    def write(self, reply: SiteReply, url: str) -> Page:
        entry = _find_entry(get_text(reply.data, "record").encode())
        number = get_text(reply.data, "number")
        home = f"{SITE}/abs/{number}"
        writer = SiteWriter(reply, url, f"{SITE}/html/{number}")
        composer = writer.composer
        title = text_of(entry.find(f"{_ATOM}title"))
        authors = [text_of(name) for name in entry.iterfind(f"{_ATOM}author/{_ATOM}name")]
        blocks = [f"# {composer.name(title)}", *_list_warnings(entry, composer)]
        blocks.append(_write_facts(entry, authors, composer))
        if reply.body:
            document = parse_article(reply.body)
            _clean_article(document)
            blocks.append(write_article(document, f"{SITE}/html/{number}", composer))
        else:
            abstract = composer.paragraphs(text_of(entry.find(f"{_ATOM}summary")))
            blocks += ["## Abstract", abstract]
            blocks.append(f"Full text: {SITE}/html/{number} or {SITE}/pdf/{number}")
        return writer.build_page(
            join_blocks(blocks),
            title,
            url=home,
            author=", ".join(authors[:_MOST_AUTHORS]),
            published=text_of(entry.find(f"{_ATOM}published"))[:10],
            modified=text_of(entry.find(f"{_ATOM}updated"))[:10],
            lost=get_texts(reply.data, "lost"),
        )


def parse_paper(url: httpx2.URL) -> tuple[str, str, str] | None:
    """What is wanted of which paper in which version."""
    found = None
    if url.host in _HOSTS:
        found = _PATH.fullmatch(url.path)
        if found:
            return found[1], found[2], found[3] or ""
    if url.host in _DOI_HOSTS:
        found = _DOI.fullmatch(url.path)
        if found:
            return "abs", found[1], found[2] or ""
    return None


async def _fetch_record(request: SiteRequest, number: str) -> str:
    """The feed with the one entry of a paper."""
    context = request.context
    address = context.url("arxiv", API, "/api/query")
    reply = await request.send(f"{address}?id_list={number}&max_results=1")
    text = reply.body.decode("utf-8", "replace")
    if reply.status == 429 or text.lstrip()[:13].lower() == "rate exceeded":
        raise RateLimited("arXiv takes no more requests for now.")
    if reply.status not in (200, 400):
        raise ProviderFailure(f"arXiv answered with HTTP {reply.status}.")
    if "<entry>" not in text or "/api/errors" in text:
        raise NotFound(f"arXiv has no paper {number}.")
    return text


async def _fetch_html(request: SiteRequest, number: str) -> bytes:
    """The full text as HTML; empty where there is none, as of most older papers."""
    try:
        reply = await request.fetch(f"{SITE}/html/{number}", "text/html")
    except WebquarryError:
        return b""
    if reply.status != _OK or _FAILED in reply.body or b"ltx_document" not in reply.body:
        return b""
    return reply.body


def _find_entry(feed: bytes) -> etree._Element:
    from lxml import etree

    entry = parse_xml(feed).find(f"{_ATOM}entry")
    if entry is None:
        return etree.Element("entry")
    return entry


def _list_warnings(entry: etree._Element, composer: Composer) -> list[str]:
    """That a paper was withdrawn, which only its comment or its abstract says."""
    comment = text_of(entry.find(f"{_ARXIV}comment"))
    summary = text_of(entry.find(f"{_ATOM}summary"))
    if not _WITHDRAWN.search(comment) and not _WITHDRAWN.search(summary[:200]):
        return []
    reason = comment or "its abstract says so"
    return [f"**Withdrawn: {composer.name(reason)}**"]


def _write_facts(entry: etree._Element, authors: Sequence[str], composer: Composer) -> str:
    shown = ", ".join(authors[:_MOST_AUTHORS])
    if len(authors) > _MOST_AUTHORS:
        shown = f"{shown} and {len(authors) - _MOST_AUTHORS} more"
    address = text_of(entry.find(f"{_ATOM}id"))
    first = text_of(entry.find(f"{_ATOM}published"))[:10]
    last = text_of(entry.find(f"{_ATOM}updated"))[:10]
    categories = [category.get("term") or "" for category in entry.iterfind(f"{_ATOM}category")]
    doi = text_of(entry.find(f"{_ARXIV}doi"))
    identity = f"arXiv:{address.rpartition('/abs/')[2]} ({last}; first {first})"
    facts = [
        composer.name(shown),
        composer.name(identity),
        composer.name(", ".join(categories)),
        composer.name(text_of(entry.find(f"{_ARXIV}journal_ref"))),
        composer.name(f"doi:{doi}") if doi else "",
        composer.name(text_of(entry.find(f"{_ARXIV}comment"))),
    ]
    return join_facts(facts)


def _clean_article(document: Document) -> None:
    """Keep the article alone, without the title that stands above it already; its footnotes become
    notes, and citations lose the links to themselves.
    """
    from lxml import etree

    for article in list(document.elements()):
        if article.tag == "article":
            document.roots[:] = [article]
            break
    for element in find_by_class(document, "ltx_title_document", "ltx_authors"):
        take_out(element)
    for element in find_by_class(document, "ltx_cite"):
        for link in element.iter("a"):
            link.attrib.pop("href", "")
    notes = etree.Element("ol")
    for note in find_by_class(document, "ltx_role_footnote"):
        _move_note(note, notes)
    if len(notes) and document.roots:
        heading = etree.SubElement(document.roots[0], "h2")
        heading.text = "Notes"
        document.roots[0].append(notes)


def _move_note(note: etree._Element, notes: etree._Element) -> None:
    """Put a footnote behind the text, and a mark in its place that leads there."""
    from lxml import etree

    number = len(notes) + 1
    item = etree.SubElement(notes, "li", id=f"note-{number}")
    content = ""
    for part in note.iter():
        if "ltx_note_content" in (part.get("class") or "").split():
            marks = [mark for mark in part if "ltx_note_mark" in (mark.get("class") or "")]
            for mark in marks:
                take_out(mark)
            content = " ".join("".join(str(text) for text in part.itertext()).split())
    item.text = content
    for child in list(note):
        note.remove(child)
    note.text = None
    note.attrib.clear()
    mark = etree.SubElement(note, "sup")
    link = etree.SubElement(mark, "a", href=f"#note-{number}")
    link.text = str(number)
