"""Text that may be painted over, clipped away or in a layer that is off -> whether any of it shows.

What might hide a text is cheap to find by the order and the places of the objects. Whether it does
is told by the library itself: the page is painted once as it is and once without those texts. Where
no dot changes, nobody sees them. So a highlight, a clip that is wider than its text and a layer
that is on leave their texts alone.

Text under a picture is often what a scanner read off it, and stays unless the picture is empty
there.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from pypdfium2 import raw

from webquarry._read.documents.pdf.pdfium import Box

COVERED = "covered text"
CLIPPED = "clipped text"
OTHER_LAYER = "layer that is off"
MASKED = "masked text"

_BAND = 16.0  # points; areas are looked up by the bands of the page that they reach into
_MOST_BANDS = 400  # that one area is put into
_MOST_LOOKED_AT = 64  # areas for one text; with more, it is painted to find out
_LEAST_OVERLAP = 0.15  # of the length of a text
_MOST_TWINS = 8
_DOTS = 2.0  # for a point
_MOST_DOTS = 2_000  # along one side of the page
_MOST_NOTES = 500
_COVERING_NOTES = frozenset(
    {
        raw.FPDF_ANNOT_SQUARE,
        raw.FPDF_ANNOT_CIRCLE,
        raw.FPDF_ANNOT_POLYGON,
        raw.FPDF_ANNOT_STAMP,
        raw.FPDF_ANNOT_FREETEXT,
        raw.FPDF_ANNOT_INK,
        raw.FPDF_ANNOT_REDACT,
    }
)
_NO_WORD = 0.5  # points; narrower than any letter


class PaintedText(NamedTuple):
    """A text object: which, when and where it was painted, and what may hide it."""

    handle: Any
    address: int
    order: int
    box: Box
    reason: str = ""
    is_on_picture: bool = False


class _PaintedArea(NamedTuple):
    """Something painted that covers what is below it."""

    order: int
    box: Box
    is_picture: bool


class PaintOrder:
    """What was painted on a page, in order."""

    def __init__(self) -> None:
        self._count = 0
        self._texts: list[PaintedText] = []
        self._bands: dict[int, list[_PaintedArea]] = defaultdict(list)
        self._everywhere: list[_PaintedArea] = []  # areas of more bands than are counted
        self._places: dict[tuple[int, ...], list[PaintedText]] = defaultdict(list)

    def add_text(self, handle: Any, box: Box, reason: str) -> None:
        """A text; `reason` is what may hide it whatever is painted later, or empty."""
        self._count += 1
        address = ctypes.addressof(handle.contents)
        self._texts.append(PaintedText(handle, address, self._count, box, reason))

    def add_area(self, box: Box, *, is_picture: bool) -> None:
        """An area that is not transparent."""
        self._count += 1
        area = _PaintedArea(self._count, box, is_picture)
        first, last = int(box.bottom // _BAND), int(box.top // _BAND)
        if last - first > _MOST_BANDS:
            self._everywhere.append(area)
            return
        for band in range(first, last + 1):
            self._bands[band].append(area)

    def find_suspects(self) -> list[PaintedText]:
        """The texts that something may hide."""
        if not self._bands and not self._everywhere:
            return [text for text in self._texts if text.reason]
        suspects = []
        for text in self._texts:
            cover = self._find_cover(text)
            if cover is not None:
                suspects.append(
                    text._replace(reason=text.reason or COVERED, is_on_picture=cover.is_picture)
                )
            elif text.reason:
                suspects.append(text)
        return suspects

    def find_twins(self, text: PaintedText) -> list[PaintedText]:
        """Texts that were painted later in the same place, and that nothing hides."""
        if not self._places:
            for one in self._texts:
                self._places[_round_box(one.box)].append(one)
        twins = self._places[_round_box(text.box)][-_MOST_TWINS:]
        return [
            twin
            for twin in twins
            if twin.order > text.order and not twin.reason and self._find_cover(twin) is None
        ]

    def _find_cover(self, text: PaintedText) -> _PaintedArea | None:
        """What was painted over a text later; a picture only where nothing else was."""
        band = int((text.box.bottom + text.box.top) / 2 // _BAND)
        picture = None
        for areas in (self._bands.get(band, ()), self._everywhere):
            for looked_at, area in enumerate(reversed(areas)):
                if area.order < text.order:
                    break
                if looked_at >= _MOST_LOOKED_AT or _overlaps(text.box, area.box):
                    if not area.is_picture:
                        return area
                    picture = picture or area
        return picture


def _round_box(box: Box) -> tuple[int, ...]:
    return tuple(round(edge) for edge in box)


def _overlaps(text: Box, area: Box) -> bool:
    """Whether an area lies on a good part of a line of text."""
    middle = (text.bottom + text.top) / 2
    if not area.bottom <= middle <= area.top:
        return False
    shared = min(text.right, area.right) - max(text.left, area.left)
    return shared > max(_NO_WORD, _LEAST_OVERLAP * text.width)


class Painting:
    """A page as it is and without some of its texts, in dots of grey."""

    def __init__(self, page: Any, box: Box, texts: Iterable[PaintedText]) -> None:
        longest = max(box.width, box.height)
        self._scale = min(_DOTS, _MOST_DOTS / longest)
        self._page = box
        self._width = max(1, round(box.width * self._scale))
        self._height = max(1, round(box.height * self._scale))
        self._with = self._paint(page)
        handles = [text.handle for text in texts]
        for handle in handles:
            raw.FPDFPageObj_SetIsActive(handle, False)
        self._without = self._paint(page)
        for handle in handles:
            raw.FPDFPageObj_SetIsActive(handle, True)

    def shows(self, box: Box) -> bool:
        """Whether the texts that were left out changed a dot in a box."""
        for start, stop in self._rows(box):
            if self._with[start:stop] != self._without[start:stop]:
                return True
        return False

    def is_empty(self, box: Box) -> bool:
        """Whether a box has one colour."""
        colours: set[int] = set()
        for start, stop in self._rows(box):
            colours.update(self._with[start:stop])
        return not colours or max(colours) - min(colours) < 8

    def _rows(self, box: Box) -> Sequence[tuple[int, int]]:
        """Where the dots of a box begin and end, row by row."""
        left = max(0, int((box.left - self._page.left) * self._scale))
        right = min(self._width, int((box.right - self._page.left) * self._scale) + 1)
        top = max(0, int((self._page.top - box.top) * self._scale))
        bottom = min(self._height, int((self._page.top - box.bottom) * self._scale) + 1)
        if left >= right:
            return ()
        rows = range(top, bottom)
        return [(row * self._width + left, row * self._width + right) for row in rows]

    def _paint(self, page: Any) -> bytes:
        """The page in dots, with its annotations."""
        dots = bytearray(b"\xff" * (self._width * self._height))
        buffer = (ctypes.c_ubyte * len(dots)).from_buffer(dots)
        bitmap = raw.FPDFBitmap_CreateEx(
            self._width, self._height, raw.FPDFBitmap_Gray, buffer, self._width
        )
        flags = raw.FPDF_ANNOT | raw.FPDF_GRAYSCALE
        raw.FPDF_RenderPageBitmap(bitmap, page, 0, 0, self._width, self._height, 0, flags)
        raw.FPDFBitmap_Destroy(bitmap)
        del buffer
        return bytes(dots)


def find_notes(page: Any) -> Iterator[Box]:
    """Where annotations are painted over the page."""
    found = raw.FS_RECTF()
    count = min(raw.FPDFPage_GetAnnotCount(page), _MOST_NOTES)
    for place in range(count):
        note = raw.FPDFPage_GetAnnot(page, place)
        if not note:
            continue
        kind = raw.FPDFAnnot_GetSubtype(note)
        if kind in _COVERING_NOTES and raw.FPDFAnnot_GetRect(note, ctypes.byref(found)):
            left, right = sorted((found.left, found.right))
            bottom, top = sorted((found.bottom, found.top))
            yield Box(left, bottom, right, top)
        raw.FPDFPage_CloseAnnot(note)


def is_within(box: Box, outer: Box) -> bool:
    """Whether a text is all in a box, but for what reaches a little over its edges."""
    edge = max(1.0, 0.3 * box.height)
    return (
        outer.left - edge <= box.left
        and box.right <= outer.right + edge
        and outer.bottom - edge <= box.bottom
        and box.top <= outer.top + edge
    )


def intersect(one: Box, other: Box) -> Box:
    """What two boxes share; a box without width or height where they share nothing."""
    left = max(one.left, other.left)
    bottom = max(one.bottom, other.bottom)
    right = max(left, min(one.right, other.right))
    return Box(left, bottom, right, max(bottom, min(one.top, other.top)))
