"""PDFium as the other modules of this folder see it: a file comes in, pages with their characters
go out.

Everything that speaks to the library is here and in `drawings.py`. Calls go straight to its C
functions: a helper object for each question would cost more than the answer. Indices count
characters of the page, as the library does.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from webquarry._read.documents.models import Refusal

OTHER_WORDS = "other words than drawn"

_LONGEST_FONT_NAME = 128
_MOST_PAINTINGS = 200  # pages of a file that are painted to find out what is seen
_MOST_BOOKMARKS = 5_000
_DEEPEST_BOOKMARK = 8
_DAMAGED = "is damaged: it begins like a PDF file, but none can be made out"
_REFUSALS = {
    raw.FPDF_ERR_PASSWORD: "is protected by a password",
    raw.FPDF_ERR_SECURITY: "is encrypted in a way that cannot be read",
}
_BOLD = re.compile(r"(?i)bold|black|heavy|semibold|demi(?!ta)|CMBX|CMSSBX|-Medi|SFBX|\.B\b|,B\b")
_MONO = re.compile(
    r"(?i)mono|courier|consol|menlo|typewriter|CMTT|SFTT|fixed|inconsolata|source ?code"
    r"|fira ?code|Cour\b|NimbusMon|letter ?gothic|andale|SLTT"
)
_FIXED_PITCH = 1  # a flag of the font


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
        """The point in its middle."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    def holds(self, x: float, y: float) -> bool:
        """Whether a point is in the rectangle."""
        return self.left <= x <= self.right and self.bottom <= y <= self.top


_EVERYWHERE = Box(-1e9, -1e9, 1e9, 1e9)  # for a page that gives itself no size


class Font(NamedTuple):
    bold: bool
    mono: bool


class Bookmark(NamedTuple):
    """One entry of the outline."""

    title: str
    level: int  # from 0
    page: int | None  # from 0


class SaidText(NamedTuple):
    """A text that the file gives for something drawn, by a mark of the object that draws it."""

    handle: Any
    mark: Any
    text: str
    box: Box

    @property
    def fits(self) -> bool:
        """Whether it is no longer than what could be written in the place of the drawing."""
        return len(self.text) <= 4 + 4 * self.box.width / max(1.0, self.box.height)


class PdfFile:
    """An open file."""

    def __init__(self, body: bytes) -> None:
        # Layers stand in the catalogue, which may be in a stream of objects that are compressed.
        self.may_have_layers = b"/OCProperties" in body or b"/ObjStm" in body
        self._paintings_left = _MOST_PAINTINGS
        try:
            self._file: Any = pdfium.PdfDocument(body)
        except pdfium.PdfiumError as error:
            reason = _REFUSALS.get(getattr(error, "err_code", None), _DAMAGED)
            raise Refusal(reason) from error

    def close(self) -> None:
        """Close the file and all that was opened of it."""
        self._file.close()

    @property
    def page_count(self) -> int:
        """How many pages it has."""
        return max(0, len(self._file))

    def get_metadata(self, key: str) -> str:
        """What the file says about itself under this key: Title, Author, CreationDate, ModDate."""
        try:
            text: str = self._file.get_metadata_value(key)
        except UnicodeDecodeError:
            return ""
        return text

    def read_outline(self) -> list[Bookmark]:
        """The bookmarks in order, a bounded number of them; those in front of a broken one."""
        found: list[Bookmark] = []
        with suppress(pdfium.PdfiumError, ValueError, RecursionError):
            for entry in self._file.get_toc(max_depth=_DEEPEST_BOOKMARK):
                destination = entry.get_dest()
                title = entry.get_title()
                page: int | None = None
                if destination:
                    page = destination.get_index()
                found.append(Bookmark(title, entry.level, page))
                if len(found) >= _MOST_BOOKMARKS:
                    break
        return found

    @contextmanager
    def page(self, index: int) -> Iterator[PageText | None]:
        """One page, with its text read; None for a page that is broken."""
        try:
            page = self._file.get_page(index)
        except pdfium.PdfiumError:
            yield None
            return
        try:
            page.set_rotation(0)  # the text of a turned page is read as if it were not
            text = page.get_textpage()
            whole = Box(*page.get_bbox())
        except pdfium.PdfiumError:
            page.close()  # and what was opened of it
            yield None
            return
        read = PageText(page.raw, text.raw, whole, self)
        try:
            yield read
        finally:
            read.close()
            text.close()
            page.close()

    @property
    def handle(self) -> Any:
        """The file as the library knows it."""
        return self._file.raw

    def take_painting(self) -> bool:
        """Whether a further page may be painted to find out what is seen of it."""
        self._paintings_left -= 1
        return self._paintings_left >= 0


