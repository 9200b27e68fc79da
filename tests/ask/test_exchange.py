"""One exchange with the model, in the cases that the provider's own client has rules for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.ask.fakes import FakeReply, FakeServers, error_reply, home, open_engine
from webquarry.ask.ledger import SpendingRecord
from webquarry.ask.models import ModelReply, Question
from webquarry.errors import Cancelled


def reply_to(servers: FakeServers, folder: Path, prompt: str = "b") -> ModelReply:
    async def work() -> ModelReply:
        async with open_engine(home(servers, folder)) as engine:
            return await engine.ask(Question("a", prompt), engine.statement())

    return asyncio.run(work())


def said(*content: dict[str, Any], reason: str) -> FakeReply:
    return FakeReply(
        {
            "type": "message",
            "role": "assistant",
            "content": list(content),
            "stop_reason": reason,
            "usage": {},
        }
    )


@pytest.mark.parametrize(
    ("status", "headers", "calls", "code"),
    [
        (429, {"retry-after": "0.1", "x-should-retry": "false"}, 1, "rate_limited"),
        (429, {"retry-after-ms": "50"}, 2, None),
        (400, {"x-should-retry": "true"}, 2, None),
        (500, {"x-should-retry": "false"}, 1, "server_error"),
        (413, {}, 1, "too_large"),
    ],
)
def test_provider_decides_whether_a_call_is_repeated(
    servers: FakeServers,
    tmp_path: Path,
    status: int,
    headers: dict[str, str],
    calls: int,
    code: str | None,
) -> None:
    servers.rule = lambda body: (
        error_reply(status, "no", headers) if servers.messages == 1 else None
    )

    reply = reply_to(servers, tmp_path)

    assert servers.messages == calls
    assert (reply.error and reply.error.code) == code


@pytest.mark.slow
def test_overloaded_provider_is_left_alone_for_longer_each_time(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.rule = lambda body: error_reply(529, "Overloaded") if servers.messages < 3 else None

    reply = reply_to(servers, tmp_path)

    assert reply.error is None
    first, second, third = servers.moments
    assert (second - first >= 1, third - second >= 2) == (True, True)


def test_404_of_something_else_does_not_blame_the_model(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.rule = lambda body: FakeReply({"detail": "Not Found"}, 404)

    reply = reply_to(servers, tmp_path)

    assert reply.error is not None
    assert reply.error.code == "no_api"
    assert "its address may be wrong" in reply.error.message


def test_blocks_go_back_as_they_came_but_for_blank_texts_which_are_refused(
    servers: FakeServers, tmp_path: Path
) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "sig"}
    use = {"type": "tool_use", "id": "toolu_1", "name": "web_search", "input": {"query": "z"}}
    blank = [{"type": "text", "text": ""}, {"type": "text", "text": " \n"}]
    servers.rule = lambda body: (
        said(thought, *blank, use, reason="tool_use") if servers.messages == 1 else None
    )

    assert reply_to(servers, tmp_path).searched
    assert servers.bodies[1]["messages"][1] == {"role": "assistant", "content": [thought, use]}


def test_pause_without_text_repeats_the_request(servers: FakeServers, tmp_path: Path) -> None:
    servers.rule = lambda body: said(reason="pause_turn") if servers.messages == 1 else None

    assert reply_to(servers, tmp_path).error is None
    assert servers.bodies[1] == servers.bodies[0]


def test_lone_surrogate_in_a_question_is_replaced(servers: FakeServers, tmp_path: Path) -> None:
    assert reply_to(servers, tmp_path, "what is \udcff?").error is None
    assert servers.bodies[0]["messages"][0]["content"].endswith("what is ??")


def test_question_that_was_still_waiting_for_its_turn_is_not_on_the_bill(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.latency = 600.0

    async def work() -> list[SpendingRecord]:
        async with open_engine(home(servers, tmp_path, ask_concurrency="4")) as engine:
            engine.grace_seconds = 0.0
            wanted = [Question(f"row {number}", "b") for number in range(20)]
            asking = asyncio.ensure_future(engine.ask_all(wanted, engine.statement()))
            while servers.in_flight < 4:
                await asyncio.sleep(0.01)
            engine.cancel()
            with pytest.raises(Cancelled):
                await asking
            return await engine.usage()

    assert [(one.questions, one.calls) for one in asyncio.run(work())] == [(4, 0)]
    assert servers.messages == 4
