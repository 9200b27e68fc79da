"""Metadata that a page states about itself, each with its field.

If fields disagree, the first usable one in this order counts; nothing is combined or guessed.

    title      JSON-LD headline, og:title, citation_title, DC.title, microdata, the only <h1>,
               <title>, the file itself
    authors    citation_author, JSON-LD, DC.creator, microdata, author metas, article:author,
               the file itself
    site       JSON-LD publisher, og:site_name, application-name, JSON-LD WebSite
    published  JSON-LD, article:published_time, citation_*_date, DC and PRISM, microdata,
               date metas, <time>, the URL (/2025/07/01/), the file itself
    modified   JSON-LD, article:modified_time, og:updated_time, DC, microdata,
               last-modified metas, the file itself

Implausible dates are skipped (`dates.is_plausible`), and so is a change before the publication.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from webquarry._read.models import Dated, Page
from webquarry.evidence.page.dates import is_plausible, read_date
from webquarry.evidence.page.jsonld import types_of
from webquarry.evidence.page.markup import Markup
from webquarry.evidence.page.people import Name, byline, parse_group, parse_people
from webquarry.evidence.page.text import clean_html_line, clean_line
from webquarry.evidence.page.titles import host_of_page, without_site

# Fields by precedence: names of meta tags, and others that `Markup.find` knows.
_TITLES = (
    "json-ld:headline", "og:title", "citation_title", "dc.title", "dcterms.title", "eprints.title",
    "microdata:headline", "h1", "title",
)  # fmt: skip
_AS_SHOWN = ("microdata:headline", "h1", "title")  # without entities and tags
_SITES = ("og:site_name", "application-name")
_CREATORS = ("dc.creator", "dcterms.creator", "eprints.creators_name", "bepress_citation_author")
_ONE_EACH = frozenset({"citation_author", *_CREATORS})  # a tag for each author
_AUTHORS = (
    "citation_author", "citation_authors", "json-ld:author", "json-ld:creator", *_CREATORS,
    "microdata:author", "author", "byl", "parsely-author", "sailthru.author",
    "dc.contributor.author", "article:author", "book:author",
)  # fmt: skip
_PUBLISHED = (
    "json-ld:datePublished", "json-ld:uploadDate", "json-ld:dateCreated",
    "article:published_time", "citation_online_date", "citation_publication_date",
    "citation_date", "citation_cover_date", "citation_year", "dc.date.issued", "dcterms.issued",
    "dc.issued", "prism.publicationdate", "eprints.date", "microdata:datePublished",
)  # fmt: skip
_MODIFIED = (
    "json-ld:dateModified", "article:modified_time", "og:updated_time", "dcterms.modified",
    "dc.date.modified", "microdata:dateModified",
)  # fmt: skip
# Dates that may be of something else.
_LOOSE_PUBLISHED = (
    "parsely-pub-date", "sailthru.date", "publication_date", "publishdate", "pubdate", "ptime",
    "bt:pubdate", "cxenseparse:recs:publishtime", "date", "dc.date", "dcterms.date",
    "dc.date.created", "dcterms.created", "time", "url",
)  # fmt: skip
_LOOSE_MODIFIED = ("last-modified", "lastmod", "revised")
_MAX_SITE = 200  # characters
_MAX_LINKED_AUTHORS = 100


class Stated(NamedTuple):
    """A text and the field that states it."""

    value: str
    field: str


class PageFacts(NamedTuple):
    """Metadata of a page; facts that are not stated are None or empty."""

    title: Stated | None = None
    authors: tuple[Name, ...] = ()
    authors_field: str = ""
    site: Stated | None = None
    published: Dated | None = None
    modified: Dated | None = None

    @property
    def author(self) -> str:
        """The authors on one line."""
        return byline(self.authors)

    @property
    def published_value(self) -> str | None:
        """The publication date without its field."""
        return self.published.value if self.published else None


def read_facts(markup: Markup, page: Page, accessed: datetime) -> PageFacts:
    """Return the metadata of a page, from its markup and from the file itself."""
    site = _first(_list_sites(markup))
    title = _first(_list_titles(markup, page))
    if title:
        bare = without_site(title.value, host_of_page(markup.url), site.value if site else "")
        title = Stated(bare, title.field)
    authors, authors_field = next(
        ((names, field) for names, field in _list_authors(markup, page) if names), ((), "")
    )
    if site:  # the site as author is an organisation, whatever its name looks like
        folded = site.value.casefold()
        literal = Name(literal=site.value)
        authors = tuple(literal if one.written.casefold() == folded else one for one in authors)
    published = _find_date(markup, _PUBLISHED, _LOOSE_PUBLISHED, page.published, accessed)
    modified = _find_date(markup, _MODIFIED, _LOOSE_MODIFIED, page.modified, accessed)
    if published and modified:
        # compared by day, because zones may differ
        length = min(len(modified.value), len(published.value), len("2024-01-31"))
        if modified.value[:length] < published.value[:length]:
            modified = None
    return PageFacts(title, authors, authors_field, site, published, modified)


def _first(candidates: Iterable[tuple[str, str]]) -> Stated | None:
    """Return the first candidate (value, field) with a value."""
    return next((Stated(value, field) for value, field in candidates if value), None)


def _list_titles(markup: Markup, page: Page) -> Iterator[tuple[str, str]]:
    is_question = "question" in types_of(markup.main)
    for field in _TITLES:
        for value in markup.find(field):
            yield (clean_line if field in _AS_SHOWN else clean_html_line)(value), field
        if field == "json-ld:headline" and is_question:
            yield clean_html_line((markup.main or {}).get("name")), "json-ld:name"
    yield clean_line(page.title), page.content_type


def _list_sites(markup: Markup) -> Iterator[tuple[str, str]]:
    graph = markup.graph
    if markup.main is not None:
        for publisher in graph.get_values(markup.main, "publisher"):
            yield graph.name_of(publisher), "json-ld:publisher"
    for field, content in markup.list_metas(*_SITES):
        yield clean_html_line(content, _MAX_SITE), field
    for node in graph.nodes:
        if "website" in types_of(node):
            yield clean_html_line(node.get("name"), _MAX_SITE), "json-ld:WebSite"


def _list_authors(markup: Markup, page: Page) -> Iterator[tuple[tuple[Name, ...], str]]:
    for field in _AUTHORS:
        values = markup.find(field)
        if field.startswith("json-ld:"):
            yield _parse_json_ld_authors(markup, values), field
        else:
            yield parse_people(values, lists=field not in _ONE_EACH), field
    yield parse_people([page.author]), page.content_type


def _parse_json_ld_authors(markup: Markup, values: Sequence[Any]) -> tuple[Name, ...]:
    """Return the authors of a property; organisations are not split into names."""
    found: dict[Name, None] = {}
    for value in values[:_MAX_LINKED_AUTHORS]:
        text = markup.graph.name_of(value)
        types = types_of(value)
        if not types or "person" in types:
            found |= dict.fromkeys(parse_people([text]))
        else:
            found |= dict.fromkeys(filter(None, [parse_group(text)]))
    return tuple(found)


def _find_date(
    markup: Markup,
    declared: Sequence[str],
    loose: Sequence[str],
    own: Dated | None,
    accessed: datetime,
) -> Dated | None:
    """Return the first plausible date of some fields, or that of the file itself."""
    for field in (*declared, *loose):
        for text in markup.find(field):
            value = read_date(text)
            if value and is_plausible(value, accessed, declared=field in declared):
                return Dated(value, field)
    if own and is_plausible(own.value, accessed, declared=True):
        return own
    return None
