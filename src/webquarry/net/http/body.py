"""Bodies: a response as it streams in, the plain bytes out, never more than the limit before or
after decompression.

A body that is shorter than its Content-Length, or whose compressed data is broken or ends early, is
an error: nothing is cut silently. Cut on purpose (`cut=True`) are only robots.txt, a page that is
asked whether it is still there, and one of which so many bytes are wanted.
"""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from types import AsyncGeneratorType

import httpx2

from webquarry.errors import PASSING_FAULT, NetworkFailure, TooLarge
from webquarry.net.http.encodings import PIECE, Identity, decoder_for

CLOSED_EARLY = "The server closed the connection before the answer was complete"
_WITHOUT_BODY = frozenset({204, 205, 304})
_MOST_DIGITS = 20  # of a Content-Length; whatever is longer is no length


async def read_body(response: httpx2.Response, limit: int, *, cut: bool = False) -> bytes:
    """The whole body out of its content encoding; TooLarge beyond the limit, or the first `limit`
    bytes if it may be cut: then the stream is not consumed.
    """
    response.is_stream_consumed = False
    expected = get_expected_length(response)
    if expected is not None and expected > limit and not cut:
        raise _too_large(limit, f"it announces {expected} bytes")
    decoder = decoder_for(response.headers)
    is_plain = isinstance(decoder, Identity)
    body = io.BytesIO()  # its buffer becomes the bytes we return without a second copy
    received = 0
    chunks = _iterate_chunks(response)
    try:
        async for chunk in chunks:
            received += len(chunk)
            if received > limit and not cut:
                raise _too_large(limit, "more than that was sent")
            if is_plain:
                body.write(chunk)
                if received > limit:
                    return body.getvalue()[:limit]
                continue
            for start in range(0, len(chunk), PIECE):
                for piece in decoder.feed(chunk[start : start + PIECE]):
                    body.write(piece)
                    if body.tell() > limit:
                        if cut:
                            return body.getvalue()[:limit]
                        raise _too_large(limit, "it goes on after decompression")
            if received > limit:
                return body.getvalue()
    finally:
        if isinstance(chunks, AsyncGeneratorType):
            await chunks.aclose()  # now, not whenever it is collected
    response.is_stream_consumed = True
    if expected is not None and received < expected:
        raise NetworkFailure(
            f"{CLOSED_EARLY} ({received} of {expected} bytes came)", suggested_action=PASSING_FAULT
        )
    decoder.finish()
    return body.getvalue()


async def drain(response: httpx2.Response, limit: int) -> None:
    """Read a small body that nobody needs, so that its connection can be used again; leave a large
    one.
    """
    received = 0
    chunks = _iterate_chunks(response)
    try:
        async for chunk in chunks:
            received += len(chunk)
            if received > limit:
                return
    finally:
        if isinstance(chunks, AsyncGeneratorType):
            await chunks.aclose()
    response.is_stream_consumed = True


def get_expected_length(response: httpx2.Response) -> int | None:
    """How many bytes are to come as sent, if the headers tell."""
    if response.request.method == "HEAD" or response.status_code in _WITHOUT_BODY:
        return None
    if "transfer-encoding" in response.headers:
        return None
    length = response.headers.get("content-length", "").strip()
    is_number = length.isascii() and length.isdecimal() and len(length) < _MOST_DIGITS
    if not is_number:
        return None
    return int(length)


def _iterate_chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The raw chunks."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    return aiter(response.stream)


def _too_large(limit: int, reason: str) -> TooLarge:
    return TooLarge(
        f"The body is larger than the limit WEBQUARRY_MAX_BYTES of {limit} bytes: {reason}."
    )
