"""A feed -> Markdown: its title, what it is about, then its entries, each with a heading that links
to it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webquarry.read.feeds.models import Feed, FeedEntry, FeedText
from webquarry.read.markdown.compose import Composer

_LONGEST = 10_000_000  # characters
_FENCE = re.compile(r"(?m)^(`{3,})[^\n]*\n[\s\S]*?\n\1`*$")
_HEADING = re.compile(r"(?m)^(#{1,4})(?= )")


@dataclass(frozen=True)
class Written:
    """A feed as Markdown."""

    markdown: str
    title: str
    lost: tuple[str, ...]


def write_feed(feed: Feed, composer: Composer) -> Written:
    """The whole feed, as far as there is room."""
    title = _line(feed.title, composer)
    blocks = [
        f"# {composer.link(title, feed.link)}" if title else "",
        _body(feed.description, composer),
    ]
    room = _LONGEST
    for number, entry in enumerate(feed.entries):
        text = _entry(entry, number + 1, composer)
        room -= len(text)
        if room < 0:
            lost = (
                f"The feed has {len(feed.entries):,} entries; only the first {number:,} are shown."
            )
            return Written("\n\n".join(filter(None, blocks)), title, (lost,))
        blocks.append(text)
    return Written("\n\n".join(filter(None, blocks)), title, ())


def _entry(entry: FeedEntry, number: int, composer: Composer) -> str:
    title = _line(entry.title, composer) or f"Entry {number}"
    about = [composer.line(composer.plain(part)) for part in (entry.date, entry.author)]
    blocks = [
        f"## {composer.link(title, entry.link)}",
        " · ".join(filter(None, about)),
        _below_heading(_body(entry.content, composer)),
        "\n".join(f"- {composer.link(composer.plain(url), url)}" for url in entry.enclosures),
    ]
    return "\n\n".join(filter(None, blocks))


def _line(text: FeedText, composer: Composer) -> str:
    """A title. Some feeds put marked-up text there."""
    if text.is_html and "<" in text.value:
        return composer.plain(_MARKUP.sub("", text.value), is_html=True)
    return composer.plain(text.value, is_html=text.is_html)


_MARKUP = re.compile(r"</?[A-Za-z][^<>]{0,500}>")


def _body(text: FeedText, composer: Composer) -> str:
    if text.is_html:
        return composer.fragment(text.value)
    return composer.paragraphs(text.value)


def _below_heading(markdown: str) -> str:
    """Headings of an entry stand below its own; code is left alone."""
    parts: list[str] = []
    end = 0
    for code in _FENCE.finditer(markdown):
        parts += [_HEADING.sub(r"\1##", markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _HEADING.sub(r"\1##", markdown[end:])])
