"""The words of blocks, by which the outcome of a page is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from webquarry._read.markdown.blocks import LINK, Block, strip_links, write_marked
from webquarry._read.text.words import count_words

_ESCAPE = re.compile(r"\\([^\w\s])")


@dataclass(frozen=True)
class Words:
    """What a person reads in blocks, line by line."""

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
        return [
            _ESCAPE.sub(r"\1", strip_links(block.text)).strip()
            for block in self.blocks
            if block.kind == "heading"
        ]

    @cached_property
    def count(self) -> int:
        """The number of words."""
        return count_words(self.text)

    @cached_property
    def prose_count(self) -> int:
        """Words outside links and headings: a menu has none, an article almost nothing else."""
        prose = [block for block in self.blocks if block.kind != "heading"]
        return count_words(LINK.sub("", write_marked(prose)))


def _measure(block: Block) -> int:
    """Return the number of characters of a block."""
    return len(block.text) + sum(len(cell) for row in block.rows for cell in row)
