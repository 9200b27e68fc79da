"""Secrets in, bytes or texts in which they are masked out, however they are spelt there.

A server that repeats a key does so in its own way: escaped for a URL, for JSON, HTML or a mail, in
base64 or in hexadecimal digits, and in one of these inside another. So a text is read as each of
these would read it, layer by layer, and what is looked for is always the secret itself: nothing is
masked that does not spell it whole. Every layer is one pass and there are so many at most, so the
time grows with the text and no faster.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from html.entities import html5

MASK = "***"
Span = tuple[int, int]

_LAYERS = 5  # of one spelling in another
_LONGEST_SIGN = 24  # bytes that one byte of a secret may take, over all layers
_SHORTEST_PACKED = 8  # bytes that are looked at in base64 and digits: any word spells fewer
_NAMES = {name: sign for name, sign in html5.items() if len(sign) == 1 and sign.isascii()}
_ESCAPE = re.compile(
    rb"%([0-9A-Fa-f]{2})"
    rb"|\\+(?:u([0-9A-Fa-f]{4})|u\{0{0,4}([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})"
    rb"|([\"'/nr])|(?<=\\\\))"
    rb"|&(?:\#0{0,9}([0-9]{1,7});?|\#[xX]0{0,9}([0-9A-Fa-f]{1,6});?|([A-Za-z]{2,12};))"
)
_DECIMAL, _LITERAL, _NAMED = 6, 5, 8  # groups of the pattern; the others are hexadecimal
_MAIL_ESCAPE = re.compile(rb"=(?:([0-9A-Fa-f]{2})|[ \t]{0,9}\r?\n)")
_BASE64 = rb"[A-Za-z0-9+/_-]"
_LINE_BREAK = re.compile(rb"(?<=%b{16})\r?\n()(?=%b)" % (_BASE64, _BASE64))  # of a long text
_HEX = rb"[0-9A-Fa-f]"
_LINE_ENDS = {"n": "\n", "r": "\r"}
_TO_STANDARD = bytes.maketrans(b"-_", b"+/")


class Masker:
    """Finds secrets in bytes and texts, and masks them."""

    def __init__(self, secrets: Iterable[str]) -> None:
        values = {secret.encode("utf-8", "surrogatepass") for secret in secrets if secret}
        values |= {value.replace(b" ", b"+") for value in values}  # a space of a form
        self._values = sorted(values, key=lambda value: (-len(value), value))
        self.longest = _LONGEST_SIGN * max(map(len, values), default=0)
        shortest = max(_SHORTEST_PACKED, min(map(len, values), default=0))
        self._base64 = _compile_run(_BASE64, -(-shortest * 4 // 3))
        self._hex = _compile_run(_HEX, shortest * 2)
        readable = rb"[\t\n\r -~]"
        if not all(value.isascii() for value in values):
            readable = rb"[\t\n\r -~\x80-\xff]"
        self._readable = _compile_run(readable, shortest)

    def __bool__(self) -> bool:
        return bool(self._values)

    def mask(self, data: bytes) -> bytes:
        """The data with every secret masked."""
        return _replace(data, self._find(data))

    def mask_text(self, text: str) -> str:
        """The text with every secret masked; itself where there is none."""
        if not self._values:
            return text
        data = text.encode("utf-8", "surrogatepass")
        spans = self._find(data)
        if not spans:
            return text
        return _replace(data, spans).decode("utf-8", "surrogatepass")

    def mask_stream(self, chunks: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
        """Each piece of a body, as it was and masked; a secret that lies across two chunks is found
        too.
        """
        rest = b""
        for chunk in chunks:
            data = rest + chunk
            # Behind it a secret may begin that ends in the next chunk.
            end = max(0, len(data) - self.longest + 1)
            found = [span for span in self._find(data) if span[0] < end]
            if found:
                end = max(end, found[-1][1])
            yield data[:end], _replace(data[:end], found)
            rest = data[end:]
        yield rest, self.mask(rest)

    def _find(self, data: bytes) -> list[Span]:
        """Where secrets stand, from left to right; of those that overlap the first, and of those
        that begin together the longest.
        """
        if not self._values:
            return []
        found = self._search(data, _LAYERS)
        chosen: list[Span] = []
        end = 0
        for span in sorted(found, key=lambda span: (span[0], -span[1])):
            if span[0] >= end:
                chosen.append(span)
                end = span[1]
        return chosen

    def _search(self, data: bytes, layers: int) -> list[Span]:
        """Where secrets stand, in as many layers of spelling."""
        spans: list[Span] = []
        for value in self._values:
            start = data.find(value)
            while start >= 0:
                spans.append((start, start + len(value)))
                start = data.find(value, start + 1)
        if layers:
            for view in self._list_views(data):
                spans += [view.locate(span) for span in self._search(view.data, layers - 1)]
        return spans

    def _list_views(self, data: bytes) -> Iterator[_Reading]:
        """What the data say to whoever takes one layer of spelling off, in every way there is."""
        if b"%" in data or b"\\" in data or b"&" in data:
            yield from _unescape(data, _ESCAPE)
        if b"=" in data:
            yield from _unescape(data, _MAIL_ESCAPE)
        if b"\n" in data:
            yield from _unescape(data, _LINE_BREAK)
        hexadecimal = [match.span() for match in self._hex.finditer(data)]
        for shift in range(2):
            yield from self._decode(data, hexadecimal, shift, 2, 1)
        base64 = [match.span() for match in self._base64.finditer(data)]
        for shift in range(4):
            yield from self._decode(data, base64, shift, 4, 3)

    def _decode(
        self, data: bytes, runs: list[Span], shift: int, signs: int, size: int
    ) -> Iterator[_Reading]:
        """Runs of digits as the bytes that they stand for, every `signs` of them for `size` bytes,
        read from the sign `shift` of each run. Only what can be read is given.
        """
        if not runs:
            return
        pieces: list[bytes] = []
        decoded = _Reading()
        place = 0
        for start, end in runs:
            digits = data[start + shift : end]
            digits += b"A" * (-len(digits) % signs)
            pieces.append(digits)
            decoded.add(place, start + shift, end, signs, size)
            place += len(digits) // signs * size
        joined = b"".join(pieces)
        if size == 1:
            decoded.data = bytes.fromhex(joined.decode("ascii"))
        else:
            decoded.data = a2b_base64(joined.translate(_TO_STANDARD))
        readable = _Reading(inner=decoded)
        kept: list[bytes] = []
        place = 0
        for match in self._readable.finditer(decoded.data):
            readable.add(place, match.start(), match.end())
            kept.append(match[0])
            place += len(match[0]) + 1
        if kept:
            readable.data = b"\0".join(kept)
            yield readable


class _Reading:
    """Data as they read with a layer of spelling taken off, and where each byte came from.

    They are made of pieces, in which every `size` bytes stand for `signs` of the source; where
    `signs` is 0, a piece stands for its source as a whole.
    """

    def __init__(self, inner: _Reading | None = None) -> None:
        self.data = b""
        self._inner = inner  # where the source is a view itself
        self._starts: list[int] = []
        self._pieces: list[tuple[int, int, int, int]] = []

    def add(self, start: int, source: int, source_end: int, signs: int = 1, size: int = 1) -> None:
        """A piece begins at this place, and is made of that part of the source."""
        self._starts.append(start)
        self._pieces.append((source, source_end, signs, size))

    def locate(self, span: Span) -> Span:
        """What part of the source is spelt by a part of the data."""
        start, end = span
        number = bisect_right(self._starts, start) - 1
        source, _, signs, size = self._pieces[number]
        first = source + (start - self._starts[number]) * signs // size
        number = bisect_right(self._starts, end - 1) - 1
        source, last, signs, size = self._pieces[number]
        if signs:
            used = -((self._starts[number] - end) * signs // size)  # rounded up
            last = min(last, source + used)
        found = (first, last)
        if self._inner is not None:
            return self._inner.locate(found)
        return found


def _unescape(data: bytes, pattern: re.Pattern[bytes]) -> Iterator[_Reading]:
    """The data with every escape as the sign that it stands for, if there is any."""
    view = _Reading()
    kept: list[bytes] = []
    end = place = 0
    for match in pattern.finditer(data):
        if pattern is _ESCAPE:
            sign = _read_escape(match)
        else:
            sign = bytes.fromhex((match[1] or b"").decode("ascii"))
        if sign is None:
            continue
        if match.start() > end:
            view.add(place, end, match.start())
            kept.append(data[end : match.start()])
            place += match.start() - end
        end = match.end()
        if sign:
            view.add(place, match.start(), end, signs=0)
            kept.append(sign)
            place += len(sign)
    if not end:
        return
    view.add(place, end, len(data))
    kept.append(data[end:])
    view.data = b"".join(kept)
    yield view


def _read_escape(match: re.Match[bytes]) -> bytes | None:
    """The sign of an escape; None where it stands for none."""
    group = match.lastindex
    if group is None:
        return b"\\"
    text = match[group].decode("ascii")
    if group == _LITERAL:
        return _LINE_ENDS.get(text, text).encode()
    if group == _NAMED:
        sign = _NAMES.get(text)
        return sign.encode() if sign else None
    if group == 1:
        return bytes.fromhex(text)
    number = int(text, 10 if group == _DECIMAL else 16)
    if number > 0x10FFFF:
        return None
    return chr(number).encode("utf-8", "surrogatepass")


def _compile_run(signs: bytes, least: int) -> re.Pattern[bytes]:
    """A pattern for as many of these signs as there are, if there are so many."""
    return re.compile(rb"(?<!%b)%b{%d,}" % (signs, signs, least))


def _replace(data: bytes, spans: list[Span]) -> bytes:
    if not spans:
        return data
    kept: list[bytes] = []
    end = 0
    for start, stop in spans:
        kept += (data[end:start], MASK.encode())
        end = stop
    kept.append(data[end:])
    return b"".join(kept)
