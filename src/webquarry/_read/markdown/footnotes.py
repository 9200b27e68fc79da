"""Footnotes: a raised link into the page becomes `[^1]`, its target `[^1]: ...`, and the link back
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._read.html.tree import beginning_of, ids_of
from webquarry._read.markdown.blocks import Block, mark_link
from webquarry._read.markdown.links import Links
from webquarry._read.text.escape import escape

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Parts

_NOTE_TAGS = frozenset({"li", "p", "div", "dd", "aside"})
_MAX_MARK = 40  # characters of a mark or a link back
# `[note 1]` is a mark, too.
_LABEL = re.compile(r"\W*([\w.-]{1,12}(?:\s[\w.-]{1,6})?|\*{1,3}|[†‡§¶])\W*")
_BACK = re.compile(r"(?i)(?:cite_?)?_?(?:fn|ftn|footnote|endnote|note)?-?_?(?:ref|back)")
_BACK_TEXT = re.compile(r"[\s^↩↑⏎⤴↵←\ufe0e\ufe0f]*|jump up|back", re.IGNORECASE)
_MARK = re.compile(r"\[\^[\w-]+\]")
_INVALID = re.compile(r"[^A-Za-z0-9_-]+")


class Footnotes:
    """The notes of one walk through a page; they are searched when the first mark is read."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._roots = roots
        self.labels: dict[str, str] = {}  # by the id of the note
        self._uses: dict[str, int] = {}
        self._texts: dict[str, str] = {}  # of the first mark of each note
        self._written: set[str] = set()  # ids of the notes that were read
        self._note_ids: set[str] | None = None

    def find_mark_label(self, link: etree._Element, href: str) -> str | None:
        """Return the label of the note that a link into the page marks; None for other links."""
        if len(href) < 2:
            return None
        parent = link.getparent()
        is_raised = parent is not None and parent.tag == "sup"
        holds_raised = len(link) == 1 and link[0].tag == "sup" and not (link.text or "").strip()
        role = link.get("role") or link.get("epub:type")
        if not is_raised and not holds_raised and role not in ("doc-noteref", "noteref"):
            return None
        note_id = href[1:]
        if note_id in self.labels:
            return self.labels[note_id]
        text = beginning_of(link, _MAX_MARK).strip()
        found = _LABEL.fullmatch(text)
        if found is None:
            return None
        if self._note_ids is None:
            self._note_ids = set()
            for root in self._roots:
                self._note_ids |= ids_of(root, _NOTE_TAGS)
        if note_id not in self._note_ids:
            return None
        label = _INVALID.sub("", found[1]) or "note"
        uses = self._uses[label] = self._uses.get(label, 0) + 1
        if uses > 1:
            label = f"{label}-{uses}"
        self.labels[note_id] = label
        self._texts[note_id] = text
        return label

    def find_note_label(self, element: etree._Element) -> str | None:
        """Return the label of the note that an element is, or None."""
        if not self.labels:
            return None
        note_id = element.get("id") or ""
        label = self.labels.get(note_id)
        if label is not None:
            self._written.add(note_id)
        return label

    def is_backlink(self, link: etree._Element, href: str) -> bool:
        """Whether a link only leads from a note back to its mark."""
        if not self.labels or _BACK.match(href, 1) is None:
            return False
        text = beginning_of(link, _MAX_MARK).strip()
        return _BACK_TEXT.fullmatch(text) is not None

    def restore_links(self, blocks: Iterable[Block], links: Links) -> None:
        """Replace marks by links if their note was not read, for example because it is hidden."""
        replaced: dict[str, str] = {}
        for note_id, label in self.labels.items():
            if note_id not in self._written:
                url = links.absolute(f"#{note_id}") or ""
                replaced[f"[^{label}]"] = mark_link(escape(self._texts[note_id]), url)
        if not replaced:
            return

        def replace(text: str) -> str:
            return _MARK.sub(lambda found: replaced.get(found[0], found[0]), text)

        for block in blocks:
            if block.kind != "code":
                block.text = replace(block.text)
                block.rows = [list(map(replace, row)) for row in block.rows]


def find_note_ids(roots: Sequence[etree._Element], parts: Parts) -> set[str]:
    """Return the ids of the notes whose marks are among the parts of a page that are read."""
    marks: list[etree._Element] = []
    for root in roots[:1]:
        for raised in root.iter("sup"):
            marks += raised.iterchildren("a")
            parent = raised.getparent()
            if parent is not None and parent.tag == "a":
                marks.append(parent)
    footnotes = Footnotes(roots)
    for mark, _ in parts.among(marks):
        href = mark.get("href") or ""
        if href.startswith("#"):
            footnotes.find_mark_label(mark, href)
    return set(footnotes.labels)
