"""What is drawn on a page besides its letters -> which letters nobody can see, and where lines and
pictures are.

Objects come in the order in which they are painted, so the ground under a piece of text is the last
area before it. Text in the colour of its ground, smaller than two points, off the page, or drawn
without ink is hidden. Text without ink over a picture is what a scanner read, and stays. Text that
is covered, clipped or in a layer is left to `painting.py`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pypdfium2 import raw

from webquarry._read.documents.pdf.painting import (
    CLIPPED,
    MASKED,
    OTHER_LAYER,
    PaintedText,
    Painting,
    PaintOrder,
    find_notes,
    intersect,
    is_within,
)
from webquarry._read.documents.pdf.pdfium import Box, PageText, SaidText, read_actual_text
from webquarry._read.style.colours import WHITE, Colour, alike

OFF_PAGE = "off page"
TINY = "tiny text"
SAME_COLOUR = "same colour"
NO_INK = "invisible text"

_SMALLEST_TEXT = 2.0  # points
_THIN = 2.0  # points; a filled path that is not thicker is a line
_BROAD = 4.0  # points; a line that is thicker can cover text
_SHORTEST_RULE = 6.0
_DEEPEST = 40  # forms within forms
_MOST_AREAS = 2_000
_MOST_RULES = 5_000
_MOST_SEGMENTS = 2_000  # of one path
_OPAQUE = 0.5  # an area with more than this alpha covers what is below it
_TEXT = raw.FPDF_PAGEOBJ_TEXT
_STROKED = frozenset({1, 5})  # text modes that draw outlines only
_WITHOUT_INK = frozenset({3, 7})
_MOST_CLIPS = 20  # paths that one object is clipped to
_MOST_MARKS = 20
_LAYER_MARK = "OC\0".encode("utf-16-le")


class Matrix(NamedTuple):
    """How the space of a form lies in that of the page."""

    a: float = 1
    b: float = 0
    c: float = 0
    d: float = 1
    e: float = 0
    f: float = 0

    def within(self, outer: Matrix) -> Matrix:
        """How a space that lies so in another lies in the space around that."""
        a, b, c, d, e, f = self
        return Matrix(
            a * outer.a + b * outer.c,
            a * outer.b + b * outer.d,
            c * outer.a + d * outer.c,
            c * outer.b + d * outer.d,
            e * outer.a + f * outer.c + outer.e,
            e * outer.b + f * outer.d + outer.f,
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where a point of the form is on the page."""
        return (
            self.a * x + self.c * y + self.e,
            self.b * x + self.d * y + self.f,
        )

    def box(self, box: Box) -> Box:
        """The smallest upright box around a box that was turned or moved."""
        corners = (
            self.point(box.left, box.bottom),
            self.point(box.left, box.top),
            self.point(box.right, box.bottom),
            self.point(box.right, box.top),
        )
        xs = [x for x, _ in corners]
        ys = [y for _, y in corners]
        return Box(min(xs), min(ys), max(xs), max(ys))

    @property
    def scale(self) -> float:
        """How much larger things are, the same way in all directions."""
        determinant = self.a * self.d - self.b * self.c
        return float(abs(determinant) ** 0.5)


_PAGE = Matrix()


@dataclass
class PageDrawings:
    """A page without its letters."""

    hidden: dict[int, str] = field(default_factory=dict)  # text objects by address, and why
    # text objects of which some may be hidden, and the painting that tells which characters are
    partly_hidden: dict[int, str] = field(default_factory=dict)
    painting: Painting | None = None
    said: list[SaidText] = field(default_factory=list)  # texts that stand for what is drawn
    rules: list[Box] = field(default_factory=list)  # straight lines, level or upright
    images: list[Box] = field(default_factory=list)


def read_drawings(page: PageText) -> PageDrawings:
    """Everything that is drawn on a page."""
    reader = _DrawingReader(page.box, page.may_have_layers)
    count = raw.FPDFPage_CountObjects(page.handle)
    reader.read_objects(
        raw.FPDFPage_GetObject,
        owner=page.handle,
        count=count,
        matrix=_PAGE,
        depth=0,
    )
    for box in find_notes(page.handle):
        reader.order.add_area(box, is_picture=False)
    drawings = reader.finish()
    _judge_suspects(page, drawings, reader.order)
    return drawings


def _is_drawn_again(page: PageText, text: PaintedText, order: PaintOrder) -> bool:
    """Whether a text stands for another in the same place: of the same text twice, the library
    gives the first, which may be the one that is covered.
    """
    return any(not page.text_of(twin.handle).strip() for twin in order.find_twins(text))


