"""Objects drawn on a page: which text is invisible, and where rules and images are.

Text off the page or below two points is hidden. Other text is judged by what PDFium paints: the
page is rendered with and without it, and text that changes no pixel is hidden, however it is
covered, clipped or masked. Text without ink over an image, and text under an image that is not
empty there, is the text layer of a scan and stays.
"""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pypdfium2 import PdfMatrix, raw

from webquarry._read.documents.pdf_page import ActualText, Box, PageText, read_actual_text
from webquarry._read.documents.text import OFF_PAGE, TINY

INVISIBLE = "invisible text"
SMALLEST_TEXT = 2.0  # points
_THIN = 2.0  # points; a thinner path is a line
_SHORTEST_RULE = 6.0
_DEEPEST = 40  # nested forms
_MOST_RULES = 5_000
_MOST_IMAGES = 1_000
_MOST_SEGMENTS = 2_000  # of one path
_MOST_MARKS = 20
_WITHOUT_INK = frozenset({3, 7})  # text modes
_CELL = 1.0  # points; texts that share a cell overlap
_MOST_CELLS = 1_500  # along one side of a page
_MOST_GROUPS = 6  # of texts that are rendered one after the other
_PIXELS = 1.0  # per point
_BYTES = 4  # of a pixel: three channels and an unused one
_CHANGED = 0xF0  # bits of a channel that differ where a change can be seen
_SAME_CHANNEL = 8
_CHANGES = re.compile(rb"[^\0]+")
_WIDEST_GAP = 3.0  # heights of a text; with a wider one its characters are judged singly


class _Text(NamedTuple):
    """A text object, and the number of images painted before it."""

    handle: Any
    address: int
    box: Box
    images: int
    has_ink: bool


@dataclass
class PageObjects:
    """Objects of a page apart from its visible text."""

    hidden: dict[int, str] = field(default_factory=dict)  # reasons by address of the text object
    partly_hidden: dict[int, Painting] = field(default_factory=dict)  # decided per character
    rules: list[Box] = field(default_factory=list)  # horizontal and vertical lines
    images: list[Box] = field(default_factory=list)


def read_objects(page: PageText) -> PageObjects:
    """Load the text of a page, and return its other objects."""
    scan = _Scan(page.box)
    count = raw.FPDFPage_CountObjects(page.handle)
    scan.read(raw.FPDFPage_GetObject, page.handle, count, PdfMatrix(), 0)
    page.load(scan.actual)
    objects = scan.objects
    inked: list[_Text] = []
    for text in scan.texts:
        if text.has_ink:
            inked.append(text)
        elif not _is_under_image(text.box, objects.images):
            objects.hidden[text.address] = INVISIBLE
    if page.has_size and inked:
        _find_unpainted(page, objects, inked)
    return objects


def _find_unpainted(page: PageText, objects: PageObjects, texts: list[_Text]) -> None:
    """Render the page without its texts, those that overlap one after the other."""
    full = Painting(page)
    for group in _group_apart(page.box, _find_drawings(page, texts)):
        for drawing in group:
            _activate(drawing, active=False)
        painting = full.render_again()
        for drawing in group:
            text = drawing[0]
            gap = painting.find_gap(text.box)
            if gap is None and not (
                _is_under_image(text.box, objects.images[text.images :])
                and not painting.is_empty(text.box)
            ):
                objects.hidden[text.address] = INVISIBLE
                continue  # stays inactive, since the same text may be drawn again
            _activate(drawing, active=True)
            if gap is not None and gap > _WIDEST_GAP * text.box.height:
                objects.partly_hidden[text.address] = painting


def _activate(drawing: list[_Text], *, active: bool) -> None:
    for text in drawing:
        raw.FPDFPageObj_SetIsActive(text.handle, active)


def _find_drawings(page: PageText, texts: list[_Text]) -> list[list[_Text]]:
    """Return each text with its repetitions in the same place that have no characters.

    Of a text that is drawn twice, PDFium returns the characters once.
    """
    places: defaultdict[tuple[int, ...], list[_Text]] = defaultdict(list)
    for text in texts:
        places[tuple(map(round, text.box))].append(text)
    if len(places) == len(texts):
        return [[text] for text in texts]
    owners = page.find_owners()
    drawings: list[list[_Text]] = []
    for same in places.values():
        repetitions = [text for text in same if text.address not in owners]
        drawings += [[text, *repetitions] for text in same if text.address in owners]
    return drawings


