"""RSS 2.0, RSS 1.0 and Atom -> a feed. Entities are never resolved, and a document with any of its
own is no feed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from webquarry.read.feeds.dates import iso_date
from webquarry.read.feeds.models import Feed, FeedEntry, FeedText
from webquarry.read.html.tree import text_of
from webquarry.read.models import Dated
from webquarry.read.text.characters import without_surrogates

_OWN_ENTITIES = re.compile(r"<!DOCTYPE[^>\[]{0,2000}\[|<!ENTITY", re.IGNORECASE)
_LONGEST_NAME = 500  # characters
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
    try:
        root = etree.fromstring(
            without_surrogates(text.lstrip("\ufeff \t\r\n")).replace("\x00", "").encode(), parser
        )
    except etree.XMLSyntaxError:
        return None
    if root is None:
        return None
    kind = _name(root)
    if kind == "atom:feed":
        return _atom(root)
    channel = _child(root, "channel")
    if kind in ("rss", "rdf:RDF") and channel is not None:
        return _rss(root, channel)
    return None


def _rss(root: etree._Element, channel: etree._Element) -> Feed:
    items = [one for place in (channel, root) for one in place if _name(one) == "item"]
    return Feed(
        title=_html(_said(channel, "title")),
        description=_html(_said(channel, "description", "itunes:summary")),
        link=_said(channel, "link"),
        author=_person(_said(channel, "dc:creator", "itunes:author", "managingEditor")),
        published=_dated(channel, ("pubDate", "dc:date"), "rss"),
        modified=_dated(channel, ("lastBuildDate", "dcterms:modified"), "rss"),
        entries=tuple(map(_rss_entry, items)),
    )


def _rss_entry(item: etree._Element) -> FeedEntry:
    guid = _child(item, "guid")
    permanent = guid is not None and (guid.get("isPermaLink") or "true").lower() == "true"
    identity = ""
    if permanent and guid is not None:
        identity = text_of(guid).strip()
    enclosures = (one.get("url") or "" for one in item if _name(one) == "enclosure")
    return FeedEntry(
        title=_html(_said(item, "title", "itunes:title")),
        link=_said(item, "link")
        or _atom_link(item)
        or (identity if identity.startswith("http") else ""),
        date=_date(_said(item, "pubDate", "dc:date", "dcterms:modified")),
        author=_person(_said(item, "dc:creator", "itunes:author", "author")),
        content=_html(_said(item, "content:encoded", "description", "itunes:summary")),
        enclosures=tuple(filter(None, enclosures)),
    )


def _atom(root: etree._Element) -> Feed:
    return Feed(
        title=_atom_text(_child(root, "atom:title")),
        description=_atom_text(_child(root, "atom:subtitle")),
        link=_atom_link(root),
        author=_authors(root),
        modified=_dated(root, ("atom:updated",), "atom"),
        entries=tuple(_atom_entry(one) for one in root if _name(one) == "atom:entry"),
    )


def _atom_entry(entry: etree._Element) -> FeedEntry:
    content = _atom_text(_child(entry, "atom:content"))
    return FeedEntry(
        title=_atom_text(_child(entry, "atom:title")),
        link=_atom_link(entry),
        date=_date(_said(entry, "atom:published", "atom:updated")),
        author=_authors(entry),
        content=content if content.value.strip() else _atom_text(_child(entry, "atom:summary")),
        enclosures=tuple(
            one.get("href") or ""
            for one in entry
            if _name(one) == "atom:link" and one.get("rel") == "enclosure"
        ),
    )


def _atom_text(element: etree._Element | None) -> FeedText:
    if element is None:
        return FeedText()
    kind = (element.get("type") or "text").lower()
    if kind in ("xhtml", "application/xhtml+xml"):
        inner = "".join(
            etree.tostring(child, encoding="unicode", with_tail=True) for child in element
        )
        return FeedText((element.text or "") + inner, is_html=True)
    return FeedText(text_of(element), is_html=kind in ("html", "text/html"))


def _atom_link(element: etree._Element) -> str:
    links = [one for one in element if _name(one) == "atom:link" and one.get("href")]
    chosen = next((one for one in links if (one.get("rel") or "alternate") == "alternate"), None)
    if chosen is not None:
        return chosen.get("href") or ""
    return ""


def _authors(element: etree._Element) -> str:
    people = (one for one in element if _name(one) == "atom:author")
    names = (_said(person, "atom:name", "atom:email") for person in people)
    return ", ".join(name for name in names if name)[:_LONGEST_NAME]


def _person(text: str) -> str:
    """RSS gives an address, and the name in brackets."""
    found = re.fullmatch(r"[^\s@]+@[^\s@]+\s+\(([^()]+)\)", text)
    return (found[1] if found else text)[:_LONGEST_NAME]


def _html(text: str) -> FeedText:
    return FeedText(text, is_html=True)


def _date(text: str) -> str:
    return iso_date(text) or text[:60]


def _dated(element: etree._Element, names: tuple[str, ...], kind: str) -> Dated | None:
    for name in names:
        if value := iso_date(_said(element, name)):
            return Dated(value, f"{kind}:{name.partition(':')[2] or name}")
    return None


def _said(element: etree._Element, *names: str) -> str:
    """The text of the first child of these names that has one."""
    for name in names:
        for child in element:
            if _name(child) == name and (text := text_of(child).strip()):
                return text
    return ""


def _child(element: etree._Element, name: str) -> etree._Element | None:
    return next(_children(element, name), None)


def _children(element: etree._Element, name: str) -> Iterator[etree._Element]:
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
