"""The characters of a page -> its lines in the order in which they were written, each with its
place and its look.

Four characters of a line are asked (the first, one behind the mark of a list, one in the middle,
the last); only lines that may be rows of a table are asked word by word. Hidden characters are
taken out here, and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from math import isfinite
from statistics import median
from typing import NamedTuple

from webquarry._read.documents.pdf.drawings import TINY, PageDrawings
from webquarry._read.documents.pdf.pdfium import Box, PageText

# what PDFium writes for a hyphen at the end of a line, instead of hyphen and line break
HYPHEN = "\ufffe"
_LINE = re.compile(f"[^\n{HYPHEN}]+{HYPHEN}?")
_WORD = re.compile(r"\S+")
_SECOND_WORD = re.compile(r"\S{1,4}\s+\S")
_MARK = re.compile(r"[^\w\s]|\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]|\[\d{1,3}\]|[\uf000-\uf0ff]")
_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}")
INDENT = 0.7  # sizes of a line
_SMALLEST_TEXT = 2.0  # points
_LARGEST_TEXT = 10_000.0
_QUARTER_TURN = 1.5708  # radians
_PROSE_PITCH = 0.52  # em; how wide a character of prose is at most, on the average
_LOOSE = 1.12  # times that pitch: there may be gaps in the line
_SHORT = 30  # characters; a line that short may be a row of anything
_CELL_GAP = 0.75  # em
_CELL_GAP_TO_WORD_GAP = 2.2
_MOST_WORDS_ASKED = 12

Edges = tuple[float, float, float, float]  # left, bottom, right, top


class Word(NamedTuple):
    """One word and where it stands; of a cell, all its words."""

    text: str
    left: float
    right: float


@dataclass(slots=True)
class PdfLine:
    """One line. Of a line that runs upwards, the places are those it would have if the page were
    turned.
    """

    text: str
    page: int
    left: float
    right: float
    baseline: float
    size: float  # of its font, in points
    bold: bool
    mono: bool
    height: float  # on the page: 0 at its foot, 1 at its head
    turns: int = 0  # quarters of a circle, counter-clockwise
    centre: tuple[float, float] = (0.0, 0.0)  # on the page as it lies
    # where it has gaps like a row of a table: the parts between them
    cells: list[Word] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)  # where they were asked for
    places: Sequence[int] = ()  # of its characters in the text of the page, while that is open

    @property
    def width(self) -> float:
        """How long the line is, in points."""
        return self.right - self.left

    @property
    def indent(self) -> float:
        """How far in a line must begin to be the first of a paragraph, in points."""
        return INDENT * self.size


def read_lines(
    page: PageText, drawings: PageDrawings, number: int, removed: Counter[str]
) -> list[PdfLine]:
    """The visible lines of a page."""
    hidden = _find_hidden(page, drawings, removed)
    lines: list[PdfLine] = []
    for found in _LINE.finditer(page.text):
        places: range | list[int] = range(found.start(), found.end())
        text = found[0]
        if hidden:
            places = [place for place in places if place not in hidden]
            text = "".join(page.text[place] for place in places)
        line = _measure_line(page, text, places, number)
        if line is None:
            continue
        if not isfinite(line.left + line.right + line.baseline + line.size):
            continue
        if line.size < _SMALLEST_TEXT:
            removed[TINY] += 1
        elif line.size < _LARGEST_TEXT:
            lines.append(line)
    _find_cells(page, lines)
    return lines


def ask_words(page: PageText, line: PdfLine) -> list[Word]:
    """Every word of a line with its place."""
    if line.words:
        return line.words
    indices = [page.index_of(place) for place in line.places]
    for found in _WORD.finditer(line.text):
        first = page.box_of(indices[found.start()])
        last = page.box_of(indices[found.end() - 1])
        if line.turns:
            first = _turn_level(first, line.turns)
            last = _turn_level(last, line.turns)
        left = min(first[0], last[0])
        right = max(first[2], last[2])
        line.words.append(Word(found[0], left, right))
    return line.words


def _find_hidden(page: PageText, drawings: PageDrawings, removed: Counter[str]) -> frozenset[int]:
    """The places in the text of a page whose characters nobody sees."""
    painting = drawings.painting
    if not drawings.hidden and painting is None:
        return frozenset()
    places: set[int] = set()
    reasons: dict[int, str] = {}  # why each object is hidden that has drawn more than blanks
    for place, character in enumerate(page.text):
        index = page.index_of(place)
        drawn_by = page.object_of(index)
        reason = drawings.hidden.get(drawn_by, "")
        may_be_hidden = drawn_by in drawings.partly_hidden and not character.isspace()
        if may_be_hidden and painting and not painting.shows(Box(*page.box_of(index))):
            reason = drawings.partly_hidden[drawn_by]
        if reason:
            places.add(place)
            if not character.isspace():
                reasons[drawn_by] = reason
    removed.update(reasons.values())
    return frozenset(places)


def _measure_line(
    page: PageText, text: str, places: range | list[int], number: int
) -> PdfLine | None:
    """One line with its place and its look; None where there is no text in it."""
    bare = text.strip()
    if not bare or bare == HYPHEN:
        return None
    offset = text.find(bare)
    places = places[offset : offset + len(bare)]
    second_word = _SECOND_WORD.match(bare)  # so that the mark of a list decides nothing
    second = 0
    if second_word:
        second = second_word.end() - 1
    middle = len(bare) // 2
    while bare[middle].isspace():
        middle += 1
    first = page.index_of(places[0])
    inner = page.index_of(places[second])
    centre = page.index_of(places[middle])
    last = page.index_of(places[-1])

    angle = page.angle_of(centre)
    turns = 0
    if isfinite(angle):
        turns = round(angle / _QUARTER_TURN) % 4
    start = page.box_of(first)
    end = page.box_of(last)
    page_box = page.box
    x, y = page.origin_of(centre)
    centre_on_page = ((start[0] + end[2]) / 2, y + (end[3] - end[1]) / 3)
    if turns:
        start = _turn_level(start, turns)
        end = _turn_level(end, turns)
        page_box = Box(*_turn_level(page.box, turns))
        y = _turn_level((x, y, x, y), turns)[1]

    font = page.font_of(inner)
    size = page.size_of(centre)
    last_size = page.size_of(last)
    if size != last_size:
        size = median((size, last_size, page.size_of(inner)))
    return PdfLine(
        text=bare,
        page=number,
        left=min(start[0], end[0]),
        right=max(start[2], end[2]),
        baseline=y,
        size=size,
        bold=font.bold and page.font_of(centre).bold and page.font_of(last).bold,
        mono=font.mono and _is_mono(page, bare, places),
        height=(y - page_box.bottom) / ((page_box.top - page_box.bottom) or 1),
        turns=turns,
        centre=centre_on_page,
        places=places,
    )


def _is_mono(page: PageText, text: str, places: Sequence[int]) -> bool:
    """Whether every word of a line is set in a font for code; prose often begins and ends with a
    name from it.
    """
    for word in islice(_WORD.finditer(text), _MOST_WORDS_ASKED):
        index = page.index_of(places[word.start()])
        if not page.font_of(index).mono:
            return False
    return True


def _turn_level(box: Edges, turns: int) -> Edges:
    """A box after so many quarter turns clockwise, which makes text that was turned the other way
    level.
    """
    left, bottom, right, top = box
    if turns == 1:
        return bottom, -right, top, -left
    if turns == 2:
        return -right, -top, -left, -bottom
    if turns == 3:
        return -top, left, -bottom, right
    return box


def _find_cells(page: PageText, lines: list[PdfLine]) -> None:
    """Look for wide gaps in lines that are wider than their letters explain, where two of them are
    neighbours.
    """
    pitches = [line.width / (len(line.text) * line.size) for line in lines]
    long = [pitch for pitch, line in zip(pitches, lines, strict=True) if len(line.text) > _SHORT]
    usual = _PROSE_PITCH
    if long:
        usual = min(_PROSE_PITCH, median(long))
    loose: list[bool] = []  # which lines may have cells
    for line, pitch in zip(lines, pitches, strict=True):
        may_have_cells = pitch > _LOOSE * usual or len(line.text) <= _SHORT
        if " " not in line.text:
            may_have_cells = False
        elif may_have_cells and not line.mono:
            may_have_cells = not _LEADERS.search(line.text)
        loose.append(may_have_cells)
    loose.append(False)  # behind the last line, and so in front of the first
    for place, line in enumerate(lines):
        if not loose[place]:
            continue
        if line.mono:
            ask_words(page, line)  # in code, gaps are blanks
        elif loose[place - 1] or loose[place + 1]:
            line.cells = _join_words(ask_words(page, line), line.size)


def _join_words(words: list[Word], size: float) -> list[Word]:
    """The words of a line, put together where the gaps between them are ordinary; empty when all of
    them are.
    """
    gaps = [after.left - before.right for before, after in pairwise(words)]
    if not gaps:
        return []
    widest_blank = _CELL_GAP * size
    usual = median(gaps)
    if len(gaps) > 2 and usual < widest_blank:  # otherwise every word is a cell
        widest_blank = max(widest_blank, _CELL_GAP_TO_WORD_GAP * usual)
    if max(gaps) <= widest_blank:
        return []
    cells = [words[0]]
    if _MARK.fullmatch(words[0].text):  # of a list item, and no cell
        gaps[0] = 0.0
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > widest_blank:
            cells.append(word)
        else:
            cell = cells[-1]
            cells[-1] = Word(f"{cell.text} {word.text}", cell.left, word.right)
    return cells
