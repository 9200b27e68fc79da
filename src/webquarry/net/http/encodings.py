"""Content encodings: compressed bytes in, plain bytes out, in pieces of at most about 64 KiB.

The pieces are what keeps a small body that inflates without end harmless: whoever counts them can
stop at any time. As in browsers, gzip and zstd bodies may have several members, and what follows
the last of them is ignored.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

import brotli  # type: ignore[import-untyped]
import httpx2

from webquarry.errors import PASSING_FAULT, SERVER_FAULT, NetworkFailure, Unreadable
from webquarry.secret import redact

if sys.version_info >= (3, 14):
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
else:
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

ACCEPTED = "gzip, deflate, br, zstd"
PIECE = 64 * 1024
_ZSTD_WINDOW_LOG = 23  # 8 MiB: the most a sender may ask of us (RFC 9659)


class Decoder(Protocol):
    """Takes a body apart as it arrives."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The plain bytes that `data` completes, piece by piece; must be read to its end before the
        next call.
        """

    def finish(self) -> None:
        """The body is over: raises NetworkFailure when its compressed data is not."""


def decoder_for(headers: httpx2.Headers) -> Decoder:
    """The decoder that a reply's headers ask for; one that is stacked or unknown is refused."""
    named = headers.get("content-encoding", "")
    if not named:
        return _IDENTITY
    names: list[str] = []
    for name in named.lower().split(","):
        if name.strip() not in {"", "identity"}:
            names.append(name.strip())
    if not names:
        return _IDENTITY
    if len(names) > 1:
        raise Unreadable(
            f"The body is compressed {len(names)} times over, which no honest server does."
        )
    if names[0] not in _DECODERS:
        shown = redact(names[0])[:40]
        raise Unreadable(
            f"The body has the content encoding {shown!r}; only {ACCEPTED} can be read."
        )
    return _DECODERS[names[0]]()


def _build_invalid_error(encoding: str) -> NetworkFailure:
    return NetworkFailure(
        f"The body is labelled {encoding} but is not valid {encoding} data",
        retryable=False,
        suggested_action=SERVER_FAULT,
    )


def _build_incomplete_error(encoding: str) -> NetworkFailure:
    return NetworkFailure(
        f"The {encoding} data of the body ends too early", suggested_action=PASSING_FAULT
    )


class Identity:
    """What comes is plain already."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finish(self) -> None:
        pass


_IDENTITY = Identity()  # it remembers nothing


class _Member(Protocol):
    """One run of compressed data, from its head to its checksum."""

    def inflate(self, data: bytes) -> Iterator[bytes]: ...

    @property
    def done(self) -> bool: ...

    @property
    def rest(self) -> bytes:
        """What came after its end."""


class _ZlibMember:
    def __init__(self, window_bits: int) -> None:
        self._inflater = zlib.decompressobj(window_bits)

    def inflate(self, data: bytes) -> Iterator[bytes]:
        while not self._inflater.eof:
            piece = self._inflater.decompress(data, PIECE)
            if not piece:
                return
            yield piece
            data = self._inflater.unconsumed_tail

    @property
    def done(self) -> bool:
        return self._inflater.eof

    @property
    def rest(self) -> bytes:
        return self._inflater.unused_data


class _ZstdMember:
    def __init__(self) -> None:
        self._inflater = ZstdDecompressor(
            options={DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        )

    def inflate(self, data: bytes) -> Iterator[bytes]:
        while not self._inflater.eof:
            piece = self._inflater.decompress(data, PIECE)
            if piece:
                yield piece
            if self._inflater.needs_input or not piece:
                return
            data = b""  # the library keeps what it has not used

    @property
    def done(self) -> bool:
        return self._inflater.eof

    @property
    def rest(self) -> bytes:
        return self._inflater.unused_data


class _Members:
    """One member after the other; `marks` are the bytes that a further one begins with."""

    def __init__(self, name: str, make: Callable[[], _Member], marks: tuple[bytes, ...]) -> None:
        self._name = name
        self._make = make
        self._marks = marks
        self._member: _Member | None = None  # None: nothing has arrived yet
        self._held = b""  # what came after a member, too short to tell whether it is another one
        self._over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data and not self._over:
            if self._member is None:
                self._member = self._make()
            elif self._member.done:
                data, self._held = self._held + data, b""
                if len(data) < len(self._marks[0]):
                    self._held = data
                    return
                if not data.startswith(self._marks):
                    self._over = True
                    return
                self._member = self._make()
            try:
                yield from self._member.inflate(data)
            except (zlib.error, ZstdError) as error:
                raise _build_invalid_error(self._name) from error
            data = b""
            if self._member.done:
                data = self._member.rest

    def finish(self) -> None:
        if self._member is not None and not self._member.done:
            raise _build_incomplete_error(self._name)


class _Deflate:
    """Servers send it wrapped in zlib, as the standard says, or raw; the first two bytes tell
    which.
    """

    def __init__(self) -> None:
        self._head = b""
        self._member: _ZlibMember | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._member is None:
            data, self._head = self._head + data, b""
            if len(data) < 2:
                self._head = data
                return
            names_deflate = data[0] & 0x0F == zlib.DEFLATED
            is_wrapped = names_deflate and int.from_bytes(data[:2], "big") % 31 == 0
            window_bits = -zlib.MAX_WBITS
            if is_wrapped:
                window_bits = zlib.MAX_WBITS
            self._member = _ZlibMember(window_bits)
        try:
            yield from self._member.inflate(data)
        except zlib.error as error:
            raise _build_invalid_error("deflate") from error

    def finish(self) -> None:
        if self._head or (self._member is not None and not self._member.done):
            raise _build_incomplete_error("deflate")


class _Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()
        self._started = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._started = True
        try:
            while not self._decompressor.is_finished():
                piece = self._decompressor.process(data, output_buffer_limit=PIECE)
                if not piece:
                    return
                yield piece
                data = b""  # the library keeps what it has not used
        except brotli.error as error:
            raise _build_invalid_error("br") from error

    def finish(self) -> None:
        if self._started and not self._decompressor.is_finished():
            raise _build_incomplete_error("br")


_GZIP_MARK = b"\x1f\x8b\x08"
_ZSTD_MARK = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE_MARKS = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
_open_gzip_member = partial(_ZlibMember, 16 + zlib.MAX_WBITS)
_open_gzip = partial(_Members, "gzip", _open_gzip_member, (_GZIP_MARK,))
_open_zstd = partial(_Members, "zstd", _ZstdMember, (_ZSTD_MARK, *_ZSTD_SKIPPABLE_MARKS))
_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _open_gzip,
    "x-gzip": _open_gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _open_zstd,
}
