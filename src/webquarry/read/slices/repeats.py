"""Texts, one after the other -> each without the paragraphs that an earlier one has already.

Of what has been said only marks are kept, because the texts of ten long pages would be held a
second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from webquarry.read.slices.paragraphs import Paragraph

_MARK_BYTES = 16


class Repeats:
    """Knows what the texts before have said."""

    def __init__(self) -> None:
        self._said: set[bytes] = set()

    def left_of(self, text: Sequence[Paragraph]) -> list[Paragraph]:
        """A text without what an earlier one has; what it says twice itself stays, and so do
        headings.
        """
        marks = [_mark(one) if one.may_repeat else None for one in text]
        kept = [one for one, mark in zip(text, marks, strict=True) if mark not in self._said]
        self._said.update(mark for mark in marks if mark is not None)
        return kept


def _mark(paragraph: Paragraph) -> bytes:
    return blake2b(
        paragraph.folded.encode("utf-8", "surrogatepass"), digest_size=_MARK_BYTES
    ).digest()
