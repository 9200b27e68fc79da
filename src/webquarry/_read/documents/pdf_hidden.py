"""Objects drawn on a page: which text is invisible, and where rules and images are.

Objects are in painting order. Text in the colour of its background, below two points, off the page
or without ink is hidden; text without ink over an image is the text layer of a scan and stays. Text
that may be covered, clipped, masked or in a layer that is off is decided by PDFium: the page is
rendered with and without these texts, and a text that changes no pixel is hidden. Text under an
image stays unless the image is empty there.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pypdfium2 import PdfMatrix, raw

from webquarry._read.documents.pdf_page import ActualText, Box, PageText, read_actual_text
from webquarry._read.style.colours import WHITE, Colour, alike

OFF_PAGE = "off page"
TINY = "tiny text"
SAME_COLOUR = "same colour"
NO_INK = "invisible text"
COVERED = "covered text"
CLIPPED = "clipped text"
OTHER_LAYER = "layer that is off"
MASKED = "masked text"

SMALLEST_TEXT = 2.0  # points
_THIN = 2.0  # points; a thinner path is a line
_BROAD = 4.0  # points; a line that is broader can cover text
_SHORTEST_RULE = 6.0
_DEEPEST = 40  # nested forms
_MOST_RULES = 5_000
_MOST_IMAGES = 1_000
_MOST_SEGMENTS = 2_000  # of one path
_MOST_CLIPS = 20
_MOST_MARKS = 20
_MOST_ANNOTATIONS = 500
_OPAQUE = 0.5  # alpha above which an area covers what is below
_OUTLINED = frozenset({1, 5})  # text modes without a fill
_WITHOUT_INK = frozenset({3, 7})
_LAYER_MARK = "OC\0".encode("utf-16-le")
_CELL = 2.0  # points; areas are remembered by cells of the page
_MOST_CELLS = 1_000  # along one side
_LEAST_COVERED = 0.15  # of the length of a text
_PIXELS = 2.0  # per point
_MOST_PIXELS = 2_000  # along one side
_SAME_GREY = 8
_EVERYWHERE = Box(-1e9, -1e9, 1e9, 1e9)
_COVERING = frozenset({
    raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_POLYGON, raw.FPDF_ANNOT_STAMP,
    raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_REDACT,
})  # fmt: skip
_IDENTITY = PdfMatrix()


class _Text(NamedTuple):
    """A text object, the number of areas painted before it, and what may hide it."""

    handle: Any
    address: int
    box: Box
    painted: int
    reason: str
    on_picture: bool = False  # only images are above it


class _Area(NamedTuple):
    colour: Colour | None  # None for several colours
    is_picture: bool


@dataclass
class PageObjects:
    """Objects of a page apart from its visible text."""

    hidden: dict[int, str] = field(default_factory=dict)  # reasons by address of the text object
    partly_hidden: dict[int, str] = field(default_factory=dict)  # decided per character
    painting: Painting | None = None
    actual: list[ActualText] = field(default_factory=list)
    rules: list[Box] = field(default_factory=list)  # horizontal and vertical lines
    images: list[Box] = field(default_factory=list)


def read_objects(page: PageText) -> PageObjects:
    """Return the objects of a page."""
    scan = _Scan(page)
    count = raw.FPDFPage_CountObjects(page.handle)
    scan.read(raw.FPDFPage_GetObject, page.handle, count, _IDENTITY, 0)
    for box in _find_annotations(page.handle):
        scan.add_area(box, None)
    objects = scan.objects
    for address, box in scan.without_ink:
        if not any(image.holds(*box.centre) for image in objects.images):
            objects.hidden[address] = NO_INK
    texts = [scan.suspect(text) for text in scan.texts if text.address not in objects.hidden]
    if page.has_size and any(text.reason for text in texts):
        _decide(page, objects, texts)
    return objects


def _decide(page: PageText, objects: PageObjects, texts: list[_Text]) -> None:
    """Render the page to find out which of the suspicious texts are visible."""
    suspects = [text for text in texts if text.reason]
    painting = None
    if page.take_painting():
        painting = Painting(page, [text.handle for text in suspects])
    # Of the same text drawn twice, PDFium returns the first, which may be the covered one.
    twins = {tuple(map(round, text.box)): text for text in texts if not text.reason}
    for text in suspects:
        # else a layer or an image hides all of it or nothing
        may_be_covered = text.reason != OTHER_LAYER and not text.on_picture
        if painting is None:
            if may_be_covered:
                objects.hidden[text.address] = text.reason
        elif painting.shows(text.box):
            if may_be_covered:
                objects.partly_hidden[text.address] = text.reason
                objects.painting = painting
        elif not text.on_picture or painting.is_empty(text.box):  # not the text layer of a scan
            twin = twins.get(tuple(map(round, text.box)))
            if twin is None or page.text_of(twin.handle).strip():
                objects.hidden[text.address] = text.reason


class _Scan:
    """Follows the painting of one page."""

    def __init__(self, page: PageText) -> None:
        self.objects = PageObjects()
        self.texts: list[_Text] = []
        self.without_ink: list[tuple[int, Box]] = []
        self._may_have_layers = page.may_have_layers
        self._page = page.box
        self._clip: Box | None = None  # of the form that is read
        self._is_blended = False
        self._areas = [_Area(WHITE, is_picture=False)]
        self._cell = max(_CELL, max(page.box.width, page.box.height) / _MOST_CELLS)
        self._columns = int(page.box.width / self._cell) + 1
        self._rows = int(page.box.height / self._cell) + 1
        # The number of the last area in each cell: all of them, and without lines.
        self._covers = array("i")
        self._grounds = array("i")
        self._edges = [ctypes.c_float() for _ in range(4)]
        self._channels = [ctypes.c_uint() for _ in range(4)]
        self._edge_references = [ctypes.byref(edge) for edge in self._edges]
        self._channel_references = [ctypes.byref(channel) for channel in self._channels]

    def read(
        self, get: Callable[[Any, int], Any], owner: Any, count: int, matrix: PdfMatrix, depth: int
    ) -> None:
        """Read the objects of a page or a form."""
        for number in range(count):
            one = get(owner, number)
            kind = raw.FPDFPageObj_GetType(one)
            if kind == raw.FPDF_PAGEOBJ_FORM:
                self._read_form(one, matrix, depth)
                continue
            box = self._bounds_of(one, matrix)
            if box is None:
                continue
            if kind == raw.FPDF_PAGEOBJ_TEXT:
                self._read_text(one, box, matrix, depth)
            elif kind == raw.FPDF_PAGEOBJ_PATH:
                self._read_path(one, box, matrix)
            else:
                if kind == raw.FPDF_PAGEOBJ_IMAGE and len(self.objects.images) < _MOST_IMAGES:
                    self.objects.images.append(box)
                self.add_area(box, None, is_picture=True)

    def add_area(
        self, box: Box, colour: Colour | None, *, is_picture: bool = False, is_line: bool = False
    ) -> None:
        """Remember an opaque area."""
        if not self._page.touches(box):
            return
        if not self._covers:
            self._covers = array("i", bytes(4 * self._columns * self._rows))
            self._grounds = self._covers[:]
        number = len(self._areas)
        self._areas.append(_Area(colour, is_picture))
        left, right, bottom, top = self._cells_of(box)
        marks = array("i", [number]) * (right - left)
        for row in range(bottom, top):
            start, stop = row * self._columns + left, row * self._columns + right
            self._covers[start:stop] = marks
            if not is_line:
                self._grounds[start:stop] = marks

    def suspect(self, text: _Text) -> _Text:
        """Return a text with the reason why it may be hidden, if an area was painted over it."""
        if text.painted == len(self._areas) - 1:
            return text
        y = text.box.centre[1]
        left, right, row, _ = self._cells_of(Box(text.box.left, y, text.box.right, y))
        cells = self._covers[row * self._columns + left : row * self._columns + right]
        covers = [number for number in cells if number > text.painted]
        if not covers or len(covers) < _LEAST_COVERED * len(cells):
            return text
        on_picture = all(self._areas[number].is_picture for number in set(covers))
        return text._replace(reason=text.reason or COVERED, on_picture=on_picture)

    def _cells_of(self, box: Box) -> tuple[int, int, int, int]:
        """Return the cells of a box: first and last column, first and last row, ends exclusive.

        Positions outside of the page, and those of damaged files that are not numbers, are at the
        edge.
        """

        def index(position: float, count: int) -> int:
            return int(min(position / self._cell, count - 1)) if position > 0 else 0

        left, right = (index(x - self._page.left, self._columns) for x in (box.left, box.right))
        bottom, top = (index(y - self._page.bottom, self._rows) for y in (box.bottom, box.top))
        return left, right + 1, bottom, top + 1

    def _read_text(self, one: Any, box: Box, matrix: PdfMatrix, depth: int) -> None:
        address = ctypes.addressof(one.contents)
        reason = self._find_reason(one, box, matrix, depth)
        self.texts.append(_Text(one, address, box, len(self._areas) - 1, reason))
        mode = raw.FPDFTextObj_GetTextRenderMode(one)
        if not self._page.touches(box):
            self.objects.hidden[address] = OFF_PAGE
        elif min(box.width, box.height) < SMALLEST_TEXT and _is_tiny(one, matrix):
            self.objects.hidden[address] = TINY
        elif mode in _WITHOUT_INK:
            self.without_ink.append((address, box))
        elif self._blends_in(one, box, stroked=mode in _OUTLINED):
            self.objects.hidden[address] = SAME_COLOUR

    def _blends_in(self, one: Any, box: Box, *, stroked: bool) -> bool:
        """Return whether text has the colour of its background."""
        colour = self._colour_of(one, stroked=stroked)
        if colour is None:
            return False
        number = 0
        if self._grounds:
            left, _, row, _ = self._cells_of(Box(*box.centre, *box.centre))
            number = self._grounds[row * self._columns + left]
        ground = self._areas[number].colour
        return ground is not None and alike(colour, ground)

    def _find_reason(self, one: Any, box: Box, matrix: PdfMatrix, depth: int) -> str:
        """Return what may hide a text apart from areas above it; empty for nothing."""
        edge = max(1.0, 0.3 * box.height)  # tolerance
        for clip in (self._clip_of(one, matrix), self._clip):
            if clip is not None and not (
                clip.left - edge <= box.left
                and box.right <= clip.right + edge
                and clip.bottom - edge <= box.bottom
                and box.top <= clip.top + edge
            ):
                return CLIPPED
        if self._is_blended or raw.FPDFPageObj_HasTransparency(one):
            return MASKED
        in_layer = self._read_marks(one, box) or bool(depth)
        return OTHER_LAYER if in_layer and self._may_have_layers else ""

    def _read_marks(self, one: Any, box: Box) -> bool:
        """Collect `ActualText`; return whether the text belongs to optional content."""
        count = raw.FPDFPageObj_CountMarks(one)
        if count <= 0:
            return False
        name = (ctypes.c_ushort * 3)()
        size = ctypes.c_ulong()
        in_layer = False
        for number in range(min(count, _MOST_MARKS)):
            mark = raw.FPDFPageObj_GetMark(one, number)
            raw.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), ctypes.byref(size))
            in_layer |= size.value == len(_LAYER_MARK) and bytes(name) == _LAYER_MARK
            text = read_actual_text(mark)
            if text is not None:
                self.objects.actual.append(ActualText(one, mark, text, box))
        return in_layer

    def _clip_of(self, one: Any, matrix: PdfMatrix) -> Box | None:
        """Return the bounding box of the clip paths of an object; None if it has none."""
        clip = raw.FPDFPageObj_GetClipPath(one)
        count = raw.FPDFClipPath_CountPaths(clip) if clip else 0
        if count <= 0:
            return None
        shared = _EVERYWHERE
        for path in range(min(count, _MOST_CLIPS)):
            length = min(raw.FPDFClipPath_CountPathSegments(clip, path), _MOST_SEGMENTS)
            segments = (raw.FPDFClipPath_GetPathSegment(clip, path, one) for one in range(length))
            shared = _intersect(shared, _around(list(filter(None, map(_point_of, segments)))))
        return shared if matrix is _IDENTITY else Box(*matrix.on_rect(*shared))

    def _read_form(self, form: Any, matrix: PdfMatrix, depth: int) -> None:
        if depth >= _DEEPEST:
            return
        outer_clip, was_blended = self._clip, self._is_blended
        self._is_blended = was_blended or bool(raw.FPDFPageObj_HasTransparency(form))
        clip = self._clip_of(form, matrix)
        if clip is not None:
            self._clip = clip if outer_clip is None else _intersect(outer_clip, clip)
        self.read(
            raw.FPDFFormObj_GetObject,
            form,
            raw.FPDFFormObj_CountObjects(form),
            _matrix_of(form).multiply(matrix),
            depth + 1,
        )
        self._clip, self._is_blended = outer_clip, was_blended

    def _read_path(self, one: Any, box: Box, matrix: PdfMatrix) -> None:
        """Read a path: a line, a frame of lines, an area, or both."""
        if min(box.width, box.height) <= _THIN:
            self._add_rule(box)
            self.add_area(box, None, is_line=True)
            return
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        if not raw.FPDFPath_GetDrawMode(one, ctypes.byref(fill), ctypes.byref(stroke)):
            return
        if stroke.value:
            for rule in _straight_parts(one, matrix):
                self._add_rule(rule)
            width = ctypes.c_float()
            if raw.FPDFPageObj_GetStrokeWidth(one, ctypes.byref(width)) and width.value > _BROAD:
                self.add_area(box, None, is_line=True)
        if fill.value:
            colour = self._colour_of(one, stroked=False)
            if colour and colour.alpha > _OPAQUE:
                self.add_area(box, colour)

    def _add_rule(self, box: Box) -> None:
        rules = self.objects.rules
        if max(box.width, box.height) >= _SHORTEST_RULE and len(rules) < _MOST_RULES:
            rules.append(box)

    def _bounds_of(self, one: Any, matrix: PdfMatrix) -> Box | None:
        if not raw.FPDFPageObj_GetBounds(one, *self._edge_references):
            return None
        box = Box(*(edge.value for edge in self._edges))
        return box if matrix is _IDENTITY else Box(*matrix.on_rect(*box))

    def _colour_of(self, one: Any, *, stroked: bool) -> Colour | None:
        get = raw.FPDFPageObj_GetStrokeColor if stroked else raw.FPDFPageObj_GetFillColor
        if not get(one, *self._channel_references):
            return None
        red, green, blue, alpha = (channel.value for channel in self._channels)
        return Colour(red, green, blue, alpha / 255)


class Painting:
    """A page rendered in grey with and without some of its texts."""

    def __init__(self, page: PageText, handles: list[Any]) -> None:
        box = self._page = page.box
        self._scale = min(_PIXELS, _MOST_PIXELS / max(box.width, box.height))
        self._width = max(1, round(box.width * self._scale))
        self._height = max(1, round(box.height * self._scale))
        self._with = self._render(page.handle)
        for handle in handles:
            raw.FPDFPageObj_SetIsActive(handle, False)
        self._without = self._render(page.handle)
        for handle in handles:
            raw.FPDFPageObj_SetIsActive(handle, True)

    def shows(self, box: Box) -> bool:
        """Return whether the texts changed a pixel in a box."""
        return any(self._with[one] != self._without[one] for one in self._rows(box))

    def is_empty(self, box: Box) -> bool:
        """Return whether a box has one colour."""
        greys: set[int] = set()
        for row in self._rows(box):
            greys.update(self._with[row])
        return not greys or max(greys) - min(greys) < _SAME_GREY

    def _rows(self, box: Box) -> Iterator[slice]:
        """Yield the pixels of a box row by row."""
        left = max(0, int((box.left - self._page.left) * self._scale))
        right = min(self._width, int((box.right - self._page.left) * self._scale) + 1)
        top = max(0, int((self._page.top - box.top) * self._scale))
        bottom = min(self._height, int((self._page.top - box.bottom) * self._scale) + 1)
        for row in range(top, bottom) if left < right else ():
            yield slice(row * self._width + left, row * self._width + right)

    def _render(self, page: Any) -> bytes:
        pixels = bytearray(b"\xff" * (self._width * self._height))
        buffer = (ctypes.c_ubyte * len(pixels)).from_buffer(pixels)
        bitmap = raw.FPDFBitmap_CreateEx(
            self._width, self._height, raw.FPDFBitmap_Gray, buffer, self._width
        )
        flags = raw.FPDF_ANNOT | raw.FPDF_GRAYSCALE
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, self._width, self._height, 0, flags)
        raw.FPDFBitmap_Destroy(bitmap)
        del buffer
        return bytes(pixels)


def _find_annotations(page: Any) -> Iterator[Box]:
    """Yield the boxes of annotations that may cover the page."""
    found = raw.FS_RECTF()
    for number in range(min(raw.FPDFPage_GetAnnotCount(page), _MOST_ANNOTATIONS)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        if not annotation:
            continue
        kind = raw.FPDFAnnot_GetSubtype(annotation)
        if kind in _COVERING and raw.FPDFAnnot_GetRect(annotation, ctypes.byref(found)):
            yield _around([(found.left, found.bottom), (found.right, found.top)])
        raw.FPDFPage_CloseAnnot(annotation)


def _is_tiny(one: Any, matrix: PdfMatrix) -> bool:
    """Return whether the font is tiny; the box of a full stop is small, too."""
    size = ctypes.c_float()
    if not raw.FPDFTextObj_GetFontSize(one, ctypes.byref(size)):
        return False
    whole = _matrix_of(one).multiply(matrix)
    scale = abs(whole.a * whole.d - whole.b * whole.c) ** 0.5
    return bool(abs(size.value) * scale < SMALLEST_TEXT)


def _matrix_of(one: Any) -> PdfMatrix:
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(one, ctypes.byref(found)):
        return _IDENTITY
    return PdfMatrix.from_raw(found)


def _point_of(segment: Any) -> tuple[float, float] | None:
    x, y = ctypes.c_float(), ctypes.c_float()
    if not raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
        return None
    return x.value, y.value


def _straight_parts(path: Any, matrix: PdfMatrix) -> Iterator[Box]:
    """Yield the horizontal and vertical lines of a path, such as the sides of a box."""
    whole = _matrix_of(path).multiply(matrix)
    start = before = (0.0, 0.0)
    for number in range(min(raw.FPDFPath_CountSegments(path), _MOST_SEGMENTS)):
        segment = raw.FPDFPath_GetPathSegment(path, number)
        point = _point_of(segment)
        if point is None:
            continue
        here = whole.on_point(*point)
        kind = raw.FPDFPathSegment_GetType(segment)
        lines = []
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == raw.FPDF_SEGMENT_LINETO:
            lines.append(_around([before, here]))
        if raw.FPDFPathSegment_GetClose(segment):
            lines.append(_around([here, start]))
        yield from (line for line in lines if min(line.width, line.height) < 1)
        before = here


def _around(points: list[tuple[float, float]]) -> Box:
    """Return the bounding box of points; an empty one for none."""
    if not points:
        return Box(0, 0, 0, 0)
    xs, ys = zip(*points, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


def _intersect(one: Box, other: Box) -> Box:
    """Return what two boxes share; an empty box if they do not overlap."""
    left = max(one.left, other.left)
    bottom = max(one.bottom, other.bottom)
    right = max(left, min(one.right, other.right))
    return Box(left, bottom, right, max(bottom, min(one.top, other.top)))
