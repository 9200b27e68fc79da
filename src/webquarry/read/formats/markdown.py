"""Markdown: as it is, with its line ends normalised. Its title is that of its front matter, else
its first heading.
"""

from __future__ import annotations

import re

from webquarry.read.format import ConvertedDocument, FetchedDocument, Format
from webquarry.read.formats.text import normalise_newlines
from webquarry.read.text.characters import clean

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,8000}?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


class MarkdownText(Format):
    name = "markdown"
    media_types = ("text/markdown", "text/x-markdown")
    suffixes = (".md", ".markdown", ".mdown", ".mdx", "/llms.txt", "/llms-full.txt")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        cleaned = clean(normalise_newlines(source.text.text))
        return ConvertedDocument(
            cleaned.text,
            title=_title(cleaned.text),
            encoding=source.text.encoding,
            removed=cleaned.removed,
        )


def _title(text: str) -> str:
    front = _FRONT_MATTER.match(text)
    found = _FRONT_TITLE.search(front[1]) if front else None
    found = found or _HEADING.search(text, front.end() if front else 0)
    if found:
        return found[1].strip("\"' ")
    return ""
