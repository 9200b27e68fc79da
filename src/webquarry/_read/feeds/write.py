"""Markdown of a feed: its title and description, then its entries with linked headings."""

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
    """A feed as Markdown, with a note if entries are missing."""

    markdown: str
    title: str
    lost: tuple[str, ...]


def write_feed(feed: Feed, composer: Composer) -> FeedMarkdown:
    """Return the feed, up to the largest length."""
    title = _write_title(feed.title, composer)
    blocks = [f"# {composer.link(title, feed.link)}"] if title else []
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
    title = _write_title(entry.title, composer) or f"Entry {number}"
    details = [composer.name(detail) for detail in (entry.date, entry.author)]
    enclosures = [f"- {composer.link(composer.plain(url), url)}" for url in entry.enclosures]
    blocks = [
        f"## {composer.link(title, entry.link)}",
        " · ".join(filter(None, details)),
        _lower_headings(_write_body(entry.content, composer)),
        "\n".join(enclosures),
    ]
    return "\n\n".join(filter(None, blocks))


def _write_title(text: FeedText, composer: Composer) -> str:
    """Return a plain title; some feeds have markup there."""
    value = _MARKUP.sub("", text.value) if text.is_html else text.value
    return composer.plain(value, is_html=text.is_html)


def _write_body(text: FeedText, composer: Composer) -> str:
    return composer.fragment(text.value) if text.is_html else composer.paragraphs(text.value)


def _lower_headings(markdown: str) -> str:
    """Lower headings below that of the entry; code is not changed."""
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
