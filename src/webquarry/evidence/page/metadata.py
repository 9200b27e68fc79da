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
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from webquarry._read.models import Dated, Page
from webquarry.evidence.language.text import clean_html_line, clean_line
from webquarry.evidence.page.dates import is_plausible, read_date
from webquarry.evidence.page.jsonld import Graph, Node, types_of
from webquarry.evidence.page.people import Name, byline, parse_group, parse_people
from webquarry.evidence.page.tags import Tags
from webquarry.evidence.page.titles import host_of_page, without_site

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
_ALL_MODIFIED_METAS = _MODIFIED_METAS + _LOOSE_MODIFIED_METAS
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
_SCHOLARLY_AUTHOR_METAS = ("citation_author", "citation_authors", *_CREATOR_METAS)
_TITLE_METAS = ("og:title", "citation_title", "dc.title", "dcterms.title", "eprints.title")
_SITE_METAS = ("og:site_name", "application-name")
_PATH_DATE = re.compile(r"/(\d{4})/(\d{2})/(\d{2})(?:/|$)")
_LONGEST_SITE = 200  # characters
_MOST_LINKED_AUTHORS = 100

_Authors = tuple[tuple[Name, ...], str]  # with the field that names them


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


def read_facts(
    page_url: str, tags: Tags, graph: Graph, main: Node | None, page: Page, accessed: datetime
) -> PageFacts:
    """The facts of a page, from its markup and from the file itself."""
    fields = _Fields(page_url, tags, graph, main, page)
    site = fields.find_site()
    site_name = site.value if site else ""
    title = fields.find_title()
    if title:
        bare = without_site(title.value, host_of_page(page_url), site_name)
        title = Stated(bare, title.field)
    names, authors_field = fields.find_authors()
    if site_name and names:
        names = _name_site(names, site_name)
    published = fields.find_published(accessed)
    modified = fields.find_modified(accessed)
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
    """What the fields of a page state: each fact is taken from the first that says something, in
    the order in which they are believed.
    """

    page_url: str
    tags: Tags
    graph: Graph
    main: Node | None
    page: Page

    def find_title(self) -> Stated | None:
        """The title of the page."""
        main, tags = self.main, self.tags
        if main is not None:
            headline = clean_html_line(main.get("headline"))
            if headline:
                return Stated(headline, "json-ld:headline")
            if "question" in types_of(main):
                name = clean_html_line(main.get("name"))
                if name:
                    return Stated(name, "json-ld:name")
        for field, content in tags.list_metas(_TITLE_METAS):
            title = clean_html_line(content)
            if title:
                return Stated(title, field)
        for value in tags.find_items("headline"):
            title = clean_line(value)
            if title:
                return Stated(title, "microdata:headline")
        page = self.page
        others = ((tags.heading, "h1"), (tags.title, "title"), (page.title, page.content_type))
        for written, field in others:
            title = clean_line(written)
            if title:
                return Stated(title, field)
        return None

    def find_site(self) -> Stated | None:
        """The name of the site."""
        main, graph = self.main, self.graph
        if main is not None and main.get("publisher") is not None:
            for publisher in graph.get_values(main, "publisher"):
                name = graph.name_of(publisher)
                if name:
                    return Stated(name, "json-ld:publisher")
        for field, content in self.tags.list_metas(_SITE_METAS):
            name = clean_html_line(content, _LONGEST_SITE)
            if name:
                return Stated(name, field)
        for node in graph.nodes:
            if "website" in types_of(node):
                name = clean_html_line(node.get("name"), _LONGEST_SITE)
                if name:
                    return Stated(name, "json-ld:WebSite")
        return None

    def find_authors(self) -> _Authors:
        """The authors, and the field that names them."""
        is_scholarly = not self.tags.by_name.keys().isdisjoint(_SCHOLARLY_AUTHOR_METAS)
        if is_scholarly:
            found = self._parse_tags(("citation_author",), lists=False)
            found = found or self._parse_tags(("citation_authors",), lists=True)
            if found:
                return found
        if self.main is not None:
            for field in ("author", "creator"):
                if self.main.get(field) is None:
                    continue
                names = self._parse_json_ld_authors(self.graph.get_values(self.main, field))
                if names:
                    return names, f"json-ld:{field}"
        if is_scholarly:
            found = self._parse_tags(_CREATOR_METAS, lists=False)
            if found:
                return found
        if self.tags.items:
            names = parse_people(self.tags.find_items("author"))
            if names:
                return names, "microdata:author"
        found = self._parse_tags(_AUTHOR_METAS, lists=True)
        if found:
            return found
        if self.page.author:
            names = parse_people([self.page.author])
            if names:
                return names, self.page.content_type
        return (), ""

    def _parse_tags(self, fields: Iterable[str], *, lists: bool) -> _Authors | None:
        """The authors in the first of these meta tags that names any."""
        by_name = self.tags.by_name
        for field in fields:
            contents = by_name.get(field)
            if contents:
                names = parse_people(contents, lists=lists)
                if names:
                    return names, field
        return None

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

    def find_published(self, accessed: datetime) -> Dated | None:
        """The date of publication, of a page that was read at some time."""
        found = self._read_main_dates(("datePublished", "uploadDate", "dateCreated"), accessed)
        found = found or self._read_metas(_PUBLISHED_METAS, accessed, declared=True)
        if found is None and self.tags.items:
            found = self._read_items("datePublished", accessed)
        found = found or self._read_metas(_LOOSE_PUBLISHED_METAS, accessed, declared=False)
        if found:
            return found
        for value in self.tags.times:
            found = _read_plausible(value, "time", accessed, declared=False)
            if found:
                return found
        path = self.page_url.partition("?")[0].partition("#")[0]
        in_path = _PATH_DATE.search(path)
        if in_path:
            found = _read_plausible("-".join(in_path.groups()), "url", accessed, declared=False)
        return found or _read_stated(self.page.published, accessed)

    def find_modified(self, accessed: datetime) -> Dated | None:
        """The date of the last change, of a page that was read at some time."""
        found = self._read_main_dates(("dateModified",), accessed)
        is_in_metas = not self.tags.by_name.keys().isdisjoint(_ALL_MODIFIED_METAS)
        if is_in_metas:
            found = found or self._read_metas(_MODIFIED_METAS, accessed, declared=True)
        if found is None and self.tags.items:
            found = self._read_items("dateModified", accessed)
        if is_in_metas:
            found = found or self._read_metas(_LOOSE_MODIFIED_METAS, accessed, declared=False)
        return found or _read_stated(self.page.modified, accessed)

    def _read_main_dates(self, names: Iterable[str], accessed: datetime) -> Dated | None:
        """The first of some dates of the thing that the page is about."""
        main = self.main
        if main is None:
            return None
        for name in names:
            written = main.get(name)
            if written is not None:
                found = _read_plausible(written, f"json-ld:{name}", accessed, declared=True)
                if found:
                    return found
        return None

    def _read_metas(
        self, names: Sequence[str], accessed: datetime, *, declared: bool
    ) -> Dated | None:
        """The first date in some meta tags."""
        for name, content in self.tags.list_metas(names):
            found = _read_plausible(content, name, accessed, declared=declared)
            if found:
                return found
        return None

    def _read_items(self, name: str, accessed: datetime) -> Dated | None:
        """The first date of a name in the microdata."""
        for value in self.tags.find_items(name.lower()):
            found = _read_plausible(value, f"microdata:{name}", accessed, declared=True)
            if found:
                return found
        return None


def _read_stated(stated: Dated | None, accessed: datetime) -> Dated | None:
    """A date that the file itself states, if it can be the page's."""
    if not stated:
        return None
    return _read_plausible(stated.value, stated.field, accessed, declared=True)


def _read_plausible(
    written: Any, field: str, accessed: datetime, *, declared: bool
) -> Dated | None:
    """What is written in a field, if it is a date and can be the page's. `declared` says whether
    the page declares it as its date.
    """
    value = read_date(written)
    if value is None or not is_plausible(value, accessed, declared=declared):
        return None
    return Dated(value, field)
