"""RSS 2.0, RSS 1.0 and Atom: title, description, entries with linked headings.

XML entities are never resolved, and a document that declares some is not read as a feed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime

from lxml import etree

from webquarry._read.html.tree import text_of
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.compose import Composer, Content
from webquarry._read.models import Dated
from webquarry._read.text.characters import without_surrogates

_LONGEST = 10_000_000  # characters of Markdown
_LONGEST_NAME = 500
_LONGEST_DATE = 60
_ISO = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d{1,9})?\s?"
    r"(?:Z|z|[+-]\d\d:?\d\d)?)?)?)?"
)
_OWN_ENTITIES = re.compile(r"<!DOCTYPE[^>\[]{0,2000}\[|<!ENTITY", re.IGNORECASE)
_ADDRESS_AND_NAME = re.compile(r"[^\s@]+@[^\s@]+\s+\(([^()]+)\)")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_KINDS = {"atom:feed": "atom", "rss": "rss", "rdf:RDF": "rss"}
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


@dataclass(frozen=True)
class FeedText:
    """A text of a feed as it was sent, plain or HTML."""

    value: str = ""
    is_html: bool = False


@dataclass(frozen=True)
class FeedEntry:
    title: FeedText = field(default_factory=FeedText)
    link: str = ""
    date: str = ""  # ISO 8601; as it was sent if it is not valid
    author: str = ""
    content: FeedText = field(default_factory=FeedText)
    enclosures: tuple[str, ...] = ()  # URLs of attached files


@dataclass(frozen=True)
class Feed:
    title: FeedText = field(default_factory=FeedText)
    description: FeedText = field(default_factory=FeedText)
    link: str = ""
    author: str = ""
    published: Dated | None = None
    modified: Dated | None = None
    entries: tuple[FeedEntry, ...] = ()


def write_feed(feed: Feed, composer: Composer) -> tuple[list[Block], tuple[str, ...]]:
    """Return the blocks of a feed up to the largest length, and a note if entries are missing."""
    title = write_title(feed.title, composer)
    blocks = composer.heading(1, composer.link(title, feed.link)) if title else []
    blocks += composer.join([_write_body(feed.description, composer)])
    room = _LONGEST
    for index, entry in enumerate(feed.entries):
        name = write_title(entry.title, composer) or f"Entry {index + 1}"
        body = composer.join([_write_body(entry.content, composer)])
        for block in body:
            if 0 < block.level <= 4:
                block.level += 2  # below that of the entry
        contents: list[Content] = [
            composer.heading(2, composer.link(name, entry.link)),
            composer.facts(composer.name(detail) for detail in (entry.date, entry.author)),
            body,
            composer.items(composer.link_url(url) for url in entry.enclosures),
        ]
        written = composer.join(contents)
        room -= sum(len(block.text) for block in written)
        if room < 0:
            count = len(feed.entries)
            return blocks, (f"The feed has {count:,} entries; only the first {index:,} are shown.",)
        blocks += written
    return blocks, ()


def write_title(text: FeedText, composer: Composer) -> str:
    """Return a plain title; some feeds have markup there."""
    value = _MARKUP.sub("", text.value) if text.is_html else text.value
    return composer.plain(value, is_html=text.is_html)


def _write_body(text: FeedText, composer: Composer) -> Content:
    return composer.fragment(text.value) if text.is_html else composer.paragraphs(text.value)


def iso_date(text: str) -> str:
    """Return a date of a feed in ISO form, as exact as it was given; empty if it is not valid."""
    text = " ".join(text[:100].split())
    try:
        if _ISO.fullmatch(text):
            datetime.strptime((text + "-01-01"[len(text) - 4 :])[:10], "%Y-%m-%d")
            return text.replace(" ", "T", 1).replace(" ", "").replace("z", "Z")
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""
    return date.isoformat().replace("+00:00", "Z") if date.year >= 1900 else ""


def _normalise_date(text: str) -> str:
    return iso_date(text) or text[:_LONGEST_DATE]


def parse_xml_feed(text: str) -> Feed | None:
    """Parse RSS or Atom; None for any other document, and for one that declares entities."""
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
    kind = "" if root is None else _KINDS.get(_name(root), "")
    channels = [root] if kind == "atom" else _find_children(root, "channel") if kind else []
    if not channels:
        return None
    channel = channels[0]
    entries = _find_children(channel, "item", "atom:entry")
    if root is not channel:  # RSS 1.0 has its items next to the channel
        entries += _find_children(root, "item")
    return Feed(
        title=_find_markup(channel, "title", "atom:title"),
        description=_find_markup(channel, "description", "itunes:summary", "atom:subtitle"),
        link=_find_text(channel, "link") or _find_atom_link(channel),
        author=_find_authors(channel, "dc:creator", "itunes:author", "managingEditor"),
        published=_find_date(channel, ("pubDate", "dc:date"), kind),
        modified=_find_date(channel, ("lastBuildDate", "dcterms:modified", "atom:updated"), kind),
        entries=tuple(map(_parse_xml_entry, entries)),
    )


def _parse_xml_entry(item: etree._Element) -> FeedEntry:
    link = _find_text(item, "link") or _find_atom_link(item)
    for guid in _find_children(item, "guid")[:1]:  # a permanent one replaces a missing link
        is_permanent = (guid.get("isPermaLink") or "true").lower() == "true"
        identity = text_of(guid).strip()
        if not link and is_permanent and identity.startswith("http"):
            link = identity
    enclosures = [one.get("url") for one in _find_children(item, "enclosure")]
    enclosures += [
        other.get("href")
        for other in _find_children(item, "atom:link")
        if other.get("rel") == "enclosure"
    ]
    content = ("content:encoded", "description", "itunes:summary", "atom:content", "atom:summary")
    dates = ("pubDate", "dc:date", "dcterms:modified", "atom:published", "atom:updated")
    return FeedEntry(
        title=_find_markup(item, "title", "itunes:title", "atom:title"),
        link=link,
        date=_normalise_date(_find_text(item, *dates)),
        author=_find_authors(item, "dc:creator", "itunes:author", "author"),
        content=_find_markup(item, *content),
        enclosures=tuple(filter(None, enclosures)),
    )


def _find_markup(parent: etree._Element, *names: str) -> FeedText:
    """Return the first text of these names. Atom says whether it is HTML; XHTML is elements."""
    for element in _find_children(parent, *names):
        kind = "html" if not _name(element).startswith("atom:") else element.get("type") or "text"
        text = text_of(element)
        if kind.lower() in ("xhtml", "application/xhtml+xml"):
            parts = [etree.tostring(child, encoding="unicode") for child in element]
            text, kind = (element.text or "") + "".join(parts), "html"
        if text.strip():
            return FeedText(text.strip(), is_html=kind.lower() in ("html", "text/html"))
    return FeedText()


def _find_atom_link(element: etree._Element) -> str:
    for link in _find_children(element, "atom:link"):
        address = link.get("href")
        if address and (link.get("rel") or "alternate") == "alternate":
            return address
    return ""


def _find_authors(element: etree._Element, *names: str) -> str:
    """Return the authors of Atom, else the person of RSS: an address with the name in brackets."""
    people = _find_children(element, "atom:author")
    authors: Iterable[str] = (_find_text(one, "atom:name", "atom:email") for one in people)
    text = ", ".join(filter(None, authors)) or _find_text(element, *names)
    found = _ADDRESS_AND_NAME.fullmatch(text)
    return (found[1] if found else text)[:_LONGEST_NAME]


def _find_date(element: etree._Element, names: tuple[str, ...], kind: str) -> Dated | None:
    """Return the first valid date of these names, with its field."""
    for name in names:
        value = iso_date(_find_text(element, name))
        if value:
            return Dated(value, f"{kind}:{name.rpartition(':')[2]}")
    return None


def _find_text(element: etree._Element, *names: str) -> str:
    """Return the first text of these names."""
    texts = (text_of(child).strip() for child in _find_children(element, *names))
    return next(filter(None, texts), "")


def _find_children(element: etree._Element, *names: str) -> list[etree._Element]:
    """Return the children of these names, those of the first name first."""
    found = [child for child in element if _name(child) in names]
    return sorted(found, key=lambda child: names.index(_name(child)))


def _name(element: etree._Element) -> str:
    """Return the local name with our prefix of its namespace, `?` for an unknown one."""
    if not isinstance(element.tag, str):
        return ""
    namespace, _, local = element.tag.rpartition("}")
    return _NAMESPACES.get(namespace.removeprefix("{"), "?") + local
