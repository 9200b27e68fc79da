"""The texts of an HTML page in the order of the page, and which of them are its main part: what is
asked when in doubt whether a page shows all that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

_MOST_BOXES = 4  # around a text, whose names say what it is


if TYPE_CHECKING:
    from webquarry._read.markdown.blocks import Block


@dataclass(frozen=True)
class PageBlocks:
    """Parallel lists, one entry for each text, and one entry for each element around them."""

    texts: Sequence[str]
    kept: Sequence[int]  # the numbers of those that are the main part, in order
    link_chars: Sequence[int]  # how many characters of each are links
    boxes: Sequence[int]  # the innermost element around each text; -1 for none
    parents: Sequence[int]  # of the elements
    tags: Sequence[str]
    names: Sequence[str]  # their class attributes
    ids: Sequence[str]
    levels: Sequence[int]  # of the headings that they are or stand in; 0 for none
    read_whole: Callable[[], Sequence[Block]]  # all that a person sees on the page

    @cached_property
    def kept_sizes(self) -> Sequence[int]:
        """The characters of each text of the main part."""
        texts = self.texts
        return [len(texts[index]) for index in self.kept]

    @cached_property
    def size(self) -> int:
        """Characters of the main part."""
        return sum(self.kept_sizes)

    def is_link(self, index: int) -> bool:
        """Whether most of a text is a link."""
        return 2 * self.link_chars[index] > len(self.texts[index])

    def is_heading(self, index: int) -> bool:
        """Whether a text is a heading."""
        box = self.boxes[index]
        return box >= 0 and self.levels[box] > 0

    def tag_around(self, index: int) -> str:
        """The tag of the innermost element around a text."""
        box = self.boxes[index]
        if box < 0:
            return ""
        return self.tags[box]

    def names_around(self, index: int) -> str:
        """The tags, classes and ids of the innermost elements around a text, a line each."""
        lines: list[str] = []
        box = self.boxes[index]
        while box >= 0 and len(lines) < _MOST_BOXES:
            lines.append(f"{self.tags[box]} {self.names[box]} {self.ids[box]}")
            box = self.parents[box]
        return "\n".join(lines)
