"""Builds the words of a page from pieces of text, with sections, asides and pages."""

from __future__ import annotations

import re

from webquarry._read.plain.words import PageWords, Range, WordSection

_BREAKS = "\n\t "  # the strongest first
_LONGEST_ASIDE = 60  # characters
_LONGEST_TITLE = 200  # characters of a heading that names a section
# Superscripts that are marks of notes.
_NOTE = re.compile(
    r"[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§¶#]+|SM|TM|sm|tm|®|©|™|℠)"
    r"(?:\s*[,–-]\s*(?:\d{1,3}|[a-z]))*\s*[\])]?"
)
_EXPONENTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNIT_BEFORE = re.compile(r"(?:\A|[\W\d_])[^\W\d_]{1,3}\Z|\d\Z|[)\]}]\Z")
# Marks of notes in brackets.
_BRACKETED_NOTE = re.compile(
    r"\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|[a-z]|(?:note|notes|fn|n)\.?\s?\d{1,3}"
    r"|citation needed|clarification needed|who\?|when\?|edit)\]",
    re.IGNORECASE,
)
# Raised digits after a word: two and three may be an exponent, of a unit or a letter.
_RAISED_NOTE = re.compile(
    r"(?<=[^\W\d_])(?:[¹⁰⁴-⁹]|[¹²³⁰⁴-⁹]{2,3})(?![^\W_])"
    r"|(?<=[^\W\d_]{4})[²³](?![^\W_])"
    r"|(?<=[.,;:!?”\"’)])[¹²³⁰⁴-⁹]{1,3}"
    r"|[™℠]"  # marks of a name, not letters of it
)


class WordWriter:
    """Writes the words of one page."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._last = "\n"  # the last character that was written
        self._pending = ""  # a break that is written before the next word
        self._sections: list[WordSection] = []
        self._heading: tuple[int, int] | None = None  # level and start
        self._asides: list[Range] = []
        self._hidden: list[Range] = []
        self._hidden_from = -1
        self._pages: list[tuple[int, int]] = []

    @property
    def place(self) -> int:
        """The position of the next word."""
        return self._length + len(self._pending)

    def add(self, text: str, *, verbatim: bool = False) -> None:
        """Write text; runs of whitespace become one space unless it is verbatim."""
        if not text:
            return
        if verbatim and not text.isspace():
            self.add_verbatim(text)
            return
        if text[0].isspace():
            self._pend("\n" if verbatim and "\n" in text else " ")
        words = text.split()
        if words:
            self.add_verbatim(" ".join(words))
            if text[-1].isspace():
                self._pend(" ")

    def add_verbatim(self, text: str) -> None:
        """Write text with its whitespace."""
        self._flush()
        self._write(text)

    def break_line(self) -> None:
        """End the line, if there is anything in it."""
        self._pend("\n")

    def break_cell(self) -> None:
        """End a cell of a table."""
        self._pend("\t")

    def _pend(self, mark: str) -> None:
        """Write a break before the next word, unless a stronger one is pending."""
        if not self._length or self._last == "\n":
            return
        if not self._pending or _BREAKS.index(mark) < _BREAKS.index(self._pending):
            self._pending = mark

    def _flush(self) -> None:
        pending, self._pending = self._pending, ""
        self._write(pending)

    def _write(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._last = text[-1]

    def add_title(self, title: str) -> None:
        """Write the title of the page on a line of its own."""
        self.add(title)
        self.break_line()

    def open_heading(self, level: int) -> None:
        """Start a heading, and with it a section."""
        self._heading = (level, self.place)

    def close_heading(self) -> None:
        """End the heading."""
        if self._heading is None:
            return
        level, start = self._heading
        self._heading = None
        title = self._tail_from(start)[:_LONGEST_TITLE].strip()
        if title:
            self._sections.append(WordSection(start, level, title))

    def open_aside(self) -> int:
        """Return the position at which something starts that quotes may omit."""
        self._flush()
        return self._length

    def close_aside(self, start: int, *, is_reading: bool, is_linked: bool) -> None:
        """End a superscript: an aside if it is a mark of a note, else perhaps an exponent."""
        if self._length - start > _LONGEST_ASIDE:
            return
        inner = self._tail_from(start)
        mark = inner.strip()
        if not mark:
            return
        is_aside = is_reading
        if not is_aside and _NOTE.fullmatch(mark):
            is_aside = is_linked or mark[0] in "[(" or not self._is_exponent(start, inner)
        if is_aside:
            self.mark_aside(start)
        elif inner.isdecimal() and inner.isascii() and self._parts[-1] == inner:
            self._parts[-1] = inner.translate(_EXPONENTS)  # 10 to the sixth is not 106

    def mark_aside(self, start: int) -> None:
        """Let quotes omit the text since a position."""
        if start < self._length:
            self._asides.append((start, self._length))

    def mark_hidden(self, *, is_hidden: bool) -> None:
        """Start or end text that is not visible."""
        if is_hidden == (self._hidden_from >= 0):
            return
        if is_hidden:
            self._hidden_from = self._length
            return
        if self._length > self._hidden_from:
            self._hidden.append((self._hidden_from, self._length))
        self._hidden_from = -1

    def mark_page(self, number: int) -> None:
        """Start a page of the document."""
        self._pages.append((self.place, number))

    def _is_exponent(self, start: int, inner: str) -> bool:
        """Return whether raised digits belong to the unit, number or sign before them."""
        if not any(letter.isdigit() for letter in inner):
            return False
        first = max(0, start - 4)
        return _UNIT_BEFORE.search(self._tail_from(first)[: start - first]) is not None

    def _tail_from(self, start: int) -> str:
        """Return the text since a position, from the last pieces only."""
        pieces: list[str] = []
        place = self._length
        for piece in reversed(self._parts):
            if place <= start:
                break
            place -= len(piece)
            pieces.append(piece)
        return "".join(reversed(pieces))[max(0, start - place) :]

    def finish(self, *, may_have_furniture: bool = False) -> PageWords:
        """Return the words, with the note marks in brackets among the asides."""
        self.mark_hidden(is_hidden=False)
        text = "".join(self._parts)
        notes = [match.span() for match in _BRACKETED_NOTE.finditer(text)]
        if not text.isascii():
            notes += [match.span() for match in _RAISED_NOTE.finditer(text)]
        return PageWords(
            text,
            tuple(self._sections),
            merge_ranges([*self._asides, *notes]),
            merge_ranges(self._hidden),
            tuple(self._pages),
            may_have_furniture,
        )


def merge_ranges(ranges: list[Range]) -> tuple[Range, ...]:
    """Return the ranges in order, overlapping ones merged."""
    merged: list[Range] = []
    for start, stop in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)
