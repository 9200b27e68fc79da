"""Paragraphs of a text, and several texts without the paragraphs that an earlier one has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from webquarry._read.slices.text import CODE, TABLE, Unit, WrittenText, read_inline
from webquarry._read.text.words import count_words

_MARKER = re.compile(r"(?m)^[ \t]*(?:#{1,6} +|(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)+)")
_MARKERS = frozenset("#>-*+0123456789 ")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,40}\]")
_MIN_REPEAT = 60  # UTF-8 bytes; shorter ones, such as "Read more", are equal by chance
_DIGEST_BYTES = 16


@dataclass(frozen=True)
class Paragraph:
    """A unit of a text, with the blank lines behind it."""

    data: bytes
    kind: int
    markdown: str  # without the targets of its links

    @property
    def level(self) -> int:
        """The level of a heading; 0 for any other unit."""
        return Unit(0, self.kind).level

    @cached_property
    def text(self) -> str:
        """The paragraph as plain text."""
        text = self.markdown.strip()
        if "[^" in text:
            text = _FOOTNOTE.sub("", text)
        if text[:1] in _MARKERS:
            text = _MARKER.sub("", text)
        return read_inline(text)

    @property
    def is_prose(self) -> bool:
        """Whether it consists of sentences: no heading, table or code."""
        return not self.level and self.kind not in (CODE, TABLE)

    @property
    def folded(self) -> str:
        """The text for comparison: case and whitespace do not count."""
        return " ".join(self.text.casefold().split())

    @property
    def may_repeat(self) -> bool:
        """Whether it is long enough to be a repetition."""
        return len(self.data) >= _MIN_REPEAT and not self.level


def paragraphs_of(text: WrittenText) -> list[Paragraph]:
    """Return the paragraphs of a text in order; joined, they are the text."""
    return [
        Paragraph(text.data[start:stop], kind, text.read(start, stop))
        for start, stop, kind in text.spans()
    ]


def words_in(paragraphs: Sequence[Paragraph]) -> int:
    """Return the number of words; those of ASCII texts are separated by whitespace."""
    texts = (paragraph.text for paragraph in paragraphs)
    return sum(len(text.split()) if text.isascii() else count_words(text) for text in texts)


class Repeats:
    """Removes paragraphs that an earlier text has. Only their digests are stored."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()

    def left_of(self, text: Sequence[Paragraph]) -> list[Paragraph]:
        """Return a text without what an earlier one has; headings, and what it repeats itself,
        stay.
        """
        kept: list[Paragraph] = []
        new: set[bytes] = set()
        for paragraph in text:
            if paragraph.may_repeat:
                folded = paragraph.folded.encode("utf-8", "surrogatepass")
                digest = blake2b(folded, digest_size=_DIGEST_BYTES).digest()
                if digest in self._known:
                    continue
                new.add(digest)
            kept.append(paragraph)
        self._known |= new
        return kept