class PageText:
    """The characters of one page."""

    def __init__(self, page: Any, text: Any, box: Box, file: PdfFile) -> None:
        self.handle = page
        self._text = text
        self._drawn_text: Any = None  # where the text is not what the file says that it is
        self.box = box
        self.may_have_layers = file.may_have_layers  # parts of it may be switched off
        self.take_painting = file.take_painting
        self._file_handle = file.handle
        self.has_size = min(box.width, box.height) > 1
        if not self.has_size:
            self.box = _EVERYWHERE
        self._rectangle = raw.FS_RECTF()
        self._rectangle_reference = ctypes.byref(self._rectangle)
        self._matrix = raw.FS_MATRIX()
        self._matrix_reference = ctypes.byref(self._matrix)
        self._x = ctypes.c_double()
        self._y = ctypes.c_double()
        self._x_reference = ctypes.byref(self._x)
        self._y_reference = ctypes.byref(self._y)
        self._font_name = ctypes.create_string_buffer(_LONGEST_FONT_NAME)
        self._font_flags = ctypes.c_int()
        self._font_flags_reference = ctypes.byref(self._font_flags)
        self._fonts: dict[tuple[bytes, int], Font] = {}
        self._read()

    def _read(self) -> None:
        self.count: int = max(0, raw.FPDFText_CountChars(self._text))
        self.text = self._read_text()
        self._shifted = len(self.text) != self.count  # some characters are in one of the two only

    def close(self) -> None:
        """Close what was opened besides the page and its text."""
        if self._drawn_text is not None:
            raw.FPDFText_ClosePage(self._drawn_text)

    def prefer_drawn(self, said: Sequence[SaidText], removed: Counter[str]) -> None:
        """Read the page by what is drawn, not by what the file says that it is (`ActualText`),
        unless nothing can be read off what is drawn.
        """
        if not said or self._drawn_text is not None:
            return
        for one in said:
            raw.FPDFPageObj_RemoveMark(one.handle, one.mark)
        drawn = raw.FPDFText_LoadPage(self.handle)
        needed = [
            one for one in said if one.fits and not _has_words(_text_drawn(one.handle, drawn))
        ]
        told = _letters_of("".join(one.text for one in said))
        read = _letters_of("".join(_text_drawn(one.handle, drawn) for one in said))
        for one in needed:
            mark = raw.FPDFPageObj_AddMark(one.handle, b"Span")
            data = one.text.encode("utf-8", "replace")
            raw.FPDFPageObjMark_SetStringParam(
                self._file_handle, one.handle, mark, b"ActualText", data
            )
        if needed:
            raw.FPDFText_ClosePage(drawn)
            drawn = raw.FPDFText_LoadPage(self.handle)
        elif told != read:
            removed[OTHER_WORDS] += 1
        self._drawn_text = self._text = drawn
        self._read()

    def index_of(self, place: int) -> int:
        """The character at a place of `text`."""
        if not self._shifted:
            return place
        found: int = raw.FPDFText_GetCharIndexFromTextIndex(self._text, place)
        if found >= 0:
            return found
        return min(place, self.count - 1)

    def box_of(self, index: int) -> tuple[float, float, float, float]:
        """The place of a character, as high as its font: left, bottom, right, top."""
        if not raw.FPDFText_GetLooseCharBox(self._text, index, self._rectangle_reference):
            return (0.0, 0.0, 0.0, 0.0)
        found = self._rectangle
        return found.left, found.bottom, found.right, found.top

    def size_of(self, index: int) -> float:
        """How large the font of a character is on the page: by its size and its scale."""
        size: float = raw.FPDFText_GetFontSize(self._text, index)
        if not raw.FPDFText_GetMatrix(self._text, index, self._matrix_reference):
            return abs(size)
        matrix = self._matrix
        determinant = matrix.a * matrix.d - matrix.b * matrix.c
        return abs(size) * float(abs(determinant) ** 0.5)

    def origin_of(self, index: int) -> tuple[float, float]:
        """Where a character stands on its line."""
        raw.FPDFText_GetCharOrigin(self._text, index, self._x_reference, self._y_reference)
        return self._x.value, self._y.value

    def angle_of(self, index: int) -> float:
        """How far a character is turned, in radians, counter-clockwise."""
        angle: float = raw.FPDFText_GetCharAngle(self._text, index)
        return angle

    def font_of(self, index: int) -> Font:
        """What the font of a character looks like, by its name and its flags."""
        buffer = self._font_name
        size = raw.FPDFText_GetFontInfo(
            self._text,
            index,
            buffer,
            _LONGEST_FONT_NAME,
            self._font_flags_reference,
        )
        raw_name = b""
        if 0 < size <= _LONGEST_FONT_NAME:
            raw_name = buffer.value
        flags = 0
        if size:
            flags = self._font_flags.value
        font = self._fonts.get((raw_name, flags))
        if font is None:
            name = raw_name.decode("utf-8", "replace")
            bold = bool(_BOLD.search(name))
            mono = bool(flags & _FIXED_PITCH) or bool(_MONO.search(name))
            font = self._fonts[raw_name, flags] = Font(bold, mono)
        return font

    def object_of(self, index: int) -> int:
        """Which object of the page drew a character; 0 for one that the library made up, such as a
        blank.
        """
        found = raw.FPDFText_GetTextObject(self._text, index)
        return ctypes.addressof(found.contents) if found else 0

    def text_of(self, handle: Any) -> str:
        """The characters that an object drew, as the page has them."""
        return _text_drawn(handle, self._text)

    def _read_text(self) -> str:
        """The characters of the page; a pair of surrogates stays two, as the library counts it."""
        if not self.count:
            return ""
        size = 2 * self.count + 2
        buffer = (ctypes.c_ushort * size)()
        written = raw.FPDFText_GetText(self._text, 0, self.count, buffer)
        count = max(0, min(written, size) - 1)
        encoded = bytes(memoryview(buffer).cast("B")[: 2 * count])
        text = encoded.decode("utf-16-le", "surrogatepass")
        if len(text) == count:
            return text
        return "".join(map(chr, buffer[:count]))  # they are joined when the text is written


