"""What is said to a front and to the SDK's server alike, to compare their answers: requests as they
are and as they are not.
"""

from __future__ import annotations

import json
from typing import Any

from mcp_types.version import LATEST_MODERN_VERSION

ME = {"name": "test", "version": "1"}
SEARCH: dict[str, Any] = {"name": "web_search", "arguments": {"query": "tidal energy storage"}}


def search_anew(count: int) -> dict[str, Any]:
    """A call that is made whatever is kept, and not together with another: its progress is told."""
    arguments = {**SEARCH["arguments"], "num_results": count, "fresh": True}
    return {**SEARCH, "arguments": arguments}


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
# What a client says that shows apps.
SHOWS_APPS = {f"{PREFIX}ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}
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
    ("tools/call", {**search_anew(3), "_meta": {"progressToken": "mine"}}),
    ("tools/call", {**search_anew(4), "_meta": {"progressToken": 7, "other": [1]}}),
    ("tools/call", {**search_anew(5), "_meta": {"progressToken": True}}),
    ("tools/call", {**SEARCH, "_meta": "none"}),
    ("tools/call", {**SEARCH, "other": 1}),
    ("tools/call", {"name": "web_search"}),
    ("tools/call", {"name": "web_search", "arguments": None}),
    ("tools/call", {"name": "web_search", "arguments": []}),
    ("tools/call", {"name": "web_search", "arguments": {"query": 5, "what": None}}),
    ("tools/call", {"name": "web_search", "arguments": {"query": "wörter \ud83d\ude00 \u0000"}}),
    ("tools/call", {"name": "format_bibliography", "arguments": {}}),
    ("tools/call", {"name": "get_research_session", "arguments": {"sessionId": "nobody"}}),
    ("tools/call", {"name": "show_research", "arguments": PAGE["arguments"]}),
    ("tools/call", {"name": "show_research", "arguments": {"sessionId": "nobody"}}),
    ("tools/call", {"name": "nobody", "arguments": {}}),
    ("tools/call", {"name": 5}),
    ("tools/call", {}),
    ("tools/call", None),
    ("resources/read", {"uri": "lenses://catalog"}),
    ("resources/read", {"uri": "ui://webquarry/page.html"}),
    ("resources/read", {"uri": "research://view/sessions"}),
    ("resources/read", {"uri": "research://view/nobody"}),
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


def settle(value: Any) -> Any:
    """An answer without what is different every time; the answers to a batch in one order."""
    if isinstance(value, list):
        settled = [settle(one) for one in value]
        if settled and isinstance(settled[0], dict) and "jsonrpc" in settled[0]:
            settled.sort(key=lambda answer: json.dumps(answer["id"]))
        return settled
    if isinstance(value, dict):
        return {
            name: "volatile" if name in VOLATILE else settle(one) for name, one in value.items()
        }
    return value
