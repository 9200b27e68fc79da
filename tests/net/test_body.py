from __future__ import annotations

import asyncio
import gzip
import sys
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable

import brotli  # type: ignore[import-untyped]
import httpx2
import pytest

from webquarry.errors import NetworkFailure, TooLarge, Unreadable
from webquarry.net.body import read_body

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

LIMIT = 1 << 20
TEXT = b"<p>caf\xc3\xa9 and some more words</p>" * 500


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("x-gzip", gzip.compress),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
    "brotli": ("br", brotli.compress),
    "zstd": ("zstd", zstd.compress),
    "upper case": ("GZIP", gzip.compress),
    "identity": ("identity", bytes),
    "empty": ("", bytes),
    "identity and gzip": ("identity, gzip", gzip.compress),
}
each_encoding = pytest.mark.parametrize(("label", "pack"), PACKERS.values(), ids=PACKERS)
each_compression = pytest.mark.parametrize(
    ("label", "pack"),
    [PACKERS[name] for name in ("gzip", "deflate", "raw deflate", "brotli", "zstd")],
)


class Chunks(httpx2.AsyncByteStream):
    """A body in pieces; knows how many were taken and whether it was left properly."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data, self._size = data, size
        self.taken = 0
        self.left = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            for start in range(0, len(self._data), self._size):
                self.taken += 1
                yield self._data[start : start + self._size]
        finally:
            self.left = True


def respond(
    data: bytes,
    label: str = "",
    size: int = 1 << 16,
    method: str = "GET",
    status: int = 200,
    **headers: str,
) -> httpx2.Response:
    return httpx2.Response(
        status,
        headers={
            "Content-Encoding": label,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        },
        stream=Chunks(data, size),
        request=httpx2.Request(method, "https://site.example/"),
    )


def read(response: httpx2.Response, limit: int = LIMIT, cut: bool = False) -> bytes:
    return asyncio.run(read_body(response, limit, cut=cut))


@each_encoding
@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_a_body_comes_out_of_its_encoding_however_it_is_chunked(
    label: str, pack: Callable[[bytes], bytes], size: int
) -> None:
    assert read(respond(pack(TEXT), label, size)) == TEXT


@each_compression
def test_a_bomb_stops_at_the_limit_and_memory_stays_bounded(
    label: str, pack: Callable[[bytes], bytes]
) -> None:
    response = respond(pack(b" " * (16 << 20)), label)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge, match=f"WEBQUARRY_MAX_BYTES of {LIMIT} bytes"):
            read(response)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * LIMIT


@each_compression
def test_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not(
    label: str, pack: Callable[[bytes], bytes]
) -> None:
    assert len(read(respond(pack(b"x" * LIMIT), label))) == LIMIT
    with pytest.raises(TooLarge):
        read(respond(pack(b"x" * (LIMIT + 1)), label))


@each_compression
@pytest.mark.parametrize("kept", [1, 5, -1])
def test_compressed_data_that_ends_early_is_an_error(
    label: str, pack: Callable[[bytes], bytes], kept: int
) -> None:
    with pytest.raises(NetworkFailure, match="ends too early"):
        read(respond(pack(TEXT)[:kept], label))


@each_compression
def test_plain_text_labelled_as_compressed_is_an_error(
    label: str, pack: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(NetworkFailure, match=f"not valid {label} data") as caught:
        read(
            respond(
                b"<html>this is no compressed data at all, whatever the header says</html>", label
            )
        )
    assert not caught.value.retryable


@pytest.mark.parametrize(("label", "pack"), [PACKERS["gzip"], PACKERS["zstd"]])
@pytest.mark.parametrize("size", [1, 1 << 16])
def test_all_members_of_a_body_are_read_and_what_follows_them_is_ignored(
    label: str, pack: Callable[[bytes], bytes], size: int
) -> None:
    assert (
        read(respond(pack(b"one ") + pack(b"two ") + pack(b"three"), label, size))
        == b"one two three"
    )
    assert read(respond(pack(b"one") + b"\x00" * 100 + b"garbage", label, size)) == b"one"
    assert read(respond(pack(b"one") + b"\x1f", label, size)) == b"one"


def test_a_bomb_of_many_small_members_stops_at_the_limit() -> None:
    with pytest.raises(TooLarge):
        read(respond(gzip.compress(b" " * 100_000) * 200, "gzip"))


@pytest.mark.parametrize("label", ["gzip, gzip", "gzip,deflate", "zip"])
def test_stacked_and_unknown_encodings_are_refused(label: str) -> None:
    with pytest.raises(Unreadable):
        read(respond(gzip.compress(gzip.compress(TEXT)), label))


def test_an_announced_length_over_the_limit_is_refused_before_anything_is_read() -> None:
    response = respond(b"x" * 10, content_length=str(LIMIT + 1))

    with pytest.raises(TooLarge, match=f"announces {LIMIT + 1} bytes"):
        read(response)
    assert isinstance(response.stream, Chunks)
    assert response.stream.taken == 0


def test_a_body_without_an_end_is_left_at_the_limit_and_closed_at_once() -> None:
    body = Chunks(b"x" * (4 * LIMIT), 1 << 16)
    response = httpx2.Response(
        200, stream=body, request=httpx2.Request("GET", "https://site.example/")
    )

    async def run() -> None:
        with pytest.raises(TooLarge):
            await read_body(response, LIMIT)
        assert body.left

    asyncio.run(run())
    assert body.taken == LIMIT // (1 << 16) + 1


def test_a_body_shorter_than_its_content_length_is_an_error() -> None:
    with pytest.raises(
        NetworkFailure, match=r"before the answer was complete \(10 of 11 bytes came\)"
    ):
        read(respond(b"x" * 10, content_length="11"))
    assert read(respond(b"x" * 10, content_length="10")) == b"x" * 10


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 304), ("GET", 204)])
def test_the_length_of_a_body_that_is_not_sent_is_not_missed(method: str, status: int) -> None:
    assert read(respond(b"", method=method, status=status, content_length="5000")) == b""


@pytest.mark.parametrize("length", ["", "abc", "-1", "٣", "9" * 30])
def test_a_length_that_is_no_number_is_ignored(length: str) -> None:
    response = respond(TEXT)
    response.headers = httpx2.Headers([(b"Content-Length", length.encode())])

    assert read(response) == TEXT


def test_a_body_that_may_be_cut_is_cut_at_the_limit() -> None:
    assert read(respond(TEXT, content_length=str(len(TEXT))), limit=100, cut=True) == TEXT[:100]
    assert read(respond(gzip.compress(TEXT), "gzip"), limit=100, cut=True) == TEXT[:100]
    assert read(respond(TEXT[:50]), limit=100, cut=True) == TEXT[:50]


def test_compressed_data_that_yields_nothing_does_not_keep_us_reading() -> None:
    """Empty blocks inflate to nothing, so only the count of bytes sent can end them."""
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    endless = packer.compress(b"a") + b"".join(
        packer.flush(zlib.Z_SYNC_FLUSH) or b"" for _ in range(2)
    )
    endless += b"\x00\x00\x00\xff\xff" * LIMIT

    with pytest.raises(TooLarge):
        read(respond(endless, "gzip"))
    assert read(respond(endless, "gzip"), cut=True) == b"a"
