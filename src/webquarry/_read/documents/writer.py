"""Writers of blocks: nested lists of all documents, and formatted runs and graphics of Office."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from webquarry._read.documents.graphics import read_chart_rows, read_chart_title, read_diagram_texts
from webquarry._read.documents.office import Element, Package, Relation, name_of, value_of
from webquarry._read.documents.text import build_table, escape_paragraph
from webquarry._read.markdown.actions import UNSAFE_LINK
from webquarry._read.markdown.blocks import Block, Blocks
from webquarry._read.markdown.inline import BREAK, CLOSE, LINK, Piece, Span
from webquarry._read.markdown.links import Links


class TextStyle(NamedTuple):
    """Formatting of a run."""

    link: Span | None = None
    marks: tuple[str, ...] = ()


PLAIN = TextStyle()


@dataclass
class DocumentParagraph:
    """Runs of one paragraph."""

    runs: list[tuple[str, TextStyle]] = field(default_factory=list)

    def add(self, text: str, style: TextStyle = PLAIN) -> None:
        """Add a run of text."""
        self.runs.append((text, style))

    def pieces(self, *, plain: bool = False) -> list[Piece]:
        """Return the runs as pieces of inline Markdown, without emphasis if `plain`."""
        pieces: list[Piece] = []
        open_spans: list[Span | str] = []
        for text, style in self.runs:
            wanted: list[Span | str] = [style.link] if style.link else []
            if not plain:
                wanted += style.marks
            same = 0  # open spans that continue
            while same < min(len(open_spans), len(wanted)) and open_spans[same] == wanted[same]:
                same += 1
            pieces += [CLOSE] * (len(open_spans) - same)
            for span in wanted[same:]:
                pieces.append(span if isinstance(span, Span) else Span(span))
            pieces.append(text)
            open_spans[same:] = wanted[same:]
        pieces += [CLOSE] * len(open_spans)
        return pieces

    def text(self) -> str:
        """Return the plain text with line breaks."""
        return "".join(text for text, _ in self.runs).replace(BREAK, "\n")


class DocumentWriter:
    """Collects the blocks of a document, with nested lists."""

    def __init__(self, removed: Counter[str]) -> None:
        self._removed = removed
        self._out = Blocks()
        self._levels: list[float] = []  # of the open list items

    def finish(self) -> list[Block]:
        """Return the blocks."""
        return self._out.blocks

    def _add(self, content: Block | str | None) -> None:
        """Add a block or a paragraph after the open list."""
        self._end_list()
        if content:
            self._out.add(content)

    def _add_in(self, marker: str, indent: str, contents: Iterable[Block | str]) -> None:
        """Add blocks or paragraphs in a quote or a note."""
        self._end_list()
        self._out.open(marker, indent)
        for content in contents:
            self._out.extend([Block("paragraph", content) if isinstance(content, str) else content])
        self._out.close()

    def _add_item(self, text: str, marker: str, level: float, tolerance: float = 0) -> None:
        """Add an item to the open list, or the first of a new one.

        It is inside of the item before if its level is higher by more than the tolerance.
        """
        follows = bool(self._levels)
        while self._levels and level <= self._levels[-1] + tolerance:
            self._levels.pop()
            self._out.close()
        self._out.tight = follows
        self._out.open(marker, " " * len(marker))
        self._levels.append(level)
        self._out.add(text)

    def _end_list(self) -> None:
        for _ in self._levels:
            self._out.close()
        self._levels = []
        self._out.tight = False


class OfficeWriter(DocumentWriter):
    """Writes the blocks of one part of an Office file."""

    def __init__(
        self,
        package: Package,
        relations: dict[str, Relation],
        links: Links,
        removed: Counter[str],
    ) -> None:
        super().__init__(removed)
        self._package = package
        self._relations = relations
        self._links = links

    def build_link(self, address: str) -> Span | None:
        """Return a link to an address, unless it is unsafe."""
        target = self._links.absolute(address)
        if target is None:
            self._removed[UNSAFE_LINK] += 1
        return Span(LINK, target) if target else None

    def link_to(self, relation_id: str | None) -> Span | None:
        """Return the link of a relation; None for one inside of the file."""
        relation = self._relations.get(relation_id or "")
        return self.build_link(relation.target) if relation and relation.external else None

    def _add_graphic(self, element: Element) -> None:
        """Add a chart as its title and a table, or a diagram as a list."""
        is_chart = name_of(element.tag) == "c:chart"
        identity = value_of(element, "id" if is_chart else "dm") or ""
        root = self._package.read_related(self._relations.get(identity))
        if root is None:
            return
        if is_chart:
            self._add(escape_paragraph(read_chart_title(root), self._removed))
            self._add(build_table(read_chart_rows(root), self._removed))
            return
        for text in read_diagram_texts(root):
            self._add_item(escape_paragraph(text, self._removed), "- ", 0)
        self._end_list()
