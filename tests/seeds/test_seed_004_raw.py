"""Raw pages are fetched no further than they are given, and go on with a cursor."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from tests.net.doubles import FakeWeb
from tests.tools.pages import ARTICLE, URL, Session, page

# Raw max_length caps the bytes fetched


class Endless(httpx2.AsyncByteStream):
    """A body of many bytes, of which it counts those that were taken."""

    def __init__(self, size: int, piece: bytes = b"0123456789abcde\n" * 1024) -> None:
        self._size = size
        self._piece = piece
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self.taken < self._size:
            self.taken += len(self._piece)
            yield self._piece


class LargeFile:
    """A web with one file of 25 MB."""

    def __init__(self, size: int = 25_000_000, piece: bytes = b"0123456789abcde\n" * 1024) -> None:
        self.bodies: list[Endless] = []
        self.size = size

        def answer(request: httpx2.Request) -> httpx2.Response:
            self.bodies.append(Endless(size, piece))
            headers = {"Content-Type": "text/plain; charset=utf-8", "Content-Length": str(size)}
            return httpx2.Response(200, headers=headers, stream=self.bodies[-1])

        self.session = Session(FakeWeb({URL: answer}))

    @property
    def taken(self) -> int:
        return sum(body.taken for body in self.bodies)


def test_raw_max_length_cuts_25_mb_and_fetches_little_more_than_is_given() -> None:
    file = LargeFile()
    answer = file.session.scrape(mode="raw", max_length=1_000)

    assert answer.content == ("0123456789abcde\n" * 63)[:1_000]
    assert (answer.content_length, answer.truncated) == (1_000, True)
    assert answer.total_length == 25_000_000
    assert answer.next_cursor is not None
    assert file.taken < 500_000


def test_raw_max_length_of_a_cut_file_goes_on_with_its_cursor() -> None:
    file = LargeFile()
    pieces = []
    cursor = None
    for _ in range(5):
        answer = file.session.scrape(mode="raw", max_length=200_000, cursor=cursor)
        pieces.append(answer.content)
        cursor = answer.next_cursor
        assert cursor is not None

    assert "".join(pieces) == "0123456789abcde\n" * 62_500
    assert len(file.bodies) == 3  # what is fetched doubles
    assert file.taken < 4_000_000


def test_raw_larger_max_length_is_not_served_from_the_cache_of_a_smaller_one() -> None:
    file = LargeFile()
    file.session.scrape(mode="raw", max_length=1_000)
    answer = file.session.scrape(mode="raw", max_length=2_000_000)

    assert answer.content_length == 2_000_000


def test_raw_smaller_max_length_is_served_from_the_cache() -> None:
    file = LargeFile()
    file.session.scrape(mode="raw", max_length=1_000_000)
    file.session.scrape(mode="raw", max_length=1_000)

    assert len(file.bodies) == 1


def test_raw_max_length_leaves_text_as_text_where_a_character_was_cut() -> None:
    file = LargeFile(piece="é€😀".encode() * 1001)
    answer = file.session.scrape(mode="raw", max_length=300_000)

    assert answer.encoding is None
    assert 299_990 <= answer.content_length <= 300_000
    assert answer.content.startswith("é€😀é€😀")


def test_raw_ends_at_the_most_that_is_read_and_says_so() -> None:
    file = LargeFile()
    file.session._environ |= {"WEBQUARRY_MAX_BYTES": "300000"}
    first = file.session.scrape(mode="raw", max_length=200_000)
    last = file.session.scrape(mode="raw", max_length=200_000, cursor=first.next_cursor)

    assert (last.content_length, last.truncated, last.next_cursor) == (100_000, True, None)
    assert last.meta["webquarry/routing"]["notes"] == [
        "There is more: of one page 300000 bytes are read (WEBQUARRY_MAX_BYTES)."
    ]


def test_raw_of_a_page_that_fits_is_whole() -> None:
    answer = page().scrape(mode="raw", max_length=1_000)
    rest = page().scrape(mode="raw", cursor=answer.next_cursor)

    assert answer.content + rest.content == ARTICLE
    assert answer.total_length == len(ARTICLE.encode())
    assert rest.next_cursor is None
