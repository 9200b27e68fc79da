"""A parsed page -> what its head and its markup state: meta tags, JSON-LD texts, microdata, dates
in `<time>`.

Everything here is as the page has it, bounded in number and length; what it means is said in
`metadata.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.html.tree import first_texts

_ARTICLE_TYPES = """
    article newsarticle reportagenewsarticle backgroundnewsarticle opinionnewsarticle
    analysisnewsarticle reviewnewsarticle advertisercontentarticle satiricalarticle
    scholarlyarticle medicalscholarlyarticle techarticle apireference blogposting
    liveblogposting socialmediaposting discussionforumposting report dataset softwaresourcecode
    question howto legislation
"""
ARTICLE_TYPES = frozenset(_ARTICLE_TYPES.split())
_MOST_METAS = 8000  # a paper may have thousands of authors, a tag each
_LONGEST_CONTENT = 10_000
_MOST_WITHIN = 50  # elements of an item that are searched for its name
_LONGEST_TEXT = 2000  # characters of a heading or an item
_LONGEST_NAME = 100  # characters of a tag's name
_LONGEST_LANGUAGE = 35
_MOST_HEADINGS = 5  # that are looked at to find out whether there is only one
# What generators of documentation put behind a heading to link to it, and blanks.
_ANCHOR_SIGNS = "¶🔗⚓\ufe0f\u200b \t\r\n\f\xa0"
_WANTED = frozenset({"headline", "name", "author", "datepublished", "datemodified", "publisher"})
# a date in there is that of something else
_ELSEWHERE = frozenset({"aside", "nav", "footer", "article"})
_PREFIXED = ("dc:", "dcterms:", "prism:", "eprints:")  # names that are written with a dot, too


class Tags:
    """What one page states, in the order of the document; each is read when it is first asked for.
    Names are in lower case, `dc:title` is `dc.title`.
    """

    def __init__(self, document: Document | None = None) -> None:
        """A page without markup states nothing."""
        self._root: etree._Element | None = None
        self._elements: Mapping[str, list[etree._Element]] = {}
        self._items: Sequence[etree._Element] = ()
        if document is not None and document.roots:
            self._root = document.roots[0]
            self._elements = document.statements.by_name
            self._items = document.statements.items

    @cached_property
    def metas(self) -> Sequence[tuple[str, str]]:
        """Name and content of each meta tag that has both."""
        return _read_metas(self._elements.get("meta", [])[:_MOST_METAS])

    @cached_property
    def scripts(self) -> list[str]:
        """The texts of JSON-LD blocks."""
        scripts: list[str] = []
        for script in self._elements.get("script", ()):
            written = script.get("type")
            if not written:
                continue  # as most
            kind = written.partition(";")[0].strip().lower()
            text = script.text if kind == "application/ld+json" else None
            if text and text.strip():
                scripts.append(text)
        return scripts

    @cached_property
    def title(self) -> str:
        """The text of the title in the head."""
        if self._root is None:
            return ""
        for head in self._root.iterchildren("head"):
            title = next(head.iterchildren("title"), None)
            if title is not None:
                return _text_of(title)
        return ""

    @cached_property
    def heading(self) -> str:
        """That of the only `<h1>`; two leave open which one is the page's."""
        first = self._elements.get("h1", [])[:_MOST_HEADINGS]
        headings = [_text_of(one).strip(_ANCHOR_SIGNS) for one in first]
        headings = [heading for heading in headings if heading]
        return headings[0] if len(headings) == 1 else ""

    @cached_property
    def language(self) -> str:
        """The language that the page names."""
        if self._root is None:
            return ""
        language = (self._root.get("lang") or "").strip()
        return language[:_LONGEST_LANGUAGE]

    @cached_property
    def canonical(self) -> str:
        """The address that the page calls its own."""
        for link in self._elements.get("link", ()):
            relations = (link.get("rel") or "").lower().split()
            if "canonical" in relations:
                return (link.get("href") or "").strip()
        return ""

    @cached_property
    def items(self) -> list[tuple[str, str]]:
        """Microdata of an article: property and value."""
        return list(_read_items(self._items))

    @cached_property
    def times(self) -> tuple[str, ...]:
        """Dates in `<time>` that can only be the page's own."""
        times = self._elements.get("time")
        if not times:
            return ()
        return _read_times(times, self._elements.get("article", []))

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The contents of each meta tag, empty ones left out."""
        found: dict[str, list[str]] = {}
        for name, content in self.metas:
            if content.strip():
                found.setdefault(name, []).append(content)
        return found

    def get_all(self, name: str) -> list[str]:
        """Every content of a meta tag."""
        return self.by_name.get(name, [])

    def list_metas(self, names: Sequence[str]) -> Sequence[tuple[str, str]]:
        """Name and content of the meta tags of these names: in the order of the names, then of the
        document.
        """
        by_name = self.by_name
        if by_name.keys().isdisjoint(names):
            return ()  # as mostly
        return [(name, content) for name in names for content in by_name.get(name, ())]

    def find_items(self, wanted: str) -> Iterator[str]:
        """The values of a property in the microdata."""
        for name, value in self.items:
            if name == wanted:
                yield value


def _text_of(element: etree._Element) -> str:
    """The beginning of the text in an element, without walking through all of it."""
    return "".join(first_texts(element, _LONGEST_TEXT, _LONGEST_TEXT))


def _read_metas(metas: Iterable[etree._Element]) -> list[tuple[str, str]]:
    """Name and content of each meta tag that has both."""
    found: list[tuple[str, str]] = []
    for meta in metas:
        written = meta.get("property") or meta.get("name") or meta.get("http-equiv")
        content = meta.get("content")
        if not written or content is None:
            continue
        name = written.strip().lower()[:_LONGEST_NAME]
        if name.startswith(_PREFIXED):
            name = name.replace(":", ".")
        found.append((name, content[:_LONGEST_CONTENT]))
    return found


def _read_items(elements: Iterable[etree._Element]) -> Iterator[tuple[str, str]]:
    """Property and value of the microdata that belongs to an article."""
    for element in elements:
        itemprop = element.get("itemprop") or ""
        names = itemprop.lower().split()
        wanted = _WANTED.intersection(names)
        if not wanted:
            continue
        owner_type = ""  # of the thing that it belongs to: the nearest scope around it
        for parent in element.iterancestors():
            if parent.get("itemscope") is None:
                continue
            itemtype = parent.get("itemtype") or ""
            address = itemtype.rstrip("/")
            owner_type = address.rpartition("/")[2].lower()
            break
        if owner_type not in ARTICLE_TYPES:
            continue
        value = _item_value(element)
        for name in sorted(wanted):
            yield name, value


def _item_value(element: etree._Element) -> str:
    """`content`, then `datetime`, then the name of a thing within the thing, then what is written
    there.
    """
    value = element.get("content") or element.get("datetime")
    is_thing = element.get("itemscope") is not None
    if value is None and is_thing:
        parts = islice(element.iterdescendants(), _MOST_WITHIN)
        for part in parts:
            part_name = part.get("itemprop") or ""
            if part_name.lower() == "name":
                value = part.get("content") or _text_of(part)
                break
    if value is None:
        return _text_of(element)
    return value[:_LONGEST_TEXT]


def _read_times(times: list[etree._Element], articles: list[etree._Element]) -> tuple[str, ...]:
    """Those marked as the date of publication, then the first one in the article, where there is
    one article.
    """
    found: list[str] = []
    for time in times:
        classes = (time.get("class") or "").split()
        if time.get("pubdate") is not None or "dt-published" in classes:
            found.append(time.get("datetime") or "")
    outermost = articles
    if len(articles) > 1:
        outermost = [one for one in articles if next(one.iterancestors("article"), None) is None]
    if len(outermost) != 1:
        return tuple(found)
    for time in times:
        around = next(time.iterancestors(*_ELSEWHERE), None)
        if around is outermost[0] and time.get("datetime"):
            return (*found, time.get("datetime") or "")
    return tuple(found)
