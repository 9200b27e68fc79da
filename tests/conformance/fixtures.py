"""The tools that the official conformance suite expects: names and answers are prescribed by it.

They are mounted on our server for the suite and do not ship.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import secrets
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from webquarry.mcp.protocol import (
    INVALID_PARAMS,
    META_CAPABILITIES,
    MISSING_CAPABILITY,
    Message,
    ProtocolError,
    Request,
)

Tool = Callable[[Request], Awaitable[Message]]

TOOLS: dict[str, Tool] = {}
PENDING: dict[str, asyncio.Future[Message]] = {}  # requests to the client by their ids
ANY_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_sampling": {
        "type": "object",
        "properties": {"prompt": {"type": "string"}},
        "required": ["prompt"],
    },
    "test_elicitation": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    },
    "test_param_headers": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}
_KEY = secrets.token_bytes(32)  # authenticates request state


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\x00\xff\x00\x00"))
    + _chunk(b"IEND", b"")
).decode()
WAV = base64.b64encode(
    b"RIFF" + struct.pack("<I", 44) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    + b"data" + struct.pack("<I", 8) + b"\x80" * 8
).decode()  # fmt: skip
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}


def fixture(*names: str) -> Callable[[Tool], Tool]:
    def register(tool: Tool) -> Tool:
        TOOLS.update(dict.fromkeys(names, tool))
        return tool

    return register


def blocks(*content: str | Message) -> list[Message]:
    """Content blocks; a string is a text block."""
    return [{"type": "text", "text": one} if isinstance(one, str) else one for one in content]


def say(*content: str | Message, is_error: bool = False) -> Message:
    return {"content": blocks(*content), "isError": is_error}


def constant(name: str, *content: str | Message) -> None:
    async def tool(request: Request) -> Message:
        return say(*content)

    TOOLS[name] = tool


def embedded(uri: str, mime_type: str, text: str) -> Message:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


constant("test_simple_text", "This is a simple text response for testing.")
constant("test_image_content", IMAGE)
constant("test_audio_content", {"type": "audio", "data": WAV, "mimeType": "audio/wav"})
constant(
    "test_embedded_resource",
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
)
constant(
    "test_multiple_content_types",
    "Multiple content types test:",
    IMAGE,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)
constant("test_param_headers", "region")
constant("json_schema_2020_12_tool", "ok")


def arguments_of(request: Request) -> Message:
    return request.params.get("arguments") or {}


async def notify(request: Request, method: str, params: Message) -> None:
    await request.send({"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params})


@fixture("test_error_handling")
async def error_handling(request: Request) -> Message:
    return say("This tool intentionally returns an error for testing", is_error=True)


@fixture("test_tool_with_logging", "test_logging_tool")
async def logging_tool(request: Request) -> Message:
    meta = request.params.get("_meta") or {}
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        if not request.is_modern or "io.modelcontextprotocol/logLevel" in meta:
            params = {"level": "info", "logger": "fixture", "data": message}
            await notify(request, "message", params)
        await asyncio.sleep(0.05)
    return say("logged")


@fixture("test_tool_with_progress")
async def progress_tool(request: Request) -> Message:
    for done in (0, 50, 100):
        if request.progress_token is not None:
            params = {"progressToken": request.progress_token, "progress": done, "total": 100}
            await notify(request, "progress", params)
        await asyncio.sleep(0.05)
    return say("done")


@fixture("test_reconnection")
async def reconnection(request: Request) -> Message:
    await asyncio.sleep(0.2)
    return say("Reconnection test completed")


async def ask_client(request: Request, method: str, params: Message) -> Message:
    """Send a request to the client and return its result."""
    id = secrets.token_hex(16)
    PENDING[id] = asyncio.get_running_loop().create_future()
    try:
        await request.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        response = await PENDING[id]
    finally:
        del PENDING[id]
    result: Message = response["result"]
    return result


@fixture("test_sampling")
async def sampling(request: Request) -> Message:
    params = sample(arguments_of(request)["prompt"], 100)["params"]
    answer = await ask_client(request, "sampling/createMessage", params)
    return say(f"LLM response: {answer['content'].get('text', '')}")


async def elicit(
    request: Request, message: str, properties: Mapping[str, Any], required: list[str]
) -> Message:
    schema = {"type": "object", "properties": dict(properties), "required": required}
    params = {"message": message, "requestedSchema": schema}
    answer = await ask_client(request, "elicitation/create", params)
    return say(f"User response: action={answer['action']}, content={answer.get('content')}")


@fixture("test_elicitation")
async def elicitation(request: Request) -> Message:
    fields = {"username": {"type": "string"}, "email": {"type": "string"}}
    return await elicit(request, arguments_of(request)["message"], fields, ["username", "email"])


@fixture("test_elicitation_sep1034_defaults")
async def elicitation_defaults(request: Request) -> Message:
    fields = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    return await elicit(request, "Defaults", fields, [])


@fixture("test_elicitation_sep1330_enums")
async def elicitation_enums(request: Request) -> Message:
    plain = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{number}", "title": f"{word} Option"}
        for number, word in enumerate(("First", "Second", "Third"), 1)
    ]
    legacy = {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Three"],
    }
    fields = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": legacy,
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await elicit(request, "Enums", fields, [])


# --- tools that require input (2026-07-28)


def form(message: str, name: str, kind: str = "string") -> Message:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def sample(text: str, max_tokens: int = 50) -> Message:
    messages = [{"role": "user", "content": {"type": "text", "text": text}}]
    params = {"messages": messages, "maxTokens": max_tokens}
    return {"method": "sampling/createMessage", "params": params}


ROOTS: Message = {"method": "roots/list"}


def want(request: Request, state: str | None = None, **requests: Message) -> Message:
    """A result that asks for input; the state is authenticated for this tool or prompt."""
    result: Message = {"resultType": "input_required", "inputRequests": requests}
    if state is not None:
        result["requestState"] = f"{state}.{_sign(request, state)}"
    return result


def _sign(request: Request, state: str) -> str:
    text = f"{request.method} {request.params.get('name')} {state}"
    return hmac.new(_KEY, text.encode(), hashlib.sha256).hexdigest()


def state_of(request: Request) -> str | None:
    """The state of an earlier result; raise INVALID_PARAMS if it was not made by `want`."""
    sealed = request.params.get("requestState")
    if sealed is None:
        return None
    state, _, signature = str(sealed).rpartition(".")
    if not hmac.compare_digest(signature.encode(), _sign(request, state).encode()):
        raise ProtocolError(INVALID_PARAMS, "Invalid requestState")
    return state


def inputs_of(request: Request) -> Message:
    return request.params.get("inputResponses") or {}


def accepted(request: Request, key: str) -> Message | None:
    """The content of an elicitation that the user accepted."""
    answer = inputs_of(request).get(key)
    return (answer.get("content") or {}) if answer and answer.get("action") == "accept" else None


def capabilities_of(request: Request) -> Message:
    return (request.params.get("_meta") or {}).get(META_CAPABILITIES) or {}


@fixture("test_missing_capability")
async def missing_capability(request: Request) -> Message:
    if "sampling" not in capabilities_of(request):
        raise ProtocolError(
            MISSING_CAPABILITY,
            "Missing required client capability",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return say("ok")


@fixture("test_input_required_result_elicitation", "test_streaming_elicitation")
async def ask_name(request: Request) -> Message:
    given = accepted(request, "user_name")
    if not given or "name" not in given:
        return want(request, user_name=form("What is your name?", "name"))
    return say(f"Hello, {given['name']}!")


@fixture("test_input_required_result_sampling")
async def ask_model(request: Request) -> Message:
    if "capital_question" not in inputs_of(request):
        return want(request, capital_question=sample("What is the capital of France?"))
    return say("sampled")


@fixture("test_input_required_result_list_roots")
async def ask_roots(request: Request) -> Message:
    if "client_roots" not in inputs_of(request):
        return want(request, client_roots=ROOTS)
    return say("roots received")


@fixture("test_input_required_result_request_state", "test_input_required_result_tampered_state")
async def ask_with_state(request: Request) -> Message:
    if state_of(request) != "asked" or accepted(request, "confirm") is None:
        return want(request, "asked", confirm=form("Please confirm", "ok", "boolean"))
    return say("state-ok")


@fixture("test_input_required_result_multiple_inputs")
async def ask_everything(request: Request) -> Message:
    if {"user_name", "greeting", "client_roots"} <= set(inputs_of(request)):
        return say("all inputs received")
    greeting, name = sample("Generate a greeting"), form("What is your name?", "name")
    return want(request, "several", user_name=name, greeting=greeting, client_roots=ROOTS)


@fixture("test_input_required_result_multi_round")
async def ask_twice(request: Request) -> Message:
    state = state_of(request)
    if state == "second" and accepted(request, "step2") is not None:
        return say("rounds complete")
    if state == "first" and accepted(request, "step1") is not None:
        color = form("Step 2: What is your favorite color?", "color")
        return want(request, "second", step2=color)
    return want(request, "first", step1=form("Step 1: What is your name?", "name"))


@fixture("test_input_required_result_capabilities")
async def ask_by_capability(request: Request) -> Message:
    requests: dict[str, Message] = {}
    if "elicitation" in capabilities_of(request):
        requests["user_name"] = form("What is your name?", "name")
    if "sampling" in capabilities_of(request):
        requests["greeting"] = sample("Generate a greeting")
    return want(request, None, **requests) if requests and not inputs_of(request) else say("done")
