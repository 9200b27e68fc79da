"""What the parts of one Word document share: styles, lists, notes, links, and what was left out of
the text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from webquarry._read.documents.docx.numbering import Numbering
from webquarry._read.documents.docx.styles import Styles
from webquarry._read.documents.look.theme import Theme, find_theme
from webquarry._read.documents.models import LONGEST_TEXT
from webquarry._read.documents.office import Element, Package, children_of, value_of
from webquarry._read.markdown.inline import LINK, Span
from webquarry._read.markdown.links import Links
from webquarry._read.style.colours import WHITE, Colour

UNSAFE_LINK = "unsafe link"
DELETED = "deleted text"
HIDDEN = "hidden text"
TINY = "tiny text"
SAME_COLOUR = "same colour"
NoteKind = Literal["footnote", "endnote"]


class TooMuchText(Exception):
    """The document has more text than is read at once."""


@dataclass
class WordField:
    """A field of Word: an instruction, then the text that it gave."""

    instruction: str = ""
    in_result: bool = False
    link: Span | None = None


@dataclass
class Notes:
    """The notes at the foot of pages and at the end, as the text refers to them."""

    elements: dict[tuple[NoteKind, str], Element] = field(default_factory=dict)
    labels: dict[tuple[NoteKind, str], str] = field(default_factory=dict)  # in their order

    def label(self, kind: NoteKind, identity: str) -> str | None:
        """What a note is called in Markdown; None where there is no such note."""
        key = (kind, identity)
        if key not in self.elements:
            return None
        if key not in self.labels:
            number = 1
            for other, _ in self.labels:
                number += other == kind
            label = str(number)
            if kind == "endnote":
                label = f"e{number}"
            self.labels[key] = label
        return self.labels[key]


class DocxContext:
    """One document while it is read."""

    def __init__(self, package: Package, main: str, url: str) -> None:
        self.package = package
        self.relations = package.relations(main)
        styles = self._read_part("styles")
        numbering = self._read_part("numbering")
        self.styles = Styles(styles)
        self.numbering = Numbering(numbering, self.styles)
        self.notes = Notes()
        self._read_notes("footnote")
        self._read_notes("endnote")
        self.links = Links(url)
        self.removed: Counter[str] = Counter()
        self.fields: list[WordField] = []  # those that are open, the innermost last
        self.theme = Theme(find_theme(self._read_theme()))
        self.page_colour: Colour | None = WHITE  # None where it cannot be told
        self._left = LONGEST_TEXT

    def count_text(self, length: int) -> None:
        """Count characters that go into the answer; raises `TooMuchText` when they are too many."""
        self._left -= length
        if self._left < 0:
            raise TooMuchText

    def link_to(self, relation_id: str | None) -> Span | None:
        """The link behind the name of a relation."""
        relation = self.relations.get(relation_id or "")
        if relation is None or not relation.external:
            return None
        return self.build_link(relation.target)

    def build_link(self, address: str) -> Span | None:
        """A link to an address, if it is one that can be followed without harm."""
        target = self.links.absolute(address)
        if target is None:
            self.removed[UNSAFE_LINK] += 1
        if not target:
            return None
        return Span(LINK, target)

    def read_related(self, relation_id: str | None) -> Element | None:
        """The part of the file behind the name of a relation."""
        relation = self.relations.get(relation_id or "")
        if relation is None or relation.external:
            return None
        return self.package.xml_if_sound(relation.target)

    def _read_theme(self) -> Element | None:
        for relation in self.relations.values():
            if relation.kind == "theme" and not relation.external:
                return self.package.xml_if_sound(relation.target)
        return None

    def _read_part(self, kind: str) -> Element | None:
        """The part of that kind: the one the document names, else the one of the usual name."""
        part = f"word/{kind}.xml"
        for relation in self.relations.values():
            if relation.kind == kind and not relation.external:
                part = relation.target
                break
        return self.package.xml_if_sound(part)

    def _read_notes(self, kind: NoteKind) -> None:
        """Keep the notes of a kind; the lines that separate them from the text are none."""
        root = self._read_part(f"{kind}s")
        for element in children_of(root, f"w:{kind}"):
            identity = value_of(element, "id")
            note_type = value_of(element, "type")
            separates = note_type not in (None, "normal")
            if identity and not separates:
                key = (kind, identity)
                self.notes.elements.setdefault(key, element)
