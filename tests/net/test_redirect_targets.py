"""Where a redirect may lead: the client and its real transport, with the names and the wires of the
test's own making.

Every row of `cases/ssrf-dynamic.jsonl` is one test. Whatever address is dialled leads to one
loopback server and is written down, so that "no connection" is what is asserted, not only the
error.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from tests.net.doubles import FakeClock, settings_with
from webquarry.errors import Refused, WebquarryError
from webquarry.net.client import Client
from webquarry.net.guard import Guard
from webquarry.net.models import Reply
from webquarry.net.transport import Transport

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "ssrf-dynamic.jsonl").read_text().splitlines()
]
PUBLIC, ALSO_PUBLIC = "93.184.215.14", "1.1.1.1"


def moved(location: str, status: int = 302) -> bytes:
    head = (
        f"HTTP/1.1 {status} Moved\r\nLocation: {location}\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
    return head.encode()


def page(body: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return f"{head}{body}".encode()


@dataclass
class Case:
    """What is served by host and path, what the names resolve to in turn, and what must come of
    it.
    """

    served: dict[str, bytes]
    names: dict[str, list[str]] = field(default_factory=dict)
    returns: str | None = None  # the body that comes back; None: the fetch is refused
    requests: tuple[str, ...] = (
        "public.example/",
    )  # what the servers were asked for, robots.txt apart


START = "public.example/"
TO_PRIVATE_NAME = Case(
    {START: moved("http://private-name.example/")}, {"private-name.example": ["192.168.0.1"]}
)
CHAIN = {
    START: moved("/two"),
    "public.example/two": moved("http://second.example/"),
    "second.example/": moved("http://10.0.0.1/"),
}
REFRESH = "<meta http-equiv=refresh content='0;url=http://127.0.0.1/'>"
CASES = {
    "redirect-302-loopback": Case({START: moved("http://127.0.0.1/")}),
    "redirect-307-metadata": Case({START: moved("http://169.254.169.254/latest/meta-data/", 307)}),
    "redirect-decimal": Case({START: moved("http://2130706433/", 301)}),
    "redirect-mapped": Case({START: moved("http://[::ffff:127.0.0.1]/")}),
    "redirect-chain-private": Case(
        CHAIN, requests=(START, "public.example/two", "second.example/")
    ),
    "redirect-file": Case({START: moved("file:///etc/passwd")}),
    "redirect-dns-private": TO_PRIVATE_NAME,
    "redirect-public-ok": Case(
        {START: moved("http://second.example/"), "second.example/": page("the second page")},
        returns="the second page",
        requests=(START, "second.example/"),
    ),
    # robots.txt takes the first resolution; the page would need another one.
    "rebind-ttl0": Case(
        {START: page("hello")}, {"public.example": [PUBLIC, "127.0.0.1"]}, requests=()
    ),
    "rebind-redirect-self": Case(
        {START: moved("http://public.example/")}, {"public.example": [PUBLIC, PUBLIC, "10.0.0.1"]}
    ),
    "meta-refresh": Case({START: page(REFRESH)}, returns=REFRESH),
    "relative-scheme": Case({START: moved("//169.254.169.254/")}),
}


class Internet(httpcore2.AsyncNetworkBackend):
    """Names and wires: resolves from a table, connects everything to one server, and remembers what
    was dialled.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        self._port = 0
        self.dialled: list[str] = []
        self.requests: list[str] = []

    def resolve(self, host: str, port: int, *args: object, **kwargs: object) -> list[Any]:
        answers = self._case.names.get(host, [PUBLIC if host == "public.example" else ALSO_PUBLIC])
        address = answers.pop(0) if len(answers) > 1 else answers[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the pool's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.dialled.append(host)
        return await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", self._port)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        host = next(
            line[5:].strip() for line in head.splitlines() if line.lower().startswith("host:")
        )
        place = host + head.split(" ")[1]
        if not place.endswith("/robots.txt"):
            self.requests.append(place)
        writer.write(
            self._case.served.get(
                place, b"HTTP/1.1 404 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
        )
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Run the server that every wire leads to."""
        async with await asyncio.start_server(self.serve, "127.0.0.1", 0) as server:
            self._port = server.sockets[0].getsockname()[1]
            yield

    async def fetch(self, url: str) -> Reply:
        settings = settings_with(retries=0)
        async with self.open():
            pages = Transport(settings, Guard.from_settings(settings), sockets=self)
            async with Client(settings, FakeClock(), pages=pages) as client:
                return await client.fetch(url)


def test_every_row_has_its_case() -> None:
    assert [row["id"] for row in ROWS] == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_no_redirect_and_no_rebinding_leads_to_a_private_address(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = CASES[name]
    internet = Internet(case)
    monkeypatch.setattr(socket, "getaddrinfo", internet.resolve)
    outcome: Reply | WebquarryError
    try:
        outcome = asyncio.run(internet.fetch("http://public.example/"))
    except WebquarryError as error:
        outcome = error

    if case.returns is None:
        assert isinstance(outcome, Refused)
    else:
        assert isinstance(outcome, Reply)
        assert outcome.body.decode() == case.returns
    assert set(internet.dialled) <= {PUBLIC, ALSO_PUBLIC}
    assert tuple(internet.requests) == case.requests
