"""WARC records of an evidence pack, written and read with warcio.

The id of a record is computed from its content, so the same records give the same bytes, and a
record that was changed no longer fits its id.
"""

from __future__ import annotations

import gzip
import uuid
import zlib
from base64 import b32encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import httpx2
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParserException
from warcio.warcwriter import WARCWriter

from webquarry._search.identity import identity
from webquarry.errors import BadInput
from webquarry.secret import HEADERS

_MAX_UNPACKED_BYTES = 512 * 1024 * 1024  # of all records of a pack
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "webquarry.evidence")
_HTTP_KINDS = ("request", "response")
_KEPT_HEADERS = ("WARC-Refers-To", "WARC-Concurrent-To", "WARC-Truncated")
_DROPPED_HEADERS = HEADERS | {"www-authenticate", "proxy-authenticate", "authentication-info"}


class DamagedPack(BadInput):
    """An evidence pack that was changed, or a file that is not an evidence pack."""

    advice = "Get the pack again from its maker; its content cannot be relied on."


@dataclass(frozen=True)
class WarcRecord:
    """One record. The block of a request or response is the HTTP message with its head."""

    kind: str  # response, request, conversion, warcinfo
    date: str
    content_type: str
    block: bytes
    url: str = ""
    more: Mapping[str, str] = field(default_factory=dict)  # further headers

    @property
    def id(self) -> str:
        """The id, computed from all other fields."""
        words = [self.kind, self.date, self.url, digest(self.block)]
        words += sorted(self.more.values())
        number = uuid.uuid5(_NAMESPACE, " ".join(words))
        return f"<urn:uuid:{number}>"

    @property
    def payload(self) -> bytes:
        """The body of an HTTP message; the whole block of any other record."""
        if self.kind in _HTTP_KINDS:
            return self.block.partition(b"\r\n\r\n")[2]
        return self.block

    @property
    def status(self) -> int:
        """The HTTP status of a response; 0 if it has none."""
        words = self.block.partition(b"\r\n")[0].split(b" ", 2)
        if len(words) > 1 and words[1].isdigit():
            return int(words[1])
        return 0

    @property
    def http_headers(self) -> httpx2.Headers:
        """The headers of the HTTP message."""
        head = self.block.partition(b"\r\n\r\n")[0]
        pairs = [line.partition(b":")[::2] for line in head.split(b"\r\n")[1:]]
        return httpx2.Headers([(name.strip(), value.strip()) for name, value in pairs])

    def list_headers(self) -> list[tuple[str, str]]:
        """The headers of the record in a file."""
        headers = {
            "WARC-Type": self.kind,
            "WARC-Record-ID": self.id,
            "WARC-Date": self.date,
            "WARC-Target-URI": self.url,
            **self.more,
            "WARC-Payload-Digest": digest(self.payload),
            "WARC-Block-Digest": digest(self.block),
        }
        return [(name, value) for name, value in headers.items() if value]


def digest(data: bytes) -> str:
    """Return a SHA-256 in the notation of WARC files."""
    return f"sha256:{b32encode(sha256(data).digest()).decode()}"


def write_records(records: Sequence[WarcRecord]) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the bytes of a `.warc.gz` file, and the offset and length of each record in it."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=True)
    places: list[tuple[int, int]] = []
    for record in records:
        start = out.tell()
        headers = StatusAndHeaders("", record.list_headers(), protocol="WARC/1.1")
        block = BytesIO(record.block)
        size = len(record.block)
        writer.write_record(
            ArcWarcRecord("warc", record.kind, headers, block, None, record.content_type, size)
        )
        places.append((start, out.tell() - start))
    return out.getvalue(), places


def read_records(data: bytes) -> dict[str, WarcRecord]:
    """Return the records of a `.warc.gz` file by id.

    Raises `DamagedPack` if a record does not fit its id or the file is larger than a pack can be.
    """
    try:
        with gzip.open(BytesIO(data)) as file:
            unpacked = file.read(_MAX_UNPACKED_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DamagedPack("The archive of the pack is not valid gzip data.") from error
    if len(unpacked) > _MAX_UNPACKED_BYTES:
        raise DamagedPack(f"The archive unpacks to more than {_MAX_UNPACKED_BYTES:,} bytes.")
    records: dict[str, WarcRecord] = {}
    try:
        for id, record in _iterate(BytesIO(unpacked)):
            if id != record.id or id in records:
                raise DamagedPack(f"The record of {record.url or id} does not fit its id.")
            records[id] = record
    except (ArchiveLoadFailed, StatusAndHeadersParserException, ValueError) as error:
        raise DamagedPack("The archive of the pack is not a valid WARC file.") from error
    return records


def read_exchanges(file: Path) -> list[WarcRecord]:
    """Return the requests and responses of a recording, without credentials and cookies."""
    records: list[WarcRecord] = []
    if not file.exists():
        return records
    response_id = ""
    with file.open("rb") as stream:
        for _, recorded in _iterate(stream):
            if recorded.kind not in _HTTP_KINDS:
                continue
            more = {name: value for name, value in recorded.more.items() if "Truncated" in name}
            if recorded.kind == "request" and response_id:
                more["WARC-Concurrent-To"] = response_id
            record = WarcRecord(
                recorded.kind,
                recorded.date,
                f"application/http; msgtype={recorded.kind}",
                drop_credentials(recorded.block),
                recorded.url,
                more,
            )
            if record.kind == "response":
                response_id = record.id
            records.append(record)
    return records


def drop_credentials(block: bytes) -> bytes:
    """Return an HTTP message without the headers that carry credentials or cookies."""
    head, mark, payload = block.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    kept = []
    for line in lines:
        name = line.partition(b":")[0].strip().lower().decode("latin-1")
        if name not in _DROPPED_HEADERS:
            kept.append(line)
    return b"\r\n".join([first, *kept]) + mark + payload


def find_response(records: Sequence[WarcRecord], url: str) -> WarcRecord | None:
    """Return the last successful response for a page."""
    page = identity(url)
    for record in reversed(records):
        is_page = record.kind == "response" and 200 <= record.status < 300
        if is_page and (record.url == url or identity(record.url) == page):
            return record
    return None


def _iterate(stream: object) -> Iterator[tuple[str, WarcRecord]]:
    """Yield the records of a WARC file with the ids that it states."""
    for read in ArchiveIterator(stream, no_record_parse=True):
        headers = read.rec_headers
        found = {name: headers.get_header(name) for name in _KEPT_HEADERS}
        record = WarcRecord(
            read.rec_type or "",
            headers.get_header("WARC-Date") or "",
            headers.get_header("Content-Type") or "",
            read.raw_stream.read(),
            headers.get_header("WARC-Target-URI") or "",
            {name: value for name, value in found.items() if value},
        )
        yield headers.get_header("WARC-Record-ID") or "", record
