"""The guard behind the browser: whatever address a page asks for, by whatever means, nobody dials a
private one; a name that changes its address included.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.wires import PUBLIC, FakeDns, FakeSockets
from tests.read.render.site import BROWSER, needs_browser
from webquarry.clock import Clock
from webquarry.net.client import Client
from webquarry.net.guard.addresses import find_refused_class, parse_address
from webquarry.net.guard.guard import Guard
from webquarry.net.models import Reply
from webquarry.net.transport import open_transport
from webquarry.read.render.renderer import PageRenderer
from webquarry.read.render.tree import read_tree
from webquarry.settings import Settings

pytestmark = needs_browser

FOLDER = Path(__file__).parents[2] / "net" / "cases"
CASES = [json.loads(line) for line in (FOLDER / "ssrf.jsonl").read_text("utf-8").splitlines()]
HEAD = '<!doctype html><meta charset="utf-8"><title>Door</title><div id="a"></div>'
DONE = "document.getElementById('a').textContent = 'All of them were asked for.'"


def render(page: str, dns: FakeDns, sockets: FakeSockets, monkeypatch: pytest.MonkeyPatch) -> str:
    """Render a page that came from a public host; the HTML of what it became."""
    settings = Settings(browser=BROWSER, robots=False, retries=0, host_requests_per_second=1000)
    dns.install(monkeypatch)
    headers = httpx2.Headers({"content-type": "text/html; charset=utf-8"})
    first = Reply("http://door.example/", 200, headers, page.encode(), datetime.now(UTC))

    async def run() -> bytes:
        transport = open_transport(settings, Guard(), sockets=sockets)
        async with Client(settings, Clock(), pages=transport) as client:
            renderer = PageRenderer(client, settings)
            try:
                rendered = await renderer.render("http://door.example/", first)
            finally:
                await renderer.aclose()
        _, html = read_tree(rendered.reply.body)
        return html

    return asyncio.run(run()).decode()


def list_private(sockets: FakeSockets) -> list[str]:
    """The addresses that were dialled and are not public."""
    private = []
    for address in sockets.addresses:
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
        assert list_private(sockets) == []
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
def test_redirects_to_private_addresses_are_handed_over_and_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    targets = (
        "http://127.0.0.1/",
        "http://2130706433/",
        "//169.254.169.254/",
        "file:///etc/passwd",
    )
    for target in targets:
        answer = (
            f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nAccess-Control-Allow-Origin: *\r\n"
            "Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        sockets = FakeSockets(answer.encode())
        page = build_page(["http://hop.example/"], "fetch")

        html = render(page, FakeDns({}, default=[PUBLIC]), sockets, monkeypatch)

        assert "All of them were asked for." in html
        assert list_private(sockets) == []
        assert "root:" not in html
