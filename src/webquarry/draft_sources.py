"""Files -> sources: documents, and archives of pages (WARC, or WACZ with WARC files)."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Iterator, Set
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from webquarry._read.plain.words import PageWords
from webquarry._search.identity import identity
from webquarry.errors import BadInput, WebquarryError
from webquarry.secret import redact
from webquarry.verify.quotes.source import SourceText

if TYPE_CHECKING:
    from httpx2 import Headers

    from webquarry.net.models import Reply
    from webquarry.toolkit import Toolkit

_ARCHIVES = (".wacz", ".warc", ".warc.gz")
_DOCUMENTS = ("text/html", "text/plain", "application/xhtml+xml", "application/pdf")
_LARGEST = 200_000_000  # bytes of one file
_AT_ONCE = 4
_PIECE = 65_536
_OK = 200


async def read_local(kit: Toolkit, path: Path, wanted: Set[str] | None) -> list[SourceText]:
    """The sources in a file; of an archive the pages with `wanted` identities, or all."""
    replies = _open_replies(path)
    if not path.name.lower().endswith(_ARCHIVES):
        return [await _read(kit, reply, str(path)) for reply in replies]
    by_page: dict[str, Reply] = {}
    for reply in replies:
        page = identity(reply.url)
        kind = reply.headers.get("content-type", "text/html").lower()
        if (wanted is None or page in wanted) and kind.startswith(_DOCUMENTS):
            by_page.setdefault(page, reply)
    limit = asyncio.Semaphore(_AT_ONCE)

    async def read(reply: Reply) -> SourceText:
        async with limit:
            return await _read(kit, reply, reply.url)

    return list(await asyncio.gather(*map(read, by_page.values())))


def _open_replies(path: Path) -> list[Reply]:
    """The content of a file as replies."""
    if not path.is_file():
        raise BadInput(
            f"{path} is not a file.", suggested_action="Give a URL, or the path of a file."
        )
    if path.stat().st_size > _LARGEST:
        raise BadInput(f"{path} is larger than {_LARGEST // 10**6} MB.")
    if path.name.lower().endswith(_ARCHIVES):
        return [reply for stream in _open_archives(path) for reply in _list_pages(stream)]
    from httpx2 import Headers

    from webquarry.net.models import Reply

    moment = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    url = f"https://localhost/{path.name}"  # for the suffix
    return [Reply(url, _OK, Headers({}), path.read_bytes(), moment)]


async def _read(kit: Toolkit, reply: Reply, name: str) -> SourceText:
    """Read the text of a reply."""
    from webquarry._read.reader import FetchedPage
    from webquarry.pages.jobs import take_words
    from webquarry.pages.words import unpack_words

    try:
        packed = await kit.runner.run(FetchedPage(reply.url, reply).to_job(take_words))
    except WebquarryError as error:
        return SourceText(name, PageWords(""), problem=redact(error.sentence))
    page = unpack_words(packed, cached=False)
    return SourceText(name, page.words, page.title, page.fetched_at)


def _open_archives(path: Path) -> Iterator[IO[bytes]]:
    """The WARC files of an archive."""
    if not zipfile.is_zipfile(path):
        with path.open("rb") as stream:
            yield stream
        return
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            is_warc = entry.filename.endswith((".warc", ".warc.gz"))
            if is_warc and entry.file_size <= _LARGEST:
                yield BytesIO(archive.read(entry))


def _list_pages(stream: IO[bytes]) -> Iterator[Reply]:
    """The responses of a WARC file with status 200."""
    from httpx2 import Headers
    from warcio.archiveiterator import ArchiveIterator
    from warcio.bufferedreaders import ChunkedDataReader

    from webquarry.net.archive.replay import read_head
    from webquarry.net.models import Reply

    for record in ArchiveIterator(stream, no_record_parse=True):
        if record.rec_type != "response":
            continue
        status, raw_headers = read_head(record.raw_stream)
        if status.split(b" ")[1:2] != [b"200"]:
            continue
        headers = Headers(raw_headers)
        body = record.raw_stream
        if "chunked" in headers.get("transfer-encoding", "").lower():
            body = ChunkedDataReader(body)
        moment = datetime.now(UTC)
        with suppress(ValueError):
            moment = datetime.fromisoformat(record.rec_headers.get_header("WARC-Date") or "")
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        with suppress(WebquarryError):  # a body that cannot be decoded
            yield Reply(url, _OK, headers, _decode(body, headers), moment)


def _decode(body: IO[bytes], headers: Headers) -> bytes:
    """Decompress a body, up to the maximum size."""
    from webquarry.net.body import decoder_for

    decoder = decoder_for(headers)
    pieces = []
    left = _LARGEST
    while left > 0 and (data := body.read(_PIECE)):
        for piece in decoder.feed(data):
            pieces.append(piece)
            left -= len(piece)
    return b"".join(pieces)
