"""A login is recorded without the token that it gives, and replayed all the same."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import httpx2
import pytest

from tests.net.recordings import record_mock, replay
from webquarry.net.archive.recorder import LOGIN

GIVEN = json.dumps({"access_token": "canary-token-nobody-knows-yet", "expires_in": "1199"}).encode()


def login() -> httpx2.Request:
    return httpx2.Request(
        "POST", "https://ops.example/auth", data={"grant_type": "x"}, extensions={LOGIN: True}
    )


@pytest.mark.parametrize("packed", [False, True])
def test_the_token_in_the_answer_to_a_login_is_not_written_down(
    tmp_path: Path, packed: bool
) -> None:
    warc = tmp_path / "web.warc.gz"
    headers = {"Content-Type": "application/json"} | (
        {"Content-Encoding": "gzip"} if packed else {}
    )
    body = gzip.compress(GIVEN) if packed else GIVEN
    record_mock(warc, lambda request: httpx2.Response(200, headers=headers, content=body), login())

    assert b"canary" not in gzip.decompress(warc.read_bytes())
    (answer,) = replay(warc, login())
    assert answer.json() == {"access_token": "***", "expires_in": "1199"}


def test_an_answer_to_anything_else_is_written_down_as_it_is(tmp_path: Path) -> None:
    warc = tmp_path / "web.warc.gz"
    request = httpx2.Request("GET", "https://ops.example/search")
    record_mock(warc, lambda request: httpx2.Response(200, content=GIVEN), request)

    (answer,) = replay(warc, request)
    assert answer.content == GIVEN
