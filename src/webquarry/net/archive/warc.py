"""WARC files: append a request and its response as a pair of records.

The pair is appended at once under a lock, so that several recorders and processes can share a file.
Record ids are derived, not random: the same exchanges give the same bytes.
"""

from __future__ import annotations

import os
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webquarry.errors import BadInput
from webquarry.net.archive.scrub import RawHeaders

if sys.platform != "win32":
    import fcntl

_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "webquarry.recording")


@dataclass(frozen=True)
class Exchange:
    """A request and its response, without secrets."""

    moment: datetime
    method: str
    url: str
    target: str
    request_headers: RawHeaders
    request_body: bytes
    status: int
    reason: bytes
    headers: RawHeaders
    body: bytes
    truncated: str | None = None  # value of WARC-Truncated
    address: str | None = None


class WarcFile:
    """A WARC file that is appended to. A new file is compressed unless its name ends in `.warc`."""

    def __init__(self, path: Path, moment: datetime) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            self._gzip = _detect_gzip(path)
            self._file = os.open(path, _OPEN_FLAGS, 0o600)
        except OSError as error:
            raise _build_open_error(path, error) from error
        with self._locked() as size:
            if size == 0:
                self._append(_pack_info(moment, self._gzip))

    def add(self, exchange: Exchange) -> None:
        """Append an exchange; on failure the file is unchanged."""
        with self._locked() as size:
            self._append(_pack_exchange(exchange, size, self._gzip))

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Exclude other threads, and other processes where the platform supports it; yields the
        size of the file.
        """
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
                suggested_action="Make room for it, or turn recording off (unset "
                "WEBQUARRY_RECORD).",
            ) from error


def _detect_gzip(path: Path) -> bool:
    """Whether to compress records. Raises `BadInput` if the file is not a WARC file."""
    start = b""
    if path.exists():
        with path.open("rb") as file:
            start = file.read(5)
    if not start:
        return path.suffix != ".warc"
    if start != b"WARC/" and not start.startswith(b"\x1f\x8b"):
        raise BadInput(
            f"{path} exists already and is not a WARC file, so nothing is recorded to it.",
            suggested_action="Name another file in WEBQUARRY_RECORD.",
        )
    return start != b"WARC/"


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


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio has no types
    """Head of an HTTP message, unchanged; warcio would escape bytes that are not ASCII."""

    def __init__(self, start_line: bytes, headers: RawHeaders) -> None:
        super().__init__(start_line.decode("latin-1"), [])
        lines = [name + b": " + value for name, value in headers]
        self._bytes = b"\r\n".join([start_line, *lines, b"", b""])

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        self.headers_buff = self._bytes


def _pack_exchange(exchange: Exchange, offset: int, gzip: bool) -> bytes:
    packed = BytesIO()
    writer = WARCWriter(packed, gzip=gzip, warc_version="1.0")

    def create_record(kind: str, head: _Head, body: bytes) -> Any:
        date = _format_date(exchange.moment)
        headers = {
            "WARC-Record-ID": _derive_id(date, kind, exchange.method, exchange.url, str(offset)),
            "WARC-Date": date,
        }
        if exchange.address:
            headers["WARC-IP-Address"] = exchange.address
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

    request_line = f"{exchange.method} {exchange.target} HTTP/1.1".encode("ascii")
    status_line = b"HTTP/1.1 %d %s" % (exchange.status, exchange.reason)
    writer.write_request_response_pair(
        create_record(
            "request", _Head(request_line, exchange.request_headers), exchange.request_body
        ),
        create_record("response", _Head(status_line, exchange.headers), exchange.body),
    )
    return packed.getvalue()


def _pack_info(moment: datetime, gzip: bool) -> bytes:
    packed = BytesIO()
    writer = WARCWriter(packed, gzip=gzip, warc_version="1.0")
    record = writer.create_warcinfo_record(
        "", {"software": "webquarry", "format": "WARC File Format 1.0"}
    )
    date = _format_date(moment)
    record.rec_headers.replace_header("WARC-Record-ID", _derive_id(date, "warcinfo"))
    record.rec_headers.replace_header("WARC-Date", date)
    writer.write_record(record)
    return packed.getvalue()


def _derive_id(*parts: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, ' '.join(parts))}>"


def _format_date(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
