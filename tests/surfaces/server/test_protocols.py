"""Requests as they come over a connection, whoever parses them."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from webquarry.surfaces.server.front import protocols
from webquarry.surfaces.server.front.protocols import JoinedWrites, choose_protocol
from webquarry.surfaces.server.slow_clients import LimitedH11Protocol, SlowClientLimits

HEAD = b"POST /mcp HTTP/1.1\r\nHost: x\r\n"
MOST = 4096  # bytes of a head
FLOOD = b"x" * 70_000


@pytest.fixture(params=["h11", "httptools"])
def protocol(request: pytest.FixtureRequest) -> Any:
    if request.param == "h11":
        return LimitedH11Protocol
    if not protocols.HAS_HTTPTOOLS:
        pytest.skip("httptools is not installed")
    return protocols.LimitedHttpToolsProtocol


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = b""
    has_more = True
    while has_more:
        message = await receive()
        body += message.get("body", b"")
        has_more = message.get("more_body", False)
    headers = [pair for pair in scope["headers"] if pair[0] == b"x-echo"]
    headers.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def talk(protocol: Any, pieces: tuple[bytes, ...], is_closed: bool) -> bytes:
    """All that a server answers to these pieces, until it or we close the connection. One that
    `is_closed` by the server before that is an error.
    """
    config = uvicorn.Config(
        SlowClientLimits(echo, 1_000_000, MOST),
        http=protocol,
        ws="none",
        log_config=None,
        lifespan="off",
        h11_max_incomplete_event_size=MOST,
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        reading, writing = await asyncio.open_connection(*listening.getsockname()[:2])
        answer = b""
        try:
            for piece in pieces:
                writing.write(piece)
                await writing.drain()
                if piece.endswith(b"}"):
                    answer += await reading.readuntil(b"}")
            writing.write_eof()
            answer += await reading.read(-1)
        except ConnectionError:
            if is_closed:
                raise
        finally:
            writing.close()
            server.should_exit = True
            await serving
    return answer


def run(protocol: Any, *pieces: bytes, is_closed: bool = False) -> bytes:
    return asyncio.run(asyncio.wait_for(talk(protocol, pieces, is_closed), 30))


def test_a_client_that_would_rather_speak_another_protocol_is_answered_in_this_one(
    protocol: Any,
) -> None:
    upgrade = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n"
    request = HEAD + upgrade + b"Content-Length: 2\r\n\r\n{}"

    answer = run(protocol, request, request[:20], request[20:], request[:-2], request[-2:])

    assert answer.count(b"HTTP/1.1 200") == 3
    assert answer.count(b"{}") == 3


def test_a_connection_that_was_handed_on_is_not_cut_off_by_whom_it_was_handed_on(
    protocol: Any,
) -> None:
    connections: list[Any] = []

    class Recorded(protocol):  # type: ignore[misc]
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            connections.append(self)

        def connection_lost(self, exc: Exception | None) -> None:
            """Nobody tells it of the end any more."""
            assert not getattr(self, "_is_handed_on", False)
            super().connection_lost(exc)

    upgrade = b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}"

    assert run(Recorded, HEAD + upgrade).count(b"HTTP/1.1 200") == 1
    assert [connection._head_timer for connection in connections] == [None]


def test_blanks_around_a_header_are_no_part_of_it(protocol: Any) -> None:
    request = HEAD + b"X-Echo: \t a b \t \r\nContent-Length: 1\r\n\r\n}"

    assert b"x-echo: a b\r\n" in run(protocol, request).lower()


def test_requests_that_come_at_once_are_answered_one_after_the_other(protocol: Any) -> None:
    bodies = [b'{"%d"}' % number for number in range(3)]
    requests = [HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(one), one) for one in bodies]

    answer = run(protocol, b"".join(requests))

    places = [answer.index(body) for body in bodies]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "beginning",
    [
        HEAD + b"X: ",
        HEAD,
        b"POST /",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX: ",
    ],
    ids=["a header", "the name of a header", "the address", "a chunk's head", "a trailer"],
)
def test_what_is_no_body_has_so_many_bytes_at_most(protocol: Any, beginning: bytes) -> None:
    with pytest.raises(ConnectionError):  # it is closed before all of it is sent
        run(protocol, beginning, *[FLOOD] * 400, is_closed=True)


def test_a_body_in_many_small_chunks_is_no_large_head(protocol: Any) -> None:
    chunks = b"".join(b"1\r\n%d\r\n" % (number % 10) for number in range(5_000))
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

    answer = run(protocol, head[:-1], head[-1:] + chunks, chunks, b"1\r\n}\r\n0\r\n\r\n")

    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b"9}")


def test_what_waits_is_written_at_once() -> None:
    class Transport:
        def __init__(self) -> None:
            self.written: list[bytes] = []
            self.is_closed = False

        def write(self, data: bytes) -> None:
            self.written.append(data)

        def close(self) -> None:
            self.is_closed = True

        def get_write_buffer_size(self) -> int:
            return 7

    inner: Any = Transport()
    transport = JoinedWrites(inner)
    transport.write(b"a")
    transport.wait()
    transport.write(b"b")
    transport.write(b"c")
    assert inner.written == [b"a"]

    transport.write_waiting()
    transport.write(b"d")
    transport.wait()
    transport.write(b"e")
    transport.close()  # nothing that waits is lost

    assert inner.written == [b"a", b"bc", b"d", b"e"]
    assert inner.is_closed
    assert transport.get_write_buffer_size() == 7


def test_requests_are_parsed_in_c_where_that_can_be_done() -> None:
    parses_in_c = choose_protocol() is not LimitedH11Protocol

    assert parses_in_c == protocols.HAS_HTTPTOOLS
