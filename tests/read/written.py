"""Markdown as the writer of blocks returns it: with its units and links."""

from __future__ import annotations

from webquarry._read.markdown.foreign import read_markdown
from webquarry._read.slices.text import WrittenText


def written(markdown: str) -> WrittenText:
    return read_markdown(markdown, "https://page.example/").written
