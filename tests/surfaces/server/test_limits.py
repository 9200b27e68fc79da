"""Who asks too much is told when to come back, and costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from tests.surfaces.server.asgi import Answered, asked
from tests.surfaces.server.http_process import http_server
from webquarry.clock import Clock
from webquarry.quota.base import Quota
from webquarry.quota.file import FileQuota
from webquarry.quota.local import LocalQuota
from webquarry.settings import Settings
from webquarry.surfaces.server.limits import RequestLimits
from webquarry.surfaces.server.principal import Principal
from webquarry.surfaces.server.tokens import TokenFile

ADA, BOB = {"principal": Principal("1", "ada")}, {"principal": Principal("2", "bob")}


async def fine(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("fine")(scope, receive, send)


@pytest.fixture(params=["local", "file"])
def quota(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Quota]:
    if request.param == "local":
        yield LocalQuota()
        return
    found = FileQuota(tmp_path / "quota.sqlite3")
    yield found
    found.close()


def test_beyond_the_minute_one_caller_waits_and_another_does_not(quota: Quota) -> None:
    limits = RequestLimits(fine, quota, Settings(http_minute_limit=3), Clock())

    async def run() -> list[Answered]:
        return [await asked(limits, state=who) for who in (ADA, ADA, ADA, ADA, BOB)]

    found = asyncio.run(run())
    assert [one.status for one in found] == [200, 200, 200, 429, 200]
    assert 1 <= int(found[3].headers["retry-after"]) <= 120
    assert b"this minute" in found[3].body


def test_beyond_the_day_it_says_so(quota: Quota) -> None:
    limits = RequestLimits(fine, quota, Settings(http_day_limit=1), Clock())

    async def run() -> list[Answered]:
        return [await asked(limits, state=ADA) for _ in range(2)]

    found = asyncio.run(run())
    assert b"today" in found[1].body
    assert int(found[1].headers["retry-after"]) > 60


def test_all_callers_together_have_a_limit_too(quota: Quota) -> None:
    limits = RequestLimits(fine, quota, Settings(http_minute_limit_all=2), Clock())

    async def run() -> list[int]:
        return [(await asked(limits, state=who)).status for who in (ADA, BOB, ADA, BOB)]

    assert asyncio.run(run()) == [200, 200, 429, 429]


def test_so_many_calls_at_once_and_a_place_is_free_again_when_one_ends(quota: Quota) -> None:
    async def run() -> list[int]:
        begun, go = asyncio.Semaphore(0), asyncio.Event()

        async def slow(scope: Scope, receive: Receive, send: Send) -> None:
            begun.release()
            await go.wait()
            await fine(scope, receive, send)

        limits = RequestLimits(slow, quota, Settings(http_calls_at_once=2), Clock())
        first = [asyncio.create_task(asked(limits, state=ADA)) for _ in range(2)]
        for _ in first:
            await begun.acquire()
        refused = await asked(limits, state=ADA)
        other = asyncio.create_task(asked(limits, state=BOB))
        await begun.acquire()
        go.set()
        ended = [(await task).status for task in (*first, other)]
        return [refused.status, *ended, (await asked(limits, state=ADA)).status]

    assert asyncio.run(run()) == [429, 200, 200, 200, 200]


def test_what_needs_no_token_is_not_counted() -> None:
    limits = RequestLimits(
        fine, LocalQuota(), Settings(http_minute_limit=1, http_minute_limit_all=1), Clock()
    )

    async def run() -> list[int]:
        return [(await asked(limits, "/health/live")).status for _ in range(5)]

    assert asyncio.run(run()) == [200] * 5


def test_the_workers_of_a_server_count_together(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    token = tokens.add("laptop")
    environ = {
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_HTTP_DAY_LIMIT": "12",
    }
    with http_server(environ, "--workers", "3") as server:
        codes = [
            server.post("ping", headers={"Authorization": f"Bearer {token}"}).status_code
            for _ in range(20)
        ]

    assert codes == [200] * 12 + [429] * 8


def test_the_place_of_a_worker_that_died_is_given_back(tmp_path: Path) -> None:
    quota = FileQuota(tmp_path / "quota.sqlite3")
    quota._database.execute(
        "INSERT INTO slots (name, process) VALUES ('ada', ?)", (2**22 + 1,)
    )  # no such process

    async def run() -> bool:
        async with quota.slot("ada", 1):
            return True

    assert asyncio.run(run())
    quota.close()
