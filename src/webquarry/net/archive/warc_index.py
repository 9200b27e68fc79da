"""Finding the answers in a WARC file: where each one starts, and by what request it is found.

The file is read through once, and checked while at it: a recording that is damaged anywhere is
refused, because an answer cut short would look like a whole one.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import httpx2
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.utils import Digester

from webquarry.errors import BadInput
from webquarry.net.archive.scrub import RawHeaders, RequestKey, build_request_key

_PIECE = 64 * 1024
_LONGEST_LINE = 64 * 1024
_MOST_LINES = 1000
_LARGEST_REQUEST = 16 * 1024 * 1024
_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? [1-5]\d\d\b")
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True)
class Recorded:
    """Where an answer is."""

    offset: int
    truncated: str | None  # why it is not whole


@dataclass
class _ScannedRecords:
    """What one pass over the file found."""

    # Record id, key of a plain GET, place.
    responses: list[tuple[str, RequestKey, Recorded]] = field(default_factory=list)
    # Record id -> the one it was concurrent to.
    partners: dict[str, str] = field(default_factory=dict)
    # Of the requests, by record id.
    keys: dict[str, RequestKey] = field(default_factory=dict)
    newest: datetime | None = None

    def join_answers(self) -> dict[RequestKey, list[Recorded]]:
        """Each answer under its request; the two name each other in one direction or the other."""
        named_by = {partner: identity for identity, partner in self.partners.items()}
        answers: dict[RequestKey, list[Recorded]] = {}
        for identity, get_key, recorded in self.responses:
            request = self.partners.get(identity) or named_by.get(identity, "")
            key = self.keys.get(request, get_key)
            answers.setdefault(key, []).append(recorded)
        return answers


class _Damaged(Exception):
    pass


def read_index(path: Path) -> tuple[dict[RequestKey, list[Recorded]], datetime]:
    """The answers by request, in the order of the file, and the date of the newest record."""
    try:
        with path.open("rb") as file:
            _check_gzip(file)
            found = _scan_records(file)
    except OSError as error:
        raise BadInput(
            f"The recording {path} cannot be read: {error.strerror}.",
            suggested_action="Name a WARC file that exists, or `demo` for the one that ships "
            "with webquarry.",
        ) from error
    except (_Damaged, ArchiveLoadFailed, EOFError, ValueError) as error:
        raise BadInput(
            f"The recording {path} is damaged or not a WARC file.",
            suggested_action="Record it again, or repair it with `warcio recompress`.",
        ) from error
    if found.newest is None:
        raise BadInput(
            f"The recording {path} is empty.", suggested_action="Record something to it first."
        )
    return found.join_answers(), found.newest


def read_head(stream: Any) -> tuple[bytes, RawHeaders]:
    """The first line and the headers of an HTTP message, byte for byte; the stream stands at the
    body afterwards.
    """
    first = stream.readline(_LONGEST_LINE).rstrip(b"\r\n")
    headers: RawHeaders = []
    for _ in range(_MOST_LINES):
        line = stream.readline(_LONGEST_LINE).rstrip(b"\r\n")
        if not line:
            return first, headers
        if line[:1] in b" \t" and headers:  # a folded line goes on with the header before it
            name, value = headers.pop()
            value += b" " + line.strip()
        else:
            name, _, value = line.partition(b":")
            name, value = name.strip(), value.strip()
        headers.append((name, value))
    raise BadInput(f"A message in the recording has more than {_MOST_LINES:,} headers.")


def _check_gzip(file: IO[bytes]) -> None:
    """Every member whole and every checksum right; warcio would pass over the damage and go on."""
    is_gzip = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not is_gzip:
        return
    data = file.read(_PIECE)
    while data:
        data = _skip_gzip_member(file, data)
    file.seek(0)


def _skip_gzip_member(file: IO[bytes], data: bytes) -> bytes:
    """Read one gzip member; what follows it is returned."""
    member = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        while not member.eof:
            if not data:
                raise _Damaged("a gzip member without its end")
            member.decompress(data, _PIECE * 16)
            data = member.unconsumed_tail
            if not data and member.eof:
                data = member.unused_data
            elif not data:
                data = file.read(_PIECE)
    except zlib.error as error:
        raise _Damaged("a damaged gzip member") from error
    return data or file.read(_PIECE)


def _scan_records(file: IO[bytes]) -> _ScannedRecords:
    found = _ScannedRecords()
    records = ArchiveIterator(file, no_record_parse=True)
    for record in records:
        if record.format != "warc" or record.length is None:
            raise _Damaged("not a WARC record, or one without a length")
        headers = record.rec_headers
        identity = headers.get_header("WARC-Record-ID", "")
        url = headers.get_header("WARC-Target-URI", "")
        partner = headers.get_header("WARC-Concurrent-To")
        if partner:
            found.partners[identity] = partner
        start = _read_block(record)
        if record.rec_type == "request":
            key = _parse_request_key(url, start)
            if key:
                found.keys[identity] = key
        elif record.rec_type == "response" and _STATUS_LINE.match(start):
            key = _build_key("GET", url)
            if key:
                truncated = headers.get_header("WARC-Truncated")
                recorded = Recorded(records.get_record_offset(), truncated)
                found.responses.append((identity, key, recorded))
        date = headers.get_header("WARC-Date", "")
        moment = datetime.fromisoformat(date).astimezone(UTC)
        found.newest = max(moment, found.newest or moment)
    if records.err_count:
        raise _Damaged("a record longer or shorter than it says")
    return found


def _read_block(record: Any) -> bytes:
    """Read a record through and check it; a request comes back whole, of anything else the
    start.
    """
    expected = record.rec_headers.get_header("WARC-Block-Digest", "")
    digester = Digester("sha1")
    is_request = record.rec_type == "request"
    kept: list[bytes] = []
    size = 0
    while piece := record.raw_stream.read(_PIECE):
        digester.update(piece)
        if not kept or (is_request and size < _LARGEST_REQUEST):
            kept.append(piece)
        size += len(piece)
    digest = str(digester)
    is_sha1 = expected.startswith("sha1:") and len(expected) == len(digest)
    if size != record.length or (is_sha1 and expected != digest):
        raise _Damaged("a record that is not what its headers say")
    return b"".join(kept)


def _parse_request_key(url: str, message: bytes) -> RequestKey | None:
    stream = BytesIO(message)
    request_line, headers = read_head(stream)
    method = request_line.partition(b" ")[0].decode("latin-1")
    content_type = ""
    for name, value in headers:
        if name.lower() == b"content-type":
            content_type = value.decode("latin-1")
            break
    return _build_key(method, url, stream.read(), content_type)


def _build_key(
    method: str, url: str, body: bytes = b"", content_type: str = ""
) -> RequestKey | None:
    """None for what no request of ours can ask for, such as the DNS records that crawlers keep."""
    if not url.startswith(_SCHEMES):
        return None
    try:
        return build_request_key(method, httpx2.URL(url), body, content_type)
    except httpx2.InvalidURL:
        return None
