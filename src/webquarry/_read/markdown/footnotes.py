"""Footnotes: the mark in the text and the note it leads to, as a pair.

A raised link into the same page becomes `[^1]`, the element it leads to `[^1]: ...`, and the arrow
back goes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from lxml import etree

from webquarry._read.html.tree import beginning_of, ids_of
from webquarry._read.markdown.scope import Parts

_NOTE_TAGS = frozenset({"li", "p", "div", "dd", "aside"})
_LONGEST_MARK = 40  # characters of a mark, or of an arrow back, that are looked at
# Notes of a kind of their own are marked by its name and a number: `[note 1]`.
_LABEL = re.compile(r"\W*([\w.-]{1,12}(?:\s[\w.-]{1,6})?|\*{1,3}|[†‡§¶])\W*")
_BACK = re.compile(r"(?i)(?:cite_?)?_?(?:fn|ftn|footnote|endnote|note)?-?_?(?:ref|back)")
_BACK_TEXT = re.compile(r"[\s^↩↑⏎⤴↵←\ufe0e\ufe0f]*|jump up|back", re.IGNORECASE)
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


class Footnotes:
    """The notes of one page, found when the first mark asks for them. Marks of the notes in
    `absent`, by their ids, are links like others.
    """

    def __init__(
        self, roots: Sequence[etree._Element], absent: AbstractSet[str] = frozenset()
    ) -> None:
        self._roots = list(roots)
        self._absent = absent
        self._written: set[str] = set()  # the ids of the notes that were come to
        self.labels: dict[str, str] = {}  # by the id of the note
        self._uses: dict[str, int] = {}
        self._note_ids: AbstractSet[str] | None = None

    def start_again(self, absent: AbstractSet[str] = frozenset()) -> Footnotes:
        """The notes of the same page, none of which has a mark yet."""
        fresh = Footnotes(self._roots, absent)
        fresh._note_ids = self._note_ids
        return fresh

    def find_mark_label(self, link: etree._Element, href: str) -> str | None:
        """The label of the note that a link into the page is the mark of, or None for an ordinary
        one.
        """
        if len(href) < 2:
            return None
        # It stands above the line, or says that it is the mark of a note.
        parent = link.getparent()
        stands_raised = parent is not None and parent.tag == "sup"
        holds_raised = len(link) == 1 and link[0].tag == "sup" and not (link.text or "").strip()
        role = link.get("role") or link.get("epub:type")
        if not stands_raised and not holds_raised and role not in ("doc-noteref", "noteref"):
            return None
        note_id = href[1:]
        if note_id in self.labels:
            return self.labels[note_id]
        found = _LABEL.fullmatch(beginning_of(link, _LONGEST_MARK).strip())
        if found is None or note_id in self._absent:
            return None
        if self._note_ids is None:
            self._note_ids = self._collect_note_ids()
        if note_id not in self._note_ids:
            return None
        label = _UNFIT.sub("", found[1]) or "note"
        uses = self._uses[label] = self._uses.get(label, 0) + 1
        if uses > 1:
            label = f"{label}-{uses}"
        self.labels[note_id] = label
        return label

    def find_note_label(self, element: etree._Element) -> str | None:
        """The label of the note that this element is, or None."""
        if not self.labels:
            return None  # as on most pages
        note_id = element.get("id") or ""
        label = self.labels.get(note_id)
        if label is not None:
            self._written.add(note_id)
        return label

    def find_unwritten(self) -> set[str]:
        """The ids of the notes that have a mark in the text and were not come to behind it."""
        return self.labels.keys() - self._written

    def find_note_ids(self, parts: Parts) -> set[str]:
        """The ids of the notes whose raised marks are among the elements that a walk may take."""
        marks: list[etree._Element] = []
        for root in self._roots[:1]:
            for raised in root.iter("sup"):
                marks += raised.iterchildren("a")
                parent = raised.getparent()
                if parent is not None and parent.tag == "a":
                    marks.append(parent)
        for mark, _ in parts.among(marks):
            href = mark.get("href") or ""
            if href.startswith("#"):
                self.find_mark_label(mark, href)
        return set(self.labels)

    def is_backlink(self, link: etree._Element, href: str) -> bool:
        """Whether a link only leads from a note back to its mark."""
        if not self.labels:
            return False
        if _BACK.match(href, 1) is None:
            return False
        text = beginning_of(link, _LONGEST_MARK).strip()
        return _BACK_TEXT.fullmatch(text) is not None

    def _collect_note_ids(self) -> set[str]:
        """The ids of all elements that may be notes."""
        ids: set[str] = set()
        for root in self._roots:
            ids |= ids_of(root, _NOTE_TAGS)
        return ids
