"""Records -> the files by which other programs find them in a pack: CDXJ, its index, and the list
of pages.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from webquarry.verify.pack.captures import IndexedResponse
from webquarry.verify.pack.warc import compress, digest

ARCHIVE = "data.warc.gz"
_CDX = "index.cdx.gz"
_LINES_IN_BLOCK = 300


def write_index(responses: Sequence[IndexedResponse]) -> tuple[bytes, bytes]:
    """The index in compressed blocks, and the index of the blocks."""
    lines = sorted(_write_line(response) for response in responses)
    blocks: list[bytes] = []
    starts = ["!meta 0 " + _dump({"format": "cdxj-gzip-1.0", "filename": _CDX})]
    offset = 0
    for first in range(0, len(lines), _LINES_IN_BLOCK):
        part = lines[first : first + _LINES_IN_BLOCK]
        block = compress(("\n".join(part) + "\n").encode())
        key = " ".join(part[0].split(" ", 2)[:2])
        facts = {
            "offset": offset,
            "length": len(block),
            "digest": digest(block),
            "filename": _CDX,
        }
        starts.append(f"{key} {_dump(facts)}")
        blocks.append(block)
        offset += len(block)
    return b"".join(blocks), ("\n".join(starts) + "\n").encode()


def write_pages(pages: Sequence[Mapping[str, Any]]) -> bytes:
    """The list of pages, one JSON object a line."""
    head = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    lines = [_dump(head), *(_dump(page) for page in pages)]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def sort_url(url: str) -> str:
    """An address in the form that sorts by site: `https://www.example.org/A?b` becomes
    `org,example)/a?b`.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.")
    labels = ",".join(reversed(host.split(".")))
    port = ""
    if parts.port is not None:
        port = f":{parts.port}"
    query = ""
    if parts.query:
        query = f"?{parts.query}"
    return f"{labels}{port}){parts.path or '/'}{query}".lower()


def _write_line(response: IndexedResponse) -> str:
    record = response.record
    moment = "".join(letter for letter in record.date if letter.isdecimal())
    facts = {
        "url": record.url,
        "mime": response.media_type,
        "status": response.status,
        "digest": digest(record.payload or b""),
        "length": str(response.length),
        "offset": str(response.offset),
        "filename": ARCHIVE,
    }
    return f"{sort_url(record.url)} {moment[:14]} {_dump(facts)}"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
