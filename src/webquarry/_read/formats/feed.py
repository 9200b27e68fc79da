"""RSS, Atom and JSON Feed: title, description, entries.

Any other document with these media types is shown as XML or JSON, also one that declares entities.
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
        feed = parse_json_feed(text) if is_json else parse_xml_feed(text)
        if feed is None:
            return (Json() if is_json else Xml()).to_markdown(source)
        has_address = feed.link.startswith(("https://", "http://"))
        composer = Composer(feed.link if has_address else source.url)
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
