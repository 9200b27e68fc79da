"""Objects drawn on a page: which text is invisible, and where rules and images are.

Text off the page or below two points is hidden. Other text is judged by what PDFium paints: the
page is rendered with and without it, and text that changes no pixel is hidden, however it is
covered, clipped or masked. Text without ink over an image, and text under an image that is not
empty there, is the text layer of a scan and is returned.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from itertools import chain
from math import inf
from typing import Any, NamedTuple

from pypdfium2 import PdfMatrix, raw

from webquarry._read.documents.pdf_page import Box, PageText
from webquarry._read.documents.text import OFF_PAGE, TINY

INVISIBLE = "invisible text"
SMALLEST_TEXT = 2.0  # points
_THIN = 2.0  # points; a thinner path is a line
_SHORTEST_RULE = 6.0
_DEEPEST = 40  # nested forms
_MOST_RULES = 5_000
_MOST_IMAGES = 1_000
_MOST_SEGMENTS = 2_000  # of one path
_WITHOUT_INK = frozenset({3, 7})  # text modes
_PIXELS = 1.0  # per point; texts that share a pixel overlap
_MOST_PIXELS = 1_500  # along one side of a page
_MOST_GROUPS = 6  # of texts that are rendered one after the other
_PIXEL = 4  # bytes: three channels and an unused one
_CHANGED = bytes(16) + bytes(range(16, 256))  # bits that differ; no change for the lowest
_WHITE = 0xFFFFFFFF
_SAME_CHANNEL = 8
_WIDEST_GAP = 3.0  # heights of a text


class _Text(NamedTuple):
    """A text object, and the number of images painted before it."""

    handle: Any
    address: int
    box: Box
    images: int
    has_ink: bool

    @property
    def widest_gap(self) -> float:
        """Return the width without ink above which the characters are judged singly."""
        return _WIDEST_GAP * max(self.box.height, SMALLEST_TEXT)


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
    page.load()
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
    grid = _Grid.over(page.box)
    full = Painting(page, grid)
    for group in _group_apart(grid, _find_drawings(page, texts)):
        painting = full.without(group)
        for drawing in group:
            text = drawing[0]
            if painting.shows(text.box):
                if painting.has_gap(text.box, text.widest_gap):
                    objects.partly_hidden[text.address] = painting
            elif painting.is_empty(text.box) or not _is_under_image(
                text.box, objects.images[text.images :]
            ):
                objects.hidden[text.address] = INVISIBLE
                _activate(drawing, active=False)  # the same text may be drawn again


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
    owners = frozenset(page.owners)
    drawings: list[list[_Text]] = []
    for same in places.values():
        repetitions = [text for text in same if text.address not in owners]
        drawings += [[text, *repetitions] for text in same if text.address in owners]
    return drawings


def _group_apart(grid: _Grid, drawings: list[list[_Text]]) -> Iterator[list[list[_Text]]]:
    """Yield groups of texts that do not overlap; the last group has all that are left."""
    for _ in range(_MOST_GROUPS):
        taken = [0] * grid.rows  # a bit for each pixel of a row
        group: list[list[_Text]] = []
        overlapping: list[list[_Text]] = []
        for drawing in drawings:
            left, bottom, right, top = box = drawing[0].box
            if right - left > 2 < top - bottom:
                box = Box(left + 1, bottom + 1, right - 1, top - 1)
            starts, width = grid.find(box)
            first, left = divmod(starts[0], grid.columns)
            rows = range(first, first + len(starts))
            ink = ((1 << width) - 1) << left
            if any(taken[row] & ink for row in rows):
                overlapping.append(drawing)
                continue
            group.append(drawing)
            for row in rows:
                taken[row] |= ink
        yield group
        drawings = overlapping
        if not drawings:
            return
    yield drawings


class _Grid(NamedTuple):
    """Pixels of a page, row by row from the top."""

    page: Box
    scale: float
    columns: int
    rows: int

    @classmethod
    def over(cls, page: Box) -> _Grid:
        """Return the pixels of a page; they are larger on a large page."""
        scale = min(_PIXELS, _MOST_PIXELS / max(page.width, page.height))
        columns = max(1, round(page.width * scale))
        return cls(page, scale, columns, max(1, round(page.height * scale)))

    def find(self, box: Box) -> tuple[range, int]:
        """Return the first pixel of each row of a box on the page, and the width in pixels."""
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

    def __init__(self, page: PageText, grid: _Grid) -> None:
        self._page = page
        self._grid = grid
        self._before = self._after = self._render()

    def without(self, drawings: list[list[_Text]]) -> Painting:
        """Return this painting compared with one without some texts."""
        for drawing in drawings:
            _activate(drawing, active=False)
        compared = copy(self)
        compared._after = self._render()
        for drawing in drawings:
            _activate(drawing, active=True)
        return compared

    def shows(self, box: Box) -> bool:
        """Return whether anything in a box changed."""
        return not self.has_gap(box, inf)

    def has_gap(self, box: Box, width: float) -> bool:
        """Return whether all of a box did not change, or a part of it wider than this."""
        starts, columns = self._grid.find(box)
        size = _PIXEL * columns
        gap = bytes(_PIXEL * int(min(columns, width * self._grid.scale + 1)))
        middle = len(starts) // 2  # where most of the ink is
        changed = 0
        for start in chain(starts[middle:], starts[:middle]):
            row = slice(_PIXEL * start, _PIXEL * start + size)
            bits = int.from_bytes(self._before[row]) ^ int.from_bytes(self._after[row])
            if bits:
                changed |= bits
                if gap not in changed.to_bytes(size).translate(_CHANGED):
                    return False
        return True

    def is_empty(self, box: Box) -> bool:
        """Return whether a box has one colour."""
        starts, width = self._grid.find(box)
        rows = (self._before[_PIXEL * start : _PIXEL * (start + width)] for start in starts)
        pixels = b"".join(rows)
        channels = [pixels[channel::_PIXEL] for channel in range(_PIXEL)]
        return all(max(one) - min(one) < _SAME_CHANNEL for one in channels)

    def _render(self) -> bytearray:
        width, height = self._grid.columns, self._grid.rows
        pixels = bytearray(_PIXEL * width * height)
        buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
        bitmap = raw.FPDFBitmap_CreateEx(width, height, raw.FPDFBitmap_BGRx, buffer, _PIXEL * width)
        raw.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        handle, flags = self._page.handle, raw.FPDF_ANNOT
        raw.FPDF_RenderPageBitmap(bitmap, handle, 0, 0, width, height, 0, flags)
        raw.FPDFBitmap_Destroy(bitmap)
        return pixels


class _Scan:
    """Reads the objects of one page."""

    def __init__(self, page: Box) -> None:
        self.objects = PageObjects()
        self.texts: list[_Text] = []  # on the page, and not tiny
        self._page = page

    def read(
        self, get: Callable[[Any, int], Any], owner: Any, count: int, matrix: PdfMatrix, depth: int
    ) -> None:
        """Read the objects of a page or a form."""
        edges = [ctypes.c_float() for _ in range(4)]
        references = [ctypes.byref(edge) for edge in edges]
        for number in range(count):
            one = get(owner, number)
            kind = raw.FPDFPageObj_GetType(one)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                if depth < _DEEPEST:
                    inside = raw.FPDFFormObj_CountObjects(one)
                    inner = _matrix_of(one).multiply(matrix)
                    self.read(raw.FPDFFormObj_GetObject, one, inside, inner, depth + 1)
                continue
            if not raw.FPDFPageObj_GetBounds(one, *references):
                continue
            left, bottom, right, top = edges
            box = Box(left.value, bottom.value, right.value, top.value)
            if depth:
                box = Box(*matrix.on_rect(*box))
            if kind == raw.FPDF_PAGEOBJ_TEXT and box.width and box.height:  # not only blanks
                self._read_text(one, box, matrix)
            elif kind == raw.FPDF_PAGEOBJ_PATH:
                self._read_path(one, box, matrix)
            elif kind == raw.FPDF_PAGEOBJ_IMAGE and len(self.objects.images) < _MOST_IMAGES:
                self.objects.images.append(box)

    def _read_text(self, one: Any, box: Box, matrix: PdfMatrix) -> None:
        address = ctypes.addressof(one.contents)
        # PDFium would return `ActualText`, which is invisible, in place of the drawn text.
        for number in reversed(range(raw.FPDFPageObj_CountMarks(one))):
            mark, size = raw.FPDFPageObj_GetMark(one, number), ctypes.c_ulong()
            if raw.FPDFPageObjMark_GetParamStringValue(
                mark, b"ActualText", None, 0, ctypes.byref(size)
            ):
                raw.FPDFPageObj_RemoveMark(one, mark)
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
