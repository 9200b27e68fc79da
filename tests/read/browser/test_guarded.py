"""SSRF guard for requests of the browser: no private address is dialled, DNS rebinding included."""

from __future__ import annotations

import asyncio
import json
import socket
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpcore2
import httpx2
import pytest

from tests.net.test_redirect_targets import CASES as DYNAMIC_CASES
from tests.net.test_redirect_targets import Internet
from tests.net.wires import PUBLIC, FakeDns, FakeSockets
from tests.read.browser.site import BROWSER, needs_browser
from webquarry._read.browser.renderer import PageRenderer
from webquarry._read.browser.snapshot import read_snapshot
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.net.guard import Guard, find_refused_class, parse_address
from webquarry.net.models import Reply
from webquarry.net.transport import Transport
from webquarry.settings import Settings

pytestmark = needs_browser

FOLDER = Path(__file__).parents[2] / "net" / "cases"
CASES = [json.loads(line) for line in (FOLDER / "ssrf.jsonl").read_text("utf-8").splitlines()]
HEAD = '<!doctype html><meta charset="utf-8"><title>Door</title><div id="a"></div>'
DONE = "document.getElementById('a').textContent = 'All of them were asked for.'"


def render(page: str, dns: FakeDns, sockets: FakeSockets, monkeypatch: pytest.MonkeyPatch) -> str:
    """Render a page of a public host and return its HTML."""
    dns.install(monkeypatch)
    return asyncio.run(render_with(page, sockets))


async def render_with(page: str, sockets: httpcore2.AsyncNetworkBackend) -> str:
    """Render without replacing DNS."""
    settings = Settings(browser=BROWSER, robots=False, retries=0, host_requests_per_second=1000)
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    first = Reply("http://door.example/", 200, headers, page.encode(), datetime.now(UTC))
    transport = Transport(settings, Guard(), sockets=sockets)
    async with Client(settings, Clock(), pages=transport) as client:
        renderer = PageRenderer(client, settings)
        try:
            rendered = await renderer.render("http://door.example/", first)
        finally:
            await renderer.aclose()
    return read_snapshot(rendered.reply).body.decode()


def list_private(dialled: list[str]) -> list[str]:
    """Return the dialled addresses that are not public."""
    private = []
    for address in dialled:
        parsed = parse_address(address)
        if parsed is None or find_refused_class(parsed, ()) is not None:
            private.append(address)
    return private


def build_page(urls: list[str], way: str) -> str:
    """Build a page that requests URLs by fetch or by frames."""
    if way == "fetch":
        ask = "fetch(u, {mode: 'no-cors'}).catch(() => 0)"
    else:
        ask = "new Promise(r => { const e = document.createElement('iframe'); e.src = u; "
        ask += "e.onload = e.onerror = r; document.body.append(e); setTimeout(r, 2000) })"
    listed = json.dumps(urls).replace("</", "<\\/")
    attempt = f"u => {{ try {{ return Promise.resolve({ask}).catch(() => 0) }} catch (e) {{}} }}"
    return f"{HEAD}<script>Promise.all({listed}.map({attempt})).then(() => {DONE})</script>"


@pytest.mark.parametrize("way", ["fetch", pytest.param("frame", marks=pytest.mark.slow)])
def test_blocked_cases_of_the_guard_are_not_dialled(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table: dict[str, Any] = {}
    for case in CASES:
        table |= case.get("dns", {})
    urls = [case["url"] for case in CASES if case["expect"] == "block"]
    allowed = [case["url"] for case in CASES if case["expect"] == "allow"][:3]
    most = 150  # within the budget of one page
    for start in range(0, len(urls), most):
        sockets = FakeSockets()
        page = build_page([*allowed, *urls[start : start + most]], way)

        html = render(page, FakeDns(table, default=[PUBLIC]), sockets, monkeypatch)

        assert "All of them were asked for." in html
        assert list_private(sockets.addresses) == []
        assert sockets.addresses != []  # public addresses were dialled


def test_rebound_name_is_not_dialled(monkeypatch: pytest.MonkeyPatch) -> None:
    dns = FakeDns({"rebind.example": [[PUBLIC], ["127.0.0.1"], ["10.0.0.1"]]}, default=[PUBLIC])
    sockets = FakeSockets(
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n"
        b"Access-Control-Allow-Origin: *\r\n\r\nok"
    )
    page = f"""{HEAD}<script>(async () => {{ const said = [];
        for (let i = 0; i < 4; i++) said.push(await fetch("http://rebind.example/?" + i).then(
          r => r.text()).catch(() => "refused"));
        document.getElementById("a").textContent = said.join(", ") }})()</script>"""

    html = render(page, dns, sockets, monkeypatch)

    assert "ok, refused, refused, refused" in html
    assert sockets.addresses == [PUBLIC]


@pytest.mark.slow
@pytest.mark.parametrize("name", DYNAMIC_CASES)
@pytest.mark.parametrize("way", ["fetch", "frame"])
def test_redirects_and_rebinding_do_not_reach_private_addresses(
    name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    internet = Internet(deepcopy(DYNAMIC_CASES[name]))
    page = build_page(["http://public.example/", "http://public.example/again"], way)

    async def run() -> str:
        async with internet.open():
            return await render_with(page, internet)

    monkeypatch.setattr(socket, "getaddrinfo", internet.resolve)
    html = asyncio.run(run())

    assert "All of them were asked for." in html
    assert list_private(internet.dialled) == []
    assert internet.dialled != []  # public addresses were dialled
    assert "root:" not in html
