"""An exchange on disk: a WARC response record and its request record, appended to a file that
others may be writing.

The pair is packed in full and then appended, all under a lock, so that any number of recorders and
processes can share one file. The bytes depend on the exchange and its place alone: record ids are
derived, not drawn.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from webquarry.errors import BadInput
from webquarry.net.archive.scrub import RawHeaders

if sys.platform != "win32":
    import fcntl

SPOOL_BYTES = 1024 * 1024  # what is kept in memory of one body; the rest goes to a temporary file
_PIECE = 8 * 1024 * 1024
_OPEN_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "webquarry.recording")


def open_spool() -> IO[bytes]:
    """A new temporary file that stays in memory while it is small."""
    return tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)


@dataclass(frozen=True)
class RecordedExchange:
    """One request and its answer, already scrubbed."""

    moment: datetime
    method: str
    url: str
    target: str
    request_headers: RawHeaders
    request_body: bytes
    status: int
    reason: bytes
    headers: RawHeaders
    body: IO[bytes]
    truncated: str | None = None  # why the body is not whole, in the words of WARC-Truncated
    address: str | None = None


class WarcFile:
    """A WARC file that is being added to."""

    def __init__(self, path: Path, moment: datetime) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._gzip = _is_gzip(path)
        try:
            # What was read and asked is the user's own business.
            self._file = os.open(path, _OPEN_FLAGS, 0o600)
        except OSError as error:
            raise _build_unusable_error(path, error) from error
        with self._lock_file():
            if os.fstat(self._file).st_size == 0:
                with _pack_info(moment, self._gzip) as packed:
                    self._append(packed)

    def add(self, exchange: RecordedExchange) -> None:
        """Append one exchange, whole or not at all."""
        with self._lock_file():
            place = os.fstat(self._file).st_size
            with _pack_exchange(exchange, place, self._gzip) as packed:
                self._append(packed)

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    @contextmanager
    def _lock_file(self) -> Iterator[None]:
        """Nobody else writes: no thread of ours, and where the system has such locks no other
        process either.
        """
        with self._lock:
            if self._file < 0:
                raise BadInput(f"The recording {self._path} is closed already.")
            if sys.platform != "win32":
                fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                if sys.platform != "win32":
                    fcntl.flock(self._file, fcntl.LOCK_UN)

    def _append(self, packed: IO[bytes]) -> None:
        before = os.fstat(self._file).st_size
        packed.seek(0)
        try:
            while piece := packed.read(_PIECE):
                written = os.write(self._file, piece)
                packed.seek(written - len(piece), os.SEEK_CUR)
        except OSError as error:
            # Half a record would make the rest of the file unreadable.
            os.ftruncate(self._file, before)
            raise BadInput(
                f"The recording {self._path} could not be written to: {error.strerror}.",
                suggested_action="Make room for it, or turn recording off (unset "
                "WEBQUARRY_RECORD).",
            ) from error


def _is_gzip(path: Path) -> bool:
    """As the file is already; a new one is compressed unless its name ends in `.warc`. Other files
    are not touched.
    """
    try:
        with path.open("rb") as file:
            start = file.read(5)
    except FileNotFoundError:
        start = b""
    except OSError as error:
        raise _build_unusable_error(path, error) from error
    if start and start != b"WARC/" and not start.startswith(b"\x1f\x8b"):
        raise BadInput(
            f"{path} is there already and is not a WARC file, so nothing is recorded to it.",
            suggested_action="Name another file in WEBQUARRY_RECORD.",
        )
    if start:
        return start != b"WARC/"
    return path.suffix != ".warc"


def _build_unusable_error(path: Path, error: OSError) -> BadInput:
    if not path.parent.is_dir():
        return BadInput(
            f"The folder {path.parent} of the recording does not exist.",
            suggested_action="Make the folder, or name a file in one that exists.",
        )
    return BadInput(
        f"The recording {path} cannot be written: {error.strerror}.",
        suggested_action="Name a file that you may write to.",
    )


class _Head(StatusAndHeaders):  # type: ignore[misc]  # warcio publishes no types
    """The head of a message byte for byte; warcio would escape whatever is not ASCII."""

    def __init__(self, lines: list[bytes]) -> None:
        super().__init__(lines[0].decode("latin-1"), [])
        self._bytes = b"\r\n".join([*lines, b"", b""])

    def compute_headers_buffer(self, header_filter: Any = None) -> None:
        self.headers_buff = self._bytes


def _pack_exchange(exchange: RecordedExchange, place: int, gzip: bool) -> IO[bytes]:
    packed = open_spool()
    writer = WARCWriter(packed, gzip=gzip, warc_version="1.0")
    request_line = f"{exchange.method} {exchange.target} HTTP/1.1".encode("ascii")
    request = writer.create_warc_record(
        exchange.url,
        "request",
        payload=BytesIO(exchange.request_body),
        length=len(exchange.request_body),
        http_headers=_Head([request_line, *_join_headers(exchange.request_headers)]),
        warc_headers_dict=_build_record_headers(exchange, "request", place),
    )
    status_line = b"HTTP/1.1 %d %s" % (exchange.status, exchange.reason)
    response = writer.create_warc_record(
        exchange.url,
        "response",
        payload=exchange.body,
        length=length_of(exchange.body),
        http_headers=_Head([status_line, *_join_headers(exchange.headers)]),
        warc_headers_dict=_build_record_headers(exchange, "response", place),
    )
    writer.write_request_response_pair(request, response)
    return packed


def _pack_info(moment: datetime, gzip: bool) -> IO[bytes]:
    packed = open_spool()
    writer = WARCWriter(packed, gzip=gzip, warc_version="1.0")
    record = writer.create_warcinfo_record(
        "", {"software": "webquarry", "format": "WARC File Format 1.0"}
    )
    record.rec_headers.replace_header(
        "WARC-Record-ID", _derive_record_id(_format_date(moment), "warcinfo")
    )
    record.rec_headers.replace_header("WARC-Date", _format_date(moment))
    writer.write_record(record)
    return packed


def _build_record_headers(exchange: RecordedExchange, kind: str, place: int) -> dict[str, str]:
    date = _format_date(exchange.moment)
    headers = {
        "WARC-Record-ID": _derive_record_id(date, kind, exchange.method, exchange.url, str(place)),
        "WARC-Date": date,
    }
    if exchange.address:
        headers["WARC-IP-Address"] = exchange.address
    if exchange.truncated and kind == "response":
        headers["WARC-Truncated"] = exchange.truncated
    return headers


def _derive_record_id(*parts: str) -> str:
    identity = uuid.uuid5(_NAMESPACE, " ".join(parts))
    return f"<urn:uuid:{identity}>"


def _format_date(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _join_headers(headers: RawHeaders) -> list[bytes]:
    return [name + b": " + value for name, value in headers]


def length_of(body: IO[bytes]) -> int:
    """How long it is; it stands at its start afterwards."""
    body.seek(0, os.SEEK_END)
    length = body.tell()
    body.seek(0)
    return length
