"""Markdown -> its paragraphs; and several texts without the paragraphs that an earlier one has
already.

A paragraph is a block of `pieces.py` with the blank lines behind it, so that all of them joined are
the text again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from webquarry.read.slices.pieces import block_starts
from webquarry.read.text.words import Words, count_words

_HEADING = re.compile(rb"(#{1,6})[ \t]+\S")
_MARKER = re.compile(r"(?m)^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)+")
_MARKERS = frozenset(">-*+0123456789")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,40}\]")
_EMPHASIS = re.compile(r"(?<!\w)[*_`~]+|[*_`~]+(?!\w)")
_NOT_PROSE = (b"|", b"```", b"~~~", b"    ", b"\t")
_BLANKS = bytes(
    ord(" " if chr(code).isspace() else "x") for code in range(256)
)  # a word of ASCII begins at " x"
_SHORTEST_REPEAT = (
    60  # UTF-8 bytes; shorter ones, such as "Read more" or a list of names, say the same by chance
)


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, a heading, an item of a list, a table or a piece of code."""

    data: bytes
    level: int = field(init=False, compare=False)  # of a heading; 0 for what is none
    text: str = field(
        init=False, compare=False
    )  # what a person reads in it, without the marks of Markdown

    def __post_init__(self) -> None:
        self.__dict__.update(
            level=_level(self.data), text=_text(self.data)
        )  # frozen, and read by everybody

    @property
    def is_prose(self) -> bool:
        """Whether it is made of sentences: neither heading nor table nor code."""
        return not self.level and not self.data.startswith(_NOT_PROSE)

    @property
    def folded(self) -> str:
        """The same for comparing: case and white space say nothing."""
        folded = self.text.casefold()
        if (
            folded.isprintable() and "  " not in folded
        ):  # as most: single blanks, and no other white space
            return folded.strip()
        return " ".join(folded.split())

    @property
    def may_repeat(self) -> bool:
        """Whether it is long enough to be called a repetition when it stands elsewhere as well."""
        return len(self.data) >= _SHORTEST_REPEAT and not self.level


def _level(data: bytes) -> int:
    found = None
    if data.startswith(b"#"):
        found = _HEADING.match(data)
    if found and b"\n" not in data.rstrip():
        return len(found[1])
    return 0


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "replace").strip()
    if "[" in text or "\\" in text:
        text = Words(_FOOTNOTE.sub("", text)).text
    if text[:1] in _MARKERS:
        text = _MARKER.sub("", text)
    emphasised = "*" in text or "_" in text or "`" in text or "~" in text
    if emphasised:
        return _EMPHASIS.sub("", text)
    return text


def paragraphs_of(data: bytes) -> list[Paragraph]:
    """The paragraphs of a text, in order; joined, they are the text."""
    starts = block_starts(data)
    return [
        Paragraph(data[start:stop])
        for start, stop in zip(starts, [*starts[1:], len(data)], strict=True)
    ]


def words_in(paragraphs: Sequence[Paragraph]) -> int:
    """How many words they have together."""
    texts = [one.text for one in paragraphs]
    in_ascii = "\n".join(["", *(text for text in texts if text.isascii())]).encode()
    return in_ascii.translate(_BLANKS).count(b" x") + sum(
        count_words(text) for text in texts if not text.isascii()
    )