def read_actual_text(mark: Any) -> str | None:
    """The text that a mark gives for what is drawn; None where it gives none."""
    size = ctypes.c_ulong()
    if not raw.FPDFPageObjMark_GetParamStringValue(
        mark, b"ActualText", None, 0, ctypes.byref(size)
    ):
        return None
    buffer = (ctypes.c_ushort * (size.value // 2 + 1))()
    raw.FPDFPageObjMark_GetParamStringValue(
        mark, b"ActualText", buffer, ctypes.sizeof(buffer), ctypes.byref(size)
    )
    return bytes(buffer).decode("utf-16-le", "replace").partition("\0")[0]


def _text_drawn(handle: Any, text_page: Any) -> str:
    """What the letters of an object say."""
    size = raw.FPDFTextObj_GetText(handle, text_page, None, 0)
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    raw.FPDFTextObj_GetText(handle, text_page, buffer, ctypes.sizeof(buffer))
    return bytes(buffer).decode("utf-16-le", "replace").partition("\0")[0]


def _has_words(text: str) -> bool:
    """Whether a text is one that can be read: not empty, and no signs that mean nothing."""
    bare = "".join(text.split())
    return bool(bare) and bare.isprintable()


def _letters_of(text: str) -> str:
    """A text as it is compared."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))
