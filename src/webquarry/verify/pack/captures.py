"""A recording of what was sent and received -> the records of a pack, without credentials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from webquarry._search.identity import identity
from webquarry.secret import HEADERS
from webquarry.verify.pack.warc import WarcRecord

_DROPPED_HEADERS = HEADERS | {"www-authenticate", "proxy-authenticate", "authentication-info"}
_STATUS = slice(len("HTTP/1.1 "), len("HTTP/1.1 2"))  # the first digit of it
_KINDS = ("request", "response")


def read_exchanges(file: Path) -> list[WarcRecord]:
    """The records of a pack, made of what was recorded; requests name their responses."""
    from warcio.archiveiterator import ArchiveIterator

    if not file.exists():
        return []
    records: list[WarcRecord] = []
    last_id = ""
    with file.open("rb") as stream:
        for recorded in ArchiveIterator(stream, no_record_parse=True):
            if recorded.rec_type not in _KINDS:
                continue
            headers = recorded.rec_headers
            block = drop_credentials(recorded.content_stream().read())
            more: dict[str, str] = {}
            if recorded.rec_type == "request" and last_id:
                more["WARC-Concurrent-To"] = last_id
            truncated = headers.get_header("WARC-Truncated")
            if truncated:
                more["WARC-Truncated"] = truncated
            record = WarcRecord(
                kind=recorded.rec_type,
                date=headers.get_header("WARC-Date"),
                content_type=f"application/http; msgtype={recorded.rec_type}",
                block=block,
                url=headers.get_header("WARC-Target-URI"),
                payload=block.partition(b"\r\n\r\n")[2],
                more=more,
            )
            if record.kind == "response":
                last_id = record.id
            records.append(record)
    return records


def drop_credentials(block: bytes) -> bytes:
    """An HTTP message without the headers that carry credentials or cookies, masked as they are."""
    head, mark, payload = block.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    kept = [line for line in lines if _name_header(line) not in _DROPPED_HEADERS]
    return b"\r\n".join([first, *kept]) + mark + payload


def _name_header(line: bytes) -> str:
    return line.partition(b":")[0].strip().lower().decode("latin-1")


@dataclass(frozen=True)
class IndexedResponse:
    """A response with its place in the file of records, for the index."""

    record: WarcRecord
    offset: int
    length: int

    @property
    def status(self) -> str:
        line = self.record.block.partition(b"\r\n")[0].split(b" ", 2)
        if len(line) < 2:
            return "0"
        return line[1].decode("ascii", "replace")

    @property
    def media_type(self) -> str:
        head = self.record.block.partition(b"\r\n\r\n")[0]
        for line in head.split(b"\r\n")[1:]:
            if _name_header(line) == "content-type":
                value = line.partition(b":")[2].partition(b";")[0].strip().lower()
                return value.decode("ascii", "replace")
        return "application/octet-stream"


def find_response(records: Sequence[WarcRecord], url: str) -> WarcRecord | None:
    """The last response with a page that came from an address, however it is spelt."""
    page = identity(url)
    for record in reversed(records):
        is_page = record.kind == "response" and record.block[_STATUS] == b"2"
        if is_page and (record.url == url or identity(record.url) == page):
            return record
    return None
