"""arXiv: the record and abstract of a paper; for `/html/` and `/pdf/` the full text as HTML, or as
PDF if there is no HTML.

API: https://info.arxiv.org/help/api/user-manual.html (one request every three seconds)
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import httpx2

from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry._search.replies import parse_xml, text_of
from webquarry.errors import NotFound, ProviderFailure, RateLimited, Unreadable, WebquarryError
from webquarry.net.models import Reply

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document

_API = "https://export.arxiv.org"
_SITE = "https://arxiv.org"
_ID = r"([0-9]{4}\.[0-9]{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/[0-9]{7})(v[0-9]{1,2})?"
_PATH = rf"/(abs|pdf|html)/{_ID}(?:\.pdf)?/?"
_NAMES = {"": "http://www.w3.org/2005/Atom", "arxiv": "http://arxiv.org/schemas/atom"}
_FAILED = b"Conversion to HTML had a Fatal error"
_MAX_AUTHORS = 20


class ArxivReader(SiteReader):
    name = "arxiv"
    hosts = "arxiv.org export.arxiv.org"

    def match(self, url: httpx2.URL) -> tuple[str, ...] | None:
        """Return the kind of page, the id and the version."""
        found = re.fullmatch(_PATH, url.path)
        return found.groups("") if found else None

    async def fetch(self, request: SiteRequest) -> SiteReply | Reply:
        kind, number, version = request.target
        record = await _fetch_record(request, number + version)
        data = {"number": number, "record": record}
        if kind == "abs":
            return request.build_reply(data)
        html = await _fetch_html(request, number + version)
        if html:
            return request.build_reply(data, html)
        pdf = await request.fetch(f"{_SITE}/pdf/{number}{version}", "application/pdf")
        if pdf.status == 200:
            return pdf
        request.lost = ["The full text is not available: only the abstract is shown."]
        return request.build_reply(data)

    def write(self, reply: SiteReply, url: str) -> Page:
        entry = parse_xml(reply.data["record"].encode()).find("entry", _NAMES)
        if entry is None:
            raise Unreadable("Unexpected response from arXiv: no entry.")
        number = reply.data["number"]
        page = SiteWriter(reply, url, f"{_SITE}/html/{number}")
        fields = ["title", "summary", "published", "updated", "arxiv:comment", "arxiv:doi"]
        title, summary, published, updated, comment, doi = (
            text_of(entry.find(field, _NAMES)) for field in fields
        )
        authors = [text_of(name) for name in entry.iterfind("author/name", _NAMES)]
        shown = ", ".join(authors[:_MAX_AUTHORS])
        others = len(authors) - _MAX_AUTHORS
        version = text_of(entry.find("id", _NAMES)).rpartition("/abs/")[2]
        facts = [
            f"{shown} and {others} more" if others > 0 else shown,
            f"arXiv:{version} ({updated[:10]}; first {published[:10]})",
            ", ".join(one.get("term") or "" for one in entry.iterfind("category", _NAMES)),
            text_of(entry.find("arxiv:journal_ref", _NAMES)),
            page.label("doi:", doi),
            comment,
        ]
        blocks: list[Content] = []
        if re.search(r"(?i)\bwithdrawn\b", f"{comment} {summary[:200]}"):
            reason = comment or "see the abstract"
            blocks.append(page.strong(f"Withdrawn: {page.name(reason)}"))
        blocks.append(page.facts(page.name(fact) for fact in facts))
        if reply.body:
            blocks.append(page.document(_parse_article(page.text)))
        else:
            blocks.append(page.section(2, "Abstract", page.paragraphs(summary)))
            blocks.append(f"Full text: {_SITE}/html/{number} or {_SITE}/pdf/{number}")
        return page.build_page(
            blocks,
            title,
            url=f"{_SITE}/abs/{number}",
            author=shown,
            published=published[:10],
            modified=updated[:10],
        )


async def _fetch_record(request: SiteRequest, number: str) -> str:
    """Request the feed with the entry of a paper."""
    url = request.at("arxiv", _API, "/api/query")
    reply = await request.send(f"{url}?id_list={number}&max_results=1")
    text = reply.body.decode("utf-8", "replace")
    if reply.status == 429 or text.lstrip().lower().startswith("rate exceeded"):
        raise RateLimited("Rate limited by arXiv.")  # also with HTTP 200
    if reply.status not in (200, 400):
        raise ProviderFailure(f"Unexpected response from arXiv: HTTP {reply.status}.")
    if "<entry>" not in text or "/api/errors" in text:
        raise NotFound(f"arXiv has no paper {number}.")
    return text


async def _fetch_html(request: SiteRequest, number: str) -> bytes:
    """Request the full text; empty if there is no HTML, as of most papers before 2023."""
    try:
        reply = await request.fetch(f"{_SITE}/html/{number}", "text/html")
    except WebquarryError:
        return b""
    if reply.status != 200 or _FAILED in reply.body or b"ltx_document" not in reply.body:
        return b""
    return reply.body


def _parse_article(html: str) -> Document:
    """Parse the article without its title. Footnotes are put in parentheses, and citations lose
    their links.
    """
    from webquarry._read.html.parse import parse_html
    from webquarry._read.html.tree import clear_element, find_by_class, get_classes, get_text

    document = parse_html(html)
    document.roots[:] = [one for one in document.elements() if one.tag == "article"][:1]
    for element in find_by_class(document, "ltx_title_document", "ltx_authors", "ltx_note_mark"):
        clear_element(element)
    for element in find_by_class(document, "ltx_cite"):
        for link in element.iter("a"):
            link.attrib.pop("href", "")
    for note in find_by_class(document, "ltx_role_footnote"):
        content = [one for one in note.iter() if "ltx_note_content" in get_classes(one)]
        text = get_text(content[0]) if content else ""
        clear_element(note)
        note.text = f" ({text})"
    return document
