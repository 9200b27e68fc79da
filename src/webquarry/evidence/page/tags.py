"""A parsed page -> what its head and its markup state: meta tags, JSON-LD texts, microdata, dates
in `<time>`.

Everything here is as the page has it, bounded in number and length; what it means is said in
`metadata.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import cast

from lxml import etree

from webquarry.read.html.parse import Document
from webquarry.read.html.tree import texts_of

_ARTICLE_TYPES = (
    "article newsarticle reportagenewsarticle backgroundnewsarticle opinionnewsarticle "
    "analysisnewsarticle"
    " reviewnewsarticle advertisercontentarticle satiricalarticle scholarlyarticle "
    "medicalscholarlyarticle techarticle"
    " apireference blogposting liveblogposting socialmediaposting discussionforumposting report "
    "dataset"
    " softwaresourcecode question howto legislation"
)
ARTICLE_TYPES = frozenset(_ARTICLE_TYPES.split())
_MOST_METAS = 8000  # a paper may have thousands of authors, a tag each
_LONGEST_CONTENT = 10_000
_MOST_ITEMS = 500
_MOST_WITHIN = 50  # elements of an item that are searched for its name
_LONGEST_TEXT = 2000  # characters of a heading or an item
_MOST_OF_A_KIND = 500  # headings, articles, dates
_ITEMS = etree.XPath(f"(//*[@itemprop])[position() <= {_MOST_ITEMS}]")
_WALKED = ("meta", "script", "link", "h1", "article", "time")
_WANTED = frozenset({"headline", "name", "author", "datepublished", "datemodified", "publisher"})
_ELSEWHERE = frozenset(
    {"aside", "nav", "footer", "article"}
)  # a date in there is that of something else


@dataclass(frozen=True)
class Tags:
    """What one page states, in the order of the document. Names are in lower case, `dc:title` is
    `dc.title`.
    """

    metas: tuple[tuple[str, str], ...] = ()
    scripts: tuple[str, ...] = ()  # the texts of JSON-LD blocks
    title: str = ""
    heading: str = ""  # of the only `<h1>`
    language: str = ""
    canonical: str = ""
    items: tuple[tuple[str, str], ...] = ()  # microdata of an article: property and value
    times: tuple[str, ...] = ()  # dates in `<time>` that can only be the page's own

    @cached_property
    def by_name(self) -> dict[str, list[str]]:
        """The contents of each meta tag, empty ones left out."""
        found: dict[str, list[str]] = {}
        for name, content in self.metas:
            if content.strip():
                found.setdefault(name, []).append(content)
        return found

    def all(self, name: str) -> list[str]:
        """Every content of a meta tag."""
        return self.by_name.get(name, [])

    def stated(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Name and content of the meta tags of these names: in the order of the names, then of the
        document.
        """
        return ((name, content) for name in names for content in self.all(name))


def read_tags(document: Document | None) -> Tags:
    """All that can be read off the markup; nothing for a page without any."""
    if document is None or not document.roots:
        return Tags()
    root = document.roots[0]
    title = root.find("head/title")
    found = _gather(document.roots)
    return Tags(
        metas=tuple(_metas(found["meta"])),
        scripts=tuple(_scripts(found["script"])),
        title="" if title is None else _text(title),
        heading=_only_heading(found["h1"]),
        language=(root.get("lang") or "").strip()[:35],
        canonical=_canonical(found["link"]),
        items=tuple(_items(root)),
        times=tuple(_times(found["time"], found["article"])),
    )


def _gather(roots: Iterable[etree._Element]) -> dict[str, list[etree._Element]]:
    """The elements that matter, by their name, in one walk; of each no more than are looked at."""
    found: dict[str, list[etree._Element]] = {name: [] for name in _WALKED}
    for root in roots:
        for element in root.iter(*_WALKED):
            bucket = found[str(element.tag)]
            if len(bucket) < (
                _MOST_METAS if element.tag in ("meta", "script") else _MOST_OF_A_KIND
            ):
                bucket.append(element)
    return found


def _text(element: etree._Element) -> str:
    """The beginning of the text in an element, without walking through all of it."""
    pieces, length = [], 0
    for piece in texts_of(element):
        pieces.append(piece)
        length += len(piece)
        if length > _LONGEST_TEXT:
            break
    return "".join(pieces)[:_LONGEST_TEXT]


def _metas(metas: Iterable[etree._Element]) -> Iterator[tuple[str, str]]:
    for meta in metas:
        name = meta.get("property") or meta.get("name") or meta.get("http-equiv")
        content = meta.get("content")
        if name and content is not None:
            yield _known_name(name), content[:_LONGEST_CONTENT]


def _known_name(name: str) -> str:
    lower = name.strip().lower()[:100]
    if lower.startswith(("dc:", "dcterms:", "prism:", "eprints:")):
        return lower.replace(":", ".")
    return lower


def _scripts(scripts: Iterable[etree._Element]) -> Iterator[str]:
    for script in scripts:
        kind = (script.get("type") or "").partition(";")[0].strip().lower()
        if kind == "application/ld+json" and (text := script.text) and text.strip():
            yield text


def _canonical(links: Iterable[etree._Element]) -> str:
    for link in links:
        if "canonical" in (link.get("rel") or "").lower().split():
            return (link.get("href") or "").strip()
    return ""


def _only_heading(headings: list[etree._Element]) -> str:
    """Two first-level headings leave open which one is the page's."""
    written = [text for heading in headings[:5] if (text := _text(heading).strip())]
    if len(written) == 1:
        return written[0]
    return ""


def _items(root: etree._Element) -> Iterator[tuple[str, str]]:
    for element in cast("list[etree._Element]", _ITEMS(root)):
        wanted = _WANTED.intersection((element.get("itemprop") or "").lower().split())
        if wanted and _owner_type(element) in ARTICLE_TYPES:
            for name in sorted(wanted):
                yield name, _item_value(element)


def _owner_type(element: etree._Element) -> str:
    """The type of the thing that a property belongs to: the nearest scope around it."""
    owner = next(
        (parent for parent in element.iterancestors() if parent.get("itemscope") is not None), None
    )
    if owner is None:
        return ""
    return (owner.get("itemtype") or "").rstrip("/").rpartition("/")[2].lower()


def _item_value(element: etree._Element) -> str:
    """`content`, then `datetime`, then the name of a thing within the thing, then what is written
    there.
    """
    value = element.get("content") or element.get("datetime")
    if value is None and element.get("itemscope") is not None:
        inner = islice(element.iterdescendants(), _MOST_WITHIN)
        names = [part for part in inner if (part.get("itemprop") or "").lower() == "name"]
        value = None
        if names:
            value = names[0].get("content") or _text(names[0])
    if value is None:
        return _text(element)
    return value[:_LONGEST_TEXT]


def _times(times: list[etree._Element], articles: list[etree._Element]) -> Iterator[str]:
    """Those marked as the date of publication, then the first one in the article, where there is
    one article.
    """
    for time in times:
        if time.get("pubdate") is not None or "dt-published" in (time.get("class") or "").split():
            yield time.get("datetime") or ""
    outermost = [one for one in articles if next(one.iterancestors("article"), None) is None]
    if len(outermost) == 1:
        for time in times:
            around = next(time.iterancestors(*_ELSEWHERE), None)
            if around is outermost[0] and time.get("datetime"):
                yield time.get("datetime") or ""
                return
