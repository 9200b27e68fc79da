"""Feeds. Any other document with these media types is shown as XML."""

from __future__ import annotations

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.text import Xml
from webquarry._read.markdown.compose import Composer


class FeedFormat(Format):
    name = "feed"
    media_types = ("application/rss+xml", "application/atom+xml")
    suffixes = (".rss", ".atom")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        from webquarry._read.feeds import parse_xml_feed, write_feed, write_title

        feed = parse_xml_feed(source.text.text)
        if feed is None:
            return Xml().to_markdown(source)
        has_address = feed.link.startswith(("https://", "http://"))
        composer = Composer(feed.link if has_address else source.url)
        blocks, lost = write_feed(feed, composer)
        return ConvertedDocument(
            blocks,
            title=write_title(feed.title, composer),
            encoding=source.text.encoding,
            removed=composer.removed,
            notes=lost,
            author=composer.plain(feed.author),
            published=feed.published,
            modified=feed.modified,
            lost=lost,
        )
