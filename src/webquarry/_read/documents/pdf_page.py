"""PDF files and the characters of their pages, through the C functions of PDFium.

Indices count characters of a page as PDFium does.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from webquarry._read.documents.text import Refusal, parse_date
from webquarry._read.models import Dated

_LONGEST_FONT_NAME = 128
_DAMAGED = "is damaged: it has the signature of a PDF file, but cannot be parsed"
_REFUSALS = {
    raw.FPDF_ERR_PASSWORD: "is protected by a password",
    raw.FPDF_ERR_SECURITY: "is encrypted in a way that cannot be read",
}
_BOLD = re.compile(r"(?i)bold|black|heavy|semibold|demi(?!ta)|CMBX|CMSSBX|-Medi|SFBX|\.B\b|,B\b")
_MONO = re.compile(
    r"(?i)mono|courier|consol|menlo|typewriter|CMTT|SFTT|fixed|inconsolata|source ?code"
    r"|fira ?code|Cour\b|NimbusMon|letter ?gothic|andale|SLTT"
)
_FIXED_PITCH = 1  # font flag
_DATE = re.compile(  # D:20240303101500+01'00'
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?"
    r"(?:(Z)|([+-]\d\d)'?(\d\d)?'?)?"
)
_LONGEST_DATE = 100  # characters
# Returns an address; a pointer for each character takes three times as long.
_find_owner = ctypes.cast(
    raw.FPDFText_GetTextObject,
    ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int),
)


class Box(NamedTuple):
    """A rectangle; y grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def centre(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    @property
    def is_wide(self) -> bool:
        return self.width >= self.height

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point is in the rectangle."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top

    @classmethod
    def of_points(cls, points: Sequence[Sequence[float]]) -> Box:
        """Return the least rectangle around points; an empty one for none."""
        if not points:
            return cls(0, 0, 0, 0)
        xs, ys = zip(*points, strict=True)
        return cls(min(xs), min(ys), max(xs), max(ys))

    def around(self, other: Box) -> Box:
        """Return the least rectangle around both."""
        return Box(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))

    def touches(self, other: Box, distance: float = 0) -> bool:
        """Return whether two rectangles are at most this far from each other."""
        return (
            self.left - distance <= other.right
            and other.left - distance <= self.right
            and self.bottom - distance <= other.top
            and other.bottom - distance <= self.top
        )


_EVERYWHERE = Box(-1e9, -1e9, 1e9, 1e9)  # of a page without a size


class Font(NamedTuple):
    bold: bool
    mono: bool


class PdfFile:
    """An open file."""

    def __init__(self, body: bytes) -> None:
        try:
            self._file: Any = pdfium.PdfDocument(body)
        except pdfium.PdfiumError as error:
            reason = _REFUSALS.get(getattr(error, "err_code", None), _DAMAGED)
            raise Refusal(reason) from error

    def close(self) -> None:
        self._file.close()

    @property
    def page_count(self) -> int:
        return max(0, len(self._file))

    def read_date(self, key: str) -> Dated | None:
        """Return a date, as exact as the file gives it; None if it is not valid."""
        value = self.read_metadata(key)[:_LONGEST_DATE].strip()
        found = _DATE.fullmatch(value)
        if found:
            *day, hour, minute, second, utc, zone_hour, zone_minute = found.groups()
            value = "-".join(filter(None, day))
            if minute:
                zone = f"{zone_hour}:{zone_minute or '00'}" if zone_hour else utc or ""
                value += f"T{hour}:{minute}:{second or '00'}{zone}"
        return parse_date(value, f"pdf:{key}")

    def read_metadata(self, key: str) -> str:
        """Return a text of the document information; empty if there is none."""
        try:
            return str(self._file.get_metadata_value(key))
        except UnicodeDecodeError:
            return ""

    @contextmanager
    def page(self, index: int) -> Iterator[PageText | None]:
        """Open one page; None for a broken page."""
        try:
            page = self._file.get_page(index)
            page.set_rotation(0)  # PDFium reads a rotated page in the wrong order
            read = PageText(page.raw, Box(*page.get_bbox()))
        except pdfium.PdfiumError:
            yield None
            return
        try:
            yield read
        finally:
            read.close()
            page.close()


