"""Texts of a page by which its outcome is judged: the words of its blocks, and its text blocks with
the elements around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from webquarry._read.markdown.blocks import LINK, Block, strip_links, write_marked
from webquarry._read.text.words import count_words

_ESCAPE = re.compile(r"\\([^\w\s])")
_MAX_BOXES = 4  # around a text, whose names are read


@dataclass(frozen=True)
class Words:
    """The words of blocks, line by line."""

    blocks: Sequence[Block]

    @cached_property
    def size(self) -> int:
        """The number of characters, about."""
        return sum(map(_measure, self.blocks))

    def beginning(self, size: int) -> Words:
        """Return the words of the first blocks, up to about `size` characters."""
        if self.size <= size:
            return self
        for number, block in enumerate(self.blocks):
            size -= _measure(block)
            if size < 0:
                return Words(self.blocks[: number + 1])
        return self

    @cached_property
    def text(self) -> str:
        """The text with the marks of blocks: `#`, `-`, `|`."""
        return _ESCAPE.sub(r"\1", strip_links(write_marked(self.blocks)))

    @cached_property
    def headings(self) -> list[str]:
        """The headings in order."""
        texts = [strip_links(block.text) for block in self.blocks if block.kind == "heading"]
        return [_ESCAPE.sub(r"\1", text).strip() for text in texts]

    @cached_property
    def count(self) -> int:
        """The number of words."""
        return count_words(self.text)

    @cached_property
    def prose_count(self) -> int:
        """Words outside links and headings: few in a menu, most of an article."""
        prose = [block for block in self.blocks if block.kind != "heading"]
        return count_words(LINK.sub("", write_marked(prose)))


def _measure(block: Block) -> int:
    return len(block.text) + sum([len(cell) for row in block.rows for cell in row])


@dataclass(frozen=True)
class PageBlocks:
    """Text blocks and the elements around them, as parallel lists."""

    texts: Sequence[str]
    kept: Sequence[int]  # indexes of the main content, in order
    link_chars: Sequence[int]  # characters of each text in links
    boxes: Sequence[int]  # the innermost element around each text, or -1
    parents: Sequence[int]  # of the elements
    tags: Sequence[str]
    names: Sequence[str]  # the class attributes
    ids: Sequence[str]
    levels: Sequence[int]  # of the headings that are or contain the elements; 0 for none
    read_whole: Callable[[], Sequence[Block]]  # all that is visible on the page

    @cached_property
    def size(self) -> int:
        """Characters of the main content."""
        return sum([len(self.texts[index]) for index in self.kept])

    def is_link(self, index: int) -> bool:
        """Whether most of a text is in links."""
        return 2 * self.link_chars[index] > len(self.texts[index])

    def is_heading(self, index: int) -> bool:
        box = self.boxes[index]
        return box >= 0 and self.levels[box] > 0

    def tag_around(self, index: int) -> str:
        """Return the tag of the innermost element around a text."""
        box = self.boxes[index]
        return self.tags[box] if box >= 0 else ""

    def names_around(self, index: int) -> str:
        """Return tags, classes and ids of the innermost elements around a text, line by line."""
        lines: list[str] = []
        box = self.boxes[index]
        while box >= 0 and len(lines) < _MAX_BOXES:
            lines.append(f"{self.tags[box]} {self.names[box]} {self.ids[box]}")
            box = self.parents[box]
        return "\n".join(lines)
