"""The transport: what is judged is what is dialled, and errors come out as the kinds they are."""

from __future__ import annotations

import asyncio
import json
import ssl
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpcore2
import httpx2
import pytest

from tests.net.wires import (
    PUBLIC,
    Authority,
    FakeDns,
    FakeSockets,
    answer_http2,
    echo_host,
    fall_silent,
    fetch,
    get,
    serve,
    settings,
)
from webquarry.errors import Refused
from webquarry.net.guard import Guard, parse_address
from webquarry.net.transport import Transport, create_tls_context

FOLDER = Path(__file__).parent / "cases"
CASES = [json.loads(line) for line in (FOLDER / "ssrf.jsonl").read_text("utf-8").splitlines()]
LOOPBACK = Guard(allow_networks=(ip_network("127.0.0.0/8"),))


def name_of(case: dict[str, Any]) -> str:
    return f"{case['kind']} {ascii(case['url'])[:60]}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_url_is_dialled_or_refused_as_its_case_says(
    case: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    dns = FakeDns(case.get("dns", {}), default=[PUBLIC]).install(monkeypatch)
    sockets = FakeSockets()
    guard = Guard()
    try:
        url = guard.check_url(case["url"])
    except Refused:
        assert case["expect"] == "block"
        assert dns.asked == []
        return

    (outcome,) = fetch(str(url), guard=guard, sockets=sockets)

    if case["expect"] == "block":
        assert isinstance(outcome, Refused)
        assert sockets.dialled == []
    else:
        assert isinstance(outcome, httpx2.Response), outcome
        assert sockets.addresses == [expected_address(url, case)]


