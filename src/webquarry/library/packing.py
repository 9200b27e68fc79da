"""A page <-> the bytes that are kept of it, short pages made small as well.

A dictionary that never changes holds what most pages begin with. Chinese and Japanese are written
in two bytes a character instead of three.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Any

from webquarry.library.models import KeptPage

_DICTIONARY = (
    b'{"arabic":"arabic","cyrillic":"russian","devanagari":"hindi","unspaced":""}'
    b" of the and in to that was with for from this is have which are not "
    b'.html.org.com/wiki/en.wikipedia.org/"https://"http://www."https://www.'
    b'","",{"latin":"english"},null]\n'
)
_LEVEL = 4  # a hundredth larger than the usual one, in less than half the time
_WINDOW = -15  # deflate without a head of its own
_SHORTER = 0.8  # how much shorter a text must be to be written in another way
_USUAL, _CHINESE = "utf-8", "gb18030"
_ENCODINGS = {b"0": _USUAL, b"1": _CHINESE}


@dataclass(frozen=True)
class PackedPage:
    """A page, whose it is, the languages of its words, and where its passages start and stop in
    bytes, unless one is all of it.
    """

    owner: str
    languages: dict[str, str]
    bounds: list[int]
    page: KeptPage


def pack_page(packed: PackedPage) -> bytes:
    """All of it but when it was fetched."""
    page = packed.page
    head: list[Any] = [page.url, page.title, packed.owner, packed.languages, page.published]
    head += packed.bounds
    line = json.dumps(head, ensure_ascii=False, separators=(",", ":"))
    data = line.encode(_USUAL, "replace") + b"\n" + page.text
    mark = b"0"
    other = _write_chinese(data)
    if len(other) < _SHORTER * len(data):
        mark, data = b"1", other
    squeeze = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, zdict=_DICTIONARY)
    return mark + squeeze.compress(data) + squeeze.flush()


def unpack_page(data: bytes, fetched_at: float) -> PackedPage:
    """What was packed."""
    open_up = zlib.decompressobj(_WINDOW, zdict=_DICTIONARY)
    text = open_up.decompress(data[1:]) + open_up.flush()
    encoding = _ENCODINGS[data[:1]]
    if encoding != _USUAL:
        text = text.decode(encoding).encode(_USUAL)
    line, _, body = text.partition(b"\n")
    url, title, owner, languages, published, *bounds = json.loads(line)
    page = KeptPage(url, title, body, fetched_at, published)
    return PackedPage(owner, languages, bounds, page)


def _write_chinese(data: bytes) -> bytes:
    """The text in two bytes a character; as it is where nothing is gained, or something lost."""
    if data.isascii():
        return data
    try:
        other = data.decode(_USUAL).encode(_CHINESE)
    except UnicodeError:
        return data
    if len(other) < len(data) and other.decode(_CHINESE).encode(_USUAL) == data:
        return other
    return data
