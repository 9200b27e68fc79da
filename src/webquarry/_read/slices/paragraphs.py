"""Markdown -> its paragraphs; and several texts without the paragraphs that an earlier one has
already.

A paragraph is a block of `pieces.py` with the blank lines behind it, so that all of them joined are
the text again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from webquarry._read.slices.pieces import block_starts
from webquarry._read.text.words import Words, count_words

_HEADING = re.compile(rb"(#{1,6})[ \t]+\S")
_MARKER = re.compile(r"(?m)^[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)+")
_MARKERS = frozenset(">-*+0123456789")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,40}\]")
_EMPHASIS = re.compile(r"[*_`~]+")
_NOT_PROSE = (b"|", b"```", b"~~~", b"    ", b"\t")
# Every byte as a blank or as "x", so that a word of ASCII begins at " x".
_BLANKS = bytes(b"x "[chr(code).isspace()] for code in range(256))
# UTF-8 bytes; shorter ones, such as "Read more" or a list of names, say the same by chance.
_SHORTEST_REPEAT = 60


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, a heading, an item of a list, a table or a piece of code."""

    data: bytes
    level: int = field(init=False, compare=False)  # of a heading; 0 for what is none
    # what a person reads in it, without the marks of Markdown
    text: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        # Straight into the dict, because the class is frozen.
        self.__dict__["level"] = self._find_level()
        self.__dict__["text"] = self._find_text()

    def _find_level(self) -> int:
        """From 1 to 6 for a heading."""
        data = self.data
        if not data.startswith(b"#"):
            return 0
        heading = _HEADING.match(data)
        if heading is None or b"\n" in data.rstrip():
            return 0
        return len(heading[1])

    def _find_text(self) -> str:
        """What a person reads; each step only where there is something for it to do."""
        text = self.data.decode("utf-8", "replace").strip()
        if "[" in text or "\\" in text:
            text = _FOOTNOTE.sub("", text)
            text = Words(text).text
        if text[:1] in _MARKERS:
            text = _MARKER.sub("", text)
        if "*" in text or "_" in text or "`" in text or "~" in text:
            text = _EMPHASIS.sub(_drop_emphasis, text)
        return text

    @property
    def is_prose(self) -> bool:
        """Whether it is made of sentences: neither heading nor table nor code."""
        return not self.level and not self.data.startswith(_NOT_PROSE)

    @property
    def folded(self) -> str:
        """The same for comparing: case and white space say nothing."""
        folded = self.text.casefold()
        has_single_blanks = folded.isprintable() and "  " not in folded
        if has_single_blanks:  # as most: and no other white space
            return folded.strip()
        return " ".join(folded.split())

    @property
    def may_repeat(self) -> bool:
        """Whether it is long enough to be called a repetition when it stands elsewhere as well."""
        return len(self.data) >= _SHORTEST_REPEAT and not self.level


def _drop_emphasis(found: re.Match[str]) -> str:
    """What is left of a run of marks: nothing, unless it stands inside of a word."""
    text, marks = found.string, found[0]
    before = text[found.start() - 1 : found.start()]
    after = text[found.end() : found.end() + 1]
    if not (before.isalnum() and after.isalnum()):
        return ""
    # Between letters an underscore is a letter as well, and others have one beside them.
    if marks[1:].count("_") == len(marks) - 1:
        return marks if marks[0] == "_" else marks[0]
    last = len(marks.rstrip("_")) - 1
    if marks[last - 1] == "_":
        return marks[last]
    return ""


def paragraphs_of(data: bytes) -> list[Paragraph]:
    """The paragraphs of a text, in order; joined, they are the text."""
    starts = block_starts(data)
    stops = [*starts[1:], len(data)]
    return [Paragraph(data[start:stop]) for start, stop in zip(starts, stops, strict=True)]


def words_in(paragraphs: Sequence[Paragraph]) -> int:
    """How many words they have together; those in ASCII are counted in one go."""
    in_ascii = [""]  # so that the first word, too, has a blank before it
    count = 0
    for paragraph in paragraphs:
        text = paragraph.text
        if text.isascii():
            in_ascii.append(text)
        else:
            count += count_words(text)
    blanks = "\n".join(in_ascii).encode().translate(_BLANKS)
    return count + blanks.count(b" x")
