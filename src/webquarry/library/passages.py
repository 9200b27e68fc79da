"""Markdown -> passages: runs of paragraphs of one section, each with the headings above it, long
enough to be judged by their words and short enough to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from webquarry._read.slices.chunks import split_chunks
from webquarry._read.slices.text import WrittenText

MOST_PASSAGES = 1 << 12  # of a page
_CHARACTERS = 1_600  # of a passage, about


@dataclass(frozen=True)
class PagePassage:
    """A run of a text, from `start` to `stop` in bytes, and the headings that it stands under."""

    start: int
    stop: int
    headings: str


def split_passages(data: bytes) -> list[PagePassage]:
    """The passages of a text in UTF-8, in order."""
    text = WrittenText.of_lines(data)
    characters = len(data.decode("utf-8", "replace"))
    longest = _CHARACTERS * len(data) // max(1, characters)
    if len(data) <= longest and b"\n#" not in data and not data.startswith(b"#"):
        return [PagePassage(0, len(data), "")]
    passages: list[PagePassage] = []
    start = stop = 0
    section = None
    for chunk in split_chunks(text):
        is_new = chunk.section is not section or chunk.stop - start > longest
        if section is not None and is_new:
            passages.append(PagePassage(start, stop, " ".join(section.path)))
        if section is None or is_new:
            start = chunk.start
        section = chunk.section
        stop = chunk.stop
    if section is not None:
        passages.append(PagePassage(start, stop, " ".join(section.path)))
    return passages[:MOST_PASSAGES]
