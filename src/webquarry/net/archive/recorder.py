"""Recording: a transport that passes every exchange on unchanged and writes it to a WARC file.

Bodies are kept as they were sent, compression included; only the chunking is gone, which the
connection has undone already. A body that was not read to its end is recorded as far as it came and
marked `WARC-Truncated`. A request that got no answer at all leaves nothing to record.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from types import AsyncGeneratorType
from typing import IO

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
from webquarry.net.archive.warc import RecordedExchange, WarcFile, length_of, open_spool
from webquarry.secret import get_masker

log = logging.getLogger(__name__)

_LARGEST_UNPACKED = 256 * 1024 * 1024  # a body that unpacks to more cannot be searched for secrets
_LARGEST_LOGIN = 1024 * 1024
_PIECE = 64 * 1024
LOGIN = "webquarry.login"  # the extension of a request whose answer holds a credential
_NO_BODY = {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}


class Recorder:
    """Writes what its transports carry to one WARC file; an existing file is added to."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._file = WarcFile(path, clock.now())

    def wrap(self, transport: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
        """The same transport, recorded."""
        return _RecordingTransport(transport, self._clock, self._file)

    def close(self) -> None:
        """Close the file; a write that is under way is waited for."""
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
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        exchange = _OpenExchange(moment, request, response, self._file)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_RecordingStream(response.stream, exchange),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _RecordingStream(httpx2.AsyncByteStream):
    """A body that is written down while it is read."""

    def __init__(self, inner: httpx2.AsyncByteStream, exchange: _OpenExchange) -> None:
        self._inner = inner
        self._exchange = exchange
        self._cut = "length"  # whoever closes it early had enough of it

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._inner)
        try:
            async for chunk in chunks:
                self._exchange.body.write(chunk)
                yield chunk
        except (httpx2.TimeoutException, asyncio.CancelledError):
            self._cut = "time"
            raise
        except Exception:
            self._cut = "disconnect"
            raise
        finally:
            if isinstance(chunks, AsyncGeneratorType):
                # Else whoever stops early leaves it to the garbage collector.
                await chunks.aclose()
        await self._exchange.write(None)

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            await self._exchange.write(self._cut)


class _OpenExchange:
    """One exchange while it is going on."""

    def __init__(
        self, moment: datetime, request: httpx2.Request, response: httpx2.Response, file: WarcFile
    ) -> None:
        self._moment = moment
        self._request = request
        self._response = response
        self._file = file
        self._written = False
        self.body = open_spool()

    async def write(self, cut: str | None) -> None:
        """Write the exchange down, once. The thread owns the body from here on, also when nobody
        waits for it.
        """
        if not self._written:
            self._written = True
            await asyncio.to_thread(self._write_now, cut)

    def _write_now(self, cut: str | None) -> None:
        length = self._response.headers.get("content-length", "")
        # It may be all there although nobody read on to its end.
        is_whole = self._has_no_body() or length == str(self.body.tell())
        truncated = None if is_whole else cut
        masked: IO[bytes] | None
        with closing(self.body):
            try:
                if self._request.extensions.get(LOGIN):
                    masked = self._mask_login()
                else:
                    masked = self._mask_secrets()
            except _TooLargeToSearch:
                log.warning(
                    "the answer of %s unpacks to too much to be recorded",
                    scrub_url(self._request.url),
                )
                return
            with closing(masked or self.body) as body:
                exchange = self._build_exchange(body, truncated, unpacked=masked is not None)
                self._file.add(exchange)

    def _has_no_body(self) -> bool:
        if self._request.method == "HEAD":
            return True
        return self._response.status_code in _NO_BODY

    def _build_exchange(
        self, body: IO[bytes], truncated: str | None, *, unpacked: bool
    ) -> RecordedExchange:
        request, response = self._request, self._response
        sent = scrub_body(request.content, request.headers.get("content-type", ""))
        sent_headers = _set_length(scrub_request_headers(request.headers), len(sent))
        dropped = {b"transfer-encoding"}
        if unpacked:
            dropped.add(b"content-encoding")
        headers: RawHeaders = []
        for name, value in scrub_response_headers(response.headers):
            if name.lower() not in dropped:
                headers.append((name, value))
        keeps_length = truncated is not None or self._has_no_body()
        if not keeps_length:
            headers = _set_length(headers, length_of(body))
        return RecordedExchange(
            moment=self._moment,
            method=request.method,
            url=scrub_url(request.url),
            target=scrub_target(request.url),
            request_headers=sent_headers,
            request_body=sent,
            status=response.status_code,
            reason=get_masker().mask(response.reason_phrase.encode("ascii", "replace")),
            headers=headers,
            body=body,
            truncated=truncated,
            address=self._find_address(),
        )

    def _mask_secrets(self) -> IO[bytes] | None:
        """The body unpacked and without the secrets found in it; None when it holds none and can
        stay as it was sent.
        """
        known = get_masker()
        if not known:
            return None
        masked = open_spool()
        size = 0
        found = False
        for before, after in known.mask_stream(self._unpack()):
            size += len(before)
            found = found or before != after
            if size > _LARGEST_UNPACKED:
                masked.close()
                raise _TooLargeToSearch
            masked.write(after)
        if found:
            return masked
        masked.close()
        return None

    def _mask_login(self) -> IO[bytes]:
        """The body unpacked and without its token, which is no secret that we know already, so that
        the names of its fields decide.
        """
        plain = bytearray()
        for piece in self._unpack():
            plain += piece
            if len(plain) > _LARGEST_LOGIN:
                raise _TooLargeToSearch
        masked = open_spool()
        masked.write(scrub_body(bytes(plain), "application/json"))
        return masked

    def _unpack(self) -> Iterator[bytes]:
        """The body out of its content encoding, as far as that goes."""
        self.body.seek(0)
        kept_headers: RawHeaders = []
        for name, value in self._response.headers.raw:  # bytes: a header may hold any of them
            if name.lower() == b"content-encoding":
                kept_headers.append((name, value))
        response = httpx2.Response(200, headers=kept_headers, stream=_Pieces(self.body))
        try:
            yield from response.iter_bytes()
        except httpx2.DecodingError:
            return  # a damaged body: whoever reads it comes no further either

    def _find_address(self) -> str | None:
        """The address that was really dialled, where the connection tells."""
        stream = self._response.extensions.get("network_stream")
        if stream is None:
            return None
        peer = stream.get_extra_info("server_addr")
        if isinstance(peer, tuple) and peer:
            return str(peer[0])
        return None


class _TooLargeToSearch(Exception):
    pass


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, body: IO[bytes]) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._body.read(_PIECE):
            yield piece


def _set_length(headers: RawHeaders, length: int) -> RawHeaders:
    """The headers with the right Content-Length; without a body it may be missing."""
    right = b"%d" % length
    changed: RawHeaders = []
    is_there = False
    for name, value in headers:
        if name.lower() == b"content-length":
            value = right
            is_there = True
        changed.append((name, value))
    if length and not is_there:
        changed.append((b"Content-Length", right))
    return changed
