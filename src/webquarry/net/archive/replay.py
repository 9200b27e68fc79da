"""Replay: a transport that responds from a WARC file, without a network.

A response is found by method, URL and body of its request (`build_request_key`). Each transport
returns several responses to one request in the order of the file, and the last one repeatedly. In
files of other tools, a response without a request record is that of a GET. A damaged file is
refused when it is opened, because a truncated response would look complete.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import httpx2
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.utils import Digester

from webquarry.errors import BadInput, NotRecorded
from webquarry.net.archive.scrub import RawHeaders, RequestKey, build_request_key, scrub_url

_CHUNK = 64 * 1024
_MAX_LINE = 64 * 1024
_MAX_HEADERS = 1000
_MAX_REQUEST = 16 * 1024 * 1024
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? [1-5]\d\d\b")


class Replay:
    """A recording. `moment` is the date of its newest record."""

    def __init__(self, path: Path) -> None:
        self.path = path
        index = _read_index(path)
        if index.newest is None:
            raise BadInput(
                f"The recording {path} is empty.", suggested_action="Record something to it first."
            )
        self.moment = index.newest
        self._responses = index.group_responses()

    def transport(self) -> httpx2.AsyncBaseTransport:
        """Return a transport that starts at the beginning of the recording."""
        return _ReplayTransport(self.path, self._responses)


def demo_recording() -> Path:
    """Return the path of the small recorded web in the package."""
    from importlib.resources import files

    return Path(str(files("webquarry") / "data" / "recorded-web.warc.gz"))


# Responses


@dataclass(frozen=True)
class _Location:
    """Position of a response in the file."""

    offset: int
    truncated: str | None  # value of WARC-Truncated


@dataclass(eq=False)
class _ReplayTransport(httpx2.AsyncBaseTransport):
    path: Path
    responses: dict[RequestKey, list[_Location]]
    request_counts: dict[RequestKey, int] = field(default_factory=dict)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        content_type = request.headers.get("content-type", "")
        key = build_request_key(request.method, request.url, body, content_type)
        locations = self.responses.get(key)
        name = f"{request.method} {scrub_url(request.url)}"
        if not locations:
            raise NotRecorded(f"The recording {self.path.name} holds no answer to {name}.")
        count = self.request_counts.get(key, 0)
        self.request_counts[key] = count + 1
        location = locations[min(count, len(locations) - 1)]
        with _open_record(self.path, location) as stream:
            status_line, raw_headers = read_head(stream)
        version, _, rest = status_line.partition(b" ")
        status, _, reason = rest.partition(b" ")
        headers = [pair for pair in raw_headers if pair[0].lower() != b"transfer-encoding"]
        return httpx2.Response(
            int(status),
            headers=headers,
            stream=_ReplayStream(self.path, location, name),
            extensions={"http_version": version, "reason_phrase": reason},
        )


@dataclass(eq=False)
class _ReplayStream(httpx2.AsyncByteStream):
    """A recorded body, read from the file on demand."""

    path: Path
    location: _Location
    request_name: str

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        with _open_record(self.path, self.location) as stream:
            _, headers = read_head(stream)
            is_chunked = any(
                name.lower() == b"transfer-encoding" and b"chunked" in value.lower()
                for name, value in headers
            )
            body = ChunkedDataReader(stream) if is_chunked else stream
            while chunk := body.read(_CHUNK):
                size += len(chunk)
                yield chunk
        if self.location.truncated in {"disconnect", "time"}:
            raise httpx2.ReadError(
                f"the connection ended after {size:,} bytes, as it did when this was recorded"
            )
        if self.location.truncated:
            raise NotRecorded(
                f"The recording {self.path.name} holds only the first {size:,} bytes of "
                f"{self.request_name}."
            )


@contextmanager
def _open_record(path: Path, location: _Location) -> Iterator[Any]:
    """Open the HTTP message of a record as a stream."""
    try:
        file: IO[bytes] = path.open("rb")
    except OSError as error:
        raise BadInput(f"The recording {path} can no longer be read: {error.strerror}.") from error
    with file:
        file.seek(location.offset)
        record = next(iter(ArchiveIterator(file, no_record_parse=True)))
        yield record.raw_stream


def read_head(stream: Any) -> tuple[bytes, RawHeaders]:
    """Read the start line and the unchanged headers of an HTTP message, up to its body."""
    start_line = stream.readline(_MAX_LINE).rstrip(b"\r\n")
    headers: RawHeaders = []
    for _ in range(_MAX_HEADERS):
        line = stream.readline(_MAX_LINE).rstrip(b"\r\n")
        if not line:
            return start_line, headers
        name, _, value = line.partition(b":")
        headers.append((name.strip(), value.strip()))
    raise BadInput(f"A message in the recording has more than {_MAX_HEADERS:,} headers.")


# The index


@dataclass
class _Index:
    """Records of a file."""

    responses: list[tuple[str, str, _Location]] = field(default_factory=list)  # id, URL
    concurrent_to: dict[str, str] = field(default_factory=dict)  # record id -> record id
    request_keys: dict[str, RequestKey] = field(default_factory=dict)  # by record id
    newest: datetime | None = None

    def group_responses(self) -> dict[RequestKey, list[_Location]]:
        """Return the responses by request. Either record of a pair may refer to the other."""
        referred_by = {other: identity for identity, other in self.concurrent_to.items()}
        grouped: dict[RequestKey, list[_Location]] = {}
        for identity, url, location in self.responses:
            request = self.concurrent_to.get(identity) or referred_by.get(identity, "")
            key = self.request_keys.get(request) or _read_key(url)
            if key:
                grouped.setdefault(key, []).append(location)
        return grouped


def _read_index(path: Path) -> _Index:
    """Verify a file and index its records."""
    try:
        with path.open("rb") as file:
            is_gzip = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if is_gzip:  # warcio skips damaged members
                with gzip.open(file) as members:
                    while members.read(_CHUNK * 16):
                        pass
                file.seek(0)
            return _scan_records(file)
    except (gzip.BadGzipFile, zlib.error, ArchiveLoadFailed, EOFError, ValueError) as error:
        raise BadInput(
            f"The recording {path} is damaged or not a WARC file.",
            suggested_action="Record it again, or repair it with `warcio recompress`.",
        ) from error
    except OSError as error:
        raise BadInput(
            f"The recording {path} cannot be read: {error.strerror}.",
            suggested_action="Name a WARC file that exists, or `demo` for the one that ships "
            "with webquarry.",
        ) from error


def _scan_records(file: IO[bytes]) -> _Index:
    index = _Index()
    records = ArchiveIterator(file, no_record_parse=True)
    for record in records:
        if record.format != "warc" or record.length is None:
            raise ValueError("not a WARC record, or one without a length")
        headers = record.rec_headers
        identity = headers.get_header("WARC-Record-ID", "")
        url = headers.get_header("WARC-Target-URI", "")
        other = headers.get_header("WARC-Concurrent-To")
        if other:
            index.concurrent_to[identity] = other
        block = _read_block(record)
        if record.rec_type == "request":
            key = _read_key(url, block)
            if key:
                index.request_keys[identity] = key
        elif record.rec_type == "response" and _STATUS_LINE.match(block):
            truncated = headers.get_header("WARC-Truncated")
            location = _Location(records.get_record_offset(), truncated)
            index.responses.append((identity, url, location))
        date = headers.get_header("WARC-Date", "")
        moment = datetime.fromisoformat(date).astimezone(UTC)
        index.newest = max(moment, index.newest or moment)
    if records.err_count:
        raise ValueError("a record is longer or shorter than its header says")
    return index


def _read_block(record: Any) -> bytes:
    """Read and verify a record; returns the start of the block, or all of a request."""
    expected = record.rec_headers.get_header("WARC-Block-Digest", "")
    digester = Digester("sha1")
    kept = _MAX_REQUEST if record.rec_type == "request" else 1
    block = bytearray()
    size = 0
    while chunk := record.raw_stream.read(_CHUNK):
        digester.update(chunk)
        if len(block) < kept:
            block += chunk
        size += len(chunk)
    digest = str(digester)
    is_sha1 = expected.startswith("sha1:") and len(expected) == len(digest)
    if size != record.length or (is_sha1 and expected != digest):
        raise ValueError("the block differs from its length or digest")
    return bytes(block)


def _read_key(url: str, request: bytes = b"GET") -> RequestKey | None:
    """Return the key of a request; None if it is not HTTP, like the DNS records of crawlers."""
    if not url.startswith(("http://", "https://")):
        return None
    stream = BytesIO(request)
    request_line, raw_headers = read_head(stream)
    method = request_line.partition(b" ")[0].decode("latin-1")
    content_type = httpx2.Headers(raw_headers).get("content-type", "")
    try:
        return build_request_key(method, httpx2.URL(url), stream.read(), content_type)
    except httpx2.InvalidURL:
        return None
