"""Response bodies: read and decompress a stream without exceeding a limit on either side.

A body that is shorter than its Content-Length, or whose compressed data is invalid or incomplete,
is an error. Truncation happens only on request (`cut=True`): for robots.txt, for checking that a
page exists, and for a page of which the first bytes are wanted.
"""

from __future__ import annotations

import io
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from types import AsyncGeneratorType
from typing import Protocol

import brotli  # type: ignore[import-untyped]
import httpx2

from webquarry.errors import PASSING_FAULT, SERVER_FAULT, NetworkFailure, TooLarge, Unreadable
from webquarry.net.failures import CLOSED_EARLY
from webquarry.secret import redact

if sys.version_info >= (3, 14):
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
else:
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
_CHUNK = 64 * 1024  # of input and output of a decompressor
_ZSTD_WINDOW_LOG = 23  # 8 MiB, the maximum of RFC 9659
WITHOUT_BODY = frozenset({204, 205, 304})
_MAX_LENGTH_DIGITS = 20


async def read_body(response: httpx2.Response, limit: int, *, cut: bool = False) -> bytes:
    """Read and decompress a body. Raises `TooLarge` above the limit; with `cut`, returns the first
    `limit` bytes instead and leaves `response.is_stream_consumed` False.
    """
    response.is_stream_consumed = False
    expected = _read_content_length(response)
    if expected is not None and expected > limit and not cut:
        raise _too_large(limit, f"it announces {expected} bytes")
    decoder = decoder_for(response.headers)
    body = io.BytesIO()  # `getvalue` does not copy
    received = 0
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    chunks = aiter(response.stream)
    try:
        async for chunk in chunks:
            received += len(chunk)
            if received > limit and not cut:
                raise _too_large(limit, "more than that was sent")
            for piece in decoder.feed(chunk):
                body.write(piece)
                if body.tell() > limit:
                    if cut:
                        return body.getvalue()[:limit]
                    raise _too_large(limit, "it goes on after decompression")
            if received > limit:
                return body.getvalue()
    finally:
        if isinstance(chunks, AsyncGeneratorType):
            await chunks.aclose()  # now, not when it is garbage-collected
    response.is_stream_consumed = True
    if expected is not None and received < expected:
        raise NetworkFailure(
            f"{CLOSED_EARLY} ({received} of {expected} bytes came)", suggested_action=PASSING_FAULT
        )
    decoder.finish()
    return body.getvalue()


def _read_content_length(response: httpx2.Response) -> int | None:
    """Return the number of bytes that will be sent, if the headers say so."""
    if response.request.method == "HEAD" or response.status_code in WITHOUT_BODY:
        return None
    if "transfer-encoding" in response.headers:
        return None
    length = response.headers.get("content-length", "").strip()
    is_number = length.isascii() and length.isdecimal() and len(length) < _MAX_LENGTH_DIGITS
    return int(length) if is_number else None


def _too_large(limit: int, reason: str) -> TooLarge:
    return TooLarge(
        f"The body is larger than the limit WEBQUARRY_MAX_BYTES of {limit} bytes: {reason}."
    )


# Content encodings


def decoder_for(headers: httpx2.Headers) -> Decoder:
    """Return the decoder for a response. Raises `Unreadable` for stacked and unknown encodings."""
    listed = headers.get("content-encoding", "").lower().split(",")
    names = [name.strip() for name in listed if name.strip() not in {"", "identity"}]
    if len(names) > 1:
        raise Unreadable(f"The body has {len(names)} content encodings; only one is supported.")
    name = names[0] if names else "identity"
    if name not in _DECODERS:
        raise Unreadable(
            f"The body has the content encoding {redact(name)[:40]!r}; only {ACCEPT_ENCODING} can "
            "be read."
        )
    return _DECODERS[name]()


class _Decompressor(Protocol):
    """One compressed stream (gzip member, zstd frame)."""

    def decompress(self, data: bytes) -> Iterator[bytes]: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes:
        """Data after the end of the stream."""


