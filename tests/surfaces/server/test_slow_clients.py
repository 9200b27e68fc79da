"""Clients that are too slow are cut off, at whatever point they dawdle."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from tests.surfaces.server.asgi import asked, scope_of
from webquarry.surfaces.server.slow_clients import LimitedH11Protocol, SlowClientLimits


async def fine(scope: Scope, receive: Receive, send: Send) -> None:
    body = (await receive()).get("body", b"")
    await PlainTextResponse(body)(scope, receive, send)


def test_a_request_that_arrives_is_passed_on_whole() -> None:
    assert asyncio.run(asked(SlowClientLimits(fine, 1000), body=b"hello")).body == b"hello"


def test_a_body_that_does_not_arrive_is_given_up() -> None:
    async def run() -> list[Message]:
        sent: list[Message] = []
        first: list[Message] = [{"type": "http.request", "body": b"x", "more_body": True}]

        async def receive() -> Message:
            return first.pop() if first else await asyncio.Future[Message]()

        async def send(message: Message) -> None:
            sent.append(message)

        await SlowClientLimits(fine, 1000, body_seconds=0.01)(scope_of("/mcp"), receive, send)
        return sent

    assert asyncio.run(run())[0]["status"] == 408


def test_a_body_that_is_too_large_is_not_collected() -> None:
    async def run() -> int:
        came = 0

        async def receive() -> Message:
            nonlocal came
            came += 1
            return {"type": "http.request", "body": b"x" * 100, "more_body": True}

        async def send(message: Message) -> None:
            pass

        await SlowClientLimits(fine, 1000)(scope_of("/mcp"), receive, send)
        return came

    assert asyncio.run(run()) == 11


def test_a_client_that_does_not_read_is_given_up() -> None:
    async def run() -> None:
        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            await asyncio.Future[None]()

        await SlowClientLimits(fine, 1000, send_seconds=0.01)(scope_of("/mcp"), receive, send)

    with pytest.raises(ConnectionResetError):
        asyncio.run(run())


def test_a_head_that_is_too_large_is_refused_even_if_it_comes_at_once() -> None:
    def status(**headers: str) -> int:
        return asyncio.run(
            asked(SlowClientLimits(fine, 1000, max_head_bytes=2000), headers=headers)
        ).status

    assert status(one="x" * 1900) == 200
    assert status(one="x" * 2000) == 431
    assert status(**{f"x-{number}": "y" for number in range(400)}) == 431


def test_beyond_so_many_connections_a_request_is_told_when_to_come_again() -> None:
    async def run() -> tuple[bytes, bytes]:
        config = uvicorn.Config(
            fine, http=LimitedH11Protocol, log_config=None, lifespan="off", limit_concurrency=1
        )
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            place = listening.getsockname()[:2]
            pairs = [await asyncio.open_connection(*place) for _ in range(2)]
            while len(server.server_state.connections) < 2:
                await asyncio.sleep(0)
            pairs[0][1].write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            crowded = await pairs[0][0].read(-1)
            while len(server.server_state.connections) > 1:
                await asyncio.sleep(0)
            pairs[1][1].write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            alone = await pairs[1][0].read(-1)
            for _, writing in pairs:
                writing.close()
            server.should_exit = True
            await serving
        return crowded, alone

    crowded, alone = asyncio.run(asyncio.wait_for(run(), 30))

    assert crowded.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 5" in crowded.lower()
    assert alone.startswith(b"HTTP/1.1 200")


class Hasty(LimitedH11Protocol):
    head_seconds = 0.05


@pytest.mark.parametrize(
    "beginning", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"]
)
def test_a_connection_on_which_no_request_is_finished_is_closed(beginning: bytes) -> None:
    """The third one is a whole request: it is answered, and then the connection waits for the next
    as usual.
    """

    async def run() -> bytes:
        config = uvicorn.Config(
            fine, http=Hasty, log_config=None, lifespan="off", timeout_keep_alive=1
        )
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            reading, writing = await asyncio.open_connection(*listening.getsockname()[:2])
            writing.write(beginning)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                answer = await reading.read(-1)  # until the other side has had enough
            writing.close()
            server.should_exit = True
            await serving
        return answer

    answer = asyncio.run(asyncio.wait_for(run(), 30))
    assert answer.startswith(b"HTTP/1.1 200") == beginning.endswith(b"\r\n\r\n")


def test_a_second_request_that_dawdles_is_cut_off_too() -> None:
    async def run() -> bytes:
        config = uvicorn.Config(
            fine, http=Hasty, log_config=None, lifespan="off", timeout_keep_alive=60
        )
        server = uvicorn.Server(config)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            reading, writing = await asyncio.open_connection(*listening.getsockname()[:2])
            writing.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await reading.readuntil(b"\r\n\r\n")
            writing.write(b"GET / HTTP/1.1\r\nHo")
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                answer = await reading.read(-1)
            writing.close()
            server.should_exit = True
            await serving
        return answer

    assert b"HTTP/1.1" not in asyncio.run(asyncio.wait_for(run(), 30))
