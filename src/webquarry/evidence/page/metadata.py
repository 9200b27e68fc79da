"""What a page says of itself: title, authors, site, dates, each with the field it was read from.

Where fields disagree, the first of this order that says something usable wins; nothing is put
together from two, and nothing is made up where none speaks.

    title      JSON-LD headline, og:title, citation_title, DC.title, microdata, the only <h1>, <title>, the file itself
    authors    citation_author, JSON-LD, DC.creator, microdata, author metas, article:author, the file itself
    site       JSON-LD publisher, og:site_name, application-name, JSON-LD WebSite
    published  JSON-LD, article:published_time, citation_*_date, DC and PRISM, microdata, date metas, <time>, the
               address (/2025/07/01/), the file itself
    modified   JSON-LD, article:modified_time, og:updated_time, DC, microdata, last-modified metas, the file itself

Dates that cannot be the page's are passed over (`dates.is_plausible`), and so is a change before
the publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webquarry.evidence.language.text import line, line_from_html
from webquarry.evidence.page.dates import is_plausible, read_date
from webquarry.evidence.page.jsonld import Graph, Node, types_of
from webquarry.evidence.page.people import Name, byline, parse_group, parse_people
from webquarry.evidence.page.tags import Tags
from webquarry.evidence.page.titles import host_of_page, without_site
from webquarry.read.models import Dated, Page

_PUBLISHED_METAS = (
    "article:published_time", "citation_online_date", "citation_publication_date", "citation_date", "citation_cover_date",
    "citation_year", "dc.date.issued", "dcterms.issued", "dc.issued", "prism.publicationdate", "eprints.date",
)  # fmt: skip
_LOOSE_PUBLISHED_METAS = (
    "parsely-pub-date", "sailthru.date", "publication_date", "publishdate", "pubdate", "ptime", "bt:pubdate",
    "cxenseparse:recs:publishtime", "date", "dc.date", "dcterms.date", "dc.date.created", "dcterms.created",
)  # fmt: skip
_MODIFIED_METAS = (
    "article:modified_time",
    "og:updated_time",
    "dcterms.modified",
    "dc.date.modified",
)
_LOOSE_MODIFIED_METAS = ("last-modified", "lastmod", "revised")
_AUTHOR_METAS = ("author", "byl", "parsely-author", "sailthru.author", "dc.contributor.author")
_CREATOR_METAS = (
    "dc.creator",
    "dcterms.creator",
    "eprints.creators_name",
    "bepress_citation_author",
)
_PATH_DATE = re.compile(r"/(\d{4})/(\d{2})/(\d{2})(?:/|$)")


@dataclass(frozen=True)
class Stated:
    """A text, and the field of the page that states it."""

    value: str
    field: str


@dataclass(frozen=True)
class PageFacts:
    """What is known of a page; what nobody stated is None or empty."""

    title: Stated | None = None
    authors: tuple[Name, ...] = ()
    authors_field: str = ""
    site: Stated | None = None
    published: Dated | None = None
    modified: Dated | None = None

    @property
    def author(self) -> str:
        """The authors in one line."""
        return byline(self.authors)


def read_facts(
    page_url: str, tags: Tags, graph: Graph, main: Node | None, page: Page, accessed: datetime
) -> PageFacts:
    """The facts of a page, from its markup and from the file itself."""
    site = _first(_sites(tags, graph, main))
    title = _first(_titles(tags, main, page))
    if title:
        title = Stated(
            without_site(title.value, host_of_page(page_url), site.value if site else ""),
            title.field,
        )
    authors, field = _authors(tags, graph, main, page, site.value if site else "")
    published = _date(_published(page_url, tags, main, page), accessed)
    modified = _date(_modified(tags, main, page), accessed)
    if published and modified and _is_earlier(modified.value, published.value):
        modified = None
    return PageFacts(title, authors, field, site, published, modified)


def _first(stated: Iterable[Stated]) -> Stated | None:
    return next((one for one in stated if one.value), None)


def _titles(tags: Tags, main: Node | None, page: Page) -> Iterator[Stated]:
    if main is not None:
        yield Stated(line_from_html(main.get("headline")), "json-ld:headline")
        if "question" in types_of(main):
            yield Stated(line_from_html(main.get("name")), "json-ld:name")
    for name, content in tags.stated(
        ("og:title", "citation_title", "dc.title", "dcterms.title", "eprints.title")
    ):
        yield Stated(line_from_html(content), name)
    for name, value in tags.items:
        if name == "headline":
            yield Stated(line(value), "microdata:headline")
    yield Stated(line(tags.heading), "h1")
    yield Stated(line(tags.title), "title")
    yield Stated(line(page.title), page.content_type)


def _sites(tags: Tags, graph: Graph, main: Node | None) -> Iterator[Stated]:
    for publisher in graph.members(main, "publisher") if main is not None else []:
        yield Stated(graph.name_of(publisher), "json-ld:publisher")
    for name, content in tags.stated(("og:site_name", "application-name")):
        yield Stated(line_from_html(content, 200), name)
    for node in graph.nodes:
        if "website" in types_of(node):
            yield Stated(line_from_html(node.get("name"), 200), "json-ld:WebSite")


def _authors(
    tags: Tags, graph: Graph, main: Node | None, page: Page, site: str
) -> tuple[tuple[Name, ...], str]:
    for names, field in _author_fields(tags, graph, main, page):
        names = tuple(_as_group_if_site(name, site) for name in names)
        if names:
            return names, field
    return (), ""


def _author_fields(
    tags: Tags, graph: Graph, main: Node | None, page: Page
) -> Iterator[tuple[tuple[Name, ...], str]]:
    yield parse_people(tags.all("citation_author"), lists=False), "citation_author"
    yield parse_people(tags.all("citation_authors")), "citation_authors"
    if main is not None:
        for name in ("author", "creator"):
            yield _linked_authors(graph, main, name), f"json-ld:{name}"
    for name in _CREATOR_METAS:
        yield parse_people(tags.all(name), lists=False), name
    yield parse_people(value for name, value in tags.items if name == "author"), "microdata:author"
    for name in (*_AUTHOR_METAS, "article:author", "book:author"):
        yield parse_people(tags.all(name)), name
    yield parse_people([page.author]), page.content_type


def _linked_authors(graph: Graph, main: Node, name: str) -> tuple[Name, ...]:
    found: dict[Name, None] = {}
    for value in graph.members(main, name)[:100]:
        for one in _linked_author(graph, value):
            found[one] = None
    return tuple(found)


def _linked_author(graph: Graph, value: Any) -> tuple[Name, ...]:
    written = graph.name_of(value)
    types = types_of(value)
    if types and "person" not in types:
        name = parse_group(written)
        if name:
            return (name,)
        return ()
    return parse_people([written])


def _as_group_if_site(name: Name, site: str) -> Name:
    """A site that signs its own pages is no person, whatever its name looks like."""
    if site and name.written.casefold() == site.casefold():
        return Name(literal=site)
    return name


def _published(
    page_url: str, tags: Tags, main: Node | None, page: Page
) -> Iterator[tuple[Any, str, bool]]:
    """Candidates in order: as written, the field, and whether the page declares it as its date."""
    if main is not None:
        for name in ("datePublished", "uploadDate", "dateCreated"):
            yield main.get(name), f"json-ld:{name}", True
    for name, content in tags.stated(_PUBLISHED_METAS):
        yield content, name, True
    yield from (
        (value, "microdata:datePublished", True)
        for name, value in tags.items
        if name == "datepublished"
    )
    for name, content in tags.stated(_LOOSE_PUBLISHED_METAS):
        yield content, name, False
    yield from ((value, "time", False) for value in tags.times)
    if found := _PATH_DATE.search(page_url.partition("?")[0].partition("#")[0]):
        yield "-".join(found.groups()), "url", False
    if page.published:
        yield page.published.value, page.published.field, True


def _modified(tags: Tags, main: Node | None, page: Page) -> Iterator[tuple[Any, str, bool]]:
    if main is not None:
        yield main.get("dateModified"), "json-ld:dateModified", True
    for name, content in tags.stated(_MODIFIED_METAS):
        yield content, name, True
    yield from (
        (value, "microdata:dateModified", True)
        for name, value in tags.items
        if name == "datemodified"
    )
    for name, content in tags.stated(_LOOSE_MODIFIED_METAS):
        yield content, name, False
    if page.modified:
        yield page.modified.value, page.modified.field, True


def _date(candidates: Iterable[tuple[Any, str, bool]], accessed: datetime) -> Dated | None:
    for written, field, declared in candidates:
        value = read_date(written)
        if value and is_plausible(value, accessed, declared=declared):
            return Dated(value, field)
    return None


def _is_earlier(value: str, other: str) -> bool:
    """By the day, or as far as both are known; the hours of two zones are not compared."""
    exact = min(len(value[:10]), len(other[:10]))
    return value[:exact] < other[:exact]
