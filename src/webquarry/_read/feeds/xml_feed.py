"""RSS 2.0, RSS 1.0 and Atom -> a feed. Entities are never resolved, and a document with any of its
own is no feed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from webquarry._read.feeds.dates import iso_date
from webquarry._read.feeds.models import Feed, FeedEntry, FeedText
from webquarry._read.html.tree import text_of
from webquarry._read.models import Dated
from webquarry._read.text.characters import without_surrogates

_OWN_ENTITIES = re.compile(r"<!DOCTYPE[^>\[]{0,2000}\[|<!ENTITY", re.IGNORECASE)
_ADDRESS_AND_NAME = re.compile(r"[^\s@]+@[^\s@]+\s+\(([^()]+)\)")
_LONGEST_NAME = 500  # characters
_LONGEST_DATE = 60
_NAMESPACES = {
    "http://www.w3.org/2005/Atom": "atom",
    "http://purl.org/atom/ns#": "atom",
    "http://purl.org/rss/1.0/": "",
    "http://backend.userland.com/rss2": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes",
}


def parse_xml_feed(text: str) -> Feed | None:
    """The feed that a text is; None for any other document."""
    if _OWN_ENTITIES.search(text):
        return None
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    text = without_surrogates(text.lstrip("\ufeff \t\r\n")).replace("\x00", "")
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError:
        return None
    if root is None:
        return None
    kind = _name(root)
    if kind == "atom:feed":
        return _parse_atom(root)
    channel = _find_child(root, "channel")
    if kind in ("rss", "rdf:RDF") and channel is not None:
        return _parse_rss(root, channel)
    return None


def _parse_rss(root: etree._Element, channel: etree._Element) -> Feed:
    """RSS 2.0 has its items in the channel, RSS 1.0 beside it."""
    author = _find_text(channel, "dc:creator", "itunes:author", "managingEditor")
    items = [*_find_children(channel, "item"), *_find_children(root, "item")]
    return Feed(
        title=_html(_find_text(channel, "title")),
        description=_html(_find_text(channel, "description", "itunes:summary")),
        link=_find_text(channel, "link"),
        author=_parse_person(author),
        published=_find_date(channel, ("pubDate", "dc:date"), "rss"),
        modified=_find_date(channel, ("lastBuildDate", "dcterms:modified"), "rss"),
        entries=tuple(map(_parse_rss_entry, items)),
    )


def _parse_rss_entry(item: etree._Element) -> FeedEntry:
    """An item -> an entry; a permanent guid stands in for a missing link."""
    link = _find_text(item, "link") or _find_atom_link(item)
    guid = _find_child(item, "guid")
    if not link and guid is not None:
        is_permanent = (guid.get("isPermaLink") or "true").lower() == "true"
        identity = text_of(guid).strip()
        if is_permanent and identity.startswith("http"):
            link = identity
    author = _find_text(item, "dc:creator", "itunes:author", "author")
    content = _find_text(item, "content:encoded", "description", "itunes:summary")
    date = _find_text(item, "pubDate", "dc:date", "dcterms:modified")
    enclosures = [one.get("url") or "" for one in _find_children(item, "enclosure")]
    return FeedEntry(
        title=_html(_find_text(item, "title", "itunes:title")),
        link=link,
        date=_normalise_date(date),
        author=_parse_person(author),
        content=_html(content),
        enclosures=tuple(filter(None, enclosures)),
    )


def _parse_atom(root: etree._Element) -> Feed:
    """The feed that stands in an element of Atom."""
    entries = _find_children(root, "atom:entry")
    return Feed(
        title=_parse_atom_text(_find_child(root, "atom:title")),
        description=_parse_atom_text(_find_child(root, "atom:subtitle")),
        link=_find_atom_link(root),
        author=_join_authors(root),
        modified=_find_date(root, ("atom:updated",), "atom"),
        entries=tuple(map(_parse_atom_entry, entries)),
    )


def _parse_atom_entry(entry: etree._Element) -> FeedEntry:
    """An entry of Atom; its summary stands in for missing content."""
    content = _parse_atom_text(_find_child(entry, "atom:content"))
    if not content.value.strip():
        content = _parse_atom_text(_find_child(entry, "atom:summary"))
    date = _find_text(entry, "atom:published", "atom:updated")
    enclosures: list[str] = []
    for link in _find_children(entry, "atom:link"):
        if link.get("rel") == "enclosure":
            enclosures.append(link.get("href") or "")
    return FeedEntry(
        title=_parse_atom_text(_find_child(entry, "atom:title")),
        link=_find_atom_link(entry),
        date=_normalise_date(date),
        author=_join_authors(entry),
        content=content,
        enclosures=tuple(enclosures),
    )


def _parse_atom_text(element: etree._Element | None) -> FeedText:
    """The text of an element, and whether it is HTML; XHTML stands there as elements."""
    if element is None:
        return FeedText()
    kind = (element.get("type") or "text").lower()
    if kind in ("xhtml", "application/xhtml+xml"):
        parts = [element.text or ""]
        for child in element:
            parts.append(etree.tostring(child, encoding="unicode", with_tail=True))
        return FeedText("".join(parts), is_html=True)
    return FeedText(text_of(element), is_html=kind in ("html", "text/html"))


def _find_atom_link(element: etree._Element) -> str:
    """The address of the page that an element is about; empty where it names none."""
    for link in _find_children(element, "atom:link"):
        relation = link.get("rel") or "alternate"
        address = link.get("href")
        if address and relation == "alternate":
            return address
    return ""


def _join_authors(element: etree._Element) -> str:
    """The names of all authors of a feed or an entry of Atom, or their addresses; empty where there
    are none.
    """
    names: list[str] = []
    for person in _find_children(element, "atom:author"):
        name = _find_text(person, "atom:name", "atom:email")
        if name:
            names.append(name)
    return ", ".join(names)[:_LONGEST_NAME]


def _parse_person(text: str) -> str:
    """RSS gives an address, and the name in brackets."""
    address = _ADDRESS_AND_NAME.fullmatch(text)
    if address:
        text = address[1]
    return text[:_LONGEST_NAME]


def _html(text: str) -> FeedText:
    return FeedText(text, is_html=True)


def _normalise_date(text: str) -> str:
    """A date in ISO form; as it was sent, cut, where it is none."""
    return iso_date(text) or text[:_LONGEST_DATE]


def _find_date(element: etree._Element, names: tuple[str, ...], kind: str) -> Dated | None:
    """The first date under one of these names, with where it was found."""
    for name in names:
        value = iso_date(_find_text(element, name))
        if value:
            local_name = name.rpartition(":")[2]
            return Dated(value, f"{kind}:{local_name}")
    return None


def _find_text(element: etree._Element, *names: str) -> str:
    """The text of the first child of these names that has one."""
    for name in names:
        for child in _find_children(element, name):
            text = text_of(child).strip()
            if text:
                return text
    return ""


def _find_child(element: etree._Element, name: str) -> etree._Element | None:
    """The first child of a name, or None."""
    return next(_find_children(element, name), None)


def _find_children(element: etree._Element, name: str) -> Iterator[etree._Element]:
    """The children of a name, in order."""
    return (child for child in element if _name(child) == name)


def _name(element: etree._Element) -> str:
    """The local name, with our prefix for the namespaces of feeds; elements of others have a name
    nobody asks for.
    """
    if not isinstance(element.tag, str):
        return ""
    namespace, _, local = element.tag.rpartition("}")
    if not namespace:
        return local
    prefix = _NAMESPACES.get(namespace.removeprefix("{"), "?")
    if prefix:
        return f"{prefix}:{local}"
    return local
