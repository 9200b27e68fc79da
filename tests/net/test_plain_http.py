"""Requests without TLS: connections are kept, given up and counted as those of a pool are."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
import pytest

from webquarry.net import plain_http
from webquarry.net.guard.guard import Guard
from webquarry.net.sockets import SocketStream, dial
from webquarry.net.transport import open_transport
from webquarry.settings import Settings

T = TypeVar("T")

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
)
UNTIL_THE_END = b"HTTP/1.0 200 OK\r\n\r\nhello"
EARLY = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
LARGE = 3_000_000


class Server:
    """Answers each request by the next of its answers, and knows its connections. An answer that is
    None never comes.
    """

    def __init__(self, *answers: bytes | None, hangs_up: bool = False) -> None:
        self._answers = list(answers)
        self._hangs_up = hangs_up
        self.connections = 0
        self.closed = asyncio.Event()  # a connection, by the client
        self.hung_up = asyncio.Event()  # itself
        self.asked = asyncio.Event()
        self.requests: list[bytes] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = 0
                if b"Content-Length: " in head:
                    length = int(head.partition(b"Content-Length: ")[2].partition(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                self.asked.set()
                answer = self._answers.pop(0)
                if answer is None:
                    continue
                writer.write(answer)
                await writer.drain()
                if self._hangs_up or answer.startswith(b"HTTP/1.0"):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            self.closed.set()
        finally:
            writer.close()
            await writer.wait_closed()
            self.hung_up.set()


def talk(server: Server, work: Callable[[httpx2.AsyncBaseTransport, str], Awaitable[T]]) -> T:
    """What the work comes to, with a transport and the address of the server."""

    async def run() -> T:
        listening = await asyncio.start_server(server.handle, "127.0.0.1", 0)
        address = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/"
        guard = Guard(allow_private=True)
        async with listening, open_transport(Settings(), guard) as transport:
            return await work(transport, address)

    return asyncio.run(run())


async def ask(transport: httpx2.AsyncBaseTransport, url: str, seconds: float = 5) -> bytes:
    request = httpx2.Request("GET", url, extensions={"timeout": {"read": seconds, "pool": seconds}})
    response = await transport.handle_async_request(request)
    body = await response.aread()
    await response.aclose()
    return body


@pytest.mark.parametrize("answer", [OK, CHUNKED, EARLY + OK])
def test_the_next_request_goes_over_the_same_connection(answer: bytes) -> None:
    server = Server(answer, OK)

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> bytes:
        await ask(transport, url)
        return await ask(transport, url)

    assert talk(server, work) == b"hello"
    assert server.connections == 1


def test_an_answer_that_ends_with_its_connection_is_whole_and_the_next_gets_another() -> None:
    server = Server(UNTIL_THE_END, CHUNKED)

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> list[bytes]:
        return [await ask(transport, url), await ask(transport, url)]

    assert talk(server, work) == [b"hello", b"hello world"]
    assert server.connections == 2


def test_a_connection_that_the_server_has_closed_meanwhile_is_not_used_again() -> None:
    server = Server(OK, OK, hangs_up=True)

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> bytes:
        await ask(transport, url)
        await server.hung_up.wait()
        return await ask(transport, url)

    assert talk(server, work) == b"hello"
    assert server.connections == 2


def test_an_answer_that_is_left_unread_closes_its_connection() -> None:
    server = Server(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello", OK)

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> bytes:
        response = await transport.handle_async_request(httpx2.Request("GET", url))
        await response.aclose()
        await server.closed.wait()
        return await ask(transport, url)

    assert talk(server, work) == b"hello"
    assert server.connections == 2


def test_who_is_called_off_while_waiting_leaves_no_connection_behind() -> None:
    server = Server(None, OK)

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> bytes:
        asking = asyncio.create_task(ask(transport, url))
        await server.asked.wait()
        asking.cancel()
        await asyncio.wait([asking])
        assert asking.cancelled()
        await server.closed.wait()
        return await ask(transport, url)

    assert talk(server, work) == b"hello"


def test_a_server_that_is_silent_is_a_read_timeout_that_knows_its_request() -> None:
    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> None:
        with pytest.raises(httpx2.ReadTimeout) as caught:
            await ask(transport, url, seconds=0.01)
        assert str(caught.value.request.url) == url

    talk(Server(None), work)


def test_bytes_that_are_no_http_are_a_protocol_error() -> None:
    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> None:
        with pytest.raises(httpx2.RemoteProtocolError):
            await ask(transport, url)

    talk(Server(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), work)


def test_a_large_answer_is_read_as_fast_as_it_is_taken() -> None:
    body = bytes(LARGE)
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> int:
        response = await transport.handle_async_request(httpx2.Request("GET", url))
        received = 0
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        async for chunk in response.stream:
            await asyncio.sleep(0)
            received += len(chunk)
        await response.aclose()
        return received

    assert talk(Server(head + body), work) == LARGE


def test_a_body_is_sent_whole() -> None:
    server = Server(OK)
    content = bytes(range(256)) * 4_000

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> None:
        request = httpx2.Request("POST", url, content=content)
        response = await transport.handle_async_request(request)
        await response.aread()

    talk(server, work)
    assert server.requests[0].endswith(content)


def test_who_finds_all_connections_in_use_waits_and_is_told_when_it_takes_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(plain_http, "MAX_CONNECTIONS", 1)
    server = Server(None, OK)

    async def work(transport: httpx2.AsyncBaseTransport, url: str) -> bytes:
        first = asyncio.create_task(ask(transport, url))
        await server.asked.wait()
        with pytest.raises(httpx2.PoolTimeout):
            await ask(transport, url, seconds=0.01)
        second = asyncio.create_task(ask(transport, url))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert talk(server, work) == b"hello"


def test_the_client_is_loaded_without_what_only_tls_and_proxies_need() -> None:
    code = "import sys, webquarry.net.client; print('httpcore2' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert told.stdout.strip() == "False"


def test_a_connection_that_is_closed_still_tells_its_addresses() -> None:
    """A recording writes down whom it spoke to when the connection is gone."""

    async def run() -> tuple[object, object]:
        with socket.create_server(("127.0.0.1", 0)) as server:  # whose system accepts for it
            told = server.getsockname()
            stream = await dial(*told)
            await stream.aclose()
            await asyncio.sleep(0)  # the loop closes the socket behind us
            assert stream.socket.fileno() == -1
            return stream.get_extra_info("server_addr"), told

    found, told = asyncio.run(run())

    assert found == told


def test_what_came_in_pieces_is_read_in_others() -> None:
    async def run() -> list[bytes]:
        stream = SocketStream()
        for piece in (b"ab", b"cde", b"f"):
            stream.data_received(piece)
        read = [await stream.read(4), await stream.read(1), await stream.read(9)]
        stream.data_received(b"one piece")
        return [*read, await stream.read(9)]

    assert asyncio.run(run()) == [b"abcd", b"e", b"f", b"one piece"]
