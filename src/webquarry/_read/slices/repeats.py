"""Texts, one after the other -> each without the paragraphs that an earlier one has already.

Of what has been said only marks are kept, because the texts of ten long pages would be held a
second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from webquarry._read.slices.paragraphs import Paragraph

_MARK_BYTES = 16


class Repeats:
    """Knows what the texts before have said."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def left_of(self, text: Sequence[Paragraph]) -> list[Paragraph]:
        """A text without what an earlier one has; what it says twice itself stays, and so do
        headings.
        """
        kept: list[Paragraph] = []
        new_marks: set[bytes] = set()
        for paragraph in text:
            if paragraph.may_repeat:
                folded = paragraph.folded.encode("utf-8", "surrogatepass")
                mark = blake2b(folded, digest_size=_MARK_BYTES).digest()
                if mark in self._known:
                    continue
                new_marks.add(mark)
            kept.append(paragraph)
        self._known |= new_marks
        return kept
