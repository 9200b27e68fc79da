"""Two truths must not drift: whatever is said to it, the front of a server on stdio answers as the
SDK's server alone does.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from tests.surfaces.mcp.stdio_process import PATIENCE, command_of

pytestmark = pytest.mark.slow

ME = {"name": "test", "version": "1"}
SEARCH = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}
PAGE = {
    "name": "scrape_page",
    "arguments": {"url": "https://wiki.openwaters.example/wiki/Tidal_energy_storage"},
}
PREFIX = "io.modelcontextprotocol/"
ENVELOPE = {
    f"{PREFIX}protocolVersion": LATEST_MODERN_VERSION,
    f"{PREFIX}clientCapabilities": {},
    f"{PREFIX}clientInfo": ME,
}
# Times, and what is different for whoever comes first of several that ask the same.
VOLATILE = ("latencyMs", "webquarry/trace", "webquarry/cache")

# Requests as they are, and as they are not; what they are sent with is added.
REQUESTS: list[tuple[str, Any]] = [
    ("ping", None),
    ("ping", {}),
    ("tools/list", None),
    ("tools/list", {}),
    ("tools/list", {"cursor": "x"}),
    ("tools/list", {"cursor": 5}),
    ("tools/list", {"other": 5}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("server/discover", {}),
    ("tools/call", SEARCH),
    ("tools/call", PAGE),
    ("tools/call", {**SEARCH, "_meta": {"progressToken": "mine"}}),
    ("tools/call", {**SEARCH, "_meta": {"progressToken": 7, "other": [1]}}),
    ("tools/call", {**SEARCH, "_meta": {"progressToken": True}}),
    ("tools/call", {**SEARCH, "_meta": "none"}),
    ("tools/call", {**SEARCH, "other": 1}),
    ("tools/call", {"name": "web_search"}),
    ("tools/call", {"name": "web_search", "arguments": None}),
    ("tools/call", {"name": "web_search", "arguments": []}),
    ("tools/call", {"name": "web_search", "arguments": {"query": 5, "what": None}}),
    ("tools/call", {"name": "web_search", "arguments": {"query": "wörter \ud83d\ude00 \u0000"}}),
    ("tools/call", {"name": "format_bibliography", "arguments": {}}),
    ("tools/call", {"name": "get_research_session", "arguments": {"sessionId": "nobody"}}),
    ("tools/call", {"name": "nobody", "arguments": {}}),
    ("tools/call", {"name": 5}),
    ("tools/call", {}),
    ("tools/call", None),
    ("resources/read", {"uri": "lenses://catalog"}),
    ("resources/read", {"uri": "nobody://knows"}),
    ("resources/subscribe", {"uri": "lenses://catalog"}),
    ("prompts/get", {"name": "fact-check", "arguments": {"claim": "x"}}),
    ("prompts/get", {"name": "nobody"}),
    (
        "completion/complete",
        {
            "ref": {"type": "ref/prompt", "name": "fact-check"},
            "argument": {"name": "lens", "value": ""},
        },
    ),
    ("logging/setLevel", {"level": "info"}),
    ("nobody/knows", {}),
]


def request(id: Any, method: str, params: Any = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    return message


def notice(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def shake_hands(revision: Any, **more: Any) -> list[Any]:
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": ME, **more}
    return [request("hello", "initialize", params), notice("notifications/initialized")]


def number(requests: list[tuple[str, Any]], first: int = 100) -> list[Any]:
    return [request(first + place, *one) for place, one in enumerate(requests)]


def envelop(params: Any, **more: Any) -> Any:
    meta = (params or {}).get("_meta", {})
    if not isinstance(meta, dict):
        return params
    return {**(params or {}), "_meta": {**meta, **ENVELOPE, **more}}


CANCELLED = [
    request(50, "tools/call", PAGE),
    notice("notifications/cancelled", requestId="50", reason="no"),
    notice("notifications/cancelled", requestId=51),
    notice("notifications/cancelled", requestId=[]),
    notice("notifications/cancelled"),
]
LINES = [
    "",
    "garbage",
    '{"jsonrpc": "2.0", "id": 5',
    "[]",
    '{"jsonrpc": "1.0", "id": 6, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 7.5, "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 8, "method": "ping", "params": []}',
    '{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}',
    '{"jsonrpc": "2.0", "id": 9, "result": {}}',
    '{"jsonrpc": "2.0", "id": 9, "error": {"code": 1, "message": "x"}}',
    notice("notifications/roots/list_changed"),
    notice("notifications/progress", progressToken=1, progress=1),
    notice("nobody/knows"),
]
BATCH = [
    request(70, "ping"),
    request(71, "tools/call", SEARCH),
    request(72, "nobody/knows"),
    notice("notifications/initialized"),
    5,
    *shake_hands("2025-03-26")[:1],
]
EVERYTHING = number(REQUESTS)

CONVERSATIONS: dict[str, list[Any]] = {
    **{
        revision: [*shake_hands(revision), *CANCELLED, *LINES, BATCH, *EVERYTHING]
        for revision in HANDSHAKE_PROTOCOL_VERSIONS
    },
    LATEST_MODERN_VERSION: [
        request(1, "server/discover", {"_meta": ENVELOPE}),
        *LINES,
        *number([(method, envelop(params)) for method, params in REQUESTS]),
        *number(
            [
                ("tools/list", envelop({}, **{f"{PREFIX}protocolVersion": "2030-01-01"})),
                ("tools/list", envelop({}, **{f"{PREFIX}clientCapabilities": 5})),
                ("tools/list", envelop({}, **{f"{PREFIX}clientInfo": {"name": "x"}})),
                ("tools/list", envelop({}, **{f"{PREFIX}logLevel": "info"})),
                ("tools/list", {}),
            ],
            first=200,
        ),
        *shake_hands("2025-11-25"),
    ],
    "a call comes first, without a handshake": [request(1, "tools/call", envelop(SEARCH))],
    "an unknown revision": [*shake_hands("1999-01-01"), request(1, "tools/list")],
    "the revision without a handshake, by a handshake": [
        *shake_hands(LATEST_MODERN_VERSION),
        request(1, "tools/list"),
        request(2, "tools/list", envelop({})),
    ],
    "a handshake without params": [request(1, "initialize"), request(2, "tools/list")],
    "a handshake of the wrong shape": [
        *shake_hands(5),
        *shake_hands("2025-06-18", capabilities=[]),
        *shake_hands("2025-06-18", clientInfo={"name": "x"}),
        *shake_hands("2025-06-18", capabilities={"roots": {"listChanged": "so"}, "tasks": {}}),
        request(2, "tools/list"),
    ],
    "two handshakes": [
        *shake_hands("2025-06-18"),
        request(1, "tools/list"),
        *shake_hands("2024-11-05"),
        request(2, "tools/call", SEARCH),
    ],
    "no handshake": [
        request(1, "ping"),
        request(2, "tools/list"),
        request(3, "tools/call", SEARCH),
        request(4, "nobody/knows"),
        request(5, "tools/list", envelop({})),
        *shake_hands("2025-06-18"),
        request(6, "tools/list"),
    ],
    "a notice comes first": [
        notice("notifications/initialized"),
        request(1, "tools/list"),
        *shake_hands("2025-06-18"),
    ],
    "a large client": [
        *shake_hands(
            "2025-11-25",
            capabilities={
                "roots": {"listChanged": True},
                "sampling": {"tools": {}},
                "elicitation": {"form": {}, "url": {}},
                "experimental": {"x": {}},
                "tasks": {"list": {}},
            },
            clientInfo={**ME, "title": "T", "icons": [{"src": "https://x.example/i.png"}]},
        ),
        request(1, "tools/call", SEARCH),
    ],
}


def talk(folder: Path, front: str, messages: list[Any], *arguments: str) -> list[Any]:
    """All that a server answers to these lines, in an order of its own."""
    folder.mkdir()
    environ = {
        "HOME": str(folder),
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_LINK_THRESHOLD_BYTES": "6000",
        "WEBQUARRY_MCP_FRONT": front,
    }
    said = []
    for message in messages:
        said.append(message if isinstance(message, str) else json.dumps(message))
    done = subprocess.run(
        [*command_of(("webquarry",)), "mcp", *arguments],
        input="\n".join(said) + "\n",
        env=dict(os.environ) | environ,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE * 4,
    )
    assert done.returncode == 0, done.stderr
    answers = [_settle(json.loads(line)) for line in done.stdout.splitlines()]
    return sorted(json.dumps(answer, sort_keys=True) for answer in answers)


def _settle(value: Any) -> Any:
    """The same without what is different every time; the answers to a batch in one order."""
    if isinstance(value, list):
        settled = [_settle(one) for one in value]
        if settled and isinstance(settled[0], dict) and "jsonrpc" in settled[0]:
            settled.sort(key=lambda answer: json.dumps(answer["id"]))
        return settled
    if isinstance(value, dict):
        return {
            name: "volatile" if name in VOLATILE else _settle(one) for name, one in value.items()
        }
    return value


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_front_answers_as_the_sdk_does(name: str, tmp_path: Path) -> None:
    by_front = talk(tmp_path / "front", "1", CONVERSATIONS[name])
    by_sdk = talk(tmp_path / "sdk", "0", CONVERSATIONS[name])

    assert len(by_front) == len(by_sdk)
    for ours, theirs in zip(by_front, by_sdk, strict=True):
        assert json.loads(ours) == json.loads(theirs)
