"""RSS, Atom and JSON Feed: title, what it is about, then the entries. A document that only claims
to be one is shown as XML or JSON, and so is one that declares entities: they are never expanded.
"""

from __future__ import annotations

from webquarry._read.feeds.json_feed import parse_json_feed
from webquarry._read.feeds.write import write_feed
from webquarry._read.feeds.xml_feed import parse_xml_feed
from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.json import Json
from webquarry._read.formats.xml import Xml
from webquarry._read.markdown.compose import Composer


class FeedFormat(Format):
    name = "feed"
    media_types = ("application/rss+xml", "application/atom+xml", "application/feed+json")
    suffixes = (".rss", ".atom")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text = source.text.text
        is_json = text.lstrip("\ufeff \t\r\n")[:1] == "{"
        if is_json:
            feed = parse_json_feed(text)
        else:
            feed = parse_xml_feed(text)
        if feed is None and is_json:
            return Json().to_markdown(source)
        if feed is None:
            return Xml().to_markdown(source)

        base = source.url
        if feed.link.startswith(("https://", "http://")):
            base = feed.link
        composer = Composer(base)
        written = write_feed(feed, composer)
        return ConvertedDocument(
            written.markdown,
            title=written.title,
            encoding=source.text.encoding,
            removed=dict(composer.removed),
            notes=written.lost,
            author=composer.plain(feed.author),
            published=feed.published,
            modified=feed.modified,
            lost=written.lost,
        )
