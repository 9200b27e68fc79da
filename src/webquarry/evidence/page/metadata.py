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
_AUTHOR_METAS = (
    "author",
    "byl",
    "parsely-author",
    "sailthru.author",
    "dc.contributor.author",
    "article:author",
    "book:author",
)
_CREATOR_METAS = (
    "dc.creator",
    "dcterms.creator",
    "eprints.creators_name",
    "bepress_citation_author",
)
_TITLE_METAS = ("og:title", "citation_title", "dc.title", "dcterms.title", "eprints.title")
_SITE_METAS = ("og:site_name", "application-name")
_PATH_DATE = re.compile(r"/(\d{4})/(\d{2})/(\d{2})(?:/|$)")
_LONGEST_SITE = 200  # characters
_MOST_LINKED_AUTHORS = 100


class Stated(NamedTuple):
    """A text, and the field of the page that states it."""

    value: str
    field: str


class PageFacts(NamedTuple):
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
        if self.published is None:
            return None
        return self.published.value


class _DateCandidate(NamedTuple):
    """What may be a date of the page, as it is written there."""

    written: Any
    field: str
    declared: bool  # whether the page declares it as its date


def read_facts(
    page_url: str, tags: Tags, graph: Graph, main: Node | None, page: Page, accessed: datetime
) -> PageFacts:
    """The facts of a page, from its markup and from the file itself."""
    fields = _Fields(page_url, tags, graph, main, page)
    site = _first_stated(fields.sites())
    site_name = site.value if site else ""
    title = _first_stated(fields.titles())
    if title:
        bare = without_site(title.value, host_of_page(page_url), site_name)
        title = Stated(bare, title.field)
    names: tuple[Name, ...] = ()
    authors_field = ""
    for candidates, field in fields.authors():
        if candidates:  # by the first field that names any
            names, authors_field = candidates, field
            break
    if site_name:
        names = _name_site(names, site_name)
    published = _first_plausible(fields.publication_dates(), accessed)
    modified = _first_plausible(fields.modification_dates(), accessed)
    if published and modified:
        # by the day, or as far as both are known; the hours of two zones are not compared
        length = min(len(modified.value), len(published.value), len("2024-01-31"))
        if modified.value[:length] < published.value[:length]:
            modified = None
    return PageFacts(title, names, authors_field, site, published, modified)


def _name_site(names: tuple[Name, ...], site_name: str) -> tuple[Name, ...]:
    """The authors with the site under its name: one that signs its own pages is no person, whatever
    its name looks like.
    """
    folded = site_name.casefold()
    signed = Name(literal=site_name)
    return tuple(signed if name.written.casefold() == folded else name for name in names)