def expected_address(url: httpx2.URL, case: dict[str, Any]) -> str:
    host = url.raw_host.decode("ascii")
    if parse_address(host) is not None:
        return host
    return str(case.get("dns", {}).get(host, [PUBLIC])[0])


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://127.0.0.1/",
        "http://metadata.google.internal/",
        "http://example.org:25/",
    ],
)
def test_transport_refuses_unchecked_urls(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dns = FakeDns({}, default=[PUBLIC]).install(monkeypatch)
    sockets = FakeSockets()

    (outcome,) = fetch(url, guard=Guard(), sockets=sockets)

    assert isinstance(outcome, Refused)
    assert outcome.kind == "blocked"
    assert dns.asked == []
    assert sockets.dialled == []


def test_rebind_ttl0_the_address_that_was_judged_is_the_one_dialled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dns = FakeDns({"rebind.example": [[PUBLIC], ["127.0.0.1"]]}).install(monkeypatch)
    sockets = FakeSockets(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

    first, second, third = fetch(*["http://rebind.example/"] * 3, guard=Guard(), sockets=sockets)

    assert isinstance(first, httpx2.Response)
    assert isinstance(second, Refused)
    assert isinstance(third, Refused)
    assert sockets.addresses == [PUBLIC]
    assert dns.asked == ["rebind.example"] * 3


def test_rebind_redirect_self_each_resolution_is_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    FakeDns({"rebind.example": [[PUBLIC], ["10.0.0.1"]]}).install(monkeypatch)
    answer = (
        b"HTTP/1.1 302 Found\r\nLocation: http://rebind.example/\r\n"
        b"Content-Length: 0\r\nConnection: close\r\n\r\n"
    )
    sockets = FakeSockets(answer)

    async def run() -> None:
        transport = Transport(settings(), Guard(), sockets=sockets)
        async with httpx2.AsyncClient(transport=transport, follow_redirects=True) as client:
            await client.get("http://rebind.example/")

    with pytest.raises(Refused, match=r"rebind\.example"):
        asyncio.run(run())
    assert sockets.addresses == [PUBLIC]


def test_a_refusal_passes_through_a_client_of_httpx2_as_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    FakeDns({"intranet.example": ["10.0.0.1"]}).install(monkeypatch)

    async def run(url: str) -> None:
        async with httpx2.AsyncClient(transport=Transport(settings(), Guard())) as client:
            await client.get(url)

    for url in ("http://intranet.example/", "https://intranet.example/"):
        with pytest.raises(Refused, match="private network") as caught:
            asyncio.run(run(url))
        assert not isinstance(caught.value, httpx2.HTTPError)


def test_a_connection_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dns = FakeDns({"pages.example": ["127.0.0.1"]}).install(monkeypatch)
    seen: list[str] = []

    async def run() -> list[httpx2.Response | Exception]:
        async with (
            serve(echo_host(seen)) as port,
            Transport(settings(), LOOPBACK) as transport,
        ):
            return [
                await get(transport, f"http://pages.example:{port}/{number}") for number in range(3)
            ]

    responses = asyncio.run(run())

    assert all(isinstance(response, httpx2.Response) for response in responses)
    assert len(seen) == 3
    assert dns.asked == ["pages.example"]


def test_host_and_sni_stay_the_names_although_the_address_is_dialled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    FakeDns({"pages.example": [PUBLIC]}).install(monkeypatch)
    authority = Authority(tmp_path)
    context = authority.server_context("DNS:pages.example")
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)

    async def run() -> tuple[httpx2.Response | Exception, list[tuple[str, int]]]:
        async with serve(echo_host(), context) as port:
            sockets = FakeSockets(lead_to=port)
            async with Transport(
                settings(ca_file=authority.file), Guard(), sockets=sockets
            ) as transport:
                return await get(transport, "https://pages.example./"), sockets.dialled

    response, dialled = asyncio.run(run())

    assert isinstance(response, httpx2.Response), response
    assert response.extensions["http_version"] == b"HTTP/1.1"
    assert names == ["pages.example"]
    assert dialled == [(PUBLIC, 443)]


@pytest.mark.parametrize(("offered", "version"), [(True, b"HTTP/2"), (False, b"HTTP/1.1")])
def test_http2_is_spoken_when_it_is_offered(
    offered: bool, version: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    FakeDns({"pages.example": ["127.0.0.1"]}).install(monkeypatch)
    authority = Authority(tmp_path)
    context = authority.server_context("DNS:pages.example", protocols=["h2", "http/1.1"])
    handler = answer_http2 if offered else echo_host()

    async def run() -> tuple[int, httpx2.Response | Exception]:
        async with serve(handler, context) as port:
            ours = settings(ca_file=authority.file, http2=offered)
            async with Transport(ours, LOOPBACK) as transport:
                return port, await get(transport, f"https://pages.example:{port}/")

    port, response = asyncio.run(run())

    assert isinstance(response, httpx2.Response), response
    assert response.extensions["http_version"] == version
    assert response.content == f"pages.example:{port}".encode()


@pytest.mark.parametrize("silent_from", ["the start", "the settings", "the body"])
def test_an_http2_connection_that_falls_silent_is_not_used_again(
    silent_from: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    FakeDns({"pages.example": ["127.0.0.1"]}).install(monkeypatch)
    authority = Authority(tmp_path)
    context = authority.server_context("DNS:pages.example", protocols=["h2"])
    connections = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        if connections == 1:
            await fall_silent(reader, writer, silent_from)
        else:
            await answer_http2(reader, writer)

    async def run() -> list[httpx2.Response | Exception]:
        async with serve(handler, context) as port:
            ours = settings(ca_file=authority.file, http2=True)
            url = f"https://pages.example:{port}/"
            async with Transport(ours, LOOPBACK) as transport:
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.5):
                        await get(transport, url)
                return [await get(transport, url), await get(transport, url)]

    for response in asyncio.run(asyncio.wait_for(run(), 30)):
        assert isinstance(response, httpx2.Response), response
        assert response.status_code == 200
    assert connections == 2


@pytest.mark.parametrize(("is_read", "expected_connections"), [(True, 1), (False, 2)])
def test_unread_http2_response_closes_its_connection(
    is_read: bool, expected_connections: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The unread body would use up the flow control window of the connection."""
    FakeDns({"pages.example": ["127.0.0.1"]}).install(monkeypatch)
    authority = Authority(tmp_path)
    context = authority.server_context("DNS:pages.example", protocols=["h2"])
    connections = 0

    async def handler(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        await answer_http2(reader, writer)

    async def run() -> None:
        async with serve(handler, context) as port:
            ours = settings(ca_file=authority.file, http2=True)
            url = f"https://pages.example:{port}/"
            async with Transport(ours, LOOPBACK) as transport:
                response = await transport.handle_async_request(httpx2.Request("GET", url))
                if is_read:
                    await response.aread()
                await response.aclose()
                second = await get(transport, url)
                assert isinstance(second, httpx2.Response), second

    asyncio.run(run())
    assert connections == expected_connections


@pytest.mark.parametrize(("trusted", "name"), [(False, "pages.example"), (True, "other.example")])
def test_a_certificate_that_is_not_trusted_or_of_another_name_is_not_accepted(
    trusted: bool, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    FakeDns({"pages.example": ["127.0.0.1"]}).install(monkeypatch)
    authority = Authority(tmp_path)
    context = authority.server_context(f"DNS:{name}")

    async def run() -> httpx2.Response | Exception:
        async with serve(echo_host(), context) as port:
            ours = settings(ca_file=authority.file if trusted else None)
            async with Transport(ours, LOOPBACK) as transport:
                return await get(transport, f"https://pages.example:{port}/")

    outcome = asyncio.run(run())

    assert isinstance(outcome, httpx2.ConnectError)
    assert "CERTIFICATE_VERIFY_FAILED" in str(outcome)


def test_a_private_authority_is_trusted_besides_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = create_tls_context(None)
    before = len(systems.get_ca_certs())
    monkeypatch.setattr(httpx2, "create_ssl_context", lambda **_: systems)

    context = create_tls_context(Authority(tmp_path).file)

    assert len(context.get_ca_certs()) == before + 1
    assert context.verify_mode == ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"", httpx2.RemoteProtocolError),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", httpx2.RemoteProtocolError),
    ],
)
def test_a_broken_answer_is_an_error_of_httpx2(
    answer: bytes, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeDns({}, default=[PUBLIC]).install(monkeypatch)

    (outcome,) = fetch("http://pages.example/", guard=Guard(), sockets=FakeSockets(answer))

    assert type(outcome) is kind
    assert isinstance(outcome, httpx2.RequestError)
    assert str(outcome.request.url) == "http://pages.example/"


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (httpcore2.ConnectError("x"), httpx2.ConnectError),
        (httpcore2.ConnectTimeout("x"), httpx2.ConnectTimeout),
        (httpcore2.PoolTimeout("x"), httpx2.PoolTimeout),
        (httpcore2.ReadError("x"), httpx2.ReadError),
        (ssl.SSLError(1, "record layer failure"), httpx2.NetworkError),
        (RuntimeError("a bug"), RuntimeError),
    ],
)
def test_an_error_while_dialling_comes_out_as_its_counterpart(
    raised: Exception, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeDns({}, default=[PUBLIC]).install(monkeypatch)

    class Failing(FakeSockets):
        async def connect_tcp(self, *_: Any, **__: Any) -> httpcore2.AsyncNetworkStream:
            raise raised

    (outcome,) = fetch("http://pages.example/", guard=Guard(), sockets=Failing())

    assert type(outcome) is kind
