"""Messages that `scripts/golden_calls.py` sends: valid requests, invalid ones, and HTTP headers.

`{session}` and `{artifact}` in params are replaced by those of an earlier answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from scripts.mcp_clients.calls import CALLS, WRONG

MODERN = "2026-07-28"  # the revision without a handshake
REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN)
NEWEST = REVISIONS[-2:]
PREFIX = "io.modelcontextprotocol/"
APPS = {"extensions": {PREFIX + "ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}}
CLIENT = {"name": "golden", "version": "1"}

Run = tuple[str, str]  # transport and revision


class Message(NamedTuple):
    """A request, or a `body` that is sent unchanged; `:method` in the headers is the HTTP method."""

    name: str
    method: str = ""
    params: Mapping[str, Any] | None = None
    body: str = ""
    headers: Mapping[str, str] = {}


def call(tool: str, arguments: Any, name: str = "", **meta: Any) -> Message:
    params = {"name": tool, "arguments": arguments} | ({"_meta": meta} if meta else {})
    return Message(name or f"tools/call {tool}", "tools/call", params)


def read(uri: str) -> Message:
    return Message(f"resources/read {uri}", "resources/read", {"uri": uri})


def prompt(name: str, **arguments: str) -> Message:
    params = {"name": name, "arguments": arguments}
    return Message(f"prompts/get {name} {' '.join(arguments)}", "prompts/get", params)


def complete(argument: str, value: str) -> Message:
    params = {
        "ref": {"type": "ref/prompt", "name": "fact-check"},
        "argument": {"name": argument, "value": value},
    }
    return Message(f"completion/complete {argument} {value!r}", "completion/complete", params)


def initialize(name: str, revision: str, capabilities: Mapping[str, Any]) -> Message:
    params = {"protocolVersion": revision, "capabilities": capabilities, "clientInfo": CLIENT}
    return Message(name, "initialize", params)


PAGE = CALLS["research"]["scrape_page"]["url"]
WIKI = {"url": "https://wiki.openwaters.example/wiki/Tidal_energy_storage"}
SEARCH = {"query": "tidal energy storage", "num_results": 2}
PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
UNKNOWN = '{"jsonrpc":"2.0","id":2,"method":"unknown/method"}'
CALL = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"web_search"}}'
WRONG_CALL = call(*WRONG, "the wrong call")
LISTS = [
    Message(method, method)
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
]
BODIES = {
    "malformed JSON": '{"jsonrpc": "2.0", "id": 5',
    "no JSON": "garbage",
    "no object": "5",
    "NaN": PING[:-1] + ',"params":{"x":NaN}}',
    "deep nesting": PING[:-1] + ',"params":{"x":' + "[" * 300 + "]" * 300 + "}}",
    "jsonrpc 1.0": PING.replace("2.0", "1.0"),
    "method of 5": PING.replace('"ping"', "5"),
    "params as a list": PING[:-1] + ',"params":[]}',
    "unknown notification": '{"jsonrpc":"2.0","method":"x/y"}',
    "response": '{"jsonrpc":"2.0","id":9,"result":{}}',
    "batch": f"[{PING},{UNKNOWN},5,{INITIALIZED},{CALL}]",
    "batch with a notification": f"[{INITIALIZED}]",
    "empty batch": "[]",
}
for id in ("null", "1.5", "1.0", "true", "[]", '"x"', '"\\ud800"', str(2**64)):
    BODIES[f"id {id}"] = PING.replace(":1,", f":{id},")
PROTOCOL = [
    *LISTS,
    *[Message(method, method) for method in (
        "ping", "server/discover", "unknown/method", "logging/setLevel", "resources/subscribe"
    )],
    Message("prompts/list with a cursor", "prompts/list", {"cursor": "x"}),
    call("unknown_tool", {}),
    Message("tools/call without params", "tools/call"),
    Message("tools/call with a name of 5", "tools/call", {"name": 5}),
    call("web_search", [], "tools/call with arguments as a list"),
    call("web_search", {"query": 5, "unknown": None}, "tools/call with wrong arguments"),
    *[Message(name, body=body) for name, body in BODIES.items()],
    *[initialize(f"initialize again with {revision}", revision, {})
      for revision in ("2025-06-18", MODERN, "1999-01-01")],
    Message("initialize without params", "initialize"),
]  # fmt: skip
RESEARCH = [
    *[call(tool, arguments) for tool, arguments in CALLS["research"].items()],
    *[call(tool, CALLS["research"][tool], f"tools/call {tool}, repeated")
      for tool in ("web_search", "scrape_page", "search_and_scrape")],
    WRONG_CALL,
    call("get_research_session", {"sessionId": "unknown"}, "tools/call with an unknown session"),
    call("web_search", SEARCH | {"fresh": True}, "progress of web_search", progressToken="mine"),
    call("scrape_page", WIKI, "progress of scrape_page", progressToken=7),
    *[read(uri) for uri in (
        "lenses://catalog", "stats://providers", "diagnostics://health", "ui://webquarry/page.html",
        "research://view/sessions", "research://view/unknown", f"research://page/{PAGE}",
        "research://page/https://unknown.example/", "unknown://x", "not a uri",
    )],
    Message("resources/read without a uri", "resources/read", {}),
    prompt("comprehensive-research", topic="tides", provider="brave", since="2025"),
    prompt("fact-check", claim="Tides store energy.", lens="academic"),
    prompt("literature-review", topic="tides"),
    *[prompt("fact-check"), prompt("unknown")],
    *[complete("lens", ""), complete("lens", "a"), complete("provider", "b"), complete("x", "y")],
]  # fmt: skip
DUCKDUCKGO = [call(tool, arguments) for tool, arguments in CALLS["duckduckgo"].items()]
TEXTS = [
    call("web_search", SEARCH),
    call("scrape_page", {"url": PAGE}),
    call("show_research", {"url": PAGE}),
]
LARGE = [
    call("scrape_page", {"url": PAGE, "mode": "whole"}),
    read("{artifact}"),
    call("search_and_scrape", SEARCH),
]
HEADER_VALUES = {
    "Accept": ("*/*", "application/json", "text/event-stream", "text/html", ""),
    "Content-Type": ("text/plain", "", "application/json; charset=utf-8"),
    "Host": ("evil.example", "localhost", "127.0.0.1.evil.example:80", "[::1]:80"),
    "Origin": ("null", "https://evil.example", "http://localhost:3000"),
    "MCP-Protocol-Version": (*REVISIONS, "1999-01-01", ""),
    "Mcp-Session-Id": ("unknown",),
    "Mcp-Method": ("tools/list", ""),
    "Mcp-Name": ("other", ""),
    ":method": ("GET", "DELETE", "PUT", "OPTIONS"),
}
HEADER_CASES = [
    WRONG_CALL._replace(name=f"{name}: {value}", headers={name: value})
    for name, values in HEADER_VALUES.items()
    for value in values
]


@dataclass(frozen=True)
class Profile:
    """A server command, its messages, transports and revisions."""

    messages: list[Message]
    command: str = "webquarry mcp"
    transports: tuple[str, ...] = ("stdio", "http")
    revisions: tuple[str, ...] = REVISIONS
    environ: Mapping[str, str] = field(default_factory=dict)
    capabilities: Mapping[str, Any] = field(default_factory=dict)

    @property
    def runs(self) -> list[Run]:
        return list(product(self.transports, self.revisions))

    def name_runs(self, runs: list[Run]) -> str:
        """Return a short name of some runs: `all`, `stdio`, `stdio 2024-11-05, http handshake`."""
        parts = []
        for transport in self.transports:
            revisions = " ".join(revision for name, revision in runs if name == transport)
            if revisions == " ".join(self.revisions):
                parts.append(transport)
            elif revisions:
                handshake = " ".join(REVISIONS[:-1])
                parts.append(f"{transport} {revisions.replace(handshake, 'handshake')}")
        return "all" if runs == self.runs else ", ".join(parts)


LINKED = {"WEBQUARRY_LINK_THRESHOLD_BYTES": "2000"}
PROFILES = {
    "research": Profile(RESEARCH),
    "protocol": Profile(PROTOCOL),
    "duckduckgo": Profile([*LISTS, *DUCKDUCKGO, WRONG_CALL], "webquarry mcp --toolset duckduckgo"),
    "websearch": Profile([*LISTS, *DUCKDUCKGO], "websearch-mcp", ("stdio",)),
    "core": Profile(LISTS, "webquarry mcp --toolset core", revisions=NEWEST),
    "markdown": Profile(TEXTS, "webquarry mcp --text markdown", revisions=NEWEST),
    "digest": Profile(TEXTS, "webquarry mcp --text digest", revisions=NEWEST),
    "linked": Profile(LARGE, environ=LINKED),
    "apps": Profile([call("show_research", {})], revisions=NEWEST, capabilities=APPS),
    "headers": Profile(HEADER_CASES, transports=("http",), revisions=("2025-03-26", *NEWEST)),
}
