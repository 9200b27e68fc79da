"""What the parts of one Word document share: styles, lists, notes, links, and what was left out of
the text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from lxml import etree

from webquarry.read.documents.docx.numbering import Numbering
from webquarry.read.documents.docx.styles import Styles
from webquarry.read.documents.models import LONGEST_TEXT
from webquarry.read.documents.office import Package, Relation, name_of, value_of
from webquarry.read.markdown.inline import LINK, Span
from webquarry.read.markdown.links import Links

UNSAFE_LINK = "unsafe link"
DELETED = "deleted text"
HIDDEN = "hidden text"
TINY = "tiny text"
SAME_COLOUR = "same colour"
NoteKind = Literal["footnote", "endnote"]


class Full(Exception):
    """The document has more text than is read at once."""


@dataclass
class Field:
    """A field of Word: an instruction, then the text that it gave."""

    instruction: str = ""
    in_result: bool = False
    link: Span | None = None


@dataclass
class Notes:
    """The notes at the foot of pages and at the end, in the order in which the text refers to them."""

    elements: dict[tuple[NoteKind, str], etree._Element] = field(default_factory=dict)
    labels: dict[tuple[NoteKind, str], str] = field(default_factory=dict)

    def label(self, kind: NoteKind, identity: str) -> str | None:
        """What a note is called in Markdown; None where there is no such note."""
        key = (kind, identity)
        if key not in self.elements:
            return None
        if key not in self.labels:
            count = sum(other == kind for other, _ in self.labels) + 1
            if kind == "footnote":
                self.labels[key] = str(count)
            else:
                self.labels[key] = f"e{count}"
        return self.labels[key]


class Story:
    """One document while it is read."""

    def __init__(self, package: Package, main: str, url: str) -> None:
        self.package = package
        self.relations = package.relations(main)
        self.styles = Styles(self._part("styles"))
        self.numbering = Numbering(self._part("numbering"), self.styles)
        self.notes = Notes()
        self._take_notes("footnote")
        self._take_notes("endnote")
        self.links = Links(url)
        self.removed: Counter[str] = Counter()
        self.fields: list[Field] = []
        self.plain_ground = True  # the page is white where nothing else is said
        self._left = LONGEST_TEXT

    def take(self, text: str) -> str:
        """Count a text that goes into the answer."""
        self._left -= len(text)
        if self._left < 0:
            raise Full
        return text

    def link_to(self, identity: str | None) -> Span | None:
        """The link behind the name of a relation."""
        relation = self.relations.get(identity or "")
        if relation is not None and relation.external:
            return self.link(relation.target)
        return None

    def link(self, address: str) -> Span | None:
        """A link to an address, if it is one that can be followed without harm."""
        target = self.links.absolute(address)
        if target is None:
            self.removed[UNSAFE_LINK] += 1
        if target:
            return Span(LINK, target)
        return None

    def related(self, identity: str | None) -> etree._Element | None:
        """The part of the file behind the name of a relation."""
        relation = self.relations.get(identity or "")
        if relation is None or relation.external:
            return None
        return self.package.xml_if_sound(relation.target)

    def _part(self, kind: str) -> etree._Element | None:
        relation = self._relation(kind)
        return self.package.xml_if_sound(relation.target if relation else f"word/{kind}.xml")

    def _relation(self, kind: str) -> Relation | None:
        return next(
            (one for one in self.relations.values() if one.kind == kind and not one.external), None
        )

    def _take_notes(self, kind: NoteKind) -> None:
        root = self._part(f"{kind}s")
        for element in root if root is not None else ():
            identity = value_of(element, "id")
            separates = value_of(element, "type") not in (None, "normal")
            if name_of(element.tag) == f"w:{kind}" and identity and not separates:
                self.notes.elements.setdefault((kind, identity), element)
