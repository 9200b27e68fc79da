"""Clients that are too slow are cut off, at whatever point they dawdle."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from tests.surfaces.server.asgi import asked, scope_of
from tests.surfaces.server.http_process import http_server
from webquarry.surfaces.server.front import protocols
from webquarry.surfaces.server.slow_clients import (
    LimitedH11Protocol,
    ServerConnections,
    SlowClientLimits,
)

Limited = type[LimitedH11Protocol]


@pytest.fixture(params=["h11", "httptools"])
def protocol(request: pytest.FixtureRequest) -> Any:
    """The connections of a server, whoever parses its requests."""
    if request.param == "h11":
        return LimitedH11Protocol
    if not protocols.HAS_HTTPTOOLS:
        pytest.skip("httptools is not installed")
    return protocols.LimitedHttpToolsProtocol


def hurry(protocol: Limited, **limits: float) -> Limited:
    """The same connections with other limits."""
    return type("Hurried", (protocol,), limits)


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


def test_beyond_so_many_connections_a_request_is_told_when_to_come_again(
    protocol: Limited,
) -> None:
    async def run() -> tuple[bytes, bytes]:
        config = uvicorn.Config(
            fine, http=protocol, log_config=None, lifespan="off", limit_concurrency=1
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


@pytest.mark.parametrize(
    "beginning", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"]
)
def test_a_connection_on_which_no_request_is_finished_is_closed(
    beginning: bytes, protocol: Limited
) -> None:
    """The third one is a whole request: it is answered, and then the connection waits for the next
    as usual.
    """

    async def run() -> bytes:
        config = uvicorn.Config(
            fine,
            http=hurry(protocol, head_seconds=0.05),
            log_config=None,
            lifespan="off",
            timeout_keep_alive=1,
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


def test_a_second_request_that_dawdles_is_cut_off_too(protocol: Limited) -> None:
    async def run() -> bytes:
        config = uvicorn.Config(
            fine,
            http=hurry(protocol, head_seconds=0.05),
            log_config=None,
            lifespan="off",
            timeout_keep_alive=60,
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


LARGE = 400_000


async def large(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(b"x" * int(scope["path"][1:]))(scope, receive, send)


@contextlib.asynccontextmanager
async def serving_large(
    protocol: Callable[..., asyncio.Protocol],
) -> AsyncIterator[tuple[uvicorn.Server, tuple[str, int]]]:
    """A server whose answers hardly fit into the buffers of the system."""
    limited = SlowClientLimits(large, 1000)
    config = uvicorn.Config(limited, http=protocol, log_config=None, lifespan="off")  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield server, listening.getsockname()[:2]
        server.should_exit = True
        await serving


async def ask_without_reading(place: tuple[str, int], size: int) -> socket.socket:
    """A client that asks for so many bytes and reads none."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, place)
    request = f"GET /{size} HTTP/1.1\r\nHost: x\r\n\r\n"
    await loop.sock_sendall(client, request.encode())
    return client


async def count_rest(client: socket.socket) -> int:
    """The bytes that a client can still read of a connection that its server has closed."""
    loop = asyncio.get_running_loop()
    count = 0
    with client, contextlib.suppress(ConnectionResetError):
        while piece := await loop.sock_recv(client, LARGE):
            count += len(piece)
    return count


@pytest.mark.parametrize("size", [60_000, LARGE])
def test_a_connection_of_which_no_byte_is_taken_is_closed_whatever_the_size(
    size: int, protocol: Limited
) -> None:
    """The smaller answer is whole in the buffer of the connection, and its request over."""

    async def run() -> int:
        async with serving_large(hurry(protocol, send_seconds=0.1)) as (server, place):
            client = await ask_without_reading(place, size)
            while not server.server_state.connections:
                await asyncio.sleep(0)
            while server.server_state.connections:
                await asyncio.sleep(0)
            return await count_rest(client)

    assert asyncio.run(asyncio.wait_for(run(), 30)) < size


def test_a_client_that_reads_slowly_gets_all_of_it(protocol: Limited) -> None:
    async def run() -> int:
        async with serving_large(hurry(protocol, send_seconds=0.1)) as (_, place):
            client = await ask_without_reading(place, LARGE)
            loop = asyncio.get_running_loop()
            came = 0
            while came < LARGE:  # some bytes at a time, longer than one may dawdle
                piece = await loop.sock_recv(client, 2_000)
                assert piece, came
                came += len(piece)
            client.close()
            return came

    assert asyncio.run(asyncio.wait_for(run(), 60)) >= LARGE