class _Fields(NamedTuple):
    """What the fields of a page state, for each fact in the order in which they are believed."""

    page_url: str
    tags: Tags
    graph: Graph
    main: Node | None
    page: Page

    def titles(self) -> Iterator[Stated]:
        """Candidates for the title; they may be empty."""
        tags = self.tags
        if self.main is not None:
            headline = self.main.get("headline")
            yield Stated(clean_html_line(headline), "json-ld:headline")
            if "question" in types_of(self.main):
                name = self.main.get("name")
                yield Stated(clean_html_line(name), "json-ld:name")
        for name, content in tags.find_metas(_TITLE_METAS):
            yield Stated(clean_html_line(content), name)
        for value in tags.find_items("headline"):
            yield Stated(clean_line(value), "microdata:headline")
        yield Stated(clean_line(tags.heading), "h1")
        yield Stated(clean_line(tags.title), "title")
        yield Stated(clean_line(self.page.title), self.page.content_type)

    def sites(self) -> Iterator[Stated]:
        """Candidates for the name of the site; they may be empty."""
        if self.main is not None:
            for publisher in self.graph.get_values(self.main, "publisher"):
                name = self.graph.name_of(publisher)
                yield Stated(name, "json-ld:publisher")
        for field, content in self.tags.find_metas(_SITE_METAS):
            name = clean_html_line(content, _LONGEST_SITE)
            yield Stated(name, field)
        for node in self.graph.nodes:
            if "website" in types_of(node):
                name = clean_html_line(node.get("name"), _LONGEST_SITE)
                yield Stated(name, "json-ld:WebSite")

    def authors(self) -> Iterator[tuple[tuple[Name, ...], str]]:
        """Candidates for the authors, each with its field; they may be empty."""
        yield from self._parse_tags(("citation_author",), lists=False)
        yield from self._parse_tags(("citation_authors",), lists=True)
        if self.main is not None:
            for field in ("author", "creator"):
                values = self.graph.get_values(self.main, field)
                yield self._parse_json_ld_authors(values), f"json-ld:{field}"
        yield from self._parse_tags(_CREATOR_METAS, lists=False)
        if self.tags.items:
            yield parse_people(self.tags.find_items("author")), "microdata:author"
        yield from self._parse_tags(_AUTHOR_METAS, lists=True)
        if self.page.author:
            yield parse_people([self.page.author]), self.page.content_type

    def _parse_tags(
        self, names: Iterable[str], *, lists: bool
    ) -> Iterator[tuple[tuple[Name, ...], str]]:
        """The authors in those of these meta tags that are there."""
        for name in names:
            contents = self.tags.by_name.get(name)
            if contents:
                yield parse_people(contents, lists=lists), name

    def _parse_json_ld_authors(self, values: list[Any]) -> tuple[Name, ...]:
        """The authors that these things are, each once."""
        found: dict[Name, None] = {}
        linked = values[:_MOST_LINKED_AUTHORS]
        for value in linked:
            written = self.graph.name_of(value)
            types = types_of(value)
            is_person = not types or "person" in types
            if is_person:
                people = parse_people([written])
                found |= dict.fromkeys(people)
                continue
            group = parse_group(written)
            if group:
                found[group] = None
        return tuple(found)

    def publication_dates(self) -> Iterator[_DateCandidate]:
        """Candidates for the date of publication."""
        if self.main is not None:
            for name in ("datePublished", "uploadDate", "dateCreated"):
                yield _DateCandidate(self.main.get(name), f"json-ld:{name}", declared=True)
        for name, content in self.tags.find_metas(_PUBLISHED_METAS):
            yield _DateCandidate(content, name, declared=True)
        for value in self.tags.find_items("datepublished"):
            yield _DateCandidate(value, "microdata:datePublished", declared=True)
        for name, content in self.tags.find_metas(_LOOSE_PUBLISHED_METAS):
            yield _DateCandidate(content, name, declared=False)
        for value in self.tags.times:
            yield _DateCandidate(value, "time", declared=False)
        path = self.page_url.partition("?")[0].partition("#")[0]
        in_path = _PATH_DATE.search(path)
        if in_path:
            yield _DateCandidate("-".join(in_path.groups()), "url", declared=False)
        in_file = self.page.published
        if in_file:
            yield _DateCandidate(in_file.value, in_file.field, declared=True)

    def modification_dates(self) -> Iterator[_DateCandidate]:
        """Candidates for the date of the last change."""
        if self.main is not None:
            written = self.main.get("dateModified")
            yield _DateCandidate(written, "json-ld:dateModified", declared=True)
        for name, content in self.tags.find_metas(_MODIFIED_METAS):
            yield _DateCandidate(content, name, declared=True)
        for value in self.tags.find_items("datemodified"):
            yield _DateCandidate(value, "microdata:dateModified", declared=True)
        for name, content in self.tags.find_metas(_LOOSE_MODIFIED_METAS):
            yield _DateCandidate(content, name, declared=False)
        in_file = self.page.modified
        if in_file:
            yield _DateCandidate(in_file.value, in_file.field, declared=True)


def _first_stated(candidates: Iterable[Stated]) -> Stated | None:
    """The first that is not empty."""
    for candidate in candidates:
        if candidate.value:
            return candidate
    return None


def _first_plausible(candidates: Iterable[_DateCandidate], accessed: datetime) -> Dated | None:
    """The first that is a date and can be the page's."""
    for candidate in candidates:
        value = read_date(candidate.written)
        if value is None:
            continue
        if is_plausible(value, accessed, declared=candidate.declared):
            return Dated(value, candidate.field)
    return None
