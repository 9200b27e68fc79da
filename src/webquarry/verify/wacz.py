"""Evidence packs as WACZ files (version 1.1.1), written and read; WARC by warcio.

archive/data.warc.gz          requests, responses and the texts of pages
indexes/index.cdx.gz, .idx    the place of each response
pages/pages.jsonl             the pages
evidence.json                 session, sources, quotes, spans, hashes
datapackage.json              all of these with their hashes
datapackage-digest.json       the hash of datapackage.json

The id of a record is computed from its content, so the same records give the same bytes, and a
record that was changed does not match its id.
"""

from __future__ import annotations

import gzip
import json
import struct
import uuid
import zipfile
import zlib
from base64 import b32encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders, StatusAndHeadersParserException
from warcio.warcwriter import WARCWriter

from webquarry._search.identity import identity
from webquarry.errors import BadInput
from webquarry.secret import HEADERS

MAX_BYTES = 1 << 30
_MAX_UNPACKED_BYTES = 512 * 1024 * 1024  # of all records of a pack
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "webquarry.evidence")
_HTTP_KINDS = ("request", "response")
_KEPT_HEADERS = ("WARC-Refers-To", "WARC-Concurrent-To", "WARC-Truncated")
_DROPPED_HEADERS = HEADERS | {"www-authenticate", "proxy-authenticate", "authentication-info"}
_ARCHIVE, _CDX_NAME = "data.warc.gz", "index.cdx.gz"
_WARC, _CDX, _IDX = f"archive/{_ARCHIVE}", f"indexes/{_CDX_NAME}", "indexes/index.idx"
_PAGES, EVIDENCE = "pages/pages.jsonl", "evidence.json"
_PACKAGE, _DIGEST = "datapackage.json", "datapackage-digest.json"
_MEMBERS = (_WARC, _CDX, _IDX, _PAGES, EVIDENCE, _PACKAGE, _DIGEST)
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest of a ZIP file


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
        words = [self.kind, self.date, self.url, digest(self.block), *sorted(self.more.values())]
        return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, ' '.join(words))}>"

    @property
    def payload(self) -> bytes:
        """The body of an HTTP message; the whole block of any other record."""
        return self.block.partition(b"\r\n\r\n")[2] if self.kind in _HTTP_KINDS else self.block

    @property
    def status(self) -> int:
        """The HTTP status of a response; 0 if it has none."""
        words = self.block.partition(b"\r\n")[0].split(b" ", 2)
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0

    @property
    def http_headers(self) -> httpx2.Headers:
        """The headers of the HTTP message."""
        head = self.block.partition(b"\r\n\r\n")[0]
        pairs = [line.partition(b":")[::2] for line in head.split(b"\r\n")[1:]]
        return httpx2.Headers([(name.strip(), value.strip()) for name, value in pairs])


@dataclass(frozen=True)
class PackContents:
    """The records of a pack by id, and its evidence."""

    records: Mapping[str, WarcRecord]
    evidence: dict[str, Any]


def digest(data: bytes) -> str:
    """Return a SHA-256 in the notation of WARC files."""
    return f"sha256:{b32encode(sha256(data).digest()).decode()}"


def write_wacz(
    records: Sequence[WarcRecord],
    pages: Sequence[Mapping[str, Any]],
    evidence: Mapping[str, Any],
    package: Mapping[str, Any],
) -> bytes:
    """Return the bytes of a pack; `package` has the fields of datapackage.json but `resources`."""
    archive, places = write_records(records)
    cdx, idx = _write_index(records, places)
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    lines = "".join(f"{_dump(line)}\n" for line in (head, *pages))
    members = {
        _WARC: archive,
        _CDX: cdx,
        _IDX: idx,
        _PAGES: lines.encode("utf-8", "replace"),
        EVIDENCE: write_json(evidence),
    }
    return write_members(members, package)


def write_members(members: Mapping[str, bytes], package: Mapping[str, Any]) -> bytes:
    """Return the ZIP file of these members with their data package."""
    data = write_json(
        {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            **package,
            "resources": _describe_resources(members),
        }
    )
    return write_zip({**members, _PACKAGE: data, _DIGEST: _write_digest(data)})


def read_wacz(data: bytes) -> PackContents:
    """Return the content of a pack. Raises `DamagedPack` if any byte of it was changed."""
    members = read_zip(data)
    package = _parse_json(members[_PACKAGE], _PACKAGE)
    if members[_DIGEST] != _write_digest(members[_PACKAGE]):
        raise DamagedPack("datapackage.json does not match its hash.")
    described = _describe_resources({path: members[path] for path in _MEMBERS[:-2]})
    if package.get("resources") != described:
        raise DamagedPack("A member of the pack does not match its hash.")
    evidence = _parse_json(members[EVIDENCE], EVIDENCE)
    return PackContents(read_records(members[_WARC]), evidence)


