"""Parser of RSS 2.0, RSS 1.0 and Atom.

Entities are never resolved, and a document that declares some is not read as a feed.
"""

from __future__ import annotations

import re

from lxml import etree

from webquarry._read.feeds.models import (
    LONGEST_NAME,
    Feed,
    FeedEntry,
    FeedText,
    iso_date,
    normalise_date,
)
from webquarry._read.html.tree import text_of
from webquarry._read.models import Dated
from webquarry._read.text.characters import without_surrogates

_OWN_ENTITIES = re.compile(r"<!DOCTYPE[^>\[]{0,2000}\[|<!ENTITY", re.IGNORECASE)
_ADDRESS_AND_NAME = re.compile(r"[^\s@]+@[^\s@]+\s+\(([^()]+)\)")
_NAMESPACES = {
    "": "",
    "http://www.w3.org/2005/Atom": "atom:",
    "http://purl.org/atom/ns#": "atom:",
    "http://purl.org/rss/1.0/": "",
    "http://backend.userland.com/rss2": "",
    "http://my.netscape.com/rdf/simple/0.9/": "",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
}


def parse_xml_feed(text: str) -> Feed | None:
    """Return the feed; None for any other document."""
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
    channels = _find_children(root, "channel")
    return _parse_rss(root, channels[0]) if kind in ("rss", "rdf:RDF") and channels else None


def _parse_rss(root: etree._Element, channel: etree._Element) -> Feed:
    """Parse RSS 2.0, which has its items in the channel, or RSS 1.0, which has them beside it."""
    items = [*_find_children(channel, "item"), *_find_children(root, "item")]
    return Feed(
        title=_html(_find_text(channel, "title")),
        description=_html(_find_text(channel, "description", "itunes:summary")),
        link=_find_text(channel, "link"),
        author=_parse_person(_find_text(channel, "dc:creator", "itunes:author", "managingEditor")),
        published=_find_date(channel, ("pubDate", "dc:date"), "rss"),
        modified=_find_date(channel, ("lastBuildDate", "dcterms:modified"), "rss"),
        entries=tuple(map(_parse_rss_entry, items)),
    )


def _parse_rss_entry(item: etree._Element) -> FeedEntry:
    link = _find_text(item, "link") or _find_atom_link(item)
    for guid in _find_children(item, "guid")[:1]:  # a permanent one replaces a missing link
        is_permanent = (guid.get("isPermaLink") or "true").lower() == "true"
        identity = text_of(guid).strip()
        if not link and is_permanent and identity.startswith("http"):
            link = identity
    enclosures = [one.get("url") or "" for one in _find_children(item, "enclosure")]
    return FeedEntry(
        title=_html(_find_text(item, "title", "itunes:title")),
        link=link,
        date=normalise_date(_find_text(item, "pubDate", "dc:date", "dcterms:modified")),
        author=_parse_person(_find_text(item, "dc:creator", "itunes:author", "author")),
        content=_html(_find_text(item, "content:encoded", "description", "itunes:summary")),
        enclosures=tuple(filter(None, enclosures)),
    )


def _parse_atom(root: etree._Element) -> Feed:
    return Feed(
        title=_find_atom_text(root, "atom:title"),
        description=_find_atom_text(root, "atom:subtitle"),
        link=_find_atom_link(root),
        author=_join_authors(root),
        modified=_find_date(root, ("atom:updated",), "atom"),
        entries=tuple(map(_parse_atom_entry, _find_children(root, "atom:entry"))),
    )


def _parse_atom_entry(entry: etree._Element) -> FeedEntry:
    content = _find_atom_text(entry, "atom:content")
    if not content.value.strip():
        content = _find_atom_text(entry, "atom:summary")
    links = _find_children(entry, "atom:link")
    return FeedEntry(
        title=_find_atom_text(entry, "atom:title"),
        link=_find_atom_link(entry),
        date=normalise_date(_find_text(entry, "atom:published", "atom:updated")),
        author=_join_authors(entry),
        content=content,
        enclosures=tuple(
            link.get("href") or "" for link in links if link.get("rel") == "enclosure"
        ),
    )


def _find_atom_text(parent: etree._Element, name: str) -> FeedText:
    """Return the text of a child, and whether it is HTML; XHTML is there as elements."""
    for element in _find_children(parent, name):
        kind = (element.get("type") or "text").lower()
        if kind in ("xhtml", "application/xhtml+xml"):
            parts = [etree.tostring(child, encoding="unicode") for child in element]
            return _html((element.text or "") + "".join(parts))
        return FeedText(text_of(element), is_html=kind in ("html", "text/html"))
    return FeedText()


def _find_atom_link(element: etree._Element) -> str:
    for link in _find_children(element, "atom:link"):
        address = link.get("href")
        if address and (link.get("rel") or "alternate") == "alternate":
            return address
    return ""


def _join_authors(element: etree._Element) -> str:
    people = _find_children(element, "atom:author")
    names = [_find_text(person, "atom:name", "atom:email") for person in people]
    return ", ".join(filter(None, names))[:LONGEST_NAME]


def _parse_person(text: str) -> str:
    """Return a name; RSS gives an address with the name in brackets."""
    found = _ADDRESS_AND_NAME.fullmatch(text)
    return (found[1] if found else text)[:LONGEST_NAME]


def _html(text: str) -> FeedText:
    return FeedText(text, is_html=True)


def _find_date(element: etree._Element, names: tuple[str, ...], kind: str) -> Dated | None:
    """Return the first valid date of these names, with its field."""
    for name in names:
        value = iso_date(_find_text(element, name))
        if value:
            return Dated(value, f"{kind}:{name.rpartition(':')[2]}")
    return None


def _find_text(element: etree._Element, *names: str) -> str:
    """Return the text of the first child of these names that has one."""
    for name in names:
        for child in _find_children(element, name):
            text = text_of(child).strip()
            if text:
                return text
    return ""


def _find_children(element: etree._Element, name: str) -> list[etree._Element]:
    return [child for child in element if _name(child) == name]


def _name(element: etree._Element) -> str:
    """Return the local name with our prefix of its namespace, `?` for an unknown one."""
    if not isinstance(element.tag, str):
        return ""
    namespace, _, local = element.tag.rpartition("}")
    return _NAMESPACES.get(namespace.removeprefix("{"), "?") + local
