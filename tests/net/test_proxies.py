"""Which requests go through a proxy, and what the proxy hears."""

from __future__ import annotations

import asyncio
import sys
from base64 import b64encode
from ipaddress import ip_network
from pathlib import Path

import httpcore2
import httpx2
import pytest

from tests.net.wires import (
    PUBLIC,
    Authority,
    FakeDns,
    FakeSockets,
    echo_host,
    fetch,
    get,
    serve,
    settings,
    tunnel,
)
from webquarry.errors import BadInput, MissingExtra, Refused
from webquarry.net.guard import Guard
from webquarry.net.proxies import Proxies, read_proxy
from webquarry.net.transport import Transport
from webquarry.secret import redact

PROXY = "http://proxy.example:3128"


def goes_direct(url: str, *no_proxy: str) -> bool:
    proxies = Proxies.from_settings(
        settings(https_proxy=PROXY, http_proxy=PROXY, no_proxy=list(no_proxy))
    )
    return proxies.find(httpx2.URL(url)) is None


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("*", "https://example.org/"),
        ("example.org", "https://example.org/"),
        (".example.org", "https://www.example.org/"),
        ("*.example.org", "https://a.b.example.org/"),
        ("example.org:8443", "https://example.org:8443/"),
        ("10.1.2.3", "http://10.1.2.3/"),
        ("10.0.0.0/8", "http://10.200.0.1:9000/"),
        ("[::1]:9000", "http://[::1]:9000/"),
        ("localhost", "http://localhost:9000/"),
    ],
)
def test_an_exempt_host_is_reached_without_the_proxy(entry: str, url: str) -> None:
    assert goes_direct(url, "unrelated.example", entry)


@pytest.mark.parametrize(
    ("entry", "url"),
    [
        ("example.org", "https://notexample.org/"),
        ("www.example.org", "https://example.org/"),
        ("example.org:8443", "https://example.org/"),
        ("10.0.0.0/8", "http://11.0.0.1/"),
        ("10.0.0.0/8", "http://10.example.org/"),
        ("[broken", "https://example.org/"),
    ],
)
def test_any_other_host_goes_through_the_proxy(entry: str, url: str) -> None:
    assert not goes_direct(url, entry)


def test_each_scheme_has_its_own_proxy() -> None:
    proxies = Proxies.from_settings(settings(https_proxy=PROXY))

    assert proxies.find(httpx2.URL("https://example.org/")) is not None
    assert proxies.find(httpx2.URL("http://example.org/")) is None


@pytest.mark.parametrize(
    "text",
    [
        "http://user:hunter22@",
        "ftp://user:hunter22@proxy.example",
        "http://user:hunter22@proxy.example:99999",
        "http://user:hunter22@[::1",
    ],
)
def test_invalid_proxy_is_reported_without_its_password(text: str) -> None:
    with pytest.raises(BadInput, match="https_proxy") as caught:
        Transport(settings(https_proxy=text), Guard())

    assert "hunter22" not in str(caught.value.as_dict())
    assert caught.value.__cause__ is None


def test_the_password_of_a_proxy_is_a_secret_from_then_on() -> None:
    proxy = read_proxy("http://user:correct-horse@proxy.example:3128", "http_proxy")

    assert "correct-horse" not in repr(proxy)
    assert redact("it said correct-horse") == "it said ***"


def test_a_socks_proxy_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "socksio", None)

    with pytest.raises(MissingExtra, match="socks"):
        Transport(settings(https_proxy="socks5://127.0.0.1:1080"), Guard())


