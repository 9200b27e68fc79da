"""A page and the bytes that are stored of it; its passages."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

from webquarry._read.slices.chunks import split_chunks
from webquarry._read.slices.text import WrittenText
from webquarry.library.models import KeptPage

# compression dictionary, which must never change: how most pages begin
_DICTIONARY = (
    b'{"arabic":"arabic","cyrillic":"russian","devanagari":"hindi","unspaced":""}'
    b" of the and in to that was with for from this is have which are not "
    b'.html.org.com/wiki/en.wikipedia.org/"https://"http://www."https://www.'
    b'","",{"latin":"english"},null]\n'
)
_LEVEL = 4  # 1 % larger than level 6, in less than half the time
_WINDOW = -15  # raw deflate
_ENCODINGS = {b"0": "utf-8", b"1": "gb18030"}  # the second was written by earlier releases
_PASSAGE_CHARACTERS = 1_600  # about
_MAX_PASSAGES = 1 << 12  # of a page


@dataclass(frozen=True)
class PackedPage:
    """A page, its caller, the languages of its words by script, and the offsets in bytes where its
    passages start and stop; none if the whole page is one passage.
    """

    owner: str
    languages: dict[str, str]
    bounds: list[int]
    page: KeptPage


def pack_page(packed: PackedPage) -> bytes:
    """Serialize a page, except when it was fetched."""
    page = packed.page
    head: list[Any] = [page.url, page.title, packed.owner, packed.languages, page.published]
    head += packed.bounds
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    data = line.encode("utf-8", "replace") + b"\n" + page.text
    compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, zdict=_DICTIONARY)
    return b"0" + compressor.compress(data) + compressor.flush()


def unpack_page(data: bytes, fetched_at: float) -> PackedPage:
    decompressor = zlib.decompressobj(_WINDOW, zdict=_DICTIONARY)
    text = decompressor.decompress(data[1:]) + decompressor.flush()
    encoding = _ENCODINGS[data[:1]]
    if encoding != "utf-8":
        text = text.decode(encoding).encode()
    line, _, body = text.partition(b"\n")
    url, title, owner, languages, published, *bounds = json.loads(line)
    page = KeptPage(url, title, body, fetched_at, published)
    return PackedPage(owner, languages, bounds, page)


def split_passages(data: bytes) -> list[int]:
    """Return where the passages of a text in UTF-8 start and stop: runs of paragraphs of one
    section. A short text has none.
    """
    characters = len(data.decode("utf-8", "replace"))
    longest = _PASSAGE_CHARACTERS * len(data) // max(1, characters)
    if len(data) <= longest and b"\n#" not in data:
        return []
    bounds: list[int] = []
    section = None
    for chunk in split_chunks(WrittenText.of_lines(data)):
        if bounds and chunk.section is section and chunk.stop - bounds[-2] <= longest:
            bounds[-1] = chunk.stop
        elif len(bounds) < 2 * _MAX_PASSAGES:
            bounds += (chunk.start, chunk.stop)
        section = chunk.section
    return bounds
