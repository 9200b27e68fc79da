"""Reading a recording: whole ones of any tool, and never a damaged one."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.warcwriter import WARCWriter

from tests.net.recordings import PAGE, record_mock, replay
from webquarry.errors import BadInput, NotRecorded
from webquarry.net.archive.replay import Replay


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return tmp_path / "web.warc.gz"


def whole_recording(path: Path, page: bytes = PAGE) -> bytes:
    record_mock(
        path,
        lambda _: httpx2.Response(200, content=page),
        httpx2.Request("GET", "https://tide.example/"),
    )
    return path.read_bytes()


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: b"", "is empty"),
        (lambda data: b"<html>not a recording</html>", "damaged or not a WARC file"),
        (lambda data: data[:-3], "damaged or not a WARC file"),
        (lambda data: data[:300] + bytes(20) + data[320:], "damaged or not a WARC file"),
        (
            lambda data: gzip.decompress(data).replace(b"Ebb", b"Abb", 1),
            "damaged or not a WARC file",
        ),
        (lambda data: gzip.decompress(data)[:-1000], "damaged or not a WARC file"),
    ],
    ids=["empty", "not one", "cut", "overwritten", "changed", "plain, cut"],
)
def test_a_recording_that_is_not_whole_is_refused(
    warc: Path, damage: Callable[[bytes], bytes], words: str
) -> None:
    warc.write_bytes(damage(whole_recording(warc)))

    with pytest.raises(BadInput, match=words):
        Replay(warc)


def test_a_recording_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read: No such file") as caught:
        Replay(tmp_path / "web.warc.gz")

    assert "`demo`" in caught.value.suggested_action


def test_fuzz_a_damaged_recording_is_refused_or_gives_the_page_as_it_was_or_none(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "web.warc"
    page = b"Ebb and flow. " * 50  # about as long as the rest of the recording
    whole = gzip.decompress(whole_recording(path.with_suffix(".warc.gz"), page))

    @given(
        st.integers(0, len(whole) - 1),
        st.binary(max_size=6) | st.binary(min_size=3, max_size=3),
        st.booleans(),
    )
    @settings(max_examples=150, deadline=None)
    def damage(place: int, inserted: bytes, packed: bool) -> None:
        data = whole[:place] + inserted + whole[place + 3 :]
        path.write_bytes(gzip.compress(data) if packed else data)
        try:
            (answer,) = replay(path, httpx2.Request("GET", "https://tide.example/"))
        except (BadInput, NotRecorded):
            return
        assert (answer.status_code, answer.content) == (200, page)

    damage()


def test_a_recording_of_another_tool_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n"
    blocks = {
        "https://tide.example/page": head + b"5\r\nfirst\r\n7\r\n second\r\n0\r\n\r\n",
        "dns:tide.example": b"192.0.2.1",
    }
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for url, block in blocks.items():
            date = {"WARC-Date": "2025-03-04T05:06:07.123456Z"}
            found = writer.create_warc_record(
                url, "response", BytesIO(block), len(block), warc_headers_dict=date
            )
            writer.write_record(found)

    (reply,) = replay(path, httpx2.Request("GET", "https://tide.example/page"))

    assert reply.text == "first second"
    assert "transfer-encoding" not in reply.headers
    assert Replay(path).moment == datetime(2025, 3, 4, 5, 6, 7, 123456, tzinfo=UTC)
