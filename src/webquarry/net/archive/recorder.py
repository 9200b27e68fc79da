"""Recording: a transport that writes every exchange to a WARC file and passes it on unchanged.

Bodies are recorded as sent, with their content encoding but without chunked framing. A body that
was not read to its end is recorded as far as it was read and marked `WARC-Truncated`. Requests
without a response are not recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from types import AsyncGeneratorType

import httpx2

from webquarry.clock import Clock
from webquarry.net.archive.scrub import (
    RawHeaders,
    scrub_body,
    scrub_request_headers,
    scrub_response_headers,
    scrub_target,
    scrub_url,
)
from webquarry.net.archive.warc import Exchange, WarcFile
from webquarry.secret import get_masker

log = logging.getLogger(__name__)

LOGIN = "webquarry.login"  # extension of a request whose response contains a credential
_MAX_DECODED = 256 * 1024 * 1024  # bytes that are searched for secrets
_CHUNK = 64 * 1024
_ENCODING = b"content-encoding"
_WITHOUT_BODY = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}


class Recorder:
    """Records the exchanges of its transports in one WARC file, appending to an existing one."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._file = WarcFile(path, clock.now())

    def wrap(self, transport: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
        """Return a transport that records the exchanges of another."""
        return _RecordingTransport(transport, self._clock, self._file)

    def close(self) -> None:
        """Close the file after the write in progress."""
        self._file.close()


class _RecordingTransport(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncBaseTransport, clock: Clock, file: WarcFile) -> None:
        self._inner = inner
        self._clock = clock
        self._file = file

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        moment = self._clock.now()
        response = await self._inner.handle_async_request(request)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_RecordingStream(moment, request, response, self._file),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _RecordingStream(httpx2.AsyncByteStream):
    """A body that is recorded while it is read."""

    def __init__(
        self, moment: datetime, request: httpx2.Request, response: httpx2.Response, file: WarcFile
    ) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self._moment = moment
        self._request = request
        self._response = response
        self._stream = response.stream
        self._file = file
        self._body = bytearray()
        self._truncated = "length"  # WARC-Truncated, if the reader closes the stream early
        self._is_written = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._stream)
        try:
            async for chunk in chunks:
                self._body += chunk
                yield chunk
        except (httpx2.TimeoutException, asyncio.CancelledError):
            self._truncated = "time"
            raise
        except Exception:
            self._truncated = "disconnect"
            raise
        finally:
            if isinstance(chunks, AsyncGeneratorType):
                await chunks.aclose()  # now, not when it is garbage-collected
        await self._write(None)

    async def aclose(self) -> None:
        try:
            await self._stream.aclose()
        finally:
            await self._write(self._truncated)

    async def _write(self, truncated: str | None) -> None:
        """Write the exchange once, in a thread that finishes even if this task is cancelled."""
        if not self._is_written:
            self._is_written = True
            await asyncio.to_thread(self._write_now, truncated)

    def _write_now(self, truncated: str | None) -> None:
        request, response = self._request, self._response
        has_no_body = request.method == "HEAD" or response.status_code in _WITHOUT_BODY
        if has_no_body or response.headers.get("content-length") == str(len(self._body)):
            truncated = None  # complete, although it was not read to the end of the stream
        try:
            masked = self._mask_body()
        except _TooLargeError:
            log.warning("the decoded body of %s is too large to record", scrub_url(request.url))
            return
        body = bytes(self._body) if masked is None else masked
        sent = scrub_body(request.content, request.headers.get("content-type", ""))
        dropped = {b"transfer-encoding"} if masked is None else {b"transfer-encoding", _ENCODING}
        headers = [
            (name, value)
            for name, value in scrub_response_headers(response.headers)
            if name.lower() not in dropped
        ]
        if truncated is None and not has_no_body:
            headers = _set_content_length(headers, len(body))
        self._file.add(
            Exchange(
                moment=self._moment,
                method=request.method,
                url=scrub_url(request.url),
                target=scrub_target(request.url),
                request_headers=_set_content_length(
                    scrub_request_headers(request.headers), len(sent)
                ),
                request_body=sent,
                status=response.status_code,
                reason=get_masker().mask(response.reason_phrase.encode("ascii", "replace")),
                headers=headers,
                body=body,
                truncated=truncated,
                address=self._find_address(),
            )
        )

    def _mask_body(self) -> bytes | None:
        """Return the decoded body without secrets; None if it has none. The token in the response
        to a login is not a known secret, so it is found by the name of its field.
        """
        is_login = bool(self._request.extensions.get(LOGIN))
        masker = get_masker()
        if not is_login and not masker:
            return None
        masked = bytearray()
        is_changed = False
        for before, after in masker.mask_stream(self._decode()):
            masked += after
            is_changed = is_changed or before != after
            if len(masked) > _MAX_DECODED:
                raise _TooLargeError
        if is_login:
            return scrub_body(bytes(masked), "application/json")
        return bytes(masked) if is_changed else None

    def _decode(self) -> Iterator[bytes]:
        """Decode the content encoding, up to the first invalid data."""
        raw_headers = self._response.headers.raw
        headers = [pair for pair in raw_headers if pair[0].lower() == _ENCODING]
        response = httpx2.Response(200, headers=headers, stream=_Chunks(self._body))
        try:
            yield from response.iter_bytes()
        except httpx2.DecodingError:
            return

    def _find_address(self) -> str | None:
        """Return the address that was connected to, if the connection tells."""
        stream = self._response.extensions.get("network_stream")
        peer = None if stream is None else stream.get_extra_info("server_addr")
        return str(peer[0]) if isinstance(peer, tuple) and peer else None


class _TooLargeError(Exception):
    pass


class _Chunks(httpx2.SyncByteStream):
    def __init__(self, body: bytearray) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        stream = BytesIO(self._body)
        while chunk := stream.read(_CHUNK):
            yield chunk


def _set_content_length(headers: RawHeaders, length: int) -> RawHeaders:
    """Correct or add Content-Length; it is not added if there is no body."""
    value = b"%d" % length
    names = [name.lower() for name, _ in headers]
    if b"content-length" not in names:
        return [*headers, (b"Content-Length", value)] if length else headers
    return [(name, value if name.lower() == b"content-length" else old) for name, old in headers]
