"""Access checks and headers of the web UI."""

from __future__ import annotations

import asyncio
import json
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
import pytest

import webquarry
from tests.mcp.http_process import http_server
from tests.sessions.kits import A, kit_on
from webquarry.caller import serving
from webquarry.mcp.auth import Access, AccessDenied, Principal, TokenFile
from webquarry.sessions.models import StepDraft
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.ui.guard import build_page
from webquarry.ui.local import build_local_app
from webquarry.ui.routes import CALL, DATA, DELETE, EVENTS, GUARDED, PAGE, follow_calls

OWN = "http://127.0.0.1:5000"
TOKEN = "the-token-of-this-run"
GOOD = {"Authorization": f"Bearer {TOKEN}"}
HTML = Path(webquarry.__file__).parent / "views" / "page.html"

Ask = Callable[..., Awaitable[httpx2.Response]]


def with_page(folder: Path, work: Callable[[Ask, Toolkit], Awaitable[None]]) -> None:
    """Run `work` with a client of `webquarry ui` on records in a folder."""

    async def run() -> None:
        async with kit_on(folder) as kit:
            app = build_local_app(kit, TOKEN, lambda: False)
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(transport=transport, base_url=OWN) as client:
                await work(client.request, kit)

    asyncio.run(run())


def test_the_page_is_static_and_needs_no_token(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        answer = await ask("GET", PAGE)

        assert answer.status_code == 200
        assert answer.content == HTML.read_bytes()
        assert "set-cookie" not in answer.headers

    with_page(tmp_path, work)


def test_the_policy_allows_only_the_script_and_style_of_the_file(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        policy = (await ask("GET", PAGE)).headers["content-security-policy"]

        text = HTML.read_text("utf-8")
        for tag in ("script", "style"):
            (part,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
            digest = b64encode(sha256(part.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}';" in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
        assert "unsafe" not in policy

    with_page(tmp_path, work)


def test_responses_are_not_cached_framed_or_shared(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        for path, headers in ((PAGE, {}), (f"{DATA}?view=calls", GOOD)):
            sent = (await ask("GET", path, headers=headers)).headers
            assert sent["cache-control"] == "no-store"
            assert sent["x-frame-options"] == "DENY"
            assert sent["cross-origin-resource-policy"] == "same-origin"
            assert sent["x-content-type-options"] == "nosniff"
            assert sent["referrer-policy"] == "no-referrer"
            assert not [name for name in sent if name.startswith("access-control-")]

    with_page(tmp_path, work)


@pytest.mark.parametrize("path", GUARDED)
def test_data_needs_the_token(tmp_path: Path, path: str) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        method = "POST" if path in (CALL, DELETE) else "GET"
        for headers in ({}, {"Authorization": "Bearer other"}, {"Cookie": f"t={TOKEN}"}):
            answer = await ask(method, path, headers=headers)
            assert answer.status_code == 401, headers

    with_page(tmp_path, work)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:5000", "127.0.0.1.evil.example"])
@pytest.mark.parametrize("path", [PAGE, DATA, EVENTS])
def test_unknown_hosts_are_refused(tmp_path: Path, host: str, path: str) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        answer = await ask("GET", path, headers={**GOOD, "Host": host})

        assert answer.status_code == 421

    with_page(tmp_path, work)


FOREIGN: list[dict[str, str]] = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:5001"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_other_origins_are_refused_even_with_the_token(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        answer = await ask("GET", f"{DATA}?view=calls", headers={**GOOD, **headers})
        assert answer.status_code == 403
        changed = await ask("POST", DELETE, headers={**GOOD, **headers}, json={"session": "x"})
        assert changed.status_code == 403

    with_page(tmp_path, work)


def test_a_form_cannot_call_a_tool(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        body = json.dumps({"tool": "web_search", "arguments": {"query": "x"}})
        answer = await ask(
            "POST", CALL, headers={**GOOD, "Content-Type": "text/plain"}, content=body
        )

        assert answer.status_code == 422
        assert "not a JSON object" in answer.json()["error"]["message"]

    with_page(tmp_path, work)


def test_the_page_calls_a_tool_and_lists_the_call(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        own = {**GOOD, "Origin": OWN, "Sec-Fetch-Site": "same-origin"}
        body = {"tool": "web_search", "arguments": {"query": "tides"}}
        answer = await ask("POST", CALL, headers=own, json=body)
        assert answer.json()["results"][0]["url"] == A
        kit.calls.flush()

        calls = (await ask("GET", f"{DATA}?view=calls", headers=GOOD)).json()["calls"]
        assert [(one["tool"], one["arguments"]["query"]) for one in calls] == [
            ("web_search", "tides")
        ]

    with_page(tmp_path, work)


@pytest.mark.parametrize("tool", ["sequential_search", "no_tool", None, "../web_search"])
def test_other_tools_are_refused(tmp_path: Path, tool: str | None) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        answer = await ask("POST", CALL, headers=GOOD, json={"tool": tool, "arguments": {}})

        assert answer.status_code == 422
        assert "cannot be called on the page" in answer.json()["error"]["message"]

    with_page(tmp_path, work)


def test_a_session_is_shown_and_deleted(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        session = await kit.sessions.begin(StepDraft(1, "What of the tide?", goal="Tides"))
        listed = (await ask("GET", f"{DATA}?view=sessions", headers=GOOD)).json()["sessions"]
        assert [(one["id"], one["goal"]) for one in listed] == [(session.id, "Tides")]

        await ask("POST", DELETE, headers=GOOD, json={"session": session.id})
        assert (await ask("GET", f"{DATA}?view=sessions", headers=GOOD)).json()["sessions"] == []

    with_page(tmp_path, work)


@pytest.mark.parametrize("view", ["calls", "sources", "sessions", "bill", "health"])
def test_every_view_responds_without_data(tmp_path: Path, view: str) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        answer = await ask("GET", f"{DATA}?view={view}", headers=GOOD)

        assert answer.status_code == 200, answer.text

    with_page(tmp_path, work)


def test_a_page_that_was_not_read_is_not_fetched(tmp_path: Path) -> None:
    async def work(ask: Ask, kit: Toolkit) -> None:
        answer = await ask("GET", DATA, params={"view": "page", "url": A}, headers=GOOD)

        assert answer.json()["kept"] is False

    with_page(tmp_path, work)


def test_calls_are_followed_from_an_id_on(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit_on(tmp_path) as kit, kit_on(tmp_path) as other:
            events = follow_calls(kit, 0, lambda: False)
            assert await anext(events) == b": following\n\n"
            await load("research", "web_search").call_and_log(other, {"query": "tides"})
            other.calls.flush()

            event = (await anext(events)).decode()
            await events.aclose()  # type: ignore[attr-defined]

            fields = dict(line.split(": ", 1) for line in event.splitlines() if line)
            call = json.loads(fields["data"])
            assert (fields["id"], call["tool"]) == (str(call["id"]), "web_search")

    asyncio.run(run())


def test_a_stream_ends_with_the_server(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit_on(tmp_path) as kit:
            assert [event async for event in follow_calls(kit, 0, lambda: True)] == [
                b": following\n\n"
            ]

    asyncio.run(run())


async def verify_name(token: str) -> Principal:
    if token not in ("ann", "bob"):
        raise AccessDenied("unknown")
    return Principal(token, token)


def test_views_are_isolated_per_caller(tmp_path: Path) -> None:
    async def run() -> None:
        async with kit_on(tmp_path) as kit:
            with serving("ann"):
                await kit.sessions.begin(StepDraft(1, "Mine", goal="Ann's"))
                await load("research", "web_search").call_and_log(kit, {"query": "tides"})
            kit.calls.flush()
            app = build_page(kit, lambda: False, None, Access(verify_name, {}))
            transport = httpx2.ASGITransport(app=app)
            async with httpx2.AsyncClient(
                transport=transport, base_url="https://team.example"
            ) as client:

                async def see(who: str, view: str) -> dict[str, Any]:
                    headers = {"Authorization": f"Bearer {who}"}
                    answer = await client.get(DATA, params={"view": view}, headers=headers)
                    shown: dict[str, Any] = answer.json()
                    return shown

                assert len((await see("ann", "sessions"))["sessions"]) == 1
                assert len((await see("ann", "calls"))["calls"]) == 1
                assert (await see("bob", "sessions"))["sessions"] == []
                assert (await see("bob", "calls"))["calls"] == []
                assert (await see("bob", "sources"))["sources"] == []
                assert (await see("bob", "bill"))["limits"] == {}
                assert await see("bob", "health") == {"ok": True, "records": "ok"}

    asyncio.run(run())


@pytest.mark.slow
def test_the_http_server_serves_the_page(tmp_path: Path) -> None:
    environ = {"WEBQUARRY_REPLAY": "demo", "WEBQUARRY_STATE_FOLDER": str(tmp_path / "state")}
    with http_server(environ) as server:
        own = server.url.removesuffix("/mcp")

        def get(path: str, **headers: str) -> httpx2.Response:
            return httpx2.get(own + path, headers=headers, trust_env=False)

        assert get(PAGE).content == HTML.read_bytes()
        assert get(f"{DATA}?view=sessions").json() == {"sessions": []}
        assert get(f"{DATA}?view=sessions", Origin="https://evil.example").status_code == 403
        assert get(f"{DATA}?view=sessions", Host="evil.example").status_code == 421
        with httpx2.stream("GET", own + EVENTS, trust_env=False) as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": following"
            server.process.terminate()
            assert [line for line in lines if line] == []
        assert server.process.wait(30) == 0


@pytest.mark.slow
def test_a_shared_server_requires_tokens_and_applies_limits(
    tmp_path: Path,
) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    ann, bob = tokens.add("ann"), tokens.add("bob")
    environ = {
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_STATE_FOLDER": str(tmp_path / "state"),
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_HTTP_MINUTE_LIMIT": "3",
        "BRAVE_API_KEY": "demo",
    }
    with http_server(environ) as server:
        own = server.url.removesuffix("/mcp")

        def call(token: str, origin: str) -> int:
            headers = {"Authorization": f"Bearer {token}", "Origin": origin}
            body = {
                "tool": "scrape_page",
                "arguments": {"url": "https://tidelines.example/2026/09/storing-the-tide"},
            }
            answer = httpx2.post(
                own + CALL, headers=headers, json=body, timeout=30, trust_env=False
            )
            return answer.status_code

        def list_tools(token: str) -> list[str]:
            headers = {"Authorization": f"Bearer {token}"}
            with httpx2.stream("GET", own + EVENTS, headers=headers, trust_env=False) as stream:
                for line in stream.iter_lines():
                    if line.startswith("data: "):
                        return [json.loads(line[6:])["tool"]]
            return []

        assert httpx2.get(own + PAGE, trust_env=False).status_code == 200
        assert call("wq_wrong", own) == 401
        assert call(ann, "https://evil.example") == 403
        assert [call(ann, own) for _ in range(4)] == [200, 200, 200, 429]
        assert list_tools(ann) == ["scrape_page"]  # a stream does not count
        answer = httpx2.get(
            f"{own}{DATA}?view=calls", headers={"Authorization": f"Bearer {bob}"}, trust_env=False
        )
        assert answer.json()["calls"] == []
