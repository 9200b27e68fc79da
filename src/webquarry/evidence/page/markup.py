"""What the markup of a page states: meta tags, JSON-LD, microdata and dates in `<time>`.

Values are unchanged, but limited in number and length; `metadata.py` interprets them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from lxml import etree

from webquarry._read.html.parse import Document
from webquarry._read.html.tree import first_texts
from webquarry.evidence.page.jsonld import (
    ARTICLE_TYPES,
    Block,
    Graph,
    Node,
    find_main_node,
    parse_block,
    read_graph,
)

_MAX_METAS = 8000  # a paper may have a tag for each of thousands of authors
_MAX_CONTENT = 10_000
_MAX_WITHIN = 50  # elements of an item that are searched for its name
_MAX_TEXT = 2000  # characters of a heading or an item
_MAX_NAME = 100
_MAX_LANGUAGE = 35
_MAX_HEADINGS = 5  # examined to find out whether there is only one
# Signs of links to a heading, and whitespace.
_ANCHOR_SIGNS = "¶🔗⚓\ufe0f\u200b \t\r\n\f\xa0"
_PATH_DATE = re.compile(r"/(\d{4})/(\d{2})/(\d{2})(?:/|$)")
_ITEM_NAMES = frozenset({"headline", "author", "datepublished", "datemodified"})
# A date in these is not that of the page.
_ELSEWHERE = ("aside", "nav", "footer", "article")
_PREFIXED = ("dc:", "dcterms:", "prism:", "eprints:")  # also written with a dot


class Markup:
    """Statements of one page in document order; names are in lower case, `dc:title` is `dc.title`.
    A page without markup states nothing.
    """

    def __init__(self, url: str, document: Document | None = None) -> None:
        self.url = url
        self._root: etree._Element | None = None
        self._elements: Mapping[str, list[etree._Element]] = {}
        self._items: Sequence[etree._Element] = ()
        if document is not None and document.roots:
            self._root = document.roots[0]
            self._elements = document.statements.by_name
            self._items = document.statements.items

    @cached_property
    def metas(self) -> list[tuple[str, str]]:
        """Name and content of each meta tag."""
        found: list[tuple[str, str]] = []
        for meta in self._elements.get("meta", [])[:_MAX_METAS]:
            name = meta.get("property") or meta.get("name") or meta.get("http-equiv") or ""
            content = meta.get("content")
            if name and content is not None:
                name = name.strip().lower()[:_MAX_NAME]
                if name.startswith(_PREFIXED):
                    name = name.replace(":", ".")
                found.append((name, content[:_MAX_CONTENT]))
        return found

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The contents of the meta tags that are not empty."""
        found: dict[str, list[str]] = {}
        for name, content in self.metas:
            if content.strip():
                found.setdefault(name, []).append(content)
        return found

    def list_metas(self, *names: str) -> Iterator[tuple[str, str]]:
        """Yield name and content of the meta tags, in the order of the names."""
        for name in names:
            for content in self.by_name.get(name, ()):
                yield name, content

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks of JSON-LD."""
        texts = []
        for script in self._elements.get("script", ()):
            kind = (script.get("type") or "").partition(";")[0].strip().lower()
            if kind == "application/ld+json" and (script.text or "").strip():
                texts.append(script.text or "")
        return [parse_block(text) for text in texts]

    @cached_property
    def graph(self) -> Graph:
        """The nodes of JSON-LD."""
        return read_graph(self.blocks)

    @cached_property
    def main(self) -> Node | None:
        """The JSON-LD node that the page is about, found by its URLs."""
        canonical = ""
        for link in self._elements.get("link", ()):
            if "canonical" in (link.get("rel") or "").lower().split():
                canonical = (link.get("href") or "").strip()
                break
        return find_main_node(self.graph, [self.url, canonical, *self.by_name.get("og:url", ())])

    @cached_property
    def title(self) -> str:
        """The text of the title in the head."""
        title = None if self._root is None else self._root.find("head/title")
        return "" if title is None else _text_of(title)

    @cached_property
    def heading(self) -> str:
        """The text of the `<h1>`, if there is only one."""
        first = self._elements.get("h1", [])[:_MAX_HEADINGS]
        headings = list(filter(None, (_text_of(one).strip(_ANCHOR_SIGNS) for one in first)))
        return headings[0] if len(headings) == 1 else ""

    @property
    def language(self) -> str:
        """The language in the root element."""
        language = None if self._root is None else self._root.get("lang")
        return (language or "").strip()[:_MAX_LANGUAGE]

    @cached_property
    def items(self) -> list[tuple[str, str]]:
        """Microdata of an article: property in lower case, and value."""
        found: list[tuple[str, str]] = []
        for element in self._items:
            names = _ITEM_NAMES.intersection((element.get("itemprop") or "").lower().split())
            if names and _owner_type(element) in ARTICLE_TYPES:
                found += [(name, _item_value(element)) for name in sorted(names)]
        return found

    def find(self, field: str) -> Sequence[Any]:
        """Return the values of a field: `json-ld:` of the main node, `microdata:`, `h1`, `title`,
        `time`, `url` (a date in the path), otherwise the name of meta tags.
        """
        vocabulary, _, name = field.partition(":")
        if vocabulary == "json-ld":
            return self.graph.get_values(self.main, name) if self.main is not None else ()
        if vocabulary == "microdata":
            return [value for item, value in self.items if item == name.lower()]
        if field == "url":
            in_path = _PATH_DATE.search(self.url.partition("?")[0].partition("#")[0])
            return ["-".join(in_path.groups())] if in_path else ()
        others = {"h1": [self.heading], "title": [self.title], "time": self.times}
        return others[field] if field in others else self.by_name.get(field, ())

    @cached_property
    def times(self) -> list[str]:
        """Dates in `<time>` of the page itself: marked as publication, then the first one in the
        article if there is one article.
        """
        times = self._elements.get("time", [])
        found = [
            time.get("datetime") or ""
            for time in times
            if time.get("pubdate") is not None
            or "dt-published" in (time.get("class") or "").split()
        ]
        articles = self._elements.get("article", []) if times else []
        outermost = [one for one in articles if next(one.iterancestors("article"), None) is None]
        if len(outermost) == 1:
            for time in times:
                around = next(time.iterancestors(*_ELSEWHERE), None)
                if around is outermost[0] and time.get("datetime"):
                    return [*found, time.get("datetime") or ""]
        return found


def _text_of(element: etree._Element) -> str:
    """Return the beginning of the text in an element."""
    return "".join(first_texts(element, _MAX_TEXT, _MAX_TEXT))


def _owner_type(element: etree._Element) -> str:
    """Return the type of the nearest microdata scope around an element, in lower case."""
    for parent in element.iterancestors():
        if parent.get("itemscope") is not None:
            return (parent.get("itemtype") or "").rstrip("/").rpartition("/")[2].lower()
    return ""


def _item_value(element: etree._Element) -> str:
    """Return `content`, `datetime`, the name of a nested scope, or the text."""
    value = element.get("content") or element.get("datetime")
    if value is None and element.get("itemscope") is not None:
        for part in islice(element.iterdescendants(), _MAX_WITHIN):
            if (part.get("itemprop") or "").lower() == "name":
                value = part.get("content") or _text_of(part)
                break
    return _text_of(element) if value is None else value[:_MAX_TEXT]
