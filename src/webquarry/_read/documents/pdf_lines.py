"""Visible lines of a page in reading order, with position, size and font, and how they are joined.

Four characters of a line are measured; words only where a line may be the row of a table. Hidden
characters, running heads and page numbers are left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from statistics import median
from typing import NamedTuple

from webquarry._read.documents.pdf_hidden import INVISIBLE, SMALLEST_TEXT, PageObjects
from webquarry._read.documents.pdf_page import Box, PageText
from webquarry._read.documents.text import TINY

HYPHEN = "\ufffe"  # PDFium's character for a hyphen and a line break
INDENT = 0.7  # sizes of a line
_LINE = re.compile(f"[^\n{HYPHEN}]+{HYPHEN}?")
_WORD = re.compile(r"\S+")
_SECOND_WORD = re.compile(r"\S{1,4}\s+\S")
_MARK = re.compile(r"[^\w\s]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\[\d{1,3}\]|[\uf000-\uf0ff]")
_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}")
_LARGEST_TEXT = 10_000.0
_QUARTER_TURN = 1.5708  # radians
_PROSE_PITCH = 0.5  # em; average width of a character in prose
_SHORT = 30  # characters; a shorter line may be a row of anything
_CELL_GAP = 0.75  # em
_CELL_GAP_TO_WORD_GAP = 2.2


class Word(NamedTuple):
    """A word or a cell with its position."""

    text: str
    left: float
    right: float


@dataclass(slots=True)
class PdfLine:
    """One line. Positions of rotated lines are those after turning them upright."""

    text: str
    page: int
    left: float
    right: float
    baseline: float
    size: float  # of the font, in points
    bold: bool
    mono: bool
    height: float  # on the page: 0 at the bottom, 1 at the top
    turns: int = 0  # quarter turns, counter-clockwise
    centre: tuple[float, float] = (0.0, 0.0)  # on the page, not turned
    cells: list[Word] = field(default_factory=list)  # parts between wide gaps
    words: list[Word] = field(default_factory=list)  # where they were measured
    places: Sequence[int] = ()  # of its characters in the text of the open page

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def indent(self) -> float:
        """Return the least indent of a first line, in points."""
        return INDENT * self.size


def read_lines(
    page: PageText, objects: PageObjects, number: int, removed: Counter[str]
) -> list[PdfLine]:
    """Return the visible lines of a page in the order of the file."""
    hidden = _find_hidden(page, objects, removed)
    lines: list[PdfLine] = []
    for found in _LINE.finditer(page.text):
        places: Sequence[int] = range(*found.span())
        text = found[0]
        if hidden:
            places = [place for place in places if place not in hidden]
            text = "".join(page.text[place] for place in places)
        line = _measure_line(page, text, places, number)
        if line is None or not isfinite(line.left + line.right + line.baseline + line.size):
            continue
        if line.size < SMALLEST_TEXT:
            removed[TINY] += 1
        elif line.size < _LARGEST_TEXT:
            lines.append(line)
    _find_cells(page, lines)
    return lines


def measure_words(page: PageText, line: PdfLine) -> list[Word]:
    """Return every word of a line with its position."""
    if line.words:
        return line.words
    for found in _WORD.finditer(line.text):
        first, last = (
            _turn_upright(page.box_of(page.index_of(line.places[place])), line.turns)
            for place in (found.start(), found.end() - 1)
        )
        word = Word(found[0], min(first.left, last.left), max(first.right, last.right))
        line.words.append(word)
    return line.words


def _find_hidden(page: PageText, objects: PageObjects, removed: Counter[str]) -> frozenset[int]:
    """Return the places of invisible characters in the text of a page."""
    if not objects.hidden and not objects.partly_hidden:
        return frozenset()
    places: set[int] = set()
    reasons: dict[int, str] = {}  # of objects that drew more than blanks
    suspicious = objects.hidden.keys() | objects.partly_hidden.keys()
    for place, address in enumerate(page.owners):
        if address not in suspicious:
            continue
        is_blank = page.text[place].isspace()
        reason = objects.hidden.get(address, "")
        if not reason and not is_blank:
            box = page.box_of(page.index_of(place))
            reason = "" if objects.partly_hidden[address].shows(box) else INVISIBLE
        if reason:
            places.add(place)
            if not is_blank:
                reasons[address] = reason
    removed.update(reasons.values())
    return frozenset(places)


def _measure_line(page: PageText, text: str, places: Sequence[int], number: int) -> PdfLine | None:
    """Return a line with its position and font; None if there is no text in it."""
    bare = text.strip()
    if not bare or bare == HYPHEN:
        return None
    offset = text.find(bare)
    places = places[offset : offset + len(bare)]
    second_word = _SECOND_WORD.match(bare)  # behind the marker of a list
    second = second_word.end() - 1 if second_word else 0
    middle = len(bare) // 2
    while bare[middle].isspace():
        middle += 1
    first, inner, centre, last = (page.index_of(places[place]) for place in (0, second, middle, -1))
    angle = page.angle_of(centre)
    turns = round(angle / _QUARTER_TURN) % 4 if isfinite(angle) else 0
    start, end = page.box_of(first), page.box_of(last)
    x, y = page.origin_of(centre)
    centre_on_page = ((start.left + end.right) / 2, y + end.height / 3)
    start, end = _turn_upright(start, turns), _turn_upright(end, turns)
    page_box = _turn_upright(page.box, turns)
    baseline = _turn_upright(Box(x, y, x, y), turns).bottom
    font = page.font_of(inner)
    return PdfLine(
        text=bare,
        page=number,
        left=min(start.left, end.left),
        right=max(start.right, end.right),
        baseline=baseline,
        size=sorted(page.size_of(index) for index in (inner, centre, last))[1],
        bold=font.bold and page.font_of(centre).bold and page.font_of(last).bold,
        mono=all(page.font_of(index).mono for index in (first, inner, centre, last)),
        height=(baseline - page_box.bottom) / (page_box.height or 1),
        turns=turns,
        centre=centre_on_page,
        places=places,
    )


def _turn_upright(box: Box, turns: int) -> Box:
    """Return a box after a number of quarter turns clockwise."""
    for _ in range(turns):
        box = Box(box.bottom, -box.right, box.top, -box.left)
    return box


def _find_cells(page: PageText, lines: list[PdfLine]) -> None:
    """Split lines at wide gaps. Only lines that are short or wider than prose can have some."""
    for line in lines:
        is_wide = line.width > _PROSE_PITCH * len(line.text) * line.size
        if line.mono or is_wide or len(line.text) <= _SHORT:
            words = measure_words(page, line)
            if not line.mono and not _LEADERS.search(line.text):
                line.cells = _join_words(words, line.size)


def _join_words(words: list[Word], size: float) -> list[Word]:
    """Return words joined where the gaps between them are usual; empty if all of them are."""
    gaps = [after.left - before.right for before, after in pairwise(words)]
    if not gaps:
        return []
    widest_blank = _CELL_GAP * size
    usual = median(gaps)
    if len(gaps) > 2 and usual < widest_blank:  # otherwise every word is a cell
        widest_blank = max(widest_blank, _CELL_GAP_TO_WORD_GAP * usual)
    if max(gaps) <= widest_blank:
        return []
    if _MARK.fullmatch(words[0].text):  # the marker of a list item, not a cell
        gaps[0] = 0.0
    cells = [words[0]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > widest_blank:
            cells.append(word)
        else:
            cell = cells[-1]
            cells[-1] = Word(f"{cell.text} {word.text}", cell.left, word.right)
    return cells


_BAND = 0.1  # of the height of a page, at its top and bottom
_SHARE = 0.4  # of the pages
_DIGITS = re.compile(r"\d+")
_NUMBER_AT_EDGE = re.compile(r"^\W*(\d{1,4})\b|\b(\d{1,4})\W*$")
_ONLY_NUMBER = re.compile(
    r"(?i)[\W_]*(?:page\s+|p\.\s*|seite\s+|página\s+)?"
    r"(?:\d{1,4}(?:\s*(?:/|of|von|de)\s*\d{1,4})?|[ivxlc]{1,8})[\W_]*"
)


def drop_running_heads(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """Return the pages without running heads and page numbers.

    A line at the top or bottom is dropped if the same text, apart from digits, is on many pages, if
    it counts the pages like others do, or if it is a page number in words ("Page 3").
    """
    seen: Counter[str | int] = Counter()  # pages by text, and by number less the page's index
    for lines in pages:
        seen.update({key for line in lines if _is_at_edge(line) for key in _keys_of(line)})
    least = max(2, _SHARE * len(pages))

    def is_running(line: PdfLine) -> bool:
        if not _is_at_edge(line):
            return False
        # Two pages are enough only if they are counted from 1.
        if any(seen[key] >= max(least, 2 if key == 1 else 3) for key in _keys_of(line)[1:]):
            return True
        is_bare = line.text.strip(" -–—").isdigit()
        is_number = not is_bare and _ONLY_NUMBER.fullmatch(line.text) is not None
        return is_number or seen[_keys_of(line)[0]] >= least

    return [[line for line in lines if not is_running(line)] for lines in pages]


def _is_at_edge(line: PdfLine) -> bool:
    return not _BAND < line.height < 1 - _BAND


def _keys_of(line: PdfLine) -> list[str | int]:
    """Return the text without numbers, and the numbers at both ends less the page's index."""
    text = _DIGITS.sub("#", " ".join(line.text.split())).casefold()
    numbers = [before or after for before, after in _NUMBER_AT_EDGE.findall(line.text)]
    return [text, *(int(number) - line.page for number in numbers)]


