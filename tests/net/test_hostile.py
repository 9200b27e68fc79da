"""The client, its real transport and a server that means no good."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.net.doubles import FakeClock, settings_with
from tests.net.hostile_server import HostileServer, hostile_server
from webquarry.errors import NetworkFailure, TooLarge, WebquarryError
from webquarry.net.client import Client
from webquarry.net.models import Reply

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "hostile.jsonl").read_text().splitlines()
]
PATHS = [case["path"] for case in CASES]
# What stops at the network; everything else on the list is a page like any other to the client.
STOPPED: dict[str, tuple[type[WebquarryError], str, dict[str, Any]]] = {
    "/gzip-bomb": (TooLarge, "goes on after decompression", {}),
    "/endless": (TooLarge, "more than that was sent", {"max_bytes": 1 << 20}),
    "/slow-drip": (
        NetworkFailure,
        "took longer than 0.5 s",
        {"timeout_seconds": 0.5, "robots": False},
    ),
    "/cl-long": (NetworkFailure, "closed the connection before the answer was complete", {}),
    "/redirect-loop/a": (NetworkFailure, "more than 10 times, in a circle", {}),
    "/header-flood": (NetworkFailure, "not proper HTTP", {}),
    "/encoding-lie": (NetworkFailure, "labelled gzip but is not valid gzip", {}),
}


@pytest.fixture(scope="module")
def server() -> Iterator[HostileServer]:
    with hostile_server() as running:
        yield running


def fetch(server: HostileServer, path: str, **settings: Any) -> Reply:
    async def run() -> Reply:
        async with Client(
            settings_with(allow_networks=["127.0.0.0/8"], **settings), FakeClock()
        ) as client:
            return await client.fetch(server.origin + path)

    return asyncio.run(run())


def expectation(path: str) -> dict[str, Any]:
    return dict(next(case["expect"] for case in CASES if case["path"] == path))


@pytest.mark.parametrize("path", STOPPED)
def test_an_attack_on_the_client_ends_in_an_error_that_says_what_it_was(
    server: HostileServer, path: str
) -> None:
    kind, words, settings = STOPPED[path]

    with pytest.raises(kind) as caught:
        fetch(server, path, **settings)

    assert type(caught.value) is kind
    assert words in caught.value.message
    assert expectation(path)["outcome"] in {"either", "error"}


@pytest.mark.parametrize("path", [path for path in PATHS if path not in STOPPED])
def test_a_page_that_only_its_reader_has_to_fear_arrives_whole(
    server: HostileServer, path: str
) -> None:
    reply = fetch(server, path)

    assert reply.status == 200
    assert len(reply.body) == int(reply.headers["content-length"])
    assert all(text.encode() in reply.body for text in expectation(path).get("must_contain", []))


def test_a_redirect_loop_costs_the_server_no_more_requests_than_allowed(
    server: HostileServer,
) -> None:
    server.hits.clear()
    with pytest.raises(NetworkFailure):
        fetch(server, "/redirect-loop/a")

    prefix, most = expectation("/redirect-loop/a")["max_hits"]
    assert (
        sum(count for path, count in server.hits.items() if path.startswith(prefix)) == 11 <= most
    )


def test_an_answer_that_was_cut_is_asked_for_again_but_an_attack_is_not(
    server: HostileServer,
) -> None:
    server.hits.clear()
    for path in ("/cl-long", "/header-flood", "/encoding-lie"):
        with pytest.raises(NetworkFailure):
            fetch(server, path, retries=2)

    assert [server.hits[path] for path in ("/cl-long", "/header-flood", "/encoding-lie")] == [
        3,
        1,
        1,
    ]
