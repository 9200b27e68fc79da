"""Recording: a transport that writes every exchange to a WARC file and passes it on unchanged.

Bodies are recorded as sent, with their content encoding but without chunked framing. A body that
was not read to its end is recorded as far as it was read and marked `WARC-Truncated`. Requests
without a response are not recorded.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import AsyncGeneratorType
from typing import Any

import httpx2
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webquarry.clock import Clock
from webquarry.errors import BadInput
from webquarry.net.archive.scrub import (
    RawHeaders,
    scrub_body,
    scrub_request_headers,
    scrub_response_headers,
    scrub_target,
    scrub_url,
)
from webquarry.net.body import WITHOUT_BODY
from webquarry.secret import get_masker

if sys.platform != "win32":
    import fcntl

log = logging.getLogger(__name__)

LOGIN = "webquarry.login"  # extension of a request whose response contains a credential
_MAX_DECODED = 256 * 1024 * 1024  # bytes that are searched for secrets
_ENCODING = b"content-encoding"
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "webquarry.recording")


class Recorder:
    """Records the exchanges of its transports in one WARC file, appending to an existing one."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._file = _WarcFile(path, clock.now())

    def wrap(self, transport: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
        """Return a transport that records the exchanges of another."""
        return _RecordingTransport(transport, self._clock, self._file)

    def close(self) -> None:
        """Close the file after the write in progress."""
        self._file.close()


# Transport


@dataclass(eq=False)
class _RecordingTransport(httpx2.AsyncBaseTransport):
    inner: httpx2.AsyncBaseTransport
    clock: Clock
    file: _WarcFile

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        moment = self.clock.now()
        response = await self.inner.handle_async_request(request)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_RecordingStream(moment, request, response, self.file),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        await self.inner.aclose()


class _RecordingStream(httpx2.AsyncByteStream):
    """A body that is recorded while it is read."""

    def __init__(
        self, moment: datetime, request: httpx2.Request, response: httpx2.Response, file: _WarcFile
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
        has_no_body = request.method == "HEAD" or response.status_code in WITHOUT_BODY
        if has_no_body or response.headers.get("content-length") == str(len(self._body)):
            truncated = None  # complete, although it was not read to the end of the stream
        try:
            masked = self._mask_body()
        except _TooLargeError:
            log.warning("the decoded body of %s is too large to record", scrub_url(request.url))
            return
        body = bytes(self._body) if masked is None else masked
        dropped = {b"transfer-encoding"} if masked is None else {b"transfer-encoding", _ENCODING}
        scrubbed = scrub_response_headers(response.headers)
        headers = [pair for pair in scrubbed if pair[0].lower() not in dropped]
        if truncated is None and not has_no_body:
            headers = _set_content_length(headers, len(body))
        reason = get_masker().mask(response.reason_phrase.encode("ascii", "replace"))
        sent = scrub_body(request.content, request.headers.get("content-type", ""))
        sent_headers = _set_content_length(scrub_request_headers(request.headers), len(sent))
        request_line = f"{request.method} {scrub_target(request.url)} HTTP/1.1".encode("ascii")
        self._file.add(
            _Exchange(
                date=_format_date(self._moment),
                method=request.method,
                url=scrub_url(request.url),
                request_head=_Head(request_line, sent_headers),
                request_body=sent,
                response_head=_Head(b"HTTP/1.1 %d %s" % (response.status_code, reason), headers),
                response_body=body,
                truncated=truncated,
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
        body = bytearray()
        for chunk in self._decode():
            body += chunk
            if len(body) > _MAX_DECODED:
                raise _TooLargeError
        masked = masker.mask(bytes(body))
        if is_login:
            return scrub_body(masked, "application/json")
        return masked if masked != body else None

    def _decode(self) -> Iterator[bytes]:
        """Decode the content encoding, up to the first invalid data."""
        raw_headers = self._response.headers.raw
        headers = [pair for pair in raw_headers if pair[0].lower() == _ENCODING]
        stream = httpx2.ByteStream(bytes(self._body))
        response = httpx2.Response(200, headers=headers, stream=stream)
        try:
            yield from response.iter_bytes()
        except httpx2.DecodingError:
            return


class _TooLargeError(Exception):
    pass


def _set_content_length(headers: RawHeaders, length: int) -> RawHeaders:
    """Correct or add Content-Length; it is not added if there is no body."""
    value = b"%d" % length
    if all(name.lower() != b"content-length" for name, _ in headers):
        return [*headers, (b"Content-Length", value)] if length else headers
    return [(name, value if name.lower() == b"content-length" else old) for name, old in headers]


# WARC file


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio has no types
    """Head of an HTTP message, unchanged; warcio would escape bytes that are not ASCII."""

    def __init__(self, start_line: bytes, headers: RawHeaders) -> None:
        super().__init__(start_line.decode("latin-1"), [])
        lines = [name + b": " + value for name, value in headers]
        self._bytes = b"\r\n".join([start_line, *lines, b"", b""])

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        self.headers_buff = self._bytes


@dataclass(frozen=True)
class _Exchange:
    """A request and its response, without secrets."""

    date: str
    method: str
    url: str
    request_head: _Head
    request_body: bytes
    response_head: _Head
    response_body: bytes
    truncated: str | None  # value of WARC-Truncated


class _WarcFile:
    """A WARC file that several threads and processes can append to."""

    def __init__(self, path: Path, moment: datetime) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            _check_existing(path)
            self._file = os.open(path, _OPEN_FLAGS, 0o600)
        except OSError as error:
            raise _build_open_error(path, error) from error
        with self._lock_file() as size:
            if size == 0:
                self._append(_pack_info(_format_date(moment)))

    def add(self, exchange: _Exchange) -> None:
        """Append an exchange; on failure the file is unchanged."""
        with self._lock_file() as size:
            self._append(_pack_exchange(exchange, size))

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    @contextmanager
    def _lock_file(self) -> Iterator[int]:
        """Exclude other threads and (except on Windows) processes; yields the size of the file."""
        with self._lock:
            if self._file < 0:
                raise BadInput(f"The recording {self._path} is closed already.")
            if sys.platform != "win32":
                fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield os.fstat(self._file).st_size
            finally:
                if sys.platform != "win32":
                    fcntl.flock(self._file, fcntl.LOCK_UN)

    def _append(self, data: bytes) -> None:
        size = os.fstat(self._file).st_size
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            os.ftruncate(self._file, size)  # a partial record makes the file unreadable
            raise BadInput(
                f"The recording {self._path} could not be written to: {error.strerror}.",
                suggested_action="Make room for it, or unset WEBQUARRY_RECORD.",
            ) from error


def _check_existing(path: Path) -> None:
    """Raise `BadInput` if there is a file that is not a compressed WARC file."""
    if not path.exists():
        return
    with path.open("rb") as file:
        start = file.read(2)
    if start not in (b"", b"\x1f\x8b"):
        raise BadInput(
            f"{path} exists already and is not a WARC file, so nothing is recorded to it.",
            suggested_action="Name another file in WEBQUARRY_RECORD.",
        )


def _build_open_error(path: Path, error: OSError) -> BadInput:
    if not path.parent.is_dir():
        return BadInput(
            f"The folder {path.parent} of the recording does not exist.",
            suggested_action="Make the folder, or name a file in one that exists.",
        )
    return BadInput(
        f"The recording {path} cannot be written: {error.strerror}.",
        suggested_action="Name a file that you may write to.",
    )


def _pack_exchange(exchange: _Exchange, offset: int) -> bytes:
    packed = BytesIO()
    writer = WARCWriter(packed, gzip=True, warc_version="1.0")

    def create_record(kind: str, head: _Head, body: bytes) -> Any:
        identity = (exchange.date, kind, exchange.method, exchange.url, str(offset))
        headers = {"WARC-Record-ID": _derive_id(*identity), "WARC-Date": exchange.date}
        if exchange.truncated and kind == "response":
            headers["WARC-Truncated"] = exchange.truncated
        return writer.create_warc_record(
            exchange.url,
            kind,
            payload=BytesIO(body),
            length=len(body),
            http_headers=head,
            warc_headers_dict=headers,
        )

    request = create_record("request", exchange.request_head, exchange.request_body)
    response = create_record("response", exchange.response_head, exchange.response_body)
    writer.write_request_response_pair(request, response)
    return packed.getvalue()


def _pack_info(date: str) -> bytes:
    packed = BytesIO()
    writer = WARCWriter(packed, gzip=True, warc_version="1.0")
    fields = {"software": "webquarry", "format": "WARC File Format 1.0"}
    record = writer.create_warcinfo_record("", fields)
    record.rec_headers.replace_header("WARC-Record-ID", _derive_id(date, "warcinfo"))
    record.rec_headers.replace_header("WARC-Date", date)
    writer.write_record(record)
    return packed.getvalue()


def _derive_id(*parts: str) -> str:
    """Return a record id that is not random: the same exchanges give the same file."""
    return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, ' '.join(parts))}>"


def _format_date(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
