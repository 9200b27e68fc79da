"""Two truths must not drift: whatever is sent to it, the front of a server over HTTP answers as the
SDK's server alone does: with the same status, the same headers that matter and the same message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.surfaces.mcp.front_messages import (
    BATCH,
    CANCELLED,
    LINES,
    PREFIX,
    REQUESTS,
    SEARCH,
    SHOWS_APPS,
    envelop,
    notice,
    number,
    request,
    settle,
    shake_hands,
)
from tests.surfaces.server.http_process import HEADERS, MODERN, Served, http_server, message_in
from webquarry.surfaces.server.tokens import METRICS, TokenFile

pytestmark = pytest.mark.slow

# What a client goes by, besides the status and the body.
TOLD = ("allow", "mcp-protocol-version", "mcp-session-id", "retry-after", "www-authenticate")
LIST = request(1, "tools/list", {})
MODERN_LIST = request(1, "tools/list", envelop({}))
NAMED = HEADERS | {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list"}
CALL = HEADERS | {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call"}
Sent = tuple[str, Any, Any]  # the method, the headers, the body


def say(message: Any, **headers: str) -> Sent:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return "POST", HEADERS | named, message


def repeat_in_head(message: Any) -> Sent:
    """A message of the newest revision, with what its head has to say of it."""
    headers = HEADERS | {"MCP-Protocol-Version": MODERN}
    if not isinstance(message, dict):
        return "POST", headers, message
    headers["Mcp-Method"] = str(message.get("method"))
    params = message.get("params") or {}
    named = params.get("name") or params.get("uri")
    if isinstance(named, str):
        headers["Mcp-Name"] = named
    return "POST", headers, message


MESSAGES = [*shake_hands("2025-06-18"), *CANCELLED, *LINES, BATCH, *number(REQUESTS)]
MODERN_MESSAGES = [
    request(1, "server/discover", envelop({})),
    *LINES,
    *shake_hands("2025-11-25"),
    *shake_hands(MODERN),
    *number([(method, envelop(params)) for method, params in REQUESTS]),
    *number(REQUESTS[:12]),
    request(1, "tools/list", envelop({}, **{f"{PREFIX}protocolVersion": "2030-01-01"})),
    request(1, "tools/list", envelop({}, **{f"{PREFIX}clientCapabilities": 5})),
    request(1, "tools/list", envelop({}, **{f"{PREFIX}clientInfo": {"name": "x"}})),
    request(1, "tools/list", envelop({}, **{f"{PREFIX}logLevel": "info"})),
]
IDS = ["", "x", "\u00e4\n", 0, -1, 2**53 + 1, 2**64, 10**30, 1.0, 1.5, True, None, [], {}]
HANDSHAKES: list[Any] = [
    *[shake_hands(revision)[0] for revision in (*HANDSHAKE_PROTOCOL_VERSIONS, MODERN, "x", 5)],
    shake_hands("2025-06-18", capabilities=[])[0],
    shake_hands("2025-06-18", clientInfo={"name": "x"})[0],
    shake_hands("2025-11-25", capabilities={"extensions": SHOWS_APPS})[0],
    shake_hands("2025-06-18", _meta={"progressToken": 1})[0],
    request(1, "initialize"),
]
ODD_HEADS: list[Sent] = [
    *[("POST", HEADERS | {"Accept": accept}, LIST) for accept in (
        "*/*", "application/json", "text/event-stream", "text/html", "", "application/*, text/*",
        "text/event-stream;q=1, APPLICATION/JSON", "application/json,text/event-stream",
    )],
    *[("POST", NAMED | {"Accept": accept}, MODERN_LIST) for accept in ("application/json", "*/*")],
    *[("POST", HEADERS | {"Content-Type": kind}, LIST) for kind in (
        "text/plain", "", "application/json; charset=utf-8", "Application/JSON",
        "application/jsonx", "application/json, text/plain", "application/json ;x=y",
    )],
    *[("POST", HEADERS | {"Host": host}, LIST) for host in (
        "evil.example", "127.0.0.1.evil.example:80", "localhost", "localhost:x", "LOCALHOST",
        "[::1]:80", "127.0.0.1:", "",
    )],
    *[("POST", HEADERS | {"Origin": origin}, LIST) for origin in (
        "null", "https://evil.example", "http://localhost:3000", "http://localhost",
        "https://localhost:3000", "http://localhost:3000.evil.example", "http://localhost:x",
        "http://x@localhost:1", "http://localhost:1/path", "",
    )],
    *[say(LIST, MCP_Protocol_Version=revision) for revision in (
        *HANDSHAKE_PROTOCOL_VERSIONS, MODERN, "1999-01-01", "", "2025-06-18 ",
    )],
    say(LIST, Mcp_Session_Id="nobody-knows"),
    say(LIST, Mcp_Session_Id="\u00e4".encode().decode("latin-1")),
    ("POST", NAMED | {"Mcp-Session-Id": "nobody-knows"}, MODERN_LIST),
    ("POST", NAMED | {"Mcp-Method": "tools/call"}, MODERN_LIST),
    ("POST", HEADERS | {"MCP-Protocol-Version": MODERN}, MODERN_LIST),
    ("POST", CALL, request(1, "tools/call", envelop(SEARCH))),
    ("POST", CALL | {"Mcp-Name": "other"}, request(1, "tools/call", envelop(SEARCH))),
    ("POST", CALL | {"Mcp-Name": "=?base64?d2ViX3NlYXJjaA==?="},
     request(1, "tools/call", envelop(SEARCH))),
    ("POST", CALL | {"Mcp-Name": "web_search", "Mcp-Param-Query": "other"},
     request(1, "tools/call", envelop(SEARCH))),
    ("POST", [*HEADERS.items(), ("Accept", "text/html")], LIST),
    ("POST", [*HEADERS.items(), ("Content-Type", "text/plain")], LIST),
    ("POST", [*HEADERS.items(), ("Origin", "http://localhost"), ("Origin", "null")], LIST),
    ("POST", [*NAMED.items(), ("Mcp-Method", "tools/list")], MODERN_LIST),
    ("POST", [*HEADERS.items(), ("MCP-Protocol-Version", MODERN),
              ("MCP-Protocol-Version", "2025-06-18")], LIST),
    ("POST", HEADERS | {"X-Filler": "x" * 70_000}, LIST),
    *[(method, HEADERS, LIST) for method in ("GET", "DELETE", "PUT", "PATCH", "OPTIONS", "HEAD")],
    *[(method, NAMED, MODERN_LIST) for method in ("GET", "DELETE", "PUT")],
]  # fmt: skip
ODD_BODIES: list[Any] = [
    b"", b" ", b"{", b"[]", b"null", b"5", b'"x"', b"\xff", b"\xef\xbb\xbf{}", b"{}",
    b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","more":NaN}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":Infinity}}',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    b'\t {"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    b'{"jsonrpc":"2.0","id":1,"method":"ping"} x',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b"[" * 300 + b"]" * 300 + b"}",
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + b"9" * 5000 + b"}}",
    {**LIST, "more": 1}, {**LIST, "params": []}, {**LIST, "jsonrpc": "1.0"}, {**LIST, "method": 5},
    *[{**LIST, "id": id} for id in IDS],
    *[request(id, "tools/call", {"name": "nobody", "arguments": {}}) for id in IDS],
    {"jsonrpc": "2.0", "id": 1, "result": {}}, notice("notifications/initialized", x=[1]),
    {"jsonrpc": "2.0", "method": "notifications/initialized", "params": []},
    {"jsonrpc": "2.0", "method": "notifications/initialized", "params": None},
    {**LIST, "params": {"cursor": "x" * 5_000_000}},
]  # fmt: skip
CONVERSATIONS: dict[str, list[Sent]] = {
    "no revision": [say(message) for message in MESSAGES],
    **{
        revision: [say(message, MCP_Protocol_Version=revision) for message in MESSAGES]
        for revision in HANDSHAKE_PROTOCOL_VERSIONS
    },
    MODERN: [repeat_in_head(message) for message in MODERN_MESSAGES],
    "handshakes": [say(message) for message in HANDSHAKES],
    "odd heads": ODD_HEADS,
    "odd bodies": [say(body) for body in ODD_BODIES],
    "odd bodies of the newest revision": [
        ("POST", NAMED | {"Mcp-Method": "ping"}, body) for body in ODD_BODIES
    ],
}


def exchange(served: Served, sent: Sent) -> tuple[int, dict[str, str], Any]:
    """What a server answers: the status, the headers that matter, and the message."""
    method, headers, body = sent
    if isinstance(body, str):
        body = body.encode()
    elif not isinstance(body, bytes):
        body = json.dumps(body).encode()
    address = urlsplit(served.url)
    pairs = list(headers.items()) if isinstance(headers, dict) else headers
    if not any(name == "Host" for name, _ in pairs):
        pairs = [("Host", address.netloc), *pairs]
    connection = HTTPConnection(address.netloc, timeout=60)
    with closing(connection):
        connection.putrequest(method, address.path, skip_host=True, skip_accept_encoding=True)
        for name, value in [*pairs, ("Content-Length", str(len(body)))]:
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        text = answer.read().decode()
    told = {name: answer.headers[name] for name in TOLD if name in answer.headers}
    try:
        message = settle(message_in(text))
    except ValueError:
        message = text
    return answer.status, told, message


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    with ExitStack() as stack:
        yield [
            stack.enter_context(http_server(environ_of(tmp_path_factory.mktemp("home"), front)))
            for front in "10"
        ]


def environ_of(home: Path, front: str) -> dict[str, str]:
    return {
        "HOME": str(home),
        "WEBQUARRY_REPLAY": "demo",
        "WEBQUARRY_LINK_THRESHOLD_BYTES": "6000",
        "WEBQUARRY_MCP_FRONT": front,
    }


def assert_same_answers(both: list[Served], conversation: list[Sent]) -> None:
    for sent in conversation:
        ours, theirs = [exchange(served, sent) for served in both]
        assert ours == theirs, sent


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_the_front_over_http_answers_as_the_sdk_does(name: str, both: list[Served]) -> None:
    assert_same_answers(both, CONVERSATIONS[name])


def test_the_front_lets_in_whom_the_stack_behind_it_does(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    good, other = tokens.add("laptop"), tokens.add("prometheus", use=METRICS)
    guard = {
        "WEBQUARRY_HTTP_AUTH": "token",
        "WEBQUARRY_TOKENS_FILE": str(tokens.path),
        "WEBQUARRY_HTTP_MINUTE_LIMIT": "4",
        "WEBQUARRY_HTTP_ORIGINS": "https://app.example.org",
        "WEBQUARRY_HTTP_HOSTS": "quarry.example.org",
    }
    bearing = {"Authorization": f"Bearer {good}"}
    heads: list[Any] = [
        {},
        {"Authorization": "Bearer nobody"},
        {"Authorization": "Basic eDp5"},
        {"Authorization": f"Bearer {other}"},
        bearing | {"Origin": "https://evil.example"},
        bearing | {"Host": "evil.example"},
        bearing | {"Host": "quarry.example.org", "Origin": "https://app.example.org"},
        [*HEADERS.items(), *bearing.items(), *bearing.items()],
        {"Authorization": f"bearer  {good} "},
        *[bearing] * 4,
    ]
    sent: list[Sent] = []
    for head in heads:
        headers = head if isinstance(head, list) else HEADERS | head
        sent.append(("POST", headers, LIST))
    with ExitStack() as stack:
        folders = [tmp_path / front for front in "10"]
        both = []
        for folder in folders:
            folder.mkdir()
            served = http_server(environ_of(folder, folder.name) | guard)
            both.append(stack.enter_context(served))
        answers = [[exchange(served, one) for one in sent] for served in both]

    for ours, theirs in zip(*answers, strict=True):
        # how long one who asked too much has to wait is another number each second
        assert ours[0] == theirs[0]
        assert ours[1].keys() == theirs[1].keys()
        assert ours[1].get("www-authenticate") == theirs[1].get("www-authenticate")
    assert [status for status, _, _ in answers[0]] == [
        401, 401, 401, 403, 403, 421, 200, 401, 200, 200, 429, 429, 429,
    ]  # fmt: skip