@pytest.mark.parametrize(
    "url",
    [
        "http://intranet.example/",
        "https://mixed.example/",
        "https://[64:ff9b::a00:1]/",
        "http://10.0.0.1/",
        "https://localhost/",
    ],
)
@pytest.mark.parametrize("proxy", [PROXY, "socks5h://proxy.example:1080"])
def test_a_private_target_is_refused_before_the_proxy_hears_of_it(
    url: str, proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {
        "proxy.example": ["10.0.0.8"],
        "intranet.example": ["10.0.0.9"],
        "mixed.example": [PUBLIC, "fd00::1"],
    }
    dns = FakeDns(table).install(monkeypatch)
    sockets = FakeSockets()

    (outcome,) = fetch(url, guard=Guard(), sockets=sockets, https_proxy=proxy, http_proxy=proxy)

    assert isinstance(outcome, Refused)
    assert sockets.dialled == []
    assert "proxy.example" not in dns.asked


def test_a_public_name_reaches_the_proxy_which_may_be_private(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    FakeDns({"pages.example": [PUBLIC]}).install(monkeypatch)
    heads: list[str] = []

    async def run() -> httpx2.Response | Exception:
        async with serve(tunnel(heads)) as port:
            ours = settings(http_proxy=f"http://user:p%40ss@127.0.0.1:{port}")
            async with Transport(ours, Guard()) as transport:
                return await get(transport, "http://pages.example/a?b")

    response = asyncio.run(run())

    assert isinstance(response, httpx2.Response)
    assert response.content == b"forwarded"
    assert heads[0].startswith("GET http://pages.example/a?b HTTP/1.1\r\n")
    assert "\r\nHost: pages.example\r\n" in heads[0]
    assert f"Proxy-Authorization: Basic {b64encode(b'user:p@ss').decode()}" in heads[0]


def test_tls_and_host_stay_those_of_the_target_behind_a_proxy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    FakeDns({"pages.example": [PUBLIC]}).install(monkeypatch)
    authority = Authority(tmp_path)
    context = authority.server_context("DNS:pages.example")
    heads: list[str] = []
    names: list[str | None] = []
    context.sni_callback = lambda _, name, __: names.append(name)

    async def run() -> httpx2.Response | Exception:
        async with serve(echo_host(), context) as far, serve(tunnel(heads, far)) as port:
            ours = settings(
                https_proxy=f"http://user:secret-word@127.0.0.1:{port}", ca_file=authority.file
            )
            async with Transport(ours, Guard()) as transport:
                return await get(transport, "https://pages.example/")

    response = asyncio.run(run())

    assert isinstance(response, httpx2.Response), response
    assert response.content == b"pages.example"
    assert names == ["pages.example"]
    assert heads[0].startswith("CONNECT pages.example:443 HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic" in heads[0]


def test_an_ipv6_target_is_written_in_brackets_for_the_proxy(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    context = authority.server_context("IP:2606:4700:4700::1111")
    heads: list[str] = []

    async def run() -> list[httpx2.Response | Exception]:
        async with serve(echo_host(), context) as far, serve(tunnel(heads, far)) as port:
            proxy = f"http://127.0.0.1:{port}"
            ours = settings(https_proxy=proxy, http_proxy=proxy, ca_file=authority.file)
            async with Transport(ours, Guard()) as transport:
                urls = ["https://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]:8080/a"]
                return [await get(transport, url) for url in urls]

    secure, plain = asyncio.run(run())

    assert isinstance(secure, httpx2.Response), secure
    assert isinstance(plain, httpx2.Response), plain
    assert secure.content == b"[2606:4700:4700::1111]"
    assert heads[0].startswith("CONNECT [2606:4700:4700::1111]:443 HTTP/1.1\r\n")
    assert heads[1].startswith("GET http://[2606:4700:4700::1111]:8080/a HTTP/1.1\r\n")


def test_an_exempt_target_is_dialled_directly_and_still_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    FakeDns({"pages.example": [PUBLIC], "inner.example": ["10.0.0.1"]}).install(monkeypatch)
    sockets = FakeSockets()

    public, private = fetch(
        "http://pages.example/",
        "http://inner.example/",
        guard=Guard(),
        sockets=sockets,
        http_proxy=PROXY,
        no_proxy=["example"],
    )

    assert isinstance(public, httpx2.Response)
    assert isinstance(private, Refused)
    assert sockets.dialled == [(PUBLIC, 80)]


def test_when_everything_is_allowed_the_proxy_alone_resolves_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dns = FakeDns({"proxy.example": ["10.0.0.8"]}).install(monkeypatch)
    sockets = FakeSockets()

    (outcome,) = fetch(
        "http://only-the-proxy-knows.example/",
        guard=Guard(allow_private=True),
        sockets=sockets,
        http_proxy=PROXY,
    )

    assert isinstance(outcome, httpx2.Response)
    assert dns.asked == ["proxy.example"]
    assert sockets.dialled == [("10.0.0.8", 3128)]


def test_a_name_that_only_the_proxy_could_resolve_is_a_network_error_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    FakeDns({"proxy.example": ["10.0.0.8"]}).install(monkeypatch)
    sockets = FakeSockets()

    outcomes = fetch(
        "http://a.example/", "http://b.example/", guard=Guard(), sockets=sockets, http_proxy=PROXY
    )

    assert [type(outcome) for outcome in outcomes] == [httpx2.ConnectError, httpx2.ConnectError]
    assert sockets.dialled == []
    assert caplog.text.count("WEBQUARRY_ALLOW_PRIVATE=1") == 1


def test_an_allowed_network_is_reachable_through_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"proxy.example": ["10.0.0.8"], "wiki": ["10.0.0.9"]}).install(monkeypatch)
    sockets = FakeSockets()

    (outcome,) = fetch(
        "http://wiki/",
        guard=Guard(allow_networks=(ip_network("10.0.0.9/32"),)),
        sockets=sockets,
        http_proxy=PROXY,
    )

    assert isinstance(outcome, httpx2.Response)
    assert sockets.addresses == ["10.0.0.8"]


def test_a_public_name_reaches_a_socks_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"pages.example": [PUBLIC]}).install(monkeypatch)
    asked: list[bytes] = []

    async def socks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert await reader.readexactly(3) == b"\x05\x01\x00"
        writer.write(b"\x05\x00")
        head = await reader.readexactly(5)
        asked.append(await reader.readexactly(head[4]))
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await echo_host()(reader, writer)

    async def run() -> httpx2.Response | Exception:
        async with (
            serve(socks) as port,
            Transport(settings(http_proxy=f"socks5://127.0.0.1:{port}"), Guard()) as transport,
        ):
            return await get(transport, "http://pages.example/")

    response = asyncio.run(run())

    assert isinstance(response, httpx2.Response), response
    assert response.content == b"pages.example"
    assert asked == [b"pages.example"]


@pytest.mark.parametrize("answer", [b"", b"\x05\x02"])
def test_a_socks_proxy_that_is_none_is_a_proxy_error(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeDns({"pages.example": [PUBLIC]}).install(monkeypatch)

    (outcome,) = fetch(
        "http://pages.example/",
        guard=Guard(),
        sockets=FakeSockets(answer),
        http_proxy="socks5://127.0.0.1:1080",
    )

    assert isinstance(outcome, httpx2.ProxyError)


def test_a_proxy_that_refuses_is_a_proxy_error(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeDns({"pages.example": [PUBLIC]}).install(monkeypatch)
    sockets = FakeSockets(
        b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
    )

    (outcome,) = fetch(
        "https://pages.example/",
        guard=Guard(),
        sockets=sockets,
        https_proxy="http://127.0.0.1:3128",
    )

    assert isinstance(outcome, httpx2.ProxyError)
    assert isinstance(outcome.__cause__, httpcore2.ProxyError)