def test_answers_that_nobody_takes_are_bounded_over_all_and_others_are_served(
    protocol: Limited,
) -> None:
    async def run() -> tuple[int, bytes]:
        shared = ServerConnections(max_unsent_bytes=1_000_000)
        async with serving_large(partial(protocol, shared=shared)) as (server, place):
            clients = [await ask_without_reading(place, LARGE) for _ in range(10)]
            reading, writing = await asyncio.open_connection(*place)
            writing.write(b"GET /100000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            answer = await reading.read(-1)
            held = sum(
                connection.unsent_bytes  # type: ignore[union-attr]
                for connection in server.server_state.connections
            )
            writing.close()
            for client in clients:
                client.close()
            return held, answer

    held, answer = asyncio.run(asyncio.wait_for(run(), 30))

    assert 0 < held <= 1_000_000
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"x" * 100_000)


def test_a_server_that_ends_lets_nobody_in_and_sends_those_inside_elsewhere(
    protocol: Limited,
) -> None:
    """Also one that the system had let in before, which the server hears of only now."""

    async def run() -> tuple[bytes, bytes]:
        shared = ServerConnections()
        async with serving_large(partial(protocol, shared=shared)) as (server, place):
            inside, writing_inside = await asyncio.open_connection(*place)
            while not server.server_state.connections:
                await asyncio.sleep(0)
            shared.is_closing = True
            outside, writing_outside = await asyncio.open_connection(*place)
            turned_away = await outside.read(-1)
            writing_inside.write(b"GET /1 HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = await inside.read(-1)
            writing_inside.close()
            writing_outside.close()
            return turned_away, answer

    turned_away, answer = asyncio.run(asyncio.wait_for(run(), 30))

    assert turned_away == b""
    assert answer.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 5" in answer.lower()
    assert b"connection: close" in answer.lower()


def test_a_server_that_ends_does_not_wait_for_a_client_that_takes_nothing(
    protocol: Limited,
) -> None:
    async def run() -> int:
        shared = ServerConnections()
        hurried = hurry(protocol, last_send_seconds=0.1)
        async with serving_large(partial(hurried, shared=shared)) as (server, place):
            client = await ask_without_reading(place, LARGE)
            connections = server.server_state.connections
            while not any(each.unsent_bytes for each in connections):  # type: ignore[union-attr]
                await asyncio.sleep(0)
            shared.is_closing = True
            for connection in list(connections):
                connection.shutdown()
            while connections:
                await asyncio.sleep(0)
            return await count_rest(client)

    assert asyncio.run(asyncio.wait_for(run(), 30)) < LARGE


@pytest.mark.parametrize("flags", [(), ("--workers", "2")])
@pytest.mark.parametrize(
    ("beginning", "accept"), [(b"", "*/*"), (b"{", "application/json, text/event-stream")]
)
@pytest.mark.slow
def test_a_request_that_is_not_all_here_when_the_server_ends_is_refused_at_once(
    flags: tuple[str, ...], beginning: bytes, accept: str
) -> None:
    with http_server({"WEBQUARRY_HTTP_GRACE_SECONDS": "300"}, *flags) as server:
        host, _, port = urlsplit(server.url).netloc.partition(":")
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
            f"Accept: {accept}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n"
        )
        clients = [socket.create_connection((host, int(port)), timeout=60) for _ in range(5)]
        for client in clients:
            client.sendall(head.encode())
            assert client.recv(1000).startswith(b"HTTP/1.1 100")  # the body is waited for
            client.sendall(beginning)
        server.process.send_signal(signal.SIGTERM)
        answers = []
        for client in clients:
            with client, client.makefile("rb") as file:
                answers.append(file.read())
        code = server.process.wait(60)

    assert code == 0
    for answer in answers:
        assert answer.startswith(b"HTTP/1.1 503")
        assert b'"ending"' in answer


def test_an_application_is_over_before_its_large_answer_is_taken() -> None:
    """So that nothing is kept of what the answer was made from but the bytes to be sent."""

    async def run() -> bytes:
        is_over, may_read = asyncio.Event(), asyncio.Event()
        taken = bytearray()

        async def make_answer(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x" * LARGE, "more_body": True})
            await send({"type": "http.response.body", "body": b"end"})
            is_over.set()

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def take(message: Message) -> None:
            if message["type"] == "http.response.body":
                await may_read.wait()
                taken.extend(message["body"])

        serving = asyncio.create_task(
            SlowClientLimits(make_answer, 1000)(scope_of("/mcp"), receive, take)
        )
        await is_over.wait()
        assert not taken
        assert not serving.done()
        may_read.set()
        await serving
        return bytes(taken)

    assert asyncio.run(asyncio.wait_for(run(), 30)) == b"x" * LARGE + b"end"
