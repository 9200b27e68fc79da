"""The client on its real transport: what happens on the wire."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tests.net.doubles import FakeClock, settings_with
from webquarry.errors import NetworkFailure, Refused
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.settings import Settings

LOOPBACK = ["127.0.0.0/8"]


@dataclass
class Site:
    """A server that keeps its connections open, and counts them."""

    answer: Callable[[str], Awaitable[bytes]]
    origin: str = ""
    connections: int = 0
    paths: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.paths.append(head.split(b" ")[1].decode())
                writer.write(await self.answer(self.paths[-1]))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def site(answer: Callable[[str], Awaitable[bytes]]) -> AsyncIterator[Site]:
    running = Site(answer)
    async with await asyncio.start_server(running.serve, "127.0.0.1", 0) as server:
        running.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield running


def ok(body: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def found(location: str, body: str = "") -> bytes:
    head = f"HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: {len(body)}\r\n\r\n"
    return f"{head}{body}".encode()


def run_against(
    answer: Callable[[str], Awaitable[bytes]],
    work: Callable[[Client, Site], Awaitable[None]],
    settings: Settings,
) -> None:
    async def run() -> None:
        async with site(answer) as running:
            async with Client(settings, FakeClock()) as client:
                await work(client, running)
            await asyncio.sleep(0)  # the server's side of the connections ends too

    asyncio.run(run())


def test_one_connection_serves_robots_txt_redirects_and_pages_in_turn() -> None:
    async def answer(path: str) -> bytes:
        return found("/there", "<a href=/there>there</a>") if path == "/moved" else ok(path)

    async def work(client: Client, running: Site) -> None:
        for path in ("/one", "/moved", "/two"):
            await client.fetch(running.origin + path)
        assert running.paths == ["/robots.txt", "/one", "/moved", "/there", "/two"]
        assert running.connections == 1

    run_against(answer, work, settings_with(allow_networks=LOOPBACK))


def fetch(url: str, **settings: object) -> Reply:
    async def run() -> Reply:
        async with Client(settings_with(retries=0, **settings), FakeClock()) as client:
            return await client.fetch(url)

    return asyncio.run(run())


@pytest.mark.parametrize("robots", [True, False])
def test_closed_port_refuses_the_connection(robots: bool) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with pytest.raises(NetworkFailure) as caught:
            fetch(
                f"http://127.0.0.1:{nobody.getsockname()[1]}/",
                allow_networks=LOOPBACK,
                robots=robots,
            )
    assert caught.value.message == "Connection refused"


@pytest.mark.parametrize("robots", [True, False])
def test_a_name_that_leads_to_a_private_address_is_refused(
    robots: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: private)

    with pytest.raises(Refused, match=r"inside\.example"):
        fetch("http://inside.example/", robots=robots)


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Le"])
def test_a_server_that_hangs_up_before_its_answer_is_complete_is_reported_as_that(
    sent: bytes,
) -> None:
    async def run() -> None:
        async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(sent)
            await writer.drain()
            writer.close()
            await writer.wait_closed()

        async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with Client(
                settings_with(allow_networks=LOOPBACK, robots=False, retries=0), FakeClock()
            ) as client:
                with pytest.raises(
                    NetworkFailure, match="closed the connection before the answer was complete"
                ):
                    await client.fetch(f"http://127.0.0.1:{port}/")

    asyncio.run(run())
