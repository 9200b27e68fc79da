"""A network for tests: names that resolve as told, sockets that remember who was dialled, little
servers on 127.0.0.1.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import h2.config
import h2.connection
import h2.events
import httpcore2
import httpx2
import pytest

from webquarry.net.guard import Guard
from webquarry.net.transport import Transport
from webquarry.settings import Settings

PUBLIC = "93.184.216.34"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class FakeDns:
    """socket.getaddrinfo by a table. Each name has one list of addresses, or one for each time it
    is asked.
    """

    def __init__(
        self, table: Mapping[str, list[str] | list[list[str]]], default: list[str] | None = None
    ) -> None:
        self._answers = {name: _as_turns(given) for name, given in table.items()}
        self._default = default
        self.asked: list[str] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> FakeDns:
        monkeypatch.setattr(socket, "getaddrinfo", self)
        return self

    def __call__(self, host: str, port: int, *_: Any, **__: Any) -> list[tuple[Any, ...]]:
        self.asked.append(host)
        turns = self._answers.get(host)
        if turns is None and self._default is None:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        addresses = self._default if turns is None else turns.pop(0) if len(turns) > 1 else turns[0]
        return [_info(address, port) for address in addresses or []]


def _as_turns(given: list[str] | list[list[str]]) -> list[list[str]]:
    return [each for each in given if isinstance(each, list)] or [
        [each for each in given if isinstance(each, str)]
    ]


def _info(address: str, port: int) -> tuple[Any, ...]:
    six = ":" in address
    place = (address, port, 0, 0) if six else (address, port)
    return (
        socket.AF_INET6 if six else socket.AF_INET,
        socket.SOCK_STREAM,
        socket.IPPROTO_TCP,
        "",
        place,
    )


class FakeSockets(httpcore2.AsyncNetworkBackend):
    """Remembers every address dialled; answers in memory, or leads the connection to a server on
    this machine.
    """

    def __init__(self, answer: bytes = ANSWER, lead_to: int | None = None) -> None:
        self._answer = answer
        self._lead_to = lead_to
        self.dialled: list[tuple[str, int]] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the pool's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.dialled.append((host, port))
        if self._lead_to is not None:
            return await httpcore2.AnyIOBackend().connect_tcp("127.0.0.1", self._lead_to, timeout)
        return httpcore2.AsyncMockStream([self._answer])

    @property
    def addresses(self) -> list[str]:
        return [host for host, _ in self.dialled]


def settings(**values: Any) -> Settings:
    return Settings(**values)


def fetch(
    *urls: str,
    guard: Guard | None,
    sockets: httpcore2.AsyncNetworkBackend | None = None,
    **values: Any,
) -> list[httpx2.Response | Exception]:
    """Request URLs one after the other over one transport; gives the read responses, or what was
    raised instead.
    """

    async def run() -> list[httpx2.Response | Exception]:
        async with Transport(settings(**values), guard, sockets=sockets) as transport:
            return [await get(transport, url) for url in urls]

    return asyncio.run(run())


async def get(transport: httpx2.AsyncBaseTransport, url: str) -> httpx2.Response | Exception:
    request = httpx2.Request("GET", url)
    try:
        response = await transport.handle_async_request(request)
        await response.aread()
        await response.aclose()
    except Exception as error:
        return error
    return response


@asynccontextmanager
async def serve(handler: Handler, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on 127.0.0.1; gives its port. Connections still open at the end are closed."""
    writers: list[asyncio.StreamWriter] = []
    tasks: list[asyncio.Task[Any]] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        writers.append(writer)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            await handler(reader, writer)
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.close()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in writers:
            with contextlib.suppress(ConnectionError, ssl.SSLError):
                await writer.wait_closed()


def echo_host(seen: list[str] | None = None) -> Handler:
    """Answers every request of a connection with its Host header, and takes down its request
    line.
    """

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            host = next(line[6:] for line in head if line.lower().startswith("host: "))
            if seen is not None:
                seen.append(head[0])
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(host)}\r\n\r\n{host}".encode())
            await writer.drain()

    return handler


async def answer_http2(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers every HTTP/2 request with its authority."""
    connection = h2.connection.H2Connection(
        h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
    )
    connection.initiate_connection()
    writer.write(connection.data_to_send())
    while data := await reader.read(65_536):
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                assert event.stream_id is not None
                authority = next(
                    str(value) for name, value in event.headers or [] if str(name) == ":authority"
                )
                connection.send_headers(event.stream_id, [(":status", "200")])
                connection.send_data(event.stream_id, authority.encode(), end_stream=True)
        writer.write(connection.data_to_send())
        await writer.drain()


async def fall_silent(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, moment: str
) -> None:
    """Speaks HTTP/2 up to a moment, and then says nothing more while the connection is open."""
    connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    if moment != "the start":
        connection.initiate_connection()
        writer.write(connection.data_to_send())
    while data := await reader.read(65_536):
        if moment != "the body":
            continue
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                assert event.stream_id is not None
                connection.send_headers(event.stream_id, [(":status", "200")])
                connection.send_data(event.stream_id, b"the beginning")
        writer.write(connection.data_to_send())


def tunnel(heads: list[str], lead_to: int | None = None) -> Handler:
    """A proxy that takes down the head of each request, and leads every CONNECT to one port of this
    machine.
    """

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        heads.append(head)
        if not head.startswith("CONNECT "):
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nforwarded"
            )
            await writer.drain()
            return
        assert lead_to is not None
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", lead_to)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        there = asyncio.create_task(_pump(reader, far_writer))
        back = asyncio.create_task(_pump(far_reader, writer))
        await asyncio.wait([there, back], return_when=asyncio.FIRST_COMPLETED)
        far_writer.close()
        writer.close()
        await asyncio.gather(there, back, return_exceptions=True)

    return handler


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


class Authority:
    """A private certificate authority, made with the openssl command."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.file = folder / "ca.pem"
        self._run(
            "req", "-x509", *self._new_key("ca"), "-subj", "/CN=Test authority", "-out", self.file
        )

    def server_context(
        self, *names: str, protocols: Iterable[str] = ("http/1.1",)
    ) -> ssl.SSLContext:
        """TLS for a server with a certificate for these names, each as DNS:name or IP:address."""
        request, certificate, extensions = (
            self._folder / f"server.{end}" for end in ("csr", "pem", "cnf")
        )
        extensions.write_text(f"subjectAltName={','.join(names)}\n")
        self._run("req", "-new", *self._new_key("server"), "-subj", "/CN=server", "-out", request)
        self._run(
            "x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self._folder / "ca.key",
            "-days", "2", "-set_serial", "1", "-extfile", extensions, "-out", certificate,
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, self._folder / "server.key")
        context.set_alpn_protocols(list(protocols))
        return context

    def _new_key(self, name: str) -> list[str | Path]:
        curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        return [*curve, "-nodes", "-days", "2", "-keyout", self._folder / f"{name}.key"]

    def _run(self, *arguments: str | Path) -> None:
        command = shutil.which("openssl")
        if command is None:
            pytest.skip("the openssl command is not installed")
        subprocess.run([command, *map(str, arguments)], check=True, capture_output=True, timeout=30)
