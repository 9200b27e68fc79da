"""Evidence packs as WACZ files (version 1.1.1), written and read.

archive/data.warc.gz          requests, responses and the texts of pages
indexes/index.cdx.gz, .idx    the place of each response
pages/pages.jsonl             the pages
evidence.json                 session, sources, quotes, spans, hashes
datapackage.json              all of these with their hashes
datapackage-digest.json       the hash of datapackage.json
"""

from __future__ import annotations

import gzip
import json
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from webquarry.verify.pack.archive import (
    DamagedPack,
    WarcRecord,
    digest,
    read_records,
    write_records,
)

MAX_BYTES = 1 << 30
_ARCHIVE, _CDX_NAME = "data.warc.gz", "index.cdx.gz"
_WARC, _CDX, _IDX = f"archive/{_ARCHIVE}", f"indexes/{_CDX_NAME}", "indexes/index.idx"
_PAGES, EVIDENCE = "pages/pages.jsonl", "evidence.json"
_PACKAGE, _DIGEST = "datapackage.json", "datapackage-digest.json"
_MEMBERS = (_WARC, _CDX, _IDX, _PAGES, EVIDENCE, _PACKAGE, _DIGEST)
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest of a ZIP file
_LINES_IN_BLOCK = 300  # of the index


@dataclass(frozen=True)
class PackContents:
    """The records of a pack by id, and its evidence."""

    records: Mapping[str, WarcRecord]
    evidence: dict[str, Any]


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
    described = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        **package,
        "resources": _describe_resources(members),
    }
    data = write_json(described)
    return write_zip({**members, _PACKAGE: data, _DIGEST: _write_digest(data)})


def read_wacz(data: bytes) -> PackContents:
    """Return the content of a pack. Raises `DamagedPack` if any byte of it was changed."""
    members = read_zip(data)
    package = _parse_json(members[_PACKAGE], _PACKAGE)
    if members[_DIGEST] != _write_digest(members[_PACKAGE]):
        raise DamagedPack("datapackage.json does not fit its hash.")
    listed = package.get("resources")
    for resource in _describe_resources({path: members[path] for path in _MEMBERS[:-2]}):
        if not isinstance(listed, list) or resource not in listed:
            raise DamagedPack(f"{resource['path']} does not fit its hash.")
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
    except (zipfile.BadZipFile, struct.error, OSError, EOFError, RuntimeError, ValueError) as error:
        raise DamagedPack("The file is not an evidence pack: not a valid ZIP file.") from error
    if write_zip(members) != data:
        raise DamagedPack("The ZIP file around the evidence was changed.")
    return members


def write_json(value: Mapping[str, Any]) -> bytes:
    """Return readable JSON whose bytes depend on the value alone."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return (text + "\n").encode("utf-8", "replace")


def _write_digest(package: bytes) -> bytes:
    return write_json({"path": _PACKAGE, "hash": _hash(package)})


def _describe_resources(members: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {
            "name": path.rpartition("/")[2],
            "path": path,
            "hash": _hash(data),
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


def _hash(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _write_index(
    records: Sequence[WarcRecord], places: Sequence[tuple[int, int]]
) -> tuple[bytes, bytes]:
    """Return the CDXJ index of the responses in compressed blocks, and the index of the blocks."""
    lines = []
    for record, (offset, length) in zip(records, places, strict=True):
        if record.kind == "response":
            lines.append(_write_index_line(record, offset, length))
    lines.sort()
    cdx = b""
    starts = ["!meta 0 " + _dump({"format": "cdxj-gzip-1.0", "filename": _CDX_NAME})]
    for first in range(0, len(lines), _LINES_IN_BLOCK):
        part = lines[first : first + _LINES_IN_BLOCK]
        block = gzip.compress(("\n".join(part) + "\n").encode(), mtime=0)
        key = " ".join(part[0].split(" ", 2)[:2])
        facts = {
            "offset": len(cdx),
            "length": len(block),
            "digest": digest(block),
            "filename": _CDX_NAME,
        }
        starts.append(f"{key} {_dump(facts)}")
        cdx += block
    return cdx, ("\n".join(starts) + "\n").encode()


def _write_index_line(record: WarcRecord, offset: int, length: int) -> str:
    moment = "".join(letter for letter in record.date if letter.isdecimal())
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
    return f"{sort_url(record.url)} {moment[:14]} {_dump(facts)}"


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