def write_zip(members: Mapping[str, bytes]) -> bytes:
    """Return a ZIP file whose bytes depend on the members alone; they are stored uncompressed."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members.items():
            member = zipfile.ZipInfo(name, _DATE)
            member.create_system = 3  # Unix
            member.external_attr = 0o100644 << 16
            file.writestr(member, data)
    return out.getvalue()


def read_zip(data: bytes) -> dict[str, bytes]:
    """Return the members of a pack. Raises `DamagedPack` unless `write_zip` wrote the file."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as file:
            listed = file.infolist()
            names = tuple(member.filename for member in listed)
            if names != _MEMBERS or sum(member.file_size for member in listed) > len(data):
                raise DamagedPack("The file does not have the members of an evidence pack.")
            members = {name: file.read(name) for name in names}
    except (
        zipfile.BadZipFile,
        struct.error,
        zlib.error,
        OSError,
        EOFError,
        RuntimeError,
        ValueError,
    ) as error:
        raise DamagedPack("The file is not an evidence pack: not a valid ZIP file.") from error
    if write_zip(members) != data:
        raise DamagedPack("The ZIP file around the evidence was changed.")
    return members


def write_json(value: Mapping[str, Any]) -> bytes:
    """Return readable JSON whose bytes depend on the value alone."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n".encode("utf-8", "replace")


def _write_digest(package: bytes) -> bytes:
    return write_json({"path": _PACKAGE, "hash": f"sha256:{sha256(package).hexdigest()}"})


def _describe_resources(members: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {
            "name": path.rpartition("/")[2],
            "path": path,
            "hash": f"sha256:{sha256(data).hexdigest()}",
            "bytes": len(data),
        }
        for path, data in members.items()
    ]


def _parse_json(data: bytes, name: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise DamagedPack(f"{name} is not valid JSON.") from None
    if not isinstance(value, dict):
        raise DamagedPack(f"{name} is not a JSON object.")
    return value


def _write_index(
    records: Sequence[WarcRecord], places: Sequence[tuple[int, int]]
) -> tuple[bytes, bytes]:
    """Return the CDXJ index of the responses, compressed as one block, and the index of blocks."""
    lines = []
    for record, (offset, length) in zip(records, places, strict=True):
        if record.kind != "response":
            continue
        media_type = record.http_headers.get("content-type", "application/octet-stream")
        facts = {
            "url": record.url,
            "mime": media_type.partition(";")[0].strip().lower(),
            "status": str(record.status),
            "digest": digest(record.payload),
            "length": str(length),
            "offset": str(offset),
            "filename": _ARCHIVE,
        }
        moment = "".join(filter(str.isdecimal, record.date))[:14]
        lines.append(f"{sort_url(record.url)} {moment} {_dump(facts)}\n")
    lines.sort()
    cdx = gzip.compress("".join(lines).encode(), mtime=0)
    idx = "!meta 0 " + _dump({"format": "cdxj-gzip-1.0", "filename": _CDX_NAME}) + "\n"
    if lines:
        url, moment, _ = lines[0].split(" ", 2)
        block = {"offset": 0, "length": len(cdx), "digest": digest(cdx), "filename": _CDX_NAME}
        idx += f"{url} {moment} {_dump(block)}\n"
    return cdx, idx.encode()


def sort_url(url: str) -> str:
    """Return the sort key (SURT) of a URL: `https://www.example.org/A?b` is `org,example)/a?b`."""
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    labels = ",".join(reversed(host.split(".")))
    port = f":{parts.port}" if parts.port is not None else ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{labels}{port}){parts.path or '/'}{query}".lower()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def write_records(records: Sequence[WarcRecord]) -> tuple[bytes, list[tuple[int, int]]]:
    """Return the bytes of a `.warc.gz` file, and the offset and length of each record in it."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=True)
    places: list[tuple[int, int]] = []
    for record in records:
        start = out.tell()
        headers = {
            "WARC-Type": record.kind,
            "WARC-Record-ID": record.id,
            "WARC-Date": record.date,
            "WARC-Target-URI": record.url,
            **record.more,
            "WARC-Payload-Digest": digest(record.payload),
            "WARC-Block-Digest": digest(record.block),
        }
        pairs = [(name, value) for name, value in headers.items() if value]
        head = StatusAndHeaders("", pairs, protocol="WARC/1.1")
        block, size = BytesIO(record.block), len(record.block)
        writer.write_record(
            ArcWarcRecord("warc", record.kind, head, block, None, record.content_type, size)
        )
        places.append((start, out.tell() - start))
    return out.getvalue(), places


def read_records(data: bytes) -> dict[str, WarcRecord]:
    """Return the records of a `.warc.gz` file by id.

    Raises `DamagedPack` if a record does not match its id or the file is larger than a pack can be.
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
                raise DamagedPack(f"The record of {record.url or id} does not match its id.")
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
    remaining = [
        line
        for line in lines
        if line.partition(b":")[0].strip().lower().decode("latin-1") not in _DROPPED_HEADERS
    ]
    return b"\r\n".join([first, *remaining]) + mark + payload


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
