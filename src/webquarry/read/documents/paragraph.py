"""Runs of text, each with its look -> the pieces of one block of Markdown, with marks opened and
closed in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from lxml import etree

from webquarry.read.markdown.inline import BREAK, CLOSE, Piece, Span


class TextStyle(NamedTuple):
    """How a run of text looks."""

    link: Span | None = None
    marks: tuple[str, ...] = ()


@dataclass
class DocumentParagraph:
    """What was found in one paragraph."""

    runs: list[tuple[str, TextStyle]] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)  # text boxes, charts and diagrams
    length: int = 0

    def add(self, text: str, look: TextStyle) -> None:
        self.runs.append((text, look))
        self.length += len(text)

    def pieces(self, *, plain: bool = False) -> list[Piece]:
        """The runs as pieces; without emphasis where it means nothing, as in a heading."""
        pieces: list[Piece] = []
        spans: list[tuple[object, Span]] = []
        for text, look in self.runs:
            marks = () if plain else look.marks
            wanted = [(look.link, look.link)] if look.link else []
            keys: list[tuple[object, Span]] = [*wanted, *((mark, Span(mark)) for mark in marks)]
            same = 0
            while same < min(len(spans), len(keys)) and spans[same][0] == keys[same][0]:
                same += 1
            pieces += [CLOSE] * (len(spans) - same)
            pieces += [span for _, span in keys[same:]]
            spans = spans[:same] + keys[same:]
            pieces.append(text)
        return [*pieces, *[CLOSE] * len(spans)]

    def text(self) -> str:
        """The bare text, with line ends."""
        return "".join(text for text, _ in self.runs).replace(BREAK, "\n")
