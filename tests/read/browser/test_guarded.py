"""The guard behind the browser: whatever address a page asks for, by whatever means, nobody dials a
private one; a name that changes its address included.
"""

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
from webquarry._read.browser.tree import read_tree
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
    """Render a page that came from a public host; the HTML of what it became."""
    dns.install(monkeypatch)
    return asyncio.run(render_with(page, sockets))


async def render_with(page: str, sockets: httpcore2.AsyncNetworkBackend) -> str:
    """The same with the names as they are."""
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
    _, html = read_tree(rendered.reply.body)
    return html.decode()


def list_private(dialled: list[str]) -> list[str]:
    """The addresses that were dialled and are not public."""
    private = []
    for address in dialled:
        parsed = parse_address(address)
        if parsed is None or find_refused_class(parsed, ()) is not None:
            private.append(address)
    return private


def build_page(urls: list[str], way: str) -> str:
    """A page that asks for addresses in one way."""
    if way == "fetch":
        ask = "fetch(u, {mode: 'no-cors'}).catch(() => 0)"
    else:
        ask = "new Promise(r => { const e = document.createElement('iframe'); e.src = u; "
        ask += "e.onload = e.onerror = r; document.body.append(e); setTimeout(r, 2000) })"
    listed = json.dumps(urls).replace("</", "<\\/")
    attempt = f"u => {{ try {{ return Promise.resolve({ask}).catch(() => 0) }} catch (e) {{}} }}"
    return f"{HEAD}<script>Promise.all({listed}.map({attempt})).then(() => {DONE})</script>"


@pytest.mark.parametrize("way", ["fetch", pytest.param("frame", marks=pytest.mark.slow)])
def test_no_case_of_the_guard_is_dialled_through_the_browser(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table: dict[str, Any] = {}
    for case in CASES:
        table |= case.get("dns", {})
    urls = [case["url"] for case in CASES if case["expect"] == "block"]
    allowed = [case["url"] for case in CASES if case["expect"] == "allow"][:3]
    most = 150  # of one page's budget
    for start in range(0, len(urls), most):
        sockets = FakeSockets()
        page = build_page([*allowed, *urls[start : start + most]], way)

        html = render(page, FakeDns(table, default=[PUBLIC]), sockets, monkeypatch)

        assert "All of them were asked for." in html
        assert list_private(sockets.addresses) == []
        assert sockets.addresses != []  # what is public was dialled


def test_a_name_that_turns_private_is_not_dialled_again(monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_no_redirect_and_no_rebinding_leads_a_page_to_a_private_address(
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
    assert internet.dialled != []  # what is public was dialled
    assert "root:" not in html
