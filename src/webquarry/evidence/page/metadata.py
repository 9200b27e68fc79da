"""What a page says of itself: title, authors, site, dates, each with the field it was read from.

Where fields disagree, the first of this order that says something usable wins; nothing is put
together from two, and nothing is made up where none speaks.

    title      JSON-LD headline, og:title, citation_title, DC.title, microdata, the only <h1>,
               <title>, the file itself
    authors    citation_author, JSON-LD, DC.creator, microdata, author metas, article:author,
               the file itself
    site       JSON-LD publisher, og:site_name, application-name, JSON-LD WebSite
    published  JSON-LD, article:published_time, citation_*_date, DC and PRISM, microdata,
               date metas, <time>, the address (/2025/07/01/), the file itself
    modified   JSON-LD, article:modified_time, og:updated_time, DC, microdata,
               last-modified metas, the file itself

Dates that cannot be the page's are passed over (`dates.is_plausible`), and so is a change before
the publication.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from webquarry.evidence.language.text import clean_html_line, clean_line
from webquarry.evidence.page.dates import is_plausible, read_date
from webquarry.evidence.page.jsonld import Graph, Node, types_of
from webquarry.evidence.page.people import Name, byline, parse_group, parse_people
from webquarry.evidence.page.tags import Tags
from webquarry.evidence.page.titles import host_of_page, without_site
from webquarry.read.models import Dated, Page

_PUBLISHED_METAS = (
    "article:published_time",
    "citation_online_date",
    "citation_publication_date",
    "citation_date",
    "citation_cover_date",
    "citation_year",
    "dc.date.issued",
    "dcterms.issued",
    "dc.issued",
    "prism.publicationdate",
    "eprints.date",
)
_LOOSE_PUBLISHED_METAS = (
    "parsely-pub-date",
    "sailthru.date",
    "publication_date",
    "publishdate",
    "pubdate",
    "ptime",
    "bt:pubdate",
    "cxenseparse:recs:publishtime",
    "date",
    "dc.date",
    "dcterms.date",
    "dc.date.created",
    "dcterms.created",
)
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
_TITLE_METAS = ("og:title", "citation_title", "dc.title", "dcterms.title", "eprints.title")
_PATH_DATE = re.compile(r"/(\d{4})/(\d{2})/(\d{2})(?:/|$)")
_LONGEST_SITE = 200  # characters
_MOST_LINKED_AUTHORS = 100


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

    @property
    def published_value(self) -> str | None:
        """The date of publication without its field."""
        return self.published.value if self.published else None


class _DateCandidate(NamedTuple):
    """What may be a date of the page, as it is written there."""

    written: Any
    field: str
    declared: bool  # whether the page declares it as its date


def read_facts(
    page_url: str, tags: Tags, graph: Graph, main: Node | None, page: Page, accessed: datetime
) -> PageFacts:
    """The facts of a page, from its markup and from the file itself."""
    site = _first_stated(_site_candidates(tags, graph, main))
    site_name = site.value if site else ""
    title = _first_stated(_title_candidates(tags, main, page))
    if title:
        bare = without_site(title.value, host_of_page(page_url), site_name)
        title = Stated(bare, title.field)
    authors, field = _find_authors(tags, graph, main, page, site_name)
    published = _first_plausible(_published_candidates(page_url, tags, main, page), accessed)
    modified = _first_plausible(_modified_candidates(tags, main, page), accessed)
    if published and modified and _is_earlier(modified.value, published.value):
        modified = None
    return PageFacts(title, authors, field, site, published, modified)


def _first_stated(candidates: Iterable[Stated]) -> Stated | None:
    return next((candidate for candidate in candidates if candidate.value), None)


def _title_candidates(tags: Tags, main: Node | None, page: Page) -> Iterator[Stated]:
    if main is not None:
        yield Stated(clean_html_line(main.get("headline")), "json-ld:headline")
        if "question" in types_of(main):
            yield Stated(clean_html_line(main.get("name")), "json-ld:name")
    for name, content in tags.find_metas(_TITLE_METAS):
        yield Stated(clean_html_line(content), name)
    for value in tags.find_items("headline"):
        yield Stated(clean_line(value), "microdata:headline")
    yield Stated(clean_line(tags.heading), "h1")
    yield Stated(clean_line(tags.title), "title")
    yield Stated(clean_line(page.title), page.content_type)


def _site_candidates(tags: Tags, graph: Graph, main: Node | None) -> Iterator[Stated]:
    if main is not None:
        for publisher in graph.get_values(main, "publisher"):
            yield Stated(graph.name_of(publisher), "json-ld:publisher")
    for name, content in tags.find_metas(("og:site_name", "application-name")):
        yield Stated(clean_html_line(content, _LONGEST_SITE), name)
    for node in graph.nodes:
        if "website" in types_of(node):
            yield Stated(clean_html_line(node.get("name"), _LONGEST_SITE), "json-ld:WebSite")


def _find_authors(
    tags: Tags, graph: Graph, main: Node | None, page: Page, site: str
) -> tuple[tuple[Name, ...], str]:
    """The authors by the first field that names any, and that field."""
    for names, field in _author_candidates(tags, graph, main, page):
        if names:
            return tuple(_as_group_if_site(name, site) for name in names), field
    return (), ""


def _author_candidates(
    tags: Tags, graph: Graph, main: Node | None, page: Page
) -> Iterator[tuple[tuple[Name, ...], str]]:
    yield parse_people(tags.get_all("citation_author"), lists=False), "citation_author"
    yield parse_people(tags.get_all("citation_authors")), "citation_authors"
    if main is not None:
        for name in ("author", "creator"):
            yield _json_ld_authors(graph, main, name), f"json-ld:{name}"
    for name in _CREATOR_METAS:
        yield parse_people(tags.get_all(name), lists=False), name
    yield parse_people(tags.find_items("author")), "microdata:author"
    for name in (*_AUTHOR_METAS, "article:author", "book:author"):
        yield parse_people(tags.get_all(name)), name
    yield parse_people([page.author]), page.content_type


def _json_ld_authors(graph: Graph, main: Node, name: str) -> tuple[Name, ...]:
    """The authors that the JSON-LD names in a property, each once."""
    found: dict[Name, None] = {}
    for value in graph.get_values(main, name)[:_MOST_LINKED_AUTHORS]:
        written = graph.name_of(value)
        types = types_of(value)
        if not types or "person" in types:
            found |= dict.fromkeys(parse_people([written]))
            continue
        group = parse_group(written)
        if group:
            found[group] = None
    return tuple(found)


def _as_group_if_site(name: Name, site: str) -> Name:
    """A site that signs its own pages is no person, whatever its name looks like."""
    if site and name.written.casefold() == site.casefold():
        return Name(literal=site)
    return name


def _published_candidates(
    page_url: str, tags: Tags, main: Node | None, page: Page
) -> Iterator[_DateCandidate]:
    if main is not None:
        for name in ("datePublished", "uploadDate", "dateCreated"):
            yield _DateCandidate(main.get(name), f"json-ld:{name}", declared=True)
    for name, content in tags.find_metas(_PUBLISHED_METAS):
        yield _DateCandidate(content, name, declared=True)
    for value in tags.find_items("datepublished"):
        yield _DateCandidate(value, "microdata:datePublished", declared=True)
    for name, content in tags.find_metas(_LOOSE_PUBLISHED_METAS):
        yield _DateCandidate(content, name, declared=False)
    for value in tags.times:
        yield _DateCandidate(value, "time", declared=False)
    path = page_url.partition("?")[0].partition("#")[0]
    found = _PATH_DATE.search(path)
    if found:
        yield _DateCandidate("-".join(found.groups()), "url", declared=False)
    if page.published:
        yield _DateCandidate(page.published.value, page.published.field, declared=True)


def _modified_candidates(tags: Tags, main: Node | None, page: Page) -> Iterator[_DateCandidate]:
    if main is not None:
        yield _DateCandidate(main.get("dateModified"), "json-ld:dateModified", declared=True)
    for name, content in tags.find_metas(_MODIFIED_METAS):
        yield _DateCandidate(content, name, declared=True)
    for value in tags.find_items("datemodified"):
        yield _DateCandidate(value, "microdata:dateModified", declared=True)
    for name, content in tags.find_metas(_LOOSE_MODIFIED_METAS):
        yield _DateCandidate(content, name, declared=False)
    if page.modified:
        yield _DateCandidate(page.modified.value, page.modified.field, declared=True)


def _first_plausible(candidates: Iterable[_DateCandidate], accessed: datetime) -> Dated | None:
    for candidate in candidates:
        value = read_date(candidate.written)
        if value and is_plausible(value, accessed, declared=candidate.declared):
            return Dated(value, candidate.field)
    return None


def _is_earlier(value: str, other: str) -> bool:
    """By the day, or as far as both are known; the hours of two zones are not compared."""
    length = min(len(value[:10]), len(other[:10]))
    return value[:length] < other[:length]
