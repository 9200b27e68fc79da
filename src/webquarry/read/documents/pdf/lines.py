"""The characters of a page -> its lines in the order in which they were written, each with its place and its look.

Three characters of a line are asked for their boxes (the first, one in the middle, the last); only lines that may be
rows of a table are asked word by word. Hidden characters are taken out here, and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import median, quantiles
from typing import NamedTuple

from webquarry.read.documents.pdf.pdfium import Box, PageText
from webquarry.read.documents.pdf.scene import TINY, Scene

HYPHEN = "\ufffe"  # what PDFium writes for a hyphen at the end of a line, instead of hyphen and line break
_LINE = re.compile(f"[^\n{HYPHEN}]+{HYPHEN}?")
_WORD = re.compile(r"\S+")
_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}")
_SMALLEST_TEXT = 2.0  # points
_QUARTER = 0.7854  # radians; text turned further runs upwards, downwards or upside down
_PROSE_PITCH = 0.52  # em; how wide a character of prose is at most, on the average
_LOOSE = 1.12  # times that pitch: there may be gaps in the line
_SHORT = 30  # characters; a line that short may be a row of anything
_CELL_GAP = 0.75  # em
_CELL_GAP_TO_WORD_GAP = 2.2
_MOST_WORDS_ASKED = 12


class Word(NamedTuple):
    """One word and where it stands; of a cell, all its words."""

    text: str
    left: float
    right: float


@dataclass(slots=True)
class Line:
    """One line. Of a line that runs upwards, the places are those it would have if the page were turned."""

    text: str
    page: int
    left: float
    right: float
    baseline: float
    size: float  # the height of its letters, from below the line to above
    bold: bool
    mono: bool
    height: float  # on the page: 0 at its foot, 1 at its head
    turns: int = 0  # quarters of a circle, counter-clockwise
    centre: tuple[float, float] = (0.0, 0.0)  # on the page as it lies
    cells: list[Word] = field(default_factory=list)  # where it has gaps like a row of a table: the parts between them
    words: list[Word] = field(default_factory=list)  # where they were asked for
    places: Sequence[int] = ()  # of its characters in the text of the page, while that is open

    @property
    def width(self) -> float:
        return self.right - self.left


def read_lines(page: PageText, scene: Scene, number: int, removed: Counter[str]) -> list[Line]:
    """The visible lines of a page."""
    hidden = _hidden_places(page, scene, removed)
    lines: list[Line] = []
    for found in _LINE.finditer(page.text):
        places = range(found.start(), found.end())
        visible = [place for place in places if place not in hidden] if hidden else places
        line = _line(page, visible, number)
        if line is None:
            continue
        if line.size < _SMALLEST_TEXT:
            removed[TINY] += 1
        else:
            lines.append(line)
    _find_cells(page, lines)
    return lines


def ask_words(page: PageText, line: Line) -> list[Word]:
    """Every word of a line with its place."""
    if line.words:
        return line.words
    for found in _WORD.finditer(line.text):
        first, last = (
            page.box_of(page.index_of(line.places[place])) for place in (found.start(), found.end() - 1)
        )
        left, right = _turned(first, line.turns), _turned(last, line.turns)
        line.words.append(Word(found[0], min(left.left, right.left), max(left.right, right.right)))
    return line.words


def _hidden_places(page: PageText, scene: Scene, removed: Counter[str]) -> frozenset[int]:
    """The places in the text of a page whose characters nobody sees."""
    if not scene.hidden:
        return frozenset()
    found: set[int] = set()
    seen: dict[int, str] = {}
    for place, character in enumerate(page.text):
        drawn_by = page.object_of(page.index_of(place))
        if drawn_by in scene.hidden:
            found.add(place)
            if not character.isspace():
                seen[drawn_by] = scene.hidden[drawn_by]
    removed.update(seen.values())
    return frozenset(found)


def _line(page: PageText, places: range | list[int], number: int) -> Line | None:
    whole = page.text
    text = whole[places.start : places.stop] if isinstance(places, range) else "".join(whole[place] for place in places)
    bare = text.strip()
    if not bare or bare == HYPHEN:
        return None
    offset = text.find(bare)
    places = places[offset : offset + len(bare)]
    middle = len(bare) // 2
    while bare[middle].isspace():
        middle += 1
    indices = [page.index_of(places[place]) for place in (0, middle, -1)]
    turns = round(page.angle_of(indices[1]) / (2 * _QUARTER)) % 4
    on_page = [page.box_of(index) for index in indices]
    boxes = [_turned(box, turns) for box in on_page] if turns else on_page
    fonts = [page.font_of(index) for index in indices]
    limits = _turned(page.box, turns) if turns else page.box
    bottom = boxes[1].bottom
    baseline = page.baseline_of(indices[1]) if not turns else bottom
    return Line(
        text=bare,
        page=number,
        left=min(box.left for box in boxes),
        right=max(box.right for box in boxes),
        baseline=baseline,
        size=median(box.top - box.bottom for box in boxes),
        bold=all(font.bold for font in fonts),
        mono=all(font.mono for font in fonts) and _is_mono(page, bare, places),
        height=(bottom - limits.bottom) / ((limits.top - limits.bottom) or 1),
        turns=turns,
        centre=((on_page[0].left + on_page[2].right) / 2, (on_page[1].bottom + on_page[1].top) / 2),
        places=places,
    )


def _is_mono(page: PageText, text: str, places: Sequence[int]) -> bool:
    """Whether every word of a line is set in a font for code; prose often begins and ends with a name from it."""
    starts = [found.start() for found in islice(_WORD.finditer(text), _MOST_WORDS_ASKED)]
    return all(page.font_of(page.index_of(places[start])).mono for start in starts)


def _turned(box: Box, turns: int) -> Box:
    """A box after so many quarter turns clockwise, which makes text that was turned the other way level."""
    left, bottom, right, top = box
    if turns == 1:
        return Box(bottom, -right, top, -left)
    if turns == 2:
        return Box(-right, -top, -left, -bottom)
    return Box(-top, left, -bottom, right) if turns == 3 else box


def _find_cells(page: PageText, lines: list[Line]) -> None:
    """Look for wide gaps in lines that are wider than their letters explain."""
    pitches = [line.width / (len(line.text) * line.size) for line in lines if len(line.text) > _SHORT]
    usual = min(_PROSE_PITCH, quantiles(pitches)[0] if len(pitches) > 1 else _PROSE_PITCH)
    for line in lines:
        if " " not in line.text or _LEADERS.search(line.text):
            continue
        pitch = line.width / (len(line.text) * line.size)
        if len(line.text) <= _SHORT or pitch > _LOOSE * usual:
            line.cells = _cells(ask_words(page, line), line.size)


def _cells(words: list[Word], size: float) -> list[Word]:
    """The words of a line, put together where the gaps between them are ordinary; empty when all of them are."""
    gaps = [after.left - before.right for before, after in zip(words, words[1:], strict=False)]
    if not gaps:
        return []
    widest_blank, usual = _CELL_GAP * size, median(gaps)
    if len(gaps) > 2 and usual < widest_blank:  # otherwise every word is a cell
        widest_blank = max(widest_blank, _CELL_GAP_TO_WORD_GAP * usual)
    if max(gaps) <= widest_blank:
        return []
    cells = [words[0]]
    for gap, word in zip(gaps, words[1:], strict=True):
        if gap > widest_blank:
            cells.append(word)
        else:
            cells[-1] = Word(f"{cells[-1].text} {word.text}", cells[-1].left, word.right)
    return cells