class Decoder:
    """Incremental decoder of a content encoding: a sequence of compressed streams.

    Without `open_stream`, the data is not compressed. `magic` are the prefixes of a further stream;
    as in browsers, any other data after the last one is ignored.
    """

    def __init__(
        self,
        name: str,
        open_stream: Callable[[], _Decompressor] | None = None,
        magic: tuple[bytes, ...] = (),
    ) -> None:
        self._name = name
        self._open_stream = open_stream
        self._magic = magic
        self._stream: _Decompressor | None = None  # None before the first data
        self._pending = b""  # data after a stream that is shorter than a magic number
        self._is_over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield decoded data in pieces of about 64 KiB, so that the caller can stop a decompression
        bomb. Must be exhausted before the next call.
        """
        if self._open_stream is None:
            yield data
            return
        for start in range(0, len(data), _CHUNK):
            chunk = data[start : start + _CHUNK]
            while chunk and not self._is_over:
                if self._stream is None:
                    self._stream = self._open_stream()
                elif self._stream.eof:
                    chunk, self._pending = self._pending + chunk, b""
                    if self._magic and len(chunk) < len(self._magic[0]):
                        self._pending = chunk
                        break
                    if not chunk.startswith(self._magic):
                        self._is_over = True
                        break
                    self._stream = self._open_stream()
                try:
                    yield from self._stream.decompress(chunk)
                except (zlib.error, brotli.error, ZstdError) as error:
                    raise NetworkFailure(
                        f"The body is labelled {self._name} but is not valid {self._name} data",
                        retryable=False,
                        suggested_action=SERVER_FAULT,
                    ) from error
                chunk = self._stream.unused_data

    def finish(self) -> None:
        """Raise `NetworkFailure` if the compressed data is incomplete."""
        if self._stream is not None and not self._stream.eof:
            raise NetworkFailure(
                f"The {self._name} data of the body ends too early", suggested_action=PASSING_FAULT
            )


class _Zlib:
    def __init__(self, window_bits: int) -> None:
        self._inflater = zlib.decompressobj(window_bits)

    def decompress(self, data: bytes) -> Iterator[bytes]:
        while not self.eof:
            piece = self._inflater.decompress(data, _CHUNK)
            if not piece:
                return
            yield piece
            data = self._inflater.unconsumed_tail

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflater.unused_data


class _Deflate:
    """Zlib format, as the standard says, or raw deflate data; the first two bytes tell which."""

    unused_data = b""

    def __init__(self) -> None:
        self._head = b""
        self._zlib: _Zlib | None = None

    def decompress(self, data: bytes) -> Iterator[bytes]:
        if self._zlib is None:
            data = self._head = self._head + data
            if len(data) < 2:
                return
            is_deflate = data[0] & 0x0F == zlib.DEFLATED
            has_zlib_header = is_deflate and int.from_bytes(data[:2], "big") % 31 == 0
            self._zlib = _Zlib(zlib.MAX_WBITS if has_zlib_header else -zlib.MAX_WBITS)
        yield from self._zlib.decompress(data)

    @property
    def eof(self) -> bool:
        return self._zlib is not None and self._zlib.eof


class _Brotli:
    unused_data = b""

    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    def decompress(self, data: bytes) -> Iterator[bytes]:
        while not self.eof:
            piece = self._decompressor.process(data, output_buffer_limit=_CHUNK)
            if not piece:
                return
            yield piece
            data = b""  # the library buffers unused input

    @property
    def eof(self) -> bool:
        return bool(self._decompressor.is_finished())


class _Zstd:
    def __init__(self) -> None:
        self._decompressor = ZstdDecompressor(
            options={DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        )

    def decompress(self, data: bytes) -> Iterator[bytes]:
        while not self.eof:
            piece = self._decompressor.decompress(data, _CHUNK)
            if piece:
                yield piece
            if self._decompressor.needs_input or not piece:
                return
            data = b""  # the library buffers unused input

    @property
    def eof(self) -> bool:
        return self._decompressor.eof

    @property
    def unused_data(self) -> bytes:
        return self._decompressor.unused_data


_GZIP_MAGIC = b"\x1f\x8b\x08"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE_MAGIC = tuple(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))
_open_gzip = partial(Decoder, "gzip", partial(_Zlib, 16 + zlib.MAX_WBITS), (_GZIP_MAGIC,))
_DECODERS: dict[str, Callable[[], Decoder]] = {
    "identity": partial(Decoder, "identity"),
    "gzip": _open_gzip,
    "x-gzip": _open_gzip,
    "deflate": partial(Decoder, "deflate", _Deflate),
    "br": partial(Decoder, "br", _Brotli),
    "zstd": partial(Decoder, "zstd", _Zstd, (_ZSTD_MAGIC, *_ZSTD_SKIPPABLE_MAGIC)),
}
