"""Bytes and a Content-Type header -> text, whatever the page says about itself. Never raises.

Belief goes: byte order mark, HTTP header, `<meta>`, XML declaration, strict UTF-8, UTF-16 without a
mark, a detector, windows-1252. Two things outrank a label. Bytes that are valid UTF-8 and not plain
ASCII are UTF-8 whatever single-byte encoding was declared, because nothing else is valid UTF-8 by
chance; and a label that the bytes contradict is passed over. An encoding that the web forbids
("replacement") decodes to nothing: the caller sees its name and no text.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cached_property

import webencodings

from webquarry.read.encoding.guess import guess_encoding, likelier
from webquarry.read.encoding.labels import Label, claims, find_bom

_WIDE_SAMPLE = 4096
_PIECE = 16_384  # bytes
_NULS = 0.3  # share of NULs in every other place that tells UTF-16 from anything else
_NEC_ROWS = "webquarry-nec-rows"
_MULTI_BYTE = frozenset({"shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr"})
_SHIFTS = re.compile(rb"\x1b\$[@B]")  # how ISO-2022-JP leaves ASCII, using nothing but ASCII bytes
_MOST_DAMAGE = (
    0.1  # of the characters beyond ASCII; a label that leaves more unreadable is not believed
)


@dataclass(frozen=True)
class DecodedText:
    """A page as text, the WHATWG name of its encoding, and what gave the encoding away.

    A page that is UTF-8 is only decoded when somebody asks for its text: the parser wants the
    bytes.
    """

    decoded: str | None = field(repr=False)
    encoding: str
    source: str  # bom, header, meta, xml, utf-8, utf-16, detected or fallback
    utf8: bytes | None = field(default=None, repr=False)  # the page, where it is this text in UTF-8

    @cached_property
    def text(self) -> str:
        """The text."""
        if self.decoded is not None:
            return self.decoded
        return (self.utf8 or b"").decode("utf-8")

    @property
    def page(self) -> str | bytes:
        """What the HTML parser wants: the bytes where they are UTF-8, else the text."""
        if self.utf8 is None:
            return self.text
        return self.utf8

    def beginning(self, size: int) -> str:
        """The first characters."""
        if self.decoded is None and self.utf8 is not None:
            return self.utf8[: 4 * size].decode("utf-8", "ignore")[:size]
        return self.text[:size]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecodedText):
            return NotImplemented
        return (self.text, self.encoding, self.source) == (other.text, other.encoding, other.source)

    __hash__ = None  # type: ignore[assignment]


def decode(body: bytes, content_type_header: str) -> DecodedText:
    """Decode a page; what cannot be decoded becomes U+FFFD, and the text can always be encoded as
    UTF-8.
    """
    bom = find_bom(body)
    if bom:
        return DecodedText(_decode(body[bom[1] :], bom[0]), bom[0], "bom")
    labels = claims(body, content_type_header)
    if labels and labels[0].encoding == "replacement":
        return DecodedText("", "replacement", labels[0].source)
    wide = _wide_encoding(body, labels)
    if wide:
        return DecodedText(_decode(body, wide.encoding), wide.encoding, wide.source)
    labels = [label for label in labels if not label.encoding.startswith("utf-16")]
    if not labels and _SHIFTS.search(body) and body.isascii():
        labels = [Label("iso-2022-jp", "detected")]
    return _decode_utf8(body, labels) or _decode_legacy(body, labels)


def _wide_encoding(body: bytes, labels: list[Label]) -> Label | None:
    """UTF-16 without a mark: every other byte of ASCII is NUL, or the header says so and the bytes
    are not UTF-8.
    """
    sample = body[:_WIDE_SAMPLE]
    half = max(1, len(sample) // 2)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    claim = next((label for label in labels if label.encoding.startswith("utf-16")), None)
    source = claim.source if claim else "utf-16"
    if max(even, odd) > _NULS and min(even, odd) < _NULS / 4:
        return Label("utf-16be" if even > odd else "utf-16le", source)
    if claim is None or _is_utf8(body):
        return None
    if even == odd:
        return claim
    return Label("utf-16be" if even > odd else "utf-16le", source)


def _decode_utf8(body: bytes, labels: list[Label]) -> DecodedText | None:
    """The page as UTF-8, if that is what it is; None leaves it to the older encodings."""
    first = labels[0] if labels else Label("utf-8", "utf-8")
    source = next((label.source for label in labels if label.encoding == "utf-8"), None)
    if body.isascii():
        if first.encoding == "iso-2022-jp":
            return None
        return DecodedText(None, first.encoding, first.source, body)
    if (
        source is None
        and first.encoding in _MULTI_BYTE
        and _damage(_decode(body, first.encoding)) == 0
    ):
        return None
    if _is_utf8(body):
        return DecodedText(None, "utf-8", source or "utf-8", body)
    if _is_damaged_utf8(body, labels):
        return DecodedText(body.decode("utf-8", "replace"), "utf-8", source or "utf-8")
    return None


def _decode_legacy(body: bytes, labels: list[Label]) -> DecodedText:
    """The page in the first declared encoding that fits it, else in the one it looks like."""
    candidates = [label for label in labels if label.encoding not in {"utf-8", "replacement"}]
    fitting = [label for label in candidates if _fits(body, label.encoding)]
    if fitting:
        label = _arbitrate(body, fitting)
        return DecodedText(_decode(body, label.encoding), label.encoding, label.source)
    guessed = guess_encoding(body)
    if guessed:
        return DecodedText(_decode(body, guessed), guessed, "detected")
    return DecodedText(_decode(body, "windows-1252"), "windows-1252", "fallback")


def _arbitrate(body: bytes, fitting: list[Label]) -> Label:
    """The first label, unless it is what servers add to every page unasked and another one suits
    the words better.
    """
    first, other = fitting[0], fitting[-1]
    if first.encoding != "windows-1252" or other.encoding == first.encoding:
        return first
    if likelier(body, first.encoding, other.encoding) == other.encoding:
        return other
    return first


def _is_damaged_utf8(body: bytes, labels: list[Label]) -> bool:
    """Whether characters that are whole outnumber the broken ones; by far, if another encoding was
    declared.
    """
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = _beyond_ascii(text) - broken
    declared_otherwise = labels and all(label.encoding != "utf-8" for label in labels)
    return whole >= max(1, broken * (10 if declared_otherwise else 1))


def _fits(body: bytes, encoding: str) -> bool:
    return encoding not in _MULTI_BYTE or _damage(_decode(body, encoding)) <= _MOST_DAMAGE


def _damage(text: str) -> float:
    """The share of characters beyond ASCII that could not be read."""
    return text.count("\ufffd") / max(1, _beyond_ascii(text))


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _is_utf8(body: bytes) -> bool:
    """Whether bytes are UTF-8 to the last; looked at in pieces, which takes no memory."""
    view = memoryview(body)
    place = 0
    try:
        while place < len(body):
            place += codecs.utf_8_decode(
                view[place : place + _PIECE], "strict", place + _PIECE >= len(body)
            )[1]
    except UnicodeDecodeError:
        return False
    return True


def _decode(body: bytes, encoding: str) -> str:
    if encoding == "gbk":  # the standard reads it with the wider table
        encoding = "gb18030"
    errors = _NEC_ROWS if encoding == "euc-jp" else "replace"
    return str(webencodings.lookup(encoding).codec_info.decode(body, errors)[0])


def _read_nec_rows(error: UnicodeError) -> tuple[str, int]:
    """EUC-JP on the web holds the circled digits and Roman numerals of Shift_JIS, which Python's
    codec lacks.
    """
    assert isinstance(error, UnicodeDecodeError)
    pair = error.object[error.start : error.start + 2]
    if len(pair) < 2 or min(pair) < 0xA1 or max(pair) > 0xFE:
        return "\ufffd", error.end
    row, cell = pair[0] - 0xA1, pair[1] - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    if row % 2:
        trail = cell + 0x9F
    else:
        trail = cell + 0x40 + (cell >= 0x3F)
    return bytes((lead, trail)).decode("cp932", "replace")[:1], error.start + 2


codecs.register_error(_NEC_ROWS, _read_nec_rows)
