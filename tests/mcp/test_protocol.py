"""JSON-RPC messages, batches and revisions, without a transport."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from webquarry.mcp.protocol import (
    BATCH_REVISION,
    HANDSHAKE_REVISIONS,
    LATEST_HANDSHAKE,
    MAX_DEPTH,
    META_CAPABILITIES,
    META_CLIENT,
    META_VERSION,
    MODERN,
    Message,
    ProtocolError,
    Request,
    Server,
    Session,
    find_problem,
    parse,
)

PING = '{"jsonrpc": "2.0", "id": %s, "method": "ping", "params": {"x": %s}}'
ENVELOPE = {META_VERSION: MODERN, META_CAPABILITIES: {}}
_MESSAGE: TypeAdapter[JSONRPCMessage] = TypeAdapter(JSONRPCMessage)


def make_server() -> Server:
    async def echo(request: Request) -> Message:
        return {"params": request.params}

    server = Server({"name": "test", "version": "1"})
    server.handlers = dict.fromkeys(
        ("initialize", "ping", "tools/list", "server/discover", "logging/setLevel"), echo
    )
    return server


async def _send(message: Message) -> None:
    raise AssertionError


def handle(message: Any, session: Session | None = None) -> Any:
    """The response to a message; None if there is none."""
    server, session = make_server(), session or Session(LATEST_HANDSHAKE)
    handling = (
        server.handle_batch(session, message, _send)
        if isinstance(message, list)
        else server.handle(session, message, _send)
    )
    response = asyncio.run(handling)
    if response is None:
        return None
    answer = json.loads(response.body)
    if isinstance(answer, dict):
        assert response.error_code == answer.get("error", {}).get("code")
    return answer


def refusal_of(data: str | bytes) -> tuple[int, Any]:
    """The code and the id of the error for a text that is not a message."""
    try:
        answer = handle(parse(data))
    except ProtocolError as error:
        return error.code, error.request_id
    return answer["error"]["code"], answer["id"]


def nested(levels: int) -> str:
    """A message with this depth; two levels are its own."""
    return PING % (1, "[" * (levels - 2) + "]" * (levels - 2))


# --- parsing


@pytest.mark.parametrize(
    ("text", "code", "id"),
    [
        (nested(MAX_DEPTH + 1), -32600, 1),
        (PING % ('"a\\"b"', "9" * 5_000), -32700, 'a"b'),
        (PING % (5, "NaN"), -32700, 5),
        ('{"jsonrpc": "2.0", "id": 8, "method": "pi', -32700, 8),
        ('{"jsonrpc": "2.0", "id": 9, "method": "ping", "params": "x"}', -32600, 9),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, 1.5),
        (b'{"jsonrpc": "2.0", "id": 11, "method": "\xff"}', -32700, 11),
        (PING % ("9" * 5_000, 1), -32700, None),
        ('{"jsonrpc": "2.0", "method": "ping", "params": {"id": 1}', -32700, None),
    ],
)
def test_error_has_the_id_of_the_request_if_it_can_be_read(
    text: str | bytes, code: int, id: Any
) -> None:
    assert refusal_of(text) == (code, id)


def test_unpaired_surrogates_are_replaced() -> None:
    text = '{"\\ud800": ["\\udc00 a", {"b": "\\ud83d\\ude00\\ud83d"}]}'

    message = parse(PING % (1, text))
    assert message["params"] == {"x": {"\ufffd": ["\ufffd a", {"b": "😀\ufffd"}]}}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": st.integers() | st.text() | JSON,
        "method": st.just("ping") | JSON,
        "params": st.dictionaries(st.text(), JSON) | JSON,
        "result": st.dictionaries(st.text(), JSON) | JSON,
        "error": st.fixed_dictionaries({"code": JSON, "message": JSON}) | JSON,
    },
)


def is_valid_for_the_sdk(value: Any) -> bool:
    try:
        _MESSAGE.validate_python(value)
    except ValidationError:
        return False
    return True


@given(MEMBERS | JSON)
def test_accepted_messages_are_valid_for_the_sdk(value: Any) -> None:
    if find_problem(value) is None:
        assert is_valid_for_the_sdk(value)


@given(st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    try:
        value = parse(data)
    except ProtocolError:
        return
    assert handle(value) is not None or find_problem(value) is None


# --- batches


def test_messages_of_a_batch_are_answered_in_one_array() -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/x"},
        1,
        {"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}},
        {"jsonrpc": "2.0", "id": 3, "method": 4},
    ]
    answers = handle(batch, Session(BATCH_REVISION))

    assert [answer["id"] for answer in answers] == [1, None, 2, 3]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None] + [-32600] * 3


def test_batch_of_notifications_has_no_response() -> None:
    batch = [{"jsonrpc": "2.0", "method": "notifications/x"}]

    assert handle(batch, Session(BATCH_REVISION)) is None


@pytest.mark.parametrize("revision", [None, "2024-11-05", "2025-06-18", "2025-11-25", MODERN])
def test_other_revisions_refuse_batches(revision: str | None) -> None:
    for batch in ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], []):
        answer = handle(batch, Session(revision))
        assert (answer["id"], answer["error"]["code"]) == (None, -32600)


@pytest.mark.parametrize("size", [0, 101])
def test_empty_and_oversized_batches_are_refused(size: int) -> None:
    batch = [{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * size

    assert handle(batch, Session(BATCH_REVISION))["error"]["code"] == -32600


# --- revisions


def request(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}


def test_served_revisions_are_those_of_the_sdk() -> None:
    assert HANDSHAKE_REVISIONS == HANDSHAKE_PROTOCOL_VERSIONS
    assert (MODERN,) == MODERN_PROTOCOL_VERSIONS


def test_only_ping_is_answered_before_the_handshake() -> None:
    assert "result" in handle(request("ping"), Session())
    assert handle(request("tools/list"), Session())["error"]["code"] == -32602
    assert handle(request("unknown"), Session())["error"]["code"] == -32601


def test_first_request_with_an_envelope_decides_the_revision() -> None:
    session = Session()
    answer = handle(request("tools/list", {"_meta": ENVELOPE}), session)

    assert session.revision == MODERN
    assert answer["result"]["resultType"] == "complete"
    assert answer["result"]["_meta"] == {
        "io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"}
    }
    assert handle(request("initialize"), session)["error"]["code"] == -32022


def test_invalid_parameter_is_named() -> None:
    error = handle(request("tools/list", {"_meta": {"progressToken": True}}))["error"]

    assert error["code"] == -32602
    assert "params._meta.progressToken is missing or has the wrong type" in error["message"]


def test_envelope_after_a_handshake_is_refused() -> None:
    answer = handle(request("tools/list", {"_meta": ENVELOPE}), Session("2025-11-25"))

    assert answer["error"]["code"] == -32600


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({}, -32602),
        ({META_VERSION: MODERN}, -32602),
        ({META_VERSION: 5, META_CAPABILITIES: {}}, -32602),
        ({META_VERSION: MODERN, META_CAPABILITIES: []}, -32602),
        ({**ENVELOPE, META_CLIENT: {"name": "x"}}, -32602),
        ({**ENVELOPE, "progressToken": True}, -32602),
        ({META_VERSION: "2030-01-01", META_CAPABILITIES: {}}, -32022),
        (ENVELOPE, None),
        ({**ENVELOPE, META_CLIENT: {"name": "x", "version": "1"}, "progressToken": 1}, None),
    ],
)
def test_every_request_needs_a_complete_envelope(meta: dict[str, Any], code: int | None) -> None:
    answer = handle(request("tools/list", {"_meta": meta}), Session(MODERN))

    assert answer.get("error", {}).get("code") == code
    if code == -32022:
        assert answer["error"]["data"] == {"supported": [MODERN], "requested": "2030-01-01"}


@pytest.mark.parametrize(
    ("method", "revision", "is_known"),
    [
        ("ping", MODERN, False),
        ("logging/setLevel", MODERN, False),
        ("server/discover", MODERN, True),
        ("server/discover", "2025-11-25", False),
        ("logging/setLevel", "2025-11-25", True),
    ],
)
def test_methods_are_known_only_in_their_revisions(
    method: str, revision: str, is_known: bool
) -> None:
    params = {"_meta": ENVELOPE} if revision == MODERN else {}
    answer = handle(request(method, params), Session(revision))

    assert ("result" in answer) is is_known
    if not is_known:
        assert answer["error"] == {"code": -32601, "message": "Method not found", "data": method}


@pytest.mark.parametrize("part", [{"result": {}}, {"error": {"code": 1, "message": "x"}}])
def test_responses_of_the_client_are_ignored(part: Message) -> None:
    assert handle({"jsonrpc": "2.0", "id": 9, **part}) is None
