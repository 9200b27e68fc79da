"""What the official conformance suite wants to find on a server: tools, prompts and resources with
prescribed answers.

They are mounted on our server, over our own HTTP stack, for the suite alone; nothing of them ships.
Names and texts are those that the suite looks for.
"""

from __future__ import annotations

import base64
import struct
import warnings
import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

Context = ServerRequestContext[Any]
Given = Mapping[str, Any]
Answer = types.CallToolResult | types.InputRequiredResult
Play = Callable[[Context, types.CallToolRequestParams], Awaitable[Answer]]

TOOLS: dict[str, Play] = {}
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
IMAGE = types.ImageContent(data=PNG, mime_type="image/png")


def fixture(*names: str) -> Callable[[Play], Play]:
    def register(play: Play) -> Play:
        TOOLS.update(dict.fromkeys(names, play))
        return play

    return register


def say(*content: str | types.ContentBlock) -> types.CallToolResult:
    return types.CallToolResult(
        content=[
            types.TextContent(text=part) if isinstance(part, str) else part for part in content
        ]
    )


def constant(name: str, *content: str | types.ContentBlock) -> None:
    async def play(context: Context, params: types.CallToolRequestParams) -> Answer:
        return say(*content)

    TOOLS[name] = play


def embedded(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(
        resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    )


constant("test_simple_text", "This is a simple text response for testing.")
constant("test_image_content", IMAGE)
constant("test_audio_content", types.AudioContent(data=WAV, mime_type="audio/wav"))
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


@fixture("test_error_handling")
async def error_handling(context: Context, params: types.CallToolRequestParams) -> Answer:
    result = say("This tool intentionally returns an error for testing")
    return result.model_copy(update={"is_error": True})


@fixture("test_tool_with_logging", "test_logging_tool")
async def logging_tool(context: Context, params: types.CallToolRequestParams) -> Answer:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # logging is deprecated since 2026
            await context.session.send_log_message(
                "info", message, "fixture", related_request_id=context.request_id
            )
        await anyio.sleep(0.05)
    return say("logged")


@fixture("test_tool_with_progress")
async def progress_tool(context: Context, params: types.CallToolRequestParams) -> Answer:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return say("done")


@fixture("test_reconnection")
async def reconnection(context: Context, params: types.CallToolRequestParams) -> Answer:
    if context.close_sse_stream:
        await context.close_sse_stream()
    await anyio.sleep(0.2)
    return say("Reconnection test completed")


@fixture("test_sampling")
async def sampling(context: Context, params: types.CallToolRequestParams) -> Answer:
    prompt = (params.arguments or {})["prompt"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = await context.session.create_message(
            messages=[types.SamplingMessage(role="user", content=types.TextContent(text=prompt))],
            max_tokens=100,
            related_request_id=context.request_id,
        )
    return say(f"LLM response: {getattr(answer.content, 'text', '')}")


async def elicit(context: Context, message: str, properties: Given, required: list[str]) -> Answer:
    answer = await context.session.elicit_form(
        message,
        {"type": "object", "properties": dict(properties), "required": required},
        related_request_id=context.request_id,
    )
    return say(f"User response: action={answer.action}, content={answer.content}")


@fixture("test_elicitation")
async def elicitation(context: Context, params: types.CallToolRequestParams) -> Answer:
    fields = {"username": {"type": "string"}, "email": {"type": "string"}}
    return await elicit(context, (params.arguments or {})["message"], fields, ["username", "email"])


@fixture("test_elicitation_sep1034_defaults")
async def elicitation_defaults(context: Context, params: types.CallToolRequestParams) -> Answer:
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
    return await elicit(context, "Defaults", fields, [])


@fixture("test_elicitation_sep1330_enums")
async def elicitation_enums(context: Context, params: types.CallToolRequestParams) -> Answer:
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
    return await elicit(context, "Enums", fields, [])


# --- tools that want to be called again with more (2026-07-28)
# --------------------------------------------------------


def form(message: str, name: str, kind: str = "string") -> types.ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def sample(text: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=text))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=50)
    )


def want(state: str | None = None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


def accepted(params: Any, key: str) -> dict[str, Any] | None:
    """What the user filled in, if they agreed."""
    answer = (params.input_responses or {}).get(key)
    body: Any = answer.model_dump(by_alias=True) if isinstance(answer, BaseModel) else answer
    return (body.get("content") or {}) if body and body.get("action") == "accept" else None


@fixture("test_missing_capability")
async def missing_capability(context: Context, params: types.CallToolRequestParams) -> Answer:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            "Missing required client capability",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return say("ok")


@fixture("test_input_required_result_elicitation", "test_streaming_elicitation")
async def ask_name(context: Context, params: types.CallToolRequestParams) -> Answer:
    given = accepted(params, "user_name")
    if not given or "name" not in given:
        return want(user_name=form("What is your name?", "name"))
    return say(f"Hello, {given['name']}!")


@fixture("test_input_required_result_sampling")
async def ask_model(context: Context, params: types.CallToolRequestParams) -> Answer:
    if "capital_question" not in (params.input_responses or {}):
        return want(capital_question=sample("What is the capital of France?"))
    return say("sampled")


@fixture("test_input_required_result_list_roots")
async def ask_roots(context: Context, params: types.CallToolRequestParams) -> Answer:
    if "client_roots" not in (params.input_responses or {}):
        return want(client_roots=types.ListRootsRequest())
    return say("roots received")


@fixture("test_input_required_result_request_state", "test_input_required_result_tampered_state")
async def ask_with_state(context: Context, params: types.CallToolRequestParams) -> Answer:
    if params.request_state != "asked" or accepted(params, "confirm") is None:
        return want("asked", confirm=form("Please confirm", "ok", "boolean"))
    return say("state-ok")


@fixture("test_input_required_result_multiple_inputs")
async def ask_everything(context: Context, params: types.CallToolRequestParams) -> Answer:
    if not {"user_name", "greeting", "client_roots"} <= set(params.input_responses or {}):
        greeting, name = sample("Generate a greeting"), form("What is your name?", "name")
        return want(
            "several", user_name=name, greeting=greeting, client_roots=types.ListRootsRequest()
        )
    return say("all inputs received")


@fixture("test_input_required_result_multi_round")
async def ask_twice(context: Context, params: types.CallToolRequestParams) -> Answer:
    if params.request_state == "second" and accepted(params, "step2") is not None:
        return say("rounds complete")
    if params.request_state == "first" and accepted(params, "step1") is not None:
        return want("second", step2=form("Step 2: What is your favorite color?", "color"))
    return want("first", step1=form("Step 1: What is your name?", "name"))


@fixture("test_input_required_result_capabilities")
async def ask_what_can_be_answered(context: Context, params: types.CallToolRequestParams) -> Answer:
    capabilities = context.session.client_capabilities
    requests: dict[str, Any] = {}
    if capabilities and capabilities.elicitation is not None:
        requests["user_name"] = form("What is your name?", "name")
    if capabilities and capabilities.sampling is not None:
        requests["greeting"] = sample("Generate a greeting")
    return want(**requests) if requests and not params.input_responses else say("done")