def _group_apart(page: Box, drawings: list[list[_Text]]) -> Iterator[list[list[_Text]]]:
    """Yield groups of texts that do not overlap; the last group has all that are left."""
    grid = _Grid.over(page, 1 / _CELL)
    for _ in range(_MOST_GROUPS):
        taken = bytearray(grid.columns * grid.rows)
        group: list[list[_Text]] = []
        overlapping: list[list[_Text]] = []
        for drawing in drawings:
            box = drawing[0].box
            inside = Box(box.left + 1, box.bottom + 1, box.right - 1, box.top - 1)
            starts, width = grid.find(inside if inside.width > 0 < inside.height else box)
            if any(1 in taken[start : start + width] for start in starts):
                overlapping.append(drawing)
                continue
            group.append(drawing)
            for start in starts:
                taken[start : start + width] = b"\1" * width
        yield group
        drawings = overlapping
        if not drawings:
            return
    yield drawings


class _Grid(NamedTuple):
    """Cells over a page, row by row from the top."""

    page: Box
    scale: float
    columns: int
    rows: int

    @classmethod
    def over(cls, page: Box, scale: float) -> _Grid:
        """Return a grid with so many cells per point, or fewer over a large page."""
        scale = min(scale, _MOST_CELLS / max(page.width, page.height))
        columns = max(1, round(page.width * scale))
        return cls(page, scale, columns, max(1, round(page.height * scale)))

    def find(self, box: Box) -> tuple[range, int]:
        """Return the first cell of each row of a box on the page, and the width in cells."""
        page, scale, columns, rows = self
        left = int(max(0, min((box.left - page.left) * scale, columns - 1)))
        right = int(max(0, min((box.right - page.left) * scale, columns - 1)))
        top = int(max(0, min((page.top - box.top) * scale, rows - 1)))
        bottom = int(max(0, min((page.top - box.bottom) * scale, rows - 1)))
        return range(top * columns + left, bottom * columns + left + 1, columns), right - left + 1


def _is_under_image(box: Box, images: list[Box]) -> bool:
    return any(image.holds(*box.centre) for image in images)


class Painting:
    """A page rendered with and without some of its texts."""

    def __init__(self, page: PageText) -> None:
        self._page = page
        self._grid = _Grid.over(page.box, _PIXELS)
        self._before = self._after = self._render()

    def render_again(self) -> Painting:
        """Return the page as it is painted now, compared with this painting."""
        again = copy(self)
        again._after = self._render()
        return again

    def find_gap(self, box: Box) -> float | None:
        """Return the width of the widest part of a box that did not change; None if nothing did."""
        starts, width = self._grid.find(box)
        size = _BYTES * width
        changed = 0
        for start in starts:
            row = slice(_BYTES * start, _BYTES * start + size)
            changed |= int.from_bytes(self._before[row]) ^ int.from_bytes(self._after[row])
        changed &= int.from_bytes(bytes([_CHANGED]) * size)
        if not changed:
            return None
        gaps = _CHANGES.split(changed.to_bytes(size))
        return max(map(len, gaps)) / _BYTES / self._grid.scale

    def is_empty(self, box: Box) -> bool:
        """Return whether a box has one colour."""
        starts, width = self._grid.find(box)
        rows = (self._before[_BYTES * start : _BYTES * (start + width)] for start in starts)
        pixels = b"".join(rows)
        channels = [pixels[channel::_BYTES] for channel in range(_BYTES)]
        return all(max(one) - min(one) < _SAME_CHANNEL for one in channels)

    def _render(self) -> bytes:
        width, height = self._grid.columns, self._grid.rows
        pixels = bytearray(b"\xff" * (_BYTES * width * height))
        buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
        bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_BGRx, buffer, _BYTES * width)
        page = self._page.handle
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, raw.FPDF_ANNOT)
        raw.FPDFBitmap_Destroy(bitmap)
        del buffer
        return bytes(pixels)


