"""Markdown: as it is, with its line ends normalised, but for what a page of HTML would not show
either: targets of images, tags and what they hide, links that could do harm. Its title is that of
its front matter, else its first heading.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats._markdown_html import convert_tags
from webquarry._read.formats._markdown_links import rewrite_links
from webquarry._read.formats.text import normalise_newlines
from webquarry._read.text.characters import clean

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,8000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t](.+)$", re.MULTILINE)


class MarkdownText(Format):
    name = "markdown"
    media_types = ("text/markdown", "text/x-markdown")
    suffixes = (".md", ".markdown", ".mdown", ".mdx", "/llms.txt", "/llms-full.txt")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text, removed = filter_markdown(source.text.text, source.url)
        title = _find_title(text)
        return ConvertedDocument(
            text,
            title=title.strip("\"' "),
            encoding=source.text.encoding,
            removed=removed,
        )


def filter_markdown(text: str, url: str) -> tuple[str, Counter[str]]:
    """Markdown from somewhere else without what a page of HTML would not show either, and what was
    taken out. Its links are those of a page at this URL.
    """
    visible = clean(normalise_newlines(text))
    without_tags = convert_tags(visible.text, url)
    linked = rewrite_links(without_tags.text, url)
    cleaned = clean(linked.rstrip("\n"))  # what was apart may have come together
    removed = Counter(visible.removed) + Counter(without_tags.removed)
    removed += Counter(cleaned.removed)
    return cleaned.text, removed


def _find_title(text: str) -> str:
    """The title that the front matter states, else the first heading of the highest level."""
    start = 0
    front_matter = _FRONT_MATTER.match(text)
    if front_matter:
        stated = _FRONT_TITLE.search(front_matter[1])
        if stated:
            return stated[1].strip(" \t")
        start = front_matter.end()
    heading = _HEADING.search(text, start)
    if heading is None:
        return ""
    line = heading[1].strip(" \t")
    title = line.rstrip("#").rstrip(" \t")
    return title or line[:1]