_SOFT = ("\u00ad", "\u2010")
_CJK = re.compile(
    r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]"
)
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_LONGEST_WORD = 60  # characters
_LONGEST_ADDRESS = 300
_BROKEN_NAME = re.compile(r"(?:\w_|https?://\S+[/=&?._-])$")  # of a variable, or an address
# Ligatures, and radicals that fonts map to in place of the character.
_COMPATIBLE = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), *range(0x2F00, 0x2FD6))
}


class Joiner:
    """Joins lines; a hyphen stays in words that the document hyphenates elsewhere."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._compounds: set[str] = set()
        for text in texts:
            if "-" in text:
                self._compounds.update(map(str.casefold, _COMPOUND.findall(text)))

    def join(self, texts: Iterable[str]) -> str:
        """Return the lines of one paragraph as one text."""
        parts: list[str] = []
        for text in filter(None, texts):
            if parts:
                parts[-1], between = self._link(parts[-1], text)
                parts.append(between)
            parts.append(text)
        return "".join(parts).replace(HYPHEN, "-").translate(_COMPATIBLE)

    def _link(self, before: str, after: str) -> tuple[str, str]:
        """Return the end of a line without a hyphen, and what goes between it and the next."""
        if before.endswith(_SOFT):
            return before[:-1], ""
        is_hyphen = before.endswith("-") and after[0].islower()
        if before.endswith(HYPHEN) or (is_hyphen and _LAST_WORD.search(before[-_LONGEST_WORD:-1])):
            return before[:-1], self._keep_hyphen(before[:-1], after)
        if _BROKEN_NAME.search(before[-_LONGEST_ADDRESS:]):
            return before, ""
        if _CJK.match(before[-1:]) and _CJK.match(after):
            return before, ""
        return before, " "

    def _keep_hyphen(self, before: str, after: str) -> str:
        """Return the hyphen if it belongs to the word, else nothing."""
        head = _LAST_WORD.search(before[-_LONGEST_WORD:])
        tail = _FIRST_WORD.match(after[:_LONGEST_WORD])
        if head is None or tail is None or not after[0].islower():
            return "-"
        return "-" if f"{head[0]}-{tail[0]}".casefold() in self._compounds else ""
