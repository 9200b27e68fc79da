"""Pieces of text in, one text out with its sections, asides and pages: what every reading of words
writes to.
"""

from __future__ import annotations

import re

from webquarry._read.plain.words import PageWords, Range, WordSection

_BLANKS = re.compile(r"\s+")
_BREAKS = "\n\t "
_LONGEST_ASIDE = 60  # characters
_LONGEST_TITLE = 200  # characters of a heading that names a section
# What may stand raised as the mark of a note.
_NOTE = re.compile(
    r"[\[(]?\s*(?:\d{1,3}|[a-z]|[*†‡§¶#]+|SM|TM|sm|tm|®|©|™|℠)"
    r"(?:\s*[,–-]\s*(?:\d{1,3}|[a-z]))*\s*[\])]?"
)
_EXPONENTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNIT_BEFORE = re.compile(r"(?:\A|[\W\d_])[^\W\d_]{1,3}\Z|\d\Z|[)\]}]\Z")
# Marks that stand in brackets without being raised.
BRACKETED_NOTE = re.compile(
    r"\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|[a-z]|(?:note|notes|fn|n)\.?\s?\d{1,3}"
    r"|citation needed|clarification needed|who\?|when\?|edit)\]",
    re.IGNORECASE,
)
# Raised digits behind a word: two and three may be an exponent, of a unit or a letter.
RAISED_NOTE = re.compile(
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
        self._heading: tuple[int, int] | None = None  # level, and where it starts
        self._asides: list[Range] = []
        self._hidden: list[Range] = []
        self._hidden_from = -1
        self._pages: list[tuple[int, int]] = []

    @property
    def place(self) -> int:
        """Where the next word will stand."""
        return self._length + len(self._pending)

    def add(self, text: str, *, verbatim: bool = False) -> None:
        """Write text; runs of white space are one blank, unless it is verbatim."""
        if not verbatim:
            text = _BLANKS.sub(" ", text)
        elif text.isspace():
            self._pend("\n" if "\n" in text else " ")
            return
        if not text:
            return
        if text == " ":
            self._pend(" ")
            return
        follows_break = bool(self._pending) or self._last in _BREAKS
        if follows_break and text[0] == " " and not verbatim:
            self._pend(" ")
            text = text[1:]
        self._flush()
        if not verbatim and text[-1] == " ":
            self._write(text[:-1])
            self._pend(" ")
            return
        self._write(text)

    def add_verbatim(self, text: str) -> None:
        """Write a text whose white space counts, too."""
        self._flush()
        self._write(text)

    def break_line(self) -> None:
        """End the line, if there is anything in it."""
        self._pend("\n")

    def break_cell(self) -> None:
        """End a cell of a table."""
        self._pend("\t")

    def _pend(self, mark: str) -> None:
        """Keep the strongest break until a word comes."""
        if not self._length or self._last == "\n":
            return
        if not self._pending or _BREAKS.index(mark) < _BREAKS.index(self._pending):
            self._pending = mark

    def _flush(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, ""
            self._write(pending)

    def _write(self, text: str) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)
            self._last = text[-1]

    def add_title(self, title: str) -> None:
        """The title of the page, in a line of its own."""
        self.add(title)
        self.break_line()

    def open_heading(self, level: int) -> None:
        """A section begins with the words that come now."""
        self._heading = (level, self.place)

    def close_heading(self) -> None:
        """The heading ends."""
        if self._heading is None:
            return
        level, start = self._heading
        self._heading = None
        title = self._tail_from(start)[:_LONGEST_TITLE].strip()
        if title:
            self._sections.append(WordSection(start, level, title))

    def open_aside(self) -> int:
        """Where something begins that whoever quotes may leave out."""
        self._flush()
        return self._length

    def close_aside(self, start: int, *, is_reading: bool, is_linked: bool) -> None:
        """It ends; it is an aside if it looks like one: an exponent is none."""
        if self._length - start > _LONGEST_ASIDE:
            return
        inner = self._tail_from(start)
        if not inner.strip():
            return
        is_aside = is_reading
        if not is_aside and _NOTE.fullmatch(inner.strip()):
            is_aside = is_linked or inner.strip()[0] in "[(" or not self._is_exponent(start, inner)
        if is_aside:
            self._asides.append((start, start + len(inner)))
        elif inner.isdecimal() and inner.isascii() and self._parts[-1] == inner:
            self._parts[-1] = inner.translate(_EXPONENTS)  # 10 to the sixth is no 106

    def mark_aside(self, start: int) -> None:
        """What was written since a place may be left out by whoever quotes."""
        if start < self._length:
            self._asides.append((start, self._length))

    def mark_hidden(self, *, is_hidden: bool) -> None:
        """What is written from here on is not seen, or is seen again."""
        if is_hidden == (self._hidden_from >= 0):
            return
        if is_hidden:
            self._hidden_from = self._length
            return
        if self._length > self._hidden_from:
            self._hidden.append((self._hidden_from, self._length))
        self._hidden_from = -1

    def mark_page(self, number: int) -> None:
        """A page of the document begins."""
        self._pages.append((self.place, number))

    def _is_exponent(self, start: int, inner: str) -> bool:
        """Whether digits that are raised belong to the unit, the number or the sign before."""
        if not any(letter.isdigit() for letter in inner):
            return False
        before = self._tail_from(max(0, start - 4), start)
        return _UNIT_BEFORE.search(before) is not None

    def _tail_from(self, start: int, stop: int | None = None) -> str:
        """What was written from a place on; looks at the last pieces only."""
        pieces: list[str] = []
        place = self._length
        for piece in reversed(self._parts):
            if place <= start:
                break
            place -= len(piece)
            pieces.append(piece)
        tail = "".join(reversed(pieces))[max(0, start - place) :]
        if stop is not None:
            return tail[: stop - start]
        return tail

    def finish(self, *, may_have_furniture: bool = False) -> PageWords:
        """The words, with the note marks in brackets among the asides."""
        self.mark_hidden(is_hidden=False)
        text = "".join(self._parts)
        ranges = [*self._asides, *find_notes(text)]
        return PageWords(
            text,
            tuple(self._sections),
            merge_ranges(ranges),
            merge_ranges(self._hidden),
            tuple(self._pages),
            may_have_furniture,
        )


def find_notes(text: str) -> list[Range]:
    """The marks of notes that can be told by their writing."""
    found = [match.span() for match in BRACKETED_NOTE.finditer(text)]
    if not text.isascii():
        found += [match.span() for match in RAISED_NOTE.finditer(text)]
    return found


def merge_ranges(ranges: list[Range]) -> tuple[Range, ...]:
    """The ranges in order, those that overlap as one."""
    merged: list[Range] = []
    for start, stop in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
        else:
            merged.append((start, stop))
    return tuple(merged)
