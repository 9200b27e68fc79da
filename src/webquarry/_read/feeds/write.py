"""A feed -> Markdown: its title, what it is about, then its entries, each with a heading that links
to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webquarry._read.feeds.models import Feed, FeedEntry, FeedText
from webquarry._read.markdown.compose import Composer

_LONGEST = 10_000_000  # characters
_FENCE = re.compile(r"(`{3,})[^`]*\Z")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_HEADING = re.compile(r"(#{1,4})(?= )")


@dataclass(frozen=True)
class FeedMarkdown:
    """A feed as Markdown, and the note that says what is missing of it, if anything."""

    markdown: str
    title: str
    lost: tuple[str, ...]


def write_feed(feed: Feed, composer: Composer) -> FeedMarkdown:
    """The whole feed, as far as there is room."""
    title = _write_title(feed.title, composer)
    blocks: list[str] = []
    if title:
        blocks.append(f"# {composer.link(title, feed.link)}")
    blocks.append(_write_body(feed.description, composer))
    lost: tuple[str, ...] = ()
    room = _LONGEST
    for index, entry in enumerate(feed.entries):
        text = _write_entry(entry, index + 1, composer)
        room -= len(text)
        if room < 0:
            count = len(feed.entries)
            lost = (f"The feed has {count:,} entries; only the first {index:,} are shown.",)
            break
        blocks.append(text)
    return FeedMarkdown("\n\n".join(filter(None, blocks)), title, lost)


def _write_entry(entry: FeedEntry, number: int, composer: Composer) -> str:
    """One entry: its heading, when and by whom, its text, what is enclosed."""
    title = _write_title(entry.title, composer) or f"Entry {number}"
    heading = f"## {composer.link(title, entry.link)}"
    details = [composer.line(composer.plain(detail)) for detail in (entry.date, entry.author)]
    body = _write_body(entry.content, composer)
    enclosures = [f"- {composer.link(composer.plain(url), url)}" for url in entry.enclosures]
    blocks = [
        heading,
        " · ".join(filter(None, details)),
        _lower_headings(body),
        "\n".join(enclosures),
    ]
    return "\n\n".join(filter(None, blocks))


def _write_title(text: FeedText, composer: Composer) -> str:
    """A title. Some feeds put marked-up text there."""
    value = text.value
    if text.is_html and "<" in value:
        value = _MARKUP.sub("", value)
    return composer.plain(value, is_html=text.is_html)


def _write_body(text: FeedText, composer: Composer) -> str:
    """The text of a feed or an entry as paragraphs."""
    if text.is_html:
        return composer.fragment(text.value)
    return composer.paragraphs(text.value)


def _lower_headings(markdown: str) -> str:
    """Headings of an entry stand below its own; code is left alone."""
    if "#" not in markdown:
        return markdown
    lines: list[str] = []
    open_fence = ""
    for line in markdown.split("\n"):
        fence = _FENCE.match(line)
        heading = _HEADING.match(line)
        if open_fence:
            if line.startswith(open_fence) and not line.strip("`"):
                open_fence = ""
        elif fence:
            open_fence = fence[1]
        elif heading:
            line = f"{heading[1]}##{line[heading.end() :]}"
        lines.append(line)
    return "\n".join(lines)
