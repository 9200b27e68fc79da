"""Footnotes: the mark in the text and the note it leads to, as a pair.

A raised link into the same page becomes `[^1]`, the element it leads to `[^1]: ...`, and the arrow
back goes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lxml import etree

from webquarry.read.html.tree import beginning_of

_NOTE_IDS = etree.XPath("//*[self::li or self::p or self::div or self::dd or self::aside]/@id")
_LABEL = re.compile(r"\W*([\w.-]{1,12}|\*{1,3}|[†‡§¶])\W*")
_BACK = re.compile(r"(?i)(?:cite_?)?_?(?:fn|ftn|footnote|endnote|note)?-?_?(?:ref|back)")
_BACK_TEXT = re.compile(r"[\s^↩↑⏎⤴↵←\ufe0e\ufe0f]*|jump up|back", re.IGNORECASE)
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


class Footnotes:
    """The notes of one page, found when the first mark asks for them."""

    def __init__(self, roots: Sequence[etree._Element]) -> None:
        self._roots = list(roots)
        self._ids: set[str] | None = None
        self.labels: dict[str, str] = {}
        self._taken: Counter[str] = Counter()

    def mark(self, link: etree._Element, href: str) -> str | None:
        """The label of the note that a link into the page is the mark of, or None for an ordinary
        one.
        """
        if len(href) < 2 or not _is_raised(link):
            return None
        identity = href[1:]
        if identity in self.labels:
            return self.labels[identity]
        found = _LABEL.fullmatch(beginning_of(link, 40).strip())
        if found is None or identity not in self._note_ids():
            return None
        label = self._free(_UNFIT.sub("", found[1]) or "note")
        self.labels[identity] = label
        return label

    def note(self, element: etree._Element) -> str | None:
        """The label of the note that this element is, or None."""
        return self.labels.get(element.get("id") or "")

    def leads_back(self, link: etree._Element, href: str) -> bool:
        """Whether a link only leads from a note back to its mark."""
        if not self.labels:
            return False
        return bool(_BACK.match(href, 1)) and bool(
            _BACK_TEXT.fullmatch(beginning_of(link, 40).strip())
        )

    def _note_ids(self) -> set[str]:
        if self._ids is None:
            found = _NOTE_IDS(self._roots[0]) if self._roots else []
            if isinstance(found, list):
                self._ids = {str(one) for one in found}
            else:
                self._ids = set()
        return self._ids

    def _free(self, label: str) -> str:
        self._taken[label] += 1
        if self._taken[label] == 1:
            return label
        return f"{label}-{self._taken[label]}"


def _is_raised(link: etree._Element) -> bool:
    parent = link.getparent()
    if parent is not None and parent.tag == "sup":
        return True
    if len(link) == 1 and link[0].tag == "sup" and not (link.text or "").strip():
        return True
    return (link.get("role") or link.get("epub:type") or "") in ("doc-noteref", "noteref")
