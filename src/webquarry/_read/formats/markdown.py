"""Markdown from servers, read like the HTML page that it describes.

The title is that of the front matter, else the first heading of the first level.
"""

from __future__ import annotations

import re
from dataclasses import replace

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.text import normalise_newlines, show_text
from webquarry._read.markdown.foreign import FRONT_MATTER, read_markdown
from webquarry._read.text.characters import clean

_LARGEST = 2_000_000  # characters; parsing takes about a second per million
_TOO_LARGE = "The Markdown is too large to be parsed and is shown as it was sent."
_FRONT_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t](.+)$", re.MULTILINE)


class MarkdownText(Format):
    name = "markdown"
    media_types = ("text/markdown", "text/x-markdown")
    suffixes = (".md", ".markdown", ".mdown", ".mdx", "/llms.txt", "/llms-full.txt")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text = source.text.text
        title = _find_title(clean(normalise_newlines(text)))
        if len(text) > _LARGEST:
            return replace(show_text(source, text, "markdown", (_TOO_LARGE,)), title=title)
        page = read_markdown(text, source.url)
        return ConvertedDocument(
            page.blocks, title=title, encoding=source.text.encoding, removed=page.removed
        )


def _find_title(text: str) -> str:
    """Return the title of the front matter, else the first heading of the first level."""
    start = 0
    front_matter = FRONT_MATTER.match(text)
    if front_matter:
        stated = _FRONT_TITLE.search(front_matter[1])
        if stated:
            return stated[1].strip(" \t").strip("\"' ")
        start = front_matter.end()
    heading = _HEADING.search(text, start)
    if heading is None:
        return ""
    line = heading[1].strip(" \t")
    title = line.rstrip("#").rstrip(" \t") or line[:1]
    return title.strip("\"' ")
