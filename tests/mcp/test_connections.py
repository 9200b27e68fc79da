"""Clients that send or read slowly, send too much, or are too many."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.mcp.asgi import make_scope
from webquarry.mcp.asgi import RequestReader
from webquarry.mcp.serving import Config, Connection, H11Connection

Address = tuple[str, int]
HEAD = b"POST /mcp HTTP/1.1\r\nHost: x\r\n"
LARGE = 400_000


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = (await receive()).get("body", b"")
    await PlainTextResponse(body)(scope, receive, send)


async def respond_with_size(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with as many bytes as the path says."""
    await PlainTextResponse(b"x" * int(scope["path"][1:]))(scope, receive, send)


def test_a_body_that_does_not_arrive_times_out() -> None:
    async def run() -> int:
        statuses: list[Any] = []

        async def receive() -> Message:
            return await asyncio.Future[Message]()

        async def send(message: Message) -> None:
            statuses.append(message.get("status"))

        await RequestReader(echo, 1000, seconds=0.01)(make_scope(), receive, send)
        return int(statuses[0])

    assert asyncio.run(run()) == 408


def test_a_body_over_the_limit_is_not_collected() -> None:
    async def run() -> tuple[int, int]:
        received = 0
        statuses: list[Any] = []

        async def receive() -> Message:
            nonlocal received
            received += 1
            return {"type": "http.request", "body": b"x" * 100, "more_body": True}

        async def send(message: Message) -> None:
            statuses.append(message.get("status"))

        await RequestReader(echo, 1000)(make_scope(), receive, send)
        return received, int(statuses[0])

    assert asyncio.run(run()) == (11, 413)


PROTOCOL: list[Any] = [Connection]


@pytest.fixture(params=[Connection, H11Connection], autouse=True)
def _protocol(request: pytest.FixtureRequest) -> None:
    """Run each test with both parsers."""
    PROTOCOL[0] = request.param


@contextlib.asynccontextmanager
async def serving(
    app: ASGIApp,
    header_seconds: float = 60,
    write_seconds: float = 60,
    max_unsent_bytes: int = 10**9,
    **options: Any,
) -> AsyncIterator[tuple[uvicorn.Server, Address]]:
    """A server with a small send buffer on each connection."""
    limits = {"header_seconds": header_seconds, "write_seconds": write_seconds}
    protocol: Any = type("Limited", (PROTOCOL[0],), limits)
    config = Config(app, http=protocol, log_config=None, lifespan="off", **options)
    config.max_unsent_bytes = max_unsent_bytes
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield server, listening.getsockname()[:2]
        finally:
            server.should_exit = True
            await task


async def exchange(address: Address, *parts: bytes) -> bytes:
    """Send bytes and return all that the server sends until it closes the connection."""
    reader, writer = await asyncio.open_connection(*address)
    received = b""
    with contextlib.suppress(ConnectionError):
        for part in parts:
            writer.write(part)
            await writer.drain()
        received = await reader.read(-1)
    writer.close()
    return received


@pytest.mark.parametrize("start", [b"", HEAD, HEAD + b"X: "])
def test_incomplete_request_headers_time_out(start: bytes) -> None:
    async def run() -> bytes:
        async with serving(echo, header_seconds=0.05) as (_, address):
            return await exchange(address, start)

    assert asyncio.run(asyncio.wait_for(run(), 30)) == b""


@pytest.mark.parametrize(
    "start",
    [
        HEAD + b"X: ",
        b"POST /",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX: ",
    ],
    ids=["header value", "target", "trailer"],
)
def test_endless_headers_close_the_connection(start: bytes) -> None:
    async def run() -> bytes:
        app = RequestReader(echo, 1000)
        async with serving(app, h11_max_incomplete_event_size=32_768) as (_, address):
            return await exchange(address, start, *[b"x" * 65_536] * 400)

    assert not asyncio.run(asyncio.wait_for(run(), 30)).startswith(b"HTTP/1.1 200")


def test_connections_over_the_limit_get_503() -> None:
    async def run() -> tuple[bytes, bytes]:
        async with serving(echo, limit_concurrency=2) as (server, address):
            pairs = [await asyncio.open_connection(*address) for _ in range(2)]
            while len(server.server_state.connections) < 2:
                await asyncio.sleep(0)
            head = HEAD + b"Content-Length: 0\r\nConnection: close\r\n\r\n"
            replies = []
            for reader, writer in pairs:
                writer.write(head)
                replies.append(await reader.read(-1))
                writer.close()
                while len(server.server_state.connections) > 1:
                    await asyncio.sleep(0)
            return replies[0], replies[1]

    over_limit, alone = asyncio.run(asyncio.wait_for(run(), 30))

    assert over_limit.startswith(b"HTTP/1.1 503")
    assert alone.startswith(b"HTTP/1.1 200")


async def request_without_reading(address: Address, size: int) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, address)
    await loop.sock_sendall(client, f"GET /{size} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return client


async def count_bytes(client: socket.socket) -> int:
    """Read what is left of a connection that the server has closed."""
    count = 0
    with client, contextlib.suppress(ConnectionResetError):
        while part := await asyncio.get_running_loop().sock_recv(client, LARGE):
            count += len(part)
    return count


@pytest.mark.parametrize("size", [60_000, LARGE])
@pytest.mark.parametrize("more", [b"", b"GET", b"GET /9 HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_a_client_that_does_not_read_is_disconnected(size: int, more: bytes) -> None:
    async def run() -> int:
        async with serving(respond_with_size, write_seconds=0.1) as (server, address):
            client = await request_without_reading(address, size)
            connections: Any = server.server_state.connections
            while not any(one.transport.get_write_buffer_size() for one in connections):
                await asyncio.sleep(0)
            await asyncio.get_running_loop().sock_sendall(client, more)
            while server.server_state.connections:
                await asyncio.sleep(0)
            return await count_bytes(client)

    assert asyncio.run(asyncio.wait_for(run(), 30)) < size


def test_unsent_bytes_are_limited_over_all_connections() -> None:
    async def run() -> tuple[int, bytes]:
        async with serving(respond_with_size, max_unsent_bytes=1_000_000) as (server, address):
            clients = [await request_without_reading(address, LARGE) for _ in range(10)]
            reader, writer = await asyncio.open_connection(*address)
            writer.write(b"GET /100000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            received = await reader.read(-1)
            connections: Any = server.server_state.connections
            unsent = sum(one.transport.get_write_buffer_size() for one in connections)
            writer.close()
            for client in clients:
                client.close()
            return unsent, received

    unsent, received = asyncio.run(asyncio.wait_for(run(), 30))

    assert 0 < unsent <= 1_000_000
    assert received.startswith(b"HTTP/1.1 200")
    assert received.endswith(b"x" * 100_000)


def test_a_shutdown_does_not_wait_for_a_client_that_does_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("webquarry.mcp.serving.LAST_WRITE_SECONDS", 0.1)

    async def run() -> int:
        async with serving(respond_with_size) as (server, address):
            client = await request_without_reading(address, LARGE)
            connections: Any = server.server_state.connections
            while not any(one.transport.get_write_buffer_size() for one in connections):
                await asyncio.sleep(0)
        return await count_bytes(client)

    assert asyncio.run(asyncio.wait_for(run(), 30)) < LARGE
