"""The file of a recording: who may write to it, and how several do."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import httpx2
import pytest

from tests.net.recordings import CLOCK, check, record_mock, records_of, replay
from webquarry.errors import BadInput
from webquarry.net.archive.recorder import Recorder


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    return tmp_path / "web.warc.gz"


def _record_some(path: Path, worker: int) -> None:
    requests = [
        httpx2.Request("GET", f"https://tide.example/{worker}/{number}") for number in range(15)
    ]
    record_mock(
        path, lambda request: httpx2.Response(200, content=request.url.raw_path * 9000), *requests
    )


def test_processes_that_share_a_file_do_not_spoil_it(warc: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(_record_some, [warc] * 2, range(2)))

    assert check(warc) == 0
    assert len(records_of(warc, "response")) == 30
    assert len(records_of(warc, "warcinfo")) == 1
    replies = replay(
        warc, *(httpx2.Request("GET", f"https://tide.example/{n}/7") for n in range(2))
    )
    assert [reply.content[:4] for reply in replies] == [b"/0/7", b"/1/7"]


def test_a_file_that_is_no_recording_is_never_written_to(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")

    with pytest.raises(BadInput, match="is not a WARC file"):
        Recorder(path, CLOCK)
    assert path.read_text() == "years of work"
