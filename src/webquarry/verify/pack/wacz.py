"""Records, pages and evidence in, the bytes of a WACZ file out (version 1.1.1), and back.

archive/data.warc.gz          what was sent and received, and the texts made of it
indexes/index.cdx.gz, .idx    where each response is
pages/pages.jsonl             the pages
evidence.json                 session, sources, quotes, spans, hashes
datapackage.json              all of these with their hashes
datapackage-digest.json       the hash of datapackage.json
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from webquarry.verify.pack.captures import IndexedResponse
from webquarry.verify.pack.container import read_container, write_container
from webquarry.verify.pack.index import ARCHIVE, write_index, write_pages
from webquarry.verify.pack.problem import DamagedPack
from webquarry.verify.pack.warc import ReadRecord, WarcRecord, compress, read_records

EVIDENCE = "evidence.json"
_WARC = f"archive/{ARCHIVE}"
_CDX, _IDX, _PAGES = "indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl"
_PACKAGE, _DIGEST = "datapackage.json", "datapackage-digest.json"
_MEMBERS = (_WARC, _CDX, _IDX, _PAGES, EVIDENCE, _PACKAGE, _DIGEST)
_LARGEST_JSON = 64 * 1024 * 1024


@dataclass(frozen=True)
class PackContents:
    """What is in a pack: its records by their ids, and its evidence."""

    records: Mapping[str, ReadRecord]
    evidence: dict[str, Any]


def write_wacz(
    records: Sequence[WarcRecord],
    pages: Sequence[Mapping[str, Any]],
    evidence: Mapping[str, Any],
    package: Mapping[str, Any],
) -> bytes:
    """The bytes of a pack; `package` is what its data package says besides the resources."""
    archive = bytearray()
    responses: list[IndexedResponse] = []
    for record in records:
        packed = compress(record.write())
        if record.kind == "response":
            responses.append(IndexedResponse(record, len(archive), len(packed)))
        archive += packed
    cdx, idx = write_index(responses)
    members = {
        _WARC: bytes(archive),
        _CDX: cdx,
        _IDX: idx,
        _PAGES: write_pages(pages),
        EVIDENCE: write_json(evidence),
    }
    resources = [_describe_resource(path, data) for path, data in members.items()]
    described = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        **package,
        "resources": resources,
    }
    members[_PACKAGE] = write_json(described)
    members[_DIGEST] = _write_digest(members[_PACKAGE])
    return write_container(members)


def read_wacz(data: bytes) -> PackContents:
    """What is in a pack, if every byte of it is as it was written."""
    members = read_container(data)
    if tuple(members) != _MEMBERS:
        raise DamagedPack("The pack has not the members that evidence packs have.")
    if members[_DIGEST] != _write_digest(members[_PACKAGE]):
        raise DamagedPack("datapackage.json does not fit its hash.")
    package = _parse_json(members[_PACKAGE], _PACKAGE)
    expected = [_describe_resource(path, members[path]) for path in _MEMBERS[:-2]]
    if package.get("resources") != expected:
        changed = _find_changed(package.get("resources"), expected)
        raise DamagedPack(f"{changed} does not fit its hash.")
    records: dict[str, ReadRecord] = {}
    for record in read_records(members[_WARC]):
        if record.id in records:
            raise DamagedPack("Two records of the pack have one id.")
        records[record.id] = record
    return PackContents(records, _parse_json(members[EVIDENCE], EVIDENCE))


def write_json(value: Mapping[str, Any]) -> bytes:
    """JSON that is the same for the same value, and can be read by a person."""
    text = json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return (text + "\n").encode("utf-8", "replace")


def _write_digest(package: bytes) -> bytes:
    return write_json({"path": _PACKAGE, "hash": _hash(package)})


def _describe_resource(path: str, data: bytes) -> dict[str, Any]:
    name = path.rpartition("/")[2]
    return {"name": name, "path": path, "hash": _hash(data), "bytes": len(data)}


def _find_changed(listed: Any, expected: Sequence[Mapping[str, Any]]) -> str:
    """The first member that is not as it is listed."""
    if isinstance(listed, list):
        for resource in expected:
            if resource not in listed:
                return str(resource["path"])
    return _PACKAGE


def _parse_json(data: bytes, name: str) -> dict[str, Any]:
    if len(data) > _LARGEST_JSON:
        raise DamagedPack(f"{name} is larger than it may be.")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise DamagedPack(f"{name} is no JSON.") from None
    if not isinstance(value, dict):
        raise DamagedPack(f"{name} is no object.")
    return value


def _hash(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"
