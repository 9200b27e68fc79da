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

import webencodings

from webquarry._read.encoding.guess import choose_likelier, guess_encoding
from webquarry._read.encoding.labels import Label, find_bom, find_header_label, find_labels
from webquarry._read.text.remember import found_once

try:
    from webquarry._read.encoding._utf8 import is_utf8
except ImportError:  # not built: the same in Python
    from webquarry._read.encoding.utf8 import is_utf8

_WIDE_SAMPLE = 4096
_NULS = 0.3  # share of NULs in every other place that tells UTF-16 from anything else
_NEC_ROWS = "webquarry-nec-rows"
_MULTI_BYTE = frozenset({"shift_jis", "euc-jp", "iso-2022-jp", "gbk", "gb18030", "big5", "euc-kr"})
_ESCAPE = b"\x1b"
_SHIFTS = re.compile(rb"\x1b\$[@B]")  # how ISO-2022-JP leaves ASCII, using nothing but ASCII bytes
# Of the characters beyond ASCII; a label that leaves more unreadable is not believed.
_MOST_DAMAGE = 0.1


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

    @found_once
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
            enough = self.utf8[: 4 * size]  # a character has at most four bytes
            return enough.decode("utf-8", "ignore")[:size]
        return self.text[:size]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DecodedText):
            return NotImplemented
        return (
            self.text == other.text
            and self.encoding == other.encoding
            and self.source == other.source
        )

    __hash__ = None  # type: ignore[assignment]


def decode(body: bytes, content_type_header: str) -> DecodedText:
    """Decode a page; what cannot be decoded becomes U+FFFD, and the text can always be encoded as
    UTF-8.
    """
    bom = find_bom(body)
    if bom:
        encoding, mark_length = bom
        text = _decode(body[mark_length:], encoding)
        return DecodedText(text, encoding, "bom")

    claim = find_header_label(content_type_header)
    is_claimed = claim is not None and claim.encoding == "utf-8"
    is_plain = is_claimed and body.find(0, 0, _WIDE_SAMPLE) < 0
    if claim is not None and is_plain and is_utf8(body):
        # as most: whatever else is said of such a page is not believed
        return DecodedText(None, claim.encoding, claim.source, body)
    labels = find_labels(body, content_type_header)
    if labels and labels[0].encoding == "replacement":
        return DecodedText("", "replacement", labels[0].source)

    utf16 = _find_utf16(body, labels)
    if utf16:
        text = _decode(body, utf16.encoding)
        return DecodedText(text, utf16.encoding, utf16.source)

    labels = [label for label in labels if not label.encoding.startswith("utf-16")]
    if not labels and _ESCAPE in body and _SHIFTS.search(body) and body.isascii():
        labels = [Label("iso-2022-jp", "detected")]
    return _decode_utf8(body, labels) or _decode_legacy(body, labels)


def _find_utf16(body: bytes, labels: list[Label]) -> Label | None:
    """UTF-16 without a mark: every other byte of ASCII is NUL, or the header says so and the bytes
    are not UTF-8.
    """
    sample = body[:_WIDE_SAMPLE]
    even = odd = 0.0
    if 0 in sample:  # as in hardly any
        half = max(1, len(sample) // 2)
        even = sample[0::2].count(0) / half
        odd = sample[1::2].count(0) / half
    order = "utf-16le"
    if even > odd:
        order = "utf-16be"

    claim = None
    source = "utf-16"
    for label in labels:
        if label.encoding.startswith("utf-16"):
            claim = label
            source = label.source
            break

    if max(even, odd) > _NULS and min(even, odd) < _NULS / 4:
        return Label(order, source)
    if claim is None or is_utf8(body):
        return None
    if even == odd:
        return claim
    return Label(order, source)


def _decode_utf8(body: bytes, labels: list[Label]) -> DecodedText | None:
    """The page as UTF-8, if that is what it is; None leaves it to the older encodings."""
    first = Label("utf-8", "utf-8")
    if labels:
        first = labels[0]
    if body.isascii():
        if first.encoding == "iso-2022-jp":
            return None
        return DecodedText(None, first.encoding, first.source, body)

    claims = [label.source for label in labels if label.encoding == "utf-8"]
    source = "utf-8"
    if claims:
        source = claims[0]
    elif first.encoding in _MULTI_BYTE:
        damage = _measure_damage(_decode(body, first.encoding))
        if damage == 0:
            return None

    if is_utf8(body):
        return DecodedText(None, "utf-8", source, body)
    # Damaged UTF-8 has more characters that are whole than broken ones; far more, if another
    # encoding was declared.
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    whole = _count_beyond_ascii(text) - broken
    if labels and not claims:
        broken *= 10
    if whole >= max(1, broken):
        return DecodedText(text, "utf-8", source)
    return None


def _decode_legacy(body: bytes, labels: list[Label]) -> DecodedText:
    """The page in the first declared encoding that fits it, else in the one it looks like."""
    fitting: list[Label] = []
    for label in labels:
        if label.encoding in {"utf-8", "replacement"}:
            continue
        is_single_byte = label.encoding not in _MULTI_BYTE
        if is_single_byte or _measure_damage(_decode(body, label.encoding)) <= _MOST_DAMAGE:
            fitting.append(label)
    if fitting:
        label = fitting[0]
        other = fitting[-1]
        # This one is what servers add to every page unasked; another may suit the words better.
        if label.encoding == "windows-1252" and other.encoding != label.encoding:
            likelier = choose_likelier(body, label.encoding, other.encoding)
            if likelier == other.encoding:
                label = other
        text = _decode(body, label.encoding)
        return DecodedText(text, label.encoding, label.source)

    guess = guess_encoding(body)
    if guess:
        return DecodedText(_decode(body, guess), guess, "detected")
    return DecodedText(_decode(body, "windows-1252"), "windows-1252", "fallback")


def _measure_damage(text: str) -> float:
    """The share of characters beyond ASCII that could not be read."""
    broken = text.count("\ufffd")
    beyond_ascii = _count_beyond_ascii(text)
    return broken / max(1, beyond_ascii)


def _count_beyond_ascii(text: str) -> int:
    """How many characters are not in ASCII."""
    in_ascii = text.encode("ascii", "ignore")
    return len(text) - len(in_ascii)


def _decode(body: bytes, encoding: str) -> str:
    """Bytes in an encoding by its WHATWG name -> text."""
    if encoding == "gbk":  # the standard reads it with the wider table
        encoding = "gb18030"
    errors = "replace"
    if encoding == "euc-jp":
        errors = _NEC_ROWS
    codec = webencodings.lookup(encoding).codec_info
    text, _ = codec.decode(body, errors)
    return str(text)


def _read_nec_rows(error: UnicodeError) -> tuple[str, int]:
    """EUC-JP on the web holds the circled digits and Roman numerals of Shift_JIS, which Python's
    codec lacks.
    """
    assert isinstance(error, UnicodeDecodeError)
    pair = error.object[error.start : error.start + 2]
    if len(pair) < 2 or min(pair) < 0xA1 or max(pair) > 0xFE:
        return "\ufffd", error.end

    # The same row and cell of the table, written as Shift_JIS writes them.
    row = pair[0] - 0xA1
    cell = pair[1] - 0xA1
    lead = row // 2 + 0x81
    if row >= 62:
        lead = row // 2 + 0xC1
    if row % 2:
        trail = cell + 0x9F
    else:
        trail = cell + 0x40 + (cell >= 0x3F)
    character = bytes((lead, trail)).decode("cp932", "replace")[:1]
    return character, error.start + 2


codecs.register_error(_NEC_ROWS, _read_nec_rows)