def _judge_suspects(page: PageText, drawings: PageDrawings, order: PaintOrder) -> None:
    """Find out which texts show that something may hide."""
    suspects = [text for text in order.find_suspects() if text.address not in drawings.hidden]
    if not suspects or not page.has_size:
        return
    if not page.take_painting():
        for text in suspects:
            if text.reason != OTHER_LAYER and not text.is_on_picture:
                drawings.hidden[text.address] = text.reason
        return
    painting = Painting(page.handle, page.box, suspects)
    for text in suspects:
        if not painting.shows(text.box):
            is_scanned = text.is_on_picture and not painting.is_empty(text.box)
            if not is_scanned and not _is_drawn_again(page, text, order):
                drawings.hidden[text.address] = text.reason
        elif text.reason != OTHER_LAYER and not text.is_on_picture:
            drawings.partly_hidden[text.address] = text.reason
            drawings.painting = painting


class _DrawingReader:
    """Follows the painting of one page."""

    def __init__(self, page: Box, may_have_layers: bool) -> None:
        self._drawings = PageDrawings()
        self._page = page
        self._may_have_layers = may_have_layers
        self._clip: Box | None = None  # of the form that is read
        self._is_blended = False  # whether that form is
        self.order = PaintOrder()
        self._areas: list[tuple[Box, Colour | None]] = []  # None for what has many colours
        self._without_ink: list[tuple[int, Box]] = []
        self._edges = [ctypes.c_float() for _ in range(4)]
        self._edge_references = [ctypes.byref(edge) for edge in self._edges]
        self._colours: dict[tuple[int, ...], Colour] = {}
        self._fades_on_white: dict[Colour, bool] = {}  # whether an empty page makes it unreadable
        self._channels = [ctypes.c_uint() for _ in range(4)]
        self._channel_references = [ctypes.byref(channel) for channel in self._channels]

    def read_objects(
        self, get: Callable[[Any, int], Any], owner: Any, count: int, matrix: Matrix, depth: int
    ) -> None:
        """Follow the objects of a page or of a form. Most of them are text, and most text is plain
        to see.
        """
        kind_of = raw.FPDFPageObj_GetType
        bounds_of = raw.FPDFPageObj_GetBounds
        mode_of = raw.FPDFTextObj_GetTextRenderMode
        references = self._edge_references
        page = self._page
        least = _SMALLEST_TEXT
        left_edge, bottom_edge, right_edge, top_edge = self._edges
        for place in range(count):
            one = get(owner, place)
            kind = kind_of(one)
            if kind != _TEXT:
                self._read_other(one, kind, matrix, depth)
                continue
            if not bounds_of(one, *references):
                continue
            left = left_edge.value
            bottom = bottom_edge.value
            right = right_edge.value
            top = top_edge.value
            if matrix is not _PAGE:
                left, bottom, right, top = matrix.box(Box(left, bottom, right, top))
            inside = (
                page.left <= right
                and left <= page.right
                and page.bottom <= top
                and bottom <= page.top
            )
            large = top - bottom >= least and right - left >= least
            mode = mode_of(one)
            box = Box(left, bottom, right, top)
            self.order.add_text(one, box, self._find_reason(one, box, matrix, depth))
            if inside and large and not mode:
                plain = not self._blends_in(one, left, bottom, right, top, mode)
                if plain:
                    continue
            self._check_hidden(one, box, mode, matrix, inside=inside)

    def _find_reason(self, one: Any, box: Box, matrix: Matrix, depth: int) -> str:
        """What may hide a text besides what is painted later; empty for nothing."""
        clip = self._clip_of(one, matrix)
        for outer in (clip, self._clip):
            if outer is not None and not is_within(box, outer):
                return CLIPPED
        if self._is_blended or raw.FPDFPageObj_HasTransparency(one):
            return MASKED
        is_in_layer = bool(depth)
        marks = raw.FPDFPageObj_CountMarks(one)
        if marks > 0:
            is_in_layer = self._read_marks(one, box, min(marks, _MOST_MARKS)) or is_in_layer
        return OTHER_LAYER if is_in_layer and self._may_have_layers else ""

    def _read_marks(self, one: Any, box: Box, count: int) -> bool:
        """Whether a text belongs to content that may be switched off. What it is said to say is
        remembered.
        """
        name = (ctypes.c_ushort * 3)()
        size = ctypes.c_ulong()
        is_in_layer = False
        for place in range(count):
            mark = raw.FPDFPageObj_GetMark(one, place)
            raw.FPDFPageObjMark_GetName(mark, name, ctypes.sizeof(name), ctypes.byref(size))
            if size.value == len(_LAYER_MARK) and bytes(name) == _LAYER_MARK:
                is_in_layer = True
            said = read_actual_text(mark)
            if said is not None:
                self._drawings.said.append(SaidText(one, mark, said, box))
        return is_in_layer

    def _clip_of(self, one: Any, matrix: Matrix) -> Box | None:
        """The box that an object is clipped to; None where it is not."""
        clip = raw.FPDFPageObj_GetClipPath(one)
        count = raw.FPDFClipPath_CountPaths(clip) if clip else 0
        if count <= 0:
            return None
        shared = Box(-1e9, -1e9, 1e9, 1e9)
        for path in range(min(count, _MOST_CLIPS)):
            shared = intersect(shared, self._box_of_path(clip, path))
        if matrix is _PAGE:
            return shared
        return matrix.box(shared)

    def _box_of_path(self, clip: Any, path: int) -> Box:
        """The box around one path of a clip; an empty path has an empty one."""
        x, y, *_ = self._edges
        xs: list[float] = []
        ys: list[float] = []
        count = min(raw.FPDFClipPath_CountPathSegments(clip, path), _MOST_SEGMENTS)
        for place in range(count):
            segment = raw.FPDFClipPath_GetPathSegment(clip, path, place)
            if raw.FPDFPathSegment_GetPoint(segment, *self._edge_references[:2]):
                xs.append(x.value)
                ys.append(y.value)
        if not xs:
            return Box(0, 0, 0, 0)
        return Box(min(xs), min(ys), max(xs), max(ys))

    def _read_other(self, one: Any, kind: int, matrix: Matrix, depth: int) -> None:
        """An object that is not text: a path, a form with objects in it, an image."""
        if kind == raw.FPDF_PAGEOBJ_PATH:
            self._read_path(one, matrix)
            return
        if kind == raw.FPDF_PAGEOBJ_FORM:
            if depth < _DEEPEST:
                count = raw.FPDFFormObj_CountObjects(one)
                inner = _matrix_of(one).within(matrix)
                around = self._clip
                was_blended = self._is_blended
                self._is_blended = was_blended or bool(raw.FPDFPageObj_HasTransparency(one))
                clip = self._clip_of(one, matrix)
                if clip is not None:
                    self._clip = clip if around is None else intersect(around, clip)
                self.read_objects(
                    raw.FPDFFormObj_GetObject,
                    owner=one,
                    count=count,
                    matrix=inner,
                    depth=depth + 1,
                )
                self._clip = around
                self._is_blended = was_blended
            return
        box = self._bounds_of(one, matrix)
        if box is not None:
            if kind == raw.FPDF_PAGEOBJ_IMAGE:
                self._drawings.images.append(box)
            self._add_area(box, None)
            self.order.add_area(box, is_picture=True)

    def finish(self) -> PageDrawings:
        """What was found, once all objects have been seen."""
        drawings = self._drawings
        for address, box in self._without_ink:
            x, y = box.centre
            is_on_image = any(image.holds(x, y) for image in drawings.images)
            if not is_on_image:
                drawings.hidden[address] = NO_INK
        return drawings

    def _check_hidden(self, one: Any, box: Box, mode: int, matrix: Matrix, *, inside: bool) -> None:
        """Text that may well be hidden: find out why, if it is."""
        address = ctypes.addressof(one.contents)
        hidden = self._drawings.hidden
        is_small = min(box.width, box.height) < _SMALLEST_TEXT
        if not inside:
            hidden[address] = OFF_PAGE
        elif is_small and self._is_tiny(one, matrix):
            hidden[address] = TINY
        elif mode in _WITHOUT_INK:
            self._without_ink.append((address, box))
        elif self._blends_in(one, *box, mode):
            hidden[address] = SAME_COLOUR

    def _is_tiny(self, one: Any, matrix: Matrix) -> bool:
        """A full stop is small, too; what counts is the size of its font."""
        size = ctypes.c_float()
        if not raw.FPDFTextObj_GetFontSize(one, ctypes.byref(size)):
            return False
        on_page = _matrix_of(one).within(matrix)
        size_on_page = abs(size.value) * on_page.scale
        return bool(size_on_page < _SMALLEST_TEXT)

    def _blends_in(
        self, one: Any, left: float, bottom: float, right: float, top: float, mode: int
    ) -> bool:
        """Whether text has the colour of what is painted below it."""
        colour = self._colour_of(one, stroked=mode in _STROKED)
        if colour is None:
            return False
        x = (left + right) / 2
        y = (bottom + top) / 2
        for area, background in reversed(self._areas):
            if area.left <= x <= area.right and area.bottom <= y <= area.top:
                return background is not None and alike(colour, background)
        return self._fades_on_white[colour]

    def _read_path(self, one: Any, matrix: Matrix) -> None:
        """A path: a line, a frame of lines, an area, or both."""
        box = self._bounds_of(one, matrix)
        if box is None:
            return
        if min(box.width, box.height) <= _THIN:
            self._add_rule(box)
            self.order.add_area(box, is_picture=False)
            return
        fill = ctypes.c_int()
        stroke = ctypes.c_int()
        if not raw.FPDFPath_GetDrawMode(one, ctypes.byref(fill), ctypes.byref(stroke)):
            return
        if stroke.value:
            for rule in _straight_parts(one, matrix):
                self._add_rule(rule)
            width = ctypes.c_float()
            if raw.FPDFPageObj_GetStrokeWidth(one, ctypes.byref(width)) and width.value > _BROAD:
                self.order.add_area(box, is_picture=False)
        if fill.value:
            colour = self._colour_of(one, stroked=False)
            if colour and colour.alpha > _OPAQUE:
                self._add_area(box, colour)
                self.order.add_area(box, is_picture=False)

    def _add_rule(self, box: Box) -> None:
        """Remember a line, if it is long enough to be one of a table."""
        rules = self._drawings.rules
        length = max(box.width, box.height)
        if length < _SHORTEST_RULE:
            return
        if len(rules) < _MOST_RULES:
            rules.append(box)

    def _add_area(self, box: Box, colour: Colour | None) -> None:
        """Remember what text that comes later may stand on."""
        if len(self._areas) < _MOST_AREAS:
            self._areas.append((box, colour))

    def _bounds_of(self, one: Any, matrix: Matrix) -> Box | None:
        """The place of an object on the page; None where it has none."""
        if not raw.FPDFPageObj_GetBounds(one, *self._edge_references):
            return None
        left, bottom, right, top = self._edges
        box = Box(left.value, bottom.value, right.value, top.value)
        if matrix is _PAGE:
            return box
        return matrix.box(box)

    def _colour_of(self, one: Any, *, stroked: bool) -> Colour | None:
        """The colour of an object's outline or of its inside; None where it has none."""
        ask = raw.FPDFPageObj_GetFillColor
        if stroked:
            ask = raw.FPDFPageObj_GetStrokeColor
        if not ask(one, *self._channel_references):
            return None
        red, green, blue, alpha = self._channels
        key = (red.value, green.value, blue.value, alpha.value)
        colour = self._colours.get(key)
        if colour is None:
            colour = self._colours[key] = Colour(key[0], key[1], key[2], key[3] / 255)
            self._fades_on_white[colour] = alike(colour, WHITE)
        return colour


