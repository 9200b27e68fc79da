"""Markdown -> its paragraphs; and several texts without the paragraphs that an earlier one has already.

A paragraph is a block of `pieces.py` with the blank lines behind it, so that all of them joined are the text again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from webquarry.read.pieces import block_starts
from webquarry.read.words import Words, count_words

_HEADING = re.compile(rb"(#{1,6})[ \t]+\S")
_MARKER = re.compile(r"(?m)^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)+")
_MARKERS = frozenset(">-*+0123456789")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,40}\]")
_EMPHASIS = re.compile(r"(?<!\w)[*_`~]+|[*_`~]+(?!\w)")
_NOT_PROSE = (b"|", b"```", b"~~~", b"    ", b"\t")
_SHORTEST_REPEAT = 60  # UTF-8 bytes; shorter ones, such as "Read more" or a list of names, say the same by chance


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, a heading, an item of a list, a table or a piece of code."""

    data: bytes

    @cached_property
    def level(self) -> int:
        """Of a heading; 0 for what is none."""
        found = _HEADING.match(self.data)
        return len(found[1]) if found and b"\n" not in self.data.rstrip() else 0

    @property
    def is_prose(self) -> bool:
        """Whether it is made of sentences: neither heading nor table nor code."""
        return not self.level and not self.data.startswith(_NOT_PROSE)

    @cached_property
    def text(self) -> str:
        """What a person reads in it, without the marks of Markdown."""
        text = self.data.decode("utf-8", "replace").strip()
        if "[" in text or "\\" in text:
            text = Words(_FOOTNOTE.sub("", text)).text
        if text[:1] in _MARKERS:
            text = _MARKER.sub("", text)
        return _EMPHASIS.sub("", text) if any(mark in text for mark in "*_`~") else text

    @property
    def words(self) -> int:
        """How many words it has."""
        return len(self.text.split()) if self.text.isascii() else count_words(self.text)

    @cached_property
    def folded(self) -> str:
        """The same for comparing: case and white space say nothing."""
        return " ".join(self.text.casefold().split())

    @property
    def may_repeat(self) -> bool:
        """Whether it is long enough to be called a repetition when it stands elsewhere as well."""
        return len(self.data) >= _SHORTEST_REPEAT and not self.level


def paragraphs_of(data: bytes) -> list[Paragraph]:
    """The paragraphs of a text, in order; joined, they are the text."""
    starts = block_starts(data)
    return [Paragraph(data[start:stop]) for start, stop in zip(starts, [*starts[1:], len(data)], strict=True)]


def without_repeats(texts: Sequence[Sequence[Paragraph]]) -> list[list[Paragraph]]:
    """Each text without what an earlier text has; what a text itself says twice stays, and so do headings."""
    seen: set[str] = set()
    kept: list[list[Paragraph]] = []
    for text in texts:
        kept.append([one for one in text if not (one.may_repeat and one.folded in seen)])
        seen.update(one.folded for one in text if one.may_repeat)
    return kept
