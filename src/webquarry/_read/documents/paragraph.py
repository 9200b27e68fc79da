"""Runs of text, each with its look -> the pieces of one block of Markdown, with marks opened and
closed in order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from webquarry._read.documents.office import Element
from webquarry._read.markdown.inline import BREAK, CLOSE, Piece, Span

_KeyedSpan = tuple[object, Span]  # with what tells whether the next run wants the same one


class TextStyle(NamedTuple):
    """How a run of text looks."""

    link: Span | None = None
    marks: tuple[str, ...] = ()


@dataclass
class DocumentParagraph:
    """What was found in one paragraph."""

    runs: list[tuple[str, TextStyle]] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)  # text boxes, charts and diagrams
    length: int = 0

    def add(self, text: str, style: TextStyle) -> None:
        """Add a run of text."""
        self.runs.append((text, style))
        self.length += len(text)

    def pieces(self, *, plain: bool = False) -> list[Piece]:
        """The runs as pieces; without emphasis where it means nothing, as in a heading."""
        pieces: list[Piece] = []
        open_spans: list[_KeyedSpan] = []
        for text, style in self.runs:
            wanted: list[_KeyedSpan] = []
            if style.link:
                wanted.append((style.link, style.link))
            if not plain:
                wanted += [(mark, Span(mark)) for mark in style.marks]
            same = 0  # how many of the open spans go on
            for (key, _), (wanted_key, _) in zip(open_spans, wanted, strict=False):
                if key != wanted_key:
                    break
                same += 1
            ended = len(open_spans) - same
            begun = wanted[same:]
            pieces += [CLOSE] * ended
            pieces += [span for _, span in begun]
            pieces.append(text)
            open_spans[same:] = begun
        pieces += [CLOSE] * len(open_spans)
        return pieces

    def text(self) -> str:
        """The bare text, with line ends."""
        written = "".join(text for text, _ in self.runs)
        return written.replace(BREAK, "\n")
