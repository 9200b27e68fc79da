"""WARC 1.1 records with their digests in, a compressed file out, and back.

One gzip member a record, so that other programs can read one alone. The same records give the same
bytes: ids follow from what a record holds. Reading is strict and bounded: a pack may come from
anybody.
"""

from __future__ import annotations

import re
import uuid
import zlib
from base64 import b32encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from webquarry.verify.pack.problem import DamagedPack

LARGEST_RECORD = 128 * 1024 * 1024  # bytes, unpacked
_MOST_UNPACKED = 512 * 1024 * 1024  # of all records of a pack
_MOST_RECORDS = 50_000
_LONGEST_HEAD = 64 * 1024
_VERSION = b"WARC/1.1"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "webquarry.evidence")
_GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"  # no time, no name, any system
_LEVEL = 9
_PIECE = 8 * 1024
_HEADER = re.compile(rb"([A-Za-z-]{1,60}): ([^\r\n]*)")


@dataclass(frozen=True)
class WarcRecord:
    """One record. Of an HTTP message, the payload is what stands behind its head."""

    kind: str  # response, request, conversion, warcinfo
    date: str
    content_type: str
    block: bytes
    url: str = ""
    payload: bytes | None = None
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id of the record, which follows from the rest of it."""
        words = [self.kind, self.date, self.url, digest(self.block)]
        words += sorted(self.more.values())
        number = uuid.uuid5(_NAMESPACE, " ".join(words))
        return f"<urn:uuid:{number}>"

    def write(self) -> bytes:
        """The record as it stands in a file, not yet compressed."""
        headers = {
            "WARC-Type": self.kind,
            "WARC-Record-ID": self.id,
            "WARC-Date": self.date,
            "WARC-Target-URI": self.url,
            **self.more,
            "WARC-Payload-Digest": digest(self.payload) if self.payload is not None else "",
            "WARC-Block-Digest": digest(self.block),
            "Content-Type": self.content_type,
            "Content-Length": str(len(self.block)),
        }
        lines = [f"{name}: {value}".encode() for name, value in headers.items() if value]
        return b"\r\n".join([_VERSION, *lines, b"", self.block, b"", b""])


@dataclass(frozen=True)
class ReadRecord:
    """A record that was read from a file, and its place there."""

    headers: Mapping[str, str]  # by their names in lower case
    block: bytes
    offset: int
    length: int  # compressed

    @property
    def kind(self) -> str:
        return self.headers.get("warc-type", "")

    @property
    def id(self) -> str:
        return self.headers.get("warc-record-id", "")

    @property
    def url(self) -> str:
        return self.headers.get("warc-target-uri", "")

    @property
    def payload(self) -> bytes:
        """What stands behind the head of an HTTP message; else the whole block."""
        if self.kind in ("response", "request"):
            return self.block.partition(b"\r\n\r\n")[2]
        return self.block


def digest(data: bytes) -> str:
    """The digest of bytes as WARC files have it."""
    return f"sha256:{b32encode(sha256(data).digest()).decode()}"


def compress(data: bytes) -> bytes:
    """One gzip member, whose bytes depend on the data alone."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush()
    checksum = zlib.crc32(data).to_bytes(4, "little")
    size = (len(data) & 0xFFFFFFFF).to_bytes(4, "little")
    return _GZIP_HEAD + packed + checksum + size


def decompress_members(data: bytes, most: int = _MOST_UNPACKED) -> Iterator[tuple[bytes, int, int]]:
    """The gzip members of a file one by one: each unpacked, its offset and its length; so many
    bytes in all at most.
    """
    place = 0
    while place < len(data):
        unpacked, length = _decompress_member(data, place, min(most, LARGEST_RECORD))
        most -= len(unpacked)
        yield unpacked, place, length
        place += length


def _decompress_member(data: bytes, start: int, most: int) -> tuple[bytes, int]:
    """The gzip member that begins at a place, unpacked, and how long it is in the file. It is
    handed over in pieces: what is left over is copied each time.
    """
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    pieces: list[bytes] = []
    place = start
    try:
        while not unpacker.eof:
            piece = unpacker.unconsumed_tail
            if not piece:
                piece = data[place : place + _PIECE]
                place += len(piece)
            if not piece:
                raise DamagedPack("A compressed part of the pack is cut short.")
            pieces.append(unpacker.decompress(piece, most + 1))
            most -= len(pieces[-1])
            if most < 0:
                raise DamagedPack("A compressed part of the pack unpacks to more than it may.")
    except zlib.error:
        raise DamagedPack("A compressed part of the pack is damaged.") from None
    return b"".join(pieces), place - len(unpacker.unused_data) - start


def read_records(data: bytes) -> Iterator[ReadRecord]:
    """The records of a compressed file, their digests checked."""
    for number, (unpacked, offset, length) in enumerate(decompress_members(data), 1):
        if number > _MOST_RECORDS:
            raise DamagedPack(f"The pack has more than {_MOST_RECORDS} records.")
        yield _parse_record(unpacked, offset, length)


def _parse_record(data: bytes, offset: int, length: int) -> ReadRecord:
    end = data.find(b"\r\n\r\n", 0, _LONGEST_HEAD)
    version, *lines = data[: max(end, 0)].split(b"\r\n")
    if version != _VERSION:
        raise DamagedPack("A record of the pack does not begin as WARC 1.1 records do.")
    headers: dict[str, str] = {}
    for line in lines:
        found = _HEADER.fullmatch(line)
        if found is None:
            raise DamagedPack("A record of the pack has a header that is none.")
        headers[found[1].decode().lower()] = found[2].decode("utf-8", "replace")
    block = data[end + 4 : -4]
    record = ReadRecord(headers, block, offset, length)
    is_whole = headers.get("content-length") == str(len(block)) and data.endswith(b"\r\n\r\n")
    if not is_whole or headers.get("warc-block-digest") != digest(block):
        raise DamagedPack(f"The record of {record.url or record.id} does not fit its digest.")
    expected = headers.get("warc-payload-digest")
    if expected is not None and expected != digest(record.payload):
        raise DamagedPack(f"The payload of {record.url or record.id} does not fit its digest.")
    return record
