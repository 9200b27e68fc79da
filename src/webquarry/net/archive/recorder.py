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
    masker,
    scrub_body,
    scrub_request_headers,
    scrub_response_headers,
    scrub_target,
    scrub_url,
)
from webquarry.net.archive.warc import RecordedExchange, WarcFile, length_of, open_spool

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
        tape = _Tape(moment, request, response, self._file)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_TapedStream(response.stream, tape),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self._inner.aclose()


class _TapedStream(httpx2.AsyncByteStream):
    """A body that is written down while it is read."""

    def __init__(self, inner: httpx2.AsyncByteStream, tape: _Tape) -> None:
        self._inner = inner
        self._tape = tape
        self._cut = "length"  # whoever closes it early had enough of it

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._inner)
        try:
            async for chunk in chunks:
                self._tape.body.write(chunk)
                yield chunk
        except (httpx2.TimeoutException, asyncio.CancelledError):
            self._cut = "time"
            raise
        except Exception:
            self._cut = "disconnect"
            raise
        finally:
            if isinstance(
                chunks, AsyncGeneratorType
            ):  # else whoever stops early leaves it to the garbage collector
                await chunks.aclose()
        await self._tape.keep(None)

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            await self._tape.keep(self._cut)


class _Tape:
    """One exchange while it is going on."""

    def __init__(
        self, moment: datetime, request: httpx2.Request, response: httpx2.Response, file: WarcFile
    ) -> None:
        self._moment = moment
        self._request = request
        self._response = response
        self._file = file
        self._kept = False
        self.body = open_spool()

    async def keep(self, cut: str | None) -> None:
        """Write the exchange down, once. The thread owns the body from here on, also when nobody
        waits for it.
        """
        if not self._kept:
            self._kept = True
            await asyncio.to_thread(self._write, cut)

    def _write(self, cut: str | None) -> None:
        truncated = None if self._is_whole() else cut
        with closing(self.body):
            try:
                login = bool(self._request.extensions.get(LOGIN))
                masked = _masked_body(self.body, self._response.headers, login=login)
            except _TooLargeToSearch:
                log.warning(
                    "the answer of %s unpacks to too much to be recorded",
                    scrub_url(self._request.url),
                )
                return
            with closing(masked or self.body) as body:
                self._file.add(self._exchange(body, truncated, unpacked=masked is not None))

    def _is_whole(self) -> bool:
        """Whether the body is all there although nobody read on to its end."""
        length = self._response.headers.get("content-length", "")
        return self._has_no_body() or length == str(self.body.tell())

    def _has_no_body(self) -> bool:
        return self._request.method == "HEAD" or self._response.status_code in _NO_BODY

    def _exchange(
        self, body: IO[bytes], truncated: str | None, *, unpacked: bool
    ) -> RecordedExchange:
        request, response = self._request, self._response
        sent = scrub_body(request.content, request.headers.get("content-type", ""))
        keeps_length = truncated is not None or self._has_no_body()
        if unpacked:
            gone = {b"transfer-encoding", b"content-encoding"}
        else:
            gone = {b"transfer-encoding"}
        headers = [
            (name, value)
            for name, value in scrub_response_headers(response.headers)
            if name.lower() not in gone
        ]
        return RecordedExchange(
            moment=self._moment,
            method=request.method,
            url=scrub_url(request.url),
            target=scrub_target(request.url),
            request_headers=_with_length(scrub_request_headers(request.headers), len(sent)),
            request_body=sent,
            status=response.status_code,
            reason=masker().mask(response.reason_phrase.encode("ascii", "replace")),
            headers=headers if keeps_length else _with_length(headers, length_of(body)),
            body=body,
            truncated=truncated,
            address=_address(response),
        )


class _TooLargeToSearch(Exception):
    pass


def _masked_body(
    body: IO[bytes], headers: httpx2.Headers, *, login: bool = False
) -> IO[bytes] | None:
    """The body unpacked and without the secrets found in it; None when it holds none and can stay
    as it was sent.
    """
    if login:  # its token is no secret that we know already, so the names of its fields decide
        return _without_token(body, headers)
    known = masker()
    if not known:
        return None
    masked, size, found = open_spool(), 0, False
    for before, after in known.mask_stream(_unpacked(body, headers)):
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


def _without_token(body: IO[bytes], headers: httpx2.Headers) -> IO[bytes]:
    masked, size, pieces = open_spool(), 0, []
    for piece in _unpacked(body, headers):
        size += len(piece)
        pieces.append(piece)
        if size > _LARGEST_LOGIN:
            masked.close()
            raise _TooLargeToSearch
    masked.write(scrub_body(b"".join(pieces), "application/json"))
    return masked


def _unpacked(body: IO[bytes], headers: httpx2.Headers) -> Iterator[bytes]:
    """The body out of its content encoding, as far as that goes."""
    body.seek(0)
    pieces = _Pieces(body)
    encoding = headers.get("content-encoding")
    response = httpx2.Response(
        200, headers={"content-encoding": encoding} if encoding else None, stream=pieces
    )
    try:
        yield from response.iter_bytes()
    except httpx2.DecodingError:
        return  # a damaged body: whoever reads it comes no further either


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, body: IO[bytes]) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._body.read(_PIECE):
            yield piece


def _with_length(headers: RawHeaders, length: int) -> RawHeaders:
    """The headers with the right Content-Length; without a body it may be missing."""
    right = b"%d" % length
    if any(name.lower() == b"content-length" for name, _ in headers):
        return [
            (name, right if name.lower() == b"content-length" else value) for name, value in headers
        ]
    if length:
        return [*headers, (b"Content-Length", right)]
    return headers


def _address(response: httpx2.Response) -> str | None:
    """The address that was really dialled, where the connection tells."""
    stream = response.extensions.get("network_stream")
    peer = None
    if stream is not None:
        peer = stream.get_extra_info("server_addr")
    if isinstance(peer, tuple) and peer:
        return str(peer[0])
    return None