class PageText:
    """One page; its characters are there after `load`."""

    def __init__(self, page: Any, box: Box) -> None:
        self.handle = page
        self._text: Any = None
        self.has_size = min(box.width, box.height) > 1
        self.box = box if self.has_size else _EVERYWHERE
        self._rectangle = raw.FS_RECTF()
        self._matrix = raw.FS_MATRIX()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()
        self._font_name = ctypes.create_string_buffer(_LONGEST_FONT_NAME)
        self._font_flags = ctypes.c_int()
        self._fonts: dict[tuple[bytes, int], Font] = {}

    def load(self) -> None:
        """Load the characters that are drawn."""
        self._text = raw.FPDFText_LoadPage(self.handle)
        self._read()

    def close(self) -> None:
        """Close the characters."""
        if self._text is not None:
            raw.FPDFText_ClosePage(self._text)

    def _read(self) -> None:
        """Read the characters. PDFium counts a surrogate pair as two."""
        self.count: int = max(0, raw.FPDFText_CountChars(self._text))
        size = 2 * self.count + 2
        buffer = (ctypes.c_ushort * size)()
        written = raw.FPDFText_GetText(self._text, 0, self.count, buffer) if self.count else 1
        length = max(0, min(written, size) - 1)
        self.text = bytes(buffer)[: 2 * length].decode("utf-16-le", "surrogatepass")
        if len(self.text) != length:
            self.text = "".join(map(chr, buffer[:length]))
        self._shifted = len(self.text) != self.count  # some characters are in one of the two only

    def index_of(self, position: int) -> int:
        """Return the index of the character at a position of `text`."""
        if not self._shifted:
            return position
        found: int = raw.FPDFText_GetCharIndexFromTextIndex(self._text, position)
        return found if found >= 0 else min(position, self.count - 1)

    def box_of(self, index: int) -> Box:
        """Return the box of a character, as high as its font."""
        found = self._rectangle
        if not raw.FPDFText_GetLooseCharBox(self._text, index, ctypes.byref(found)):
            return Box(0.0, 0.0, 0.0, 0.0)
        return Box(found.left, found.bottom, found.right, found.top)

    def size_of(self, index: int) -> float:
        """Return the font size of a character on the page, in points."""
        size = abs(float(raw.FPDFText_GetFontSize(self._text, index)))
        matrix = self._matrix
        if not raw.FPDFText_GetMatrix(self._text, index, ctypes.byref(matrix)):
            return size
        return size * float(abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5)

    def origin_of(self, index: int) -> tuple[float, float]:
        """Return the point on the baseline at which a character starts."""
        raw.FPDFText_GetCharOrigin(self._text, index, ctypes.byref(self._x), ctypes.byref(self._y))
        return self._x.value, self._y.value

    def angle_of(self, index: int) -> float:
        """Return the rotation of a character in radians, counter-clockwise."""
        return float(raw.FPDFText_GetCharAngle(self._text, index))

    def font_of(self, index: int) -> Font:
        """Return the style of the font of a character, by its name and flags."""
        buffer, flags = self._font_name, self._font_flags
        size = raw.FPDFText_GetFontInfo(
            self._text, index, buffer, _LONGEST_FONT_NAME, ctypes.byref(flags)
        )
        key = (
            buffer.value if 0 < size <= _LONGEST_FONT_NAME else b"",
            flags.value if size else 0,
        )
        if key not in self._fonts:
            name = key[0].decode("utf-8", "replace")
            mono = bool(key[1] & _FIXED_PITCH) or bool(_MONO.search(name))
            self._fonts[key] = Font(bool(_BOLD.search(name)), mono)
        return self._fonts[key]

    @cached_property
    def owners(self) -> list[int]:
        """Addresses of the objects that drew the characters of `text`; 0 for a generated one."""
        handle = ctypes.cast(self._text, ctypes.c_void_p)
        return [_find_owner(handle, self.index_of(place)) for place in range(len(self.text))]
