"""Dialling: one resolution, every address judged, the first that answers wins."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterable
from ipaddress import ip_network

import httpcore2
import pytest

from tests.net.wires import PUBLIC, FakeDns, FakeSockets
from webquarry.errors import Refused
from webquarry.net import connect as connecting
from webquarry.net.connect import MAX_ATTEMPTS, GuardedBackend
from webquarry.net.guard import Guard


class MoodySockets(FakeSockets):
    """Some addresses fail at once, some never answer."""

    def __init__(self, failing: Iterable[str] = (), silent: Iterable[str] = ()) -> None:
        super().__init__()
        self.failing = set(failing)
        self.silent = set(silent)
        self.cancelled: list[str] = []
        self.streams: list[httpcore2.AsyncMockStream] = []

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is the pool's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        self.dialled.append((host, port))
        if host in self.failing:
            raise httpcore2.ConnectError(f"{host} failed")
        if host in self.silent:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.append(host)
                raise
        self.streams.append(httpcore2.AsyncMockStream([]))
        return self.streams[-1]


def connect(
    sockets: FakeSockets, host: str = "example.org", guard: Guard | None = None, seconds: float = 5
) -> None:
    asyncio.run(GuardedBackend(guard or Guard(), seconds, sockets).connect_tcp(host, 443))


@pytest.mark.parametrize("address", [PUBLIC, "2606:4700:4700::1111"])
def test_an_address_is_dialled_without_a_look_at_dns(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dns = FakeDns({}).install(monkeypatch)
    sockets = FakeSockets()

    connect(sockets, address)

    assert dns.asked == []
    assert sockets.addresses == [address]


@pytest.mark.parametrize(
    "private", ["10.0.0.5", "fd00::5", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe", "fe80::1%eth0"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_private_address_among_public_ones_refuses_the_whole_name(
    private: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = [PUBLIC, "2606:4700:4700::1111"]
    addresses.insert(place, private)
    FakeDns({"example.org": addresses}).install(monkeypatch)
    sockets = FakeSockets()

    with pytest.raises(Refused, match=r"example\.org"):
        connect(sockets)

    assert sockets.dialled == []


def test_a_private_address_beyond_the_number_dialled_refuses_the_name_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    many = [f"93.184.216.{number}" for number in range(MAX_ATTEMPTS + 5)]
    FakeDns({"example.org": [*many, "10.0.0.1"]}).install(monkeypatch)

    with pytest.raises(Refused):
        connect(FakeSockets())


def test_a_name_in_an_allowed_network_is_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"localhost": ["::1", "127.0.0.1"], "wiki": ["10.9.0.1"]}).install(monkeypatch)
    guard = Guard(allow_networks=(ip_network("127.0.0.0/8"), ip_network("::1/128")))
    sockets = FakeSockets()

    connect(sockets, "localhost", guard)
    with pytest.raises(Refused):
        connect(sockets, "wiki", guard)

    assert sockets.addresses == ["::1"]


def test_without_a_guard_every_address_is_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"searx": ["10.0.0.1"]}).install(monkeypatch)
    sockets = FakeSockets()

    asyncio.run(GuardedBackend(None, 5, sockets).connect_tcp("searx", 8080))

    assert sockets.dialled == [("10.0.0.1", 8080)]


def test_the_next_address_is_dialled_when_one_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"example.org": ["2606::1", "2606::2", "1.1.1.1"]}).install(monkeypatch)
    sockets = MoodySockets(failing=["2606::1", "1.1.1.1"])

    connect(sockets)

    assert sockets.addresses == ["2606::1", "1.1.1.1", "2606::2"]


def test_the_next_address_is_dialled_when_one_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connecting, "ATTEMPT_DELAY_SECONDS", 0)
    FakeDns({"example.org": ["2606::1", "1.1.1.1"]}).install(monkeypatch)
    sockets = MoodySockets(silent=["2606::1"])

    connect(sockets)

    assert sockets.addresses == ["2606::1", "1.1.1.1"]
    assert sockets.cancelled == ["2606::1"]


def test_of_two_that_answer_at_once_only_one_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "ATTEMPT_DELAY_SECONDS", 0)
    streams: list[httpcore2.AsyncMockStream] = []
    gate = asyncio.Event()

    async def answer(address: str) -> httpcore2.AsyncNetworkStream:
        streams.append(httpcore2.AsyncMockStream([address.encode()]))
        stream = streams[-1]
        if len(streams) == 2:
            gate.set()
        await gate.wait()
        return stream

    async def run() -> list[bytes | str]:
        await connecting.race_connections(["1.1.1.1", "8.8.8.8"], answer)
        return [await read(stream) for stream in streams]

    async def read(stream: httpcore2.AsyncMockStream) -> bytes | str:
        try:
            return await stream.read(100)
        except httpcore2.ReadError:
            return "closed"

    outcome = asyncio.run(run())

    assert len(outcome) == 2
    assert outcome.count("closed") == 1


def test_dialling_ends_with_the_time_for_a_connection() -> None:
    sockets = MoodySockets(silent=[PUBLIC])

    with pytest.raises(httpcore2.ConnectTimeout, match=PUBLIC):
        connect(sockets, PUBLIC, seconds=0.01)

    assert sockets.cancelled == [PUBLIC]


def test_resolving_counts_towards_the_time_for_a_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given_up = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: given_up.wait(30) and [])
    sockets = FakeSockets()

    async def run() -> None:
        try:
            await GuardedBackend(Guard(), 0.01, sockets).connect_tcp("example.org", 443)
        finally:
            given_up.set()

    with pytest.raises(httpcore2.ConnectTimeout, match=r"example\.org"):
        asyncio.run(run())
    assert sockets.dialled == []


@pytest.mark.parametrize(
    "error",
    [
        socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
        UnicodeEncodeError("idna", "", 0, 1, "too long"),
    ],
)
def test_a_name_that_does_not_resolve_is_a_network_error(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)

    with pytest.raises(httpcore2.ConnectError, match="does not resolve") as caught:
        connect(FakeSockets(), "nowhere.example")

    assert caught.value.__cause__ is error