def _matrix_of(one: Any) -> Matrix:
    """How the space of an object lies in that of what it belongs to."""
    found = raw.FS_MATRIX()
    if not raw.FPDFPageObj_GetMatrix(one, ctypes.byref(found)):
        return _PAGE
    return Matrix(found.a, found.b, found.c, found.d, found.e, found.f)


def _straight_parts(path: Any, matrix: Matrix) -> Iterator[Box]:
    """The level and upright lines of a path, such as the sides of a box."""
    whole = _matrix_of(path).within(matrix)
    x = ctypes.c_float()
    y = ctypes.c_float()
    start = before = (0.0, 0.0)
    count = min(raw.FPDFPath_CountSegments(path), _MOST_SEGMENTS)
    for place in range(count):
        segment = raw.FPDFPath_GetPathSegment(path, place)
        if not raw.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y)):
            continue
        here = whole.point(x.value, y.value)
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            start = here
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield from _rule_between(before, here)
        before = here
        if raw.FPDFPathSegment_GetClose(segment):
            yield from _rule_between(here, start)


def _rule_between(one: tuple[float, float], other: tuple[float, float]) -> Iterator[Box]:
    """The line from one point to another, if it is level or upright."""
    left, right = sorted((one[0], other[0]))
    bottom, top = sorted((one[1], other[1]))
    if right - left < 1 or top - bottom < 1:
        yield Box(left, bottom, right, top)
