"""The debugging pipe: split messages, unparsed replies, errors and end of file."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from webquarry._read.browser.pipe import BrowserGone, CommandRefused, Pipe
from webquarry.errors import TooComplex


class OtherEnd:
    """The browser's end of a pipe."""

    def __init__(self) -> None:
        self.commands, ours_out = os.pipe()
        ours_in, self.answers = os.pipe()
        self._ours = os.fdopen(ours_out, "wb", buffering=0), os.fdopen(ours_in, "rb", buffering=0)
        self.events: list[dict[str, Any]] = []
        self.pipe = Pipe(self.events.append)

    async def connect(self) -> None:
        await self.pipe.connect(*self._ours)

    def read(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(os.read(self.commands, 100_000).rstrip(b"\0"))
        return message

    def write(self, message: dict[str, Any]) -> None:
        os.write(self.answers, json.dumps(message, separators=(",", ":")).encode() + b"\0")

    def close(self) -> None:
        for end in (self.commands, self.answers):
            os.close(end)


def talk(conversation: Callable[[OtherEnd], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        other = OtherEnd()
        try:
            await other.connect()
            await conversation(other)
        finally:
            other.pipe.close()
            other.close()

    asyncio.run(run())


def test_command_returns_its_result_between_events() -> None:
    async def conversation(other: OtherEnd) -> None:
        asked = asyncio.ensure_future(other.pipe.command("Page.enable", {"a": 1}, "S"))
        await asyncio.sleep(0)
        sent = other.read()
        assert (sent["method"], sent["params"], sent["sessionId"]) == ("Page.enable", {"a": 1}, "S")
        other.write({"method": "Page.loaded", "params": {}})
        answer = json.dumps({"id": sent["id"], "result": {"é": 1}}).encode() + b"\0"
        for place in range(len(answer)):
            os.write(other.answers, answer[place : place + 1])
            await asyncio.sleep(0)
        assert await asked == {"é": 1}
        assert other.events == [{"method": "Page.loaded", "params": {}}]

    talk(conversation)


def test_raw_reply_is_not_parsed() -> None:
    async def conversation(other: OtherEnd) -> None:
        asked = asyncio.ensure_future(
            other.pipe.command("Snapshot", {}, "S", seconds=5, is_raw=True)
        )
        await asyncio.sleep(0)
        number = other.read()["id"]
        message = b'{"id":%d,"result":{"big":"%s"}}' % (number, b"x" * 30_000)
        os.write(other.answers, message + b"\0")
        assert await asked == message

    talk(conversation)


def test_error_crash_timeout_and_exit_are_different_exceptions() -> None:
    async def conversation(other: OtherEnd) -> None:
        refused = asyncio.ensure_future(other.pipe.command("Nonsense"))
        await asyncio.sleep(0)
        other.write({"id": other.read()["id"], "error": {"code": 1, "message": "not found"}})
        with pytest.raises(CommandRefused, match="not found"):
            await refused
        with pytest.raises(TooComplex, match=r"Page\.wait"):
            await other.pipe.command("Page.wait", seconds=0.01)
        waiting = asyncio.ensure_future(other.pipe.command("Page.crash", session="S"))
        await asyncio.sleep(0)
        other.pipe.fail_commands(TooComplex("It crashed."), "S")
        with pytest.raises(TooComplex, match="crashed"):
            await waiting
        last = asyncio.ensure_future(other.pipe.command("Page.last"))
        await asyncio.sleep(0)
        os.close(other.answers)
        other.answers = os.dup(other.commands)
        with pytest.raises(BrowserGone):
            await last
        with pytest.raises(BrowserGone):
            await other.pipe.command("Page.enable")
        assert other.pipe.is_closed

    talk(conversation)


def test_large_command_is_written_in_pieces() -> None:
    async def conversation(other: OtherEnd) -> None:
        text = "y" * 3_000_000
        asked = asyncio.ensure_future(other.pipe.command("Fetch.fulfill", {"body": text}))
        other.pipe.notify("Second", {})
        await asyncio.sleep(0)
        os.set_blocking(other.commands, False)
        received = b""
        while received.count(b"\0") < 2:
            try:
                received += os.read(other.commands, 1 << 20)
            except BlockingIOError:
                await asyncio.sleep(0.001)
        first, second, _ = received.split(b"\0")
        messages = {message["method"]: message for message in map(json.loads, (first, second))}
        assert messages["Fetch.fulfill"]["params"]["body"] == text
        assert "Second" in messages
        asked.cancel()

    talk(conversation)
