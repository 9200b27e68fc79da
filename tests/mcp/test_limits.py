"""Rate and concurrency limits per caller and for all callers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.mcp.asgi import Reply, request
from tests.mcp.http_process import HEADERS
from webquarry.clock import Clock
from webquarry.mcp.auth import Access, AccessDenied, Authentication, Principal
from webquarry.mcp.handlers import ToolServer
from webquarry.mcp.http import McpEndpoint
from webquarry.mcp.limits import RateLimits
from webquarry.mcp.listing import load_listing
from webquarry.settings import Settings
from webquarry.store.quota import LocalQuota
from webquarry.toolkit import Toolkit

ADA, BOB = "Bearer ada", "Bearer bob"


async def respond(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("fine")(scope, receive, send)


async def verify(token: str) -> Principal:
    if token not in ("ada", "bob"):
        raise AccessDenied("unknown")
    return Principal(token, token)


def limit(app: ASGIApp = respond, processes: int = 1, **limits: Any) -> Authentication:
    return Authentication(app, control(processes, **limits))


def control(processes: int = 1, **limits: Any) -> Access:
    rate_limits = RateLimits(Settings(**limits), LocalQuota(), Clock(), processes)
    return Access(verify, {"/mcp": ()}, limits=rate_limits)


def send_all(app: ASGIApp, *callers: str) -> list[Reply]:
    async def run() -> list[Reply]:
        return [await request(app, headers={"Authorization": caller}) for caller in callers]

    return asyncio.run(run())


def codes(replies: list[Reply]) -> list[int]:
    return [reply.status for reply in replies]


def test_a_caller_over_the_minute_limit_is_refused_and_another_is_not() -> None:
    replies = send_all(limit(http_minute_limit=3), ADA, ADA, ADA, ADA, BOB)

    assert codes(replies) == [200, 200, 200, 429, 200]
    assert 1 <= int(replies[3].headers["retry-after"]) <= 120
    assert b"3 requests in a minute" in replies[3].body


def test_all_callers_together_have_a_limit() -> None:
    replies = send_all(limit(http_minute_limit=2, http_minute_limit_all=2), ADA, BOB, ADA, BOB)

    assert codes(replies) == [200, 200, 429, 429]


def test_processes_that_share_nothing_divide_the_limits() -> None:
    assert codes(send_all(limit(processes=3, http_day_limit=7), ADA, ADA, ADA)) == [200, 200, 429]
    assert codes(send_all(limit(processes=3, http_day_limit=1), ADA, ADA)) == [200, 429]
    assert codes(send_all(limit(processes=3, http_day_limit=0), ADA, ADA)) == [200, 200]


def test_calls_in_progress_are_limited_until_one_ends() -> None:
    async def run() -> list[int]:
        started, may_end = asyncio.Semaphore(0), asyncio.Event()

        async def wait(scope: Scope, receive: Receive, send: Send) -> None:
            started.release()
            await may_end.wait()
            await respond(scope, receive, send)

        limited, ada = limit(wait, http_calls_at_once=2), {"Authorization": ADA}
        calls = [asyncio.create_task(request(limited, headers=ada)) for _ in range(2)]
        for _ in calls:
            await started.acquire()
        refused = await request(limited, headers=ada)
        calls.append(asyncio.create_task(request(limited, headers={"Authorization": BOB})))
        await started.acquire()
        may_end.set()
        ended = [(await call).status for call in calls]
        return [refused.status, *ended, (await request(limited, headers=ada)).status]

    assert asyncio.run(run()) == [429, 200, 200, 200, 200]


def test_unprotected_paths_are_not_counted() -> None:
    app = limit(http_minute_limit=1, http_minute_limit_all=1)

    async def run() -> list[Reply]:
        return [await request(app, "/health/live") for _ in range(3)]

    assert codes(asyncio.run(run())) == [200] * 3


def test_each_message_of_a_batch_counts_as_a_request() -> None:
    def fail() -> Toolkit:
        raise AssertionError("no engine is needed")

    access = control(http_minute_limit=5)
    endpoint = McpEndpoint(ToolServer(load_listing("core"), fail), access)
    app = Authentication(endpoint, access)
    batch: list[Any] = [{"jsonrpc": "2.0", "id": id, "method": "ping"} for id in range(4)]

    async def run() -> list[Reply]:
        bodies = [json.dumps(one).encode() for one in (batch, batch, batch[0])]
        headers = HEADERS | {"Authorization": ADA}
        return [await request(app, headers=headers, body=body) for body in bodies]

    first, second, third = asyncio.run(run())

    assert (first.status, len(first.json())) == (200, 4)
    assert (second.status, third.status) == (429, 429)