class _Scan:
    """Reads the objects of one page."""

    def __init__(self, page: Box) -> None:
        self.objects = PageObjects()
        self.actual: list[ActualText] = []
        self.texts: list[_Text] = []  # on the page, and not tiny
        self._page = page

    def read(
        self, get: Callable[[Any, int], Any], owner: Any, count: int, matrix: PdfMatrix, depth: int
    ) -> None:
        """Read the objects of a page or a form."""
        for number in range(count):
            one = get(owner, number)
            kind = raw.FPDFPageObj_GetType(one)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if depth < _DEEPEST:
                    inside = raw.FPDFFormObj_CountObjects(one)
                    inner = _matrix_of(one).multiply(matrix)
                    self.read(raw.FPDFFormObj_GetObject, one, inside, inner, depth + 1)
                continue
            edges = _read_floats(raw.FPDFPageObj_GetBounds, one, count=4)
            if not edges:
                continue
            box = Box(*matrix.on_rect(*edges)) if depth else Box(*edges)
            if kind == raw.FPDF_PAGEOBJ_TEXT and box.width and box.height:  # not only blanks
                self._read_text(one, box, matrix)
            elif kind == raw.FPDF_PAGEOBJ_PATH:
                self._read_path(one, box, matrix)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE and len(self.objects.images) < _MOST_IMAGES:
                self.objects.images.append(box)

    def _read_text(self, one: Any, box: Box, matrix: PdfMatrix) -> None:
        address = ctypes.addressof(one.contents)
        for number in range(min(raw.FPDFPageObj_CountMarks(one), _MOST_MARKS)):
            mark = raw.FPDFPageObj_GetMark(one, number)
            text = read_actual_text(mark)
            if text is not None:
                self.actual.append(ActualText(one, mark, text, box))
        if not self._page.touches(box):
            self.objects.hidden[address] = OFF_PAGE
        elif min(box.width, box.height) < SMALLEST_TEXT and _is_tiny(one, matrix):
            self.objects.hidden[address] = TINY
        else:
            has_ink = raw.FPDFTextObj_GetTextRenderMode(one) not in _WITHOUT_INK
            images = len(self.objects.images)
            self.texts.append(_Text(one, address, box, images, has_ink))

    def _read_path(self, one: Any, box: Box, matrix: PdfMatrix) -> None:
        """Read the rules in a path: a line, or the straight lines of a frame."""
        if min(box.width, box.height) <= _THIN:
            self._add_rule(box)
            return
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(one, ctypes.byref(fill), ctypes.byref(stroke))
        if stroke.value:
            for rule in _straight_parts(one, matrix):
                self._add_rule(rule)

    def _add_rule(self, box: Box) -> None:
        rules = self.objects.rules
        if max(box.width, box.height) >= _SHORTEST_RULE and len(rules) < _MOST_RULES:
            rules.append(box)


def _read_floats(read: Callable[..., int], one: Any, count: int = 1) -> list[float]:
    """Return the numbers that a function of PDFium writes; none if it fails."""
    numbers = [ctypes.c_float() for _ in range(count)]
    return [number.value for number in numbers] if read(one, *map(ctypes.byref, numbers)) else []


def _is_tiny(one: Any, matrix: PdfMatrix) -> bool:
    """Return whether the font is tiny; the box of a full stop is small, too."""
    size = _read_floats(raw.FPDFTextObj_GetFontSize, one)
    whole = _matrix_of(one).multiply(matrix)
    scale = abs(whole.a * whole.d - whole.b * whole.c) ** 0.5
    return bool(size) and bool(abs(size[0]) * scale < SMALLEST_TEXT)


def _matrix_of(one: Any) -> PdfMatrix:
    found = raw.FS_MATRIX()
    known = raw.FPDFPageObj_GetMatrix(one, ctypes.byref(found))
    return PdfMatrix.from_raw(found) if known else PdfMatrix()


def _straight_parts(path: Any, matrix: PdfMatrix) -> Iterator[Box]:
    """Yield the horizontal and vertical lines of a path, such as the sides of a box."""
    whole = _matrix_of(path).multiply(matrix)
    start = before = (0.0, 0.0)
    for number in range(min(raw.FPDFPath_CountSegments(path), _MOST_SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        point = _read_floats(raw.FPDFPathSegment_GetPoint, segment, count=2)
        if not point:
            continue
        here = whole.on_point(*point)
        kind = raw.FPDFPathSegment_GetType(segment)
        lines = []
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == raw.FPDF_SEGMENT_LINETO:
            lines.append(Box.of_points([before, here]))
        if raw.FPDFPathSegment_GetClose(segment):
            lines.append(Box.of_points([here, start]))
        yield from (line for line in lines if min(line.width, line.height) < 1)
        before = here
