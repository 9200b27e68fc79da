"""A server of ours -> the same with the fixtures of the conformance suite beside what it has."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

from tests.conformance.fixtures import (
    ANY_ARGUMENTS,
    IMAGE,
    PNG,
    SCHEMAS,
    TOOLS,
    Answer,
    Context,
    Play,
    accepted,
    embedded,
    form,
    say,
    want,
)


def mount(server: Server[Any]) -> None:
    """Put the fixtures beside what the server has; its own are still answered by its own handlers."""
    bus = InMemorySubscriptionBus()
    added: dict[str, list[str]] = {"tools": [], "prompts": []}
    _mount_tools(server, bus, added)
    _mount_prompts(server, added["prompts"])
    _mount_resources(server)

    async def nothing(context: Context, params: Any) -> types.EmptyResult:
        return types.EmptyResult()

    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, nothing)
    server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, nothing)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, nothing)
    server.add_request_handler(
        "subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(bus)
    )
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="conformance")
    )


def _own(server: Server[Any], method: str) -> Callable[[Context, Any], Awaitable[Any]]:
    entry = server.get_request_handler(method)
    assert entry is not None
    return entry.handler


def _mount_tools(
    server: Server[Any], bus: InMemorySubscriptionBus, added: dict[str, list[str]]
) -> None:
    own_list, own_call = _own(server, "tools/list"), _own(server, "tools/call")
    own_schema = server.get_tool_input_schema

    async def trigger(context: Context, params: types.CallToolRequestParams) -> Answer:
        kind = "tools" if params.name == "test_trigger_tool_change" else "prompts"
        added[kind].append(f"test_added_{kind}_{len(added[kind])}")
        await bus.publish(ToolsListChanged() if kind == "tools" else PromptsListChanged())
        return say("changed")

    plays: dict[str, Play] = {
        **TOOLS,
        "test_trigger_tool_change": trigger,
        "test_trigger_prompt_change": trigger,
    }

    async def list_tools(context: Context, params: Any) -> types.ListToolsResult:
        listed: types.ListToolsResult = await own_list(context, params)
        more = [
            types.Tool(
                name=name,
                description=f"Fixture {name}.",
                input_schema=SCHEMAS.get(name, ANY_ARGUMENTS),
            )
            for name in (*plays, *added["tools"])
        ]
        return types.ListToolsResult(tools=[*listed.tools, *more])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> Any:
        play = plays.get(params.name)
        return await (play or own_call)(context, params)

    server.add_request_handler("tools/list", types.PaginatedRequestParams, list_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    server.get_tool_input_schema = lambda name: (
        SCHEMAS.get(name) or (own_schema(name) if own_schema else None)
    )


def _mount_prompts(server: Server[Any], added: list[str]) -> None:
    own_list, own_get = _own(server, "prompts/list"), _own(server, "prompts/get")
    arguments = {
        "test_simple_prompt": (),
        "test_prompt_with_arguments": ("arg1", "arg2"),
        "test_prompt_with_embedded_resource": ("resourceUri",),
        "test_prompt_with_image": (),
        "test_input_required_result_prompt": (),
    }

    async def list_prompts(context: Context, params: Any) -> types.ListPromptsResult:
        listed: types.ListPromptsResult = await own_list(context, params)
        named: dict[str, tuple[str, ...]] = {**arguments, **dict.fromkeys(added, ())}
        more = [
            types.Prompt(
                name=name,
                description=f"Fixture {name}.",
                arguments=[
                    types.PromptArgument(name=one, description=one, required=True) for one in names
                ],
            )
            for name, names in named.items()
        ]
        return types.ListPromptsResult(prompts=[*listed.prompts, *more])

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> Any:
        return _prompt(params) or await own_get(context, params)

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, list_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, get_prompt)


def _prompt(
    params: types.GetPromptRequestParams,
) -> types.GetPromptResult | types.InputRequiredResult | None:
    given = params.arguments or {}
    content: dict[str, list[str | types.ContentBlock]] = {
        "test_simple_prompt": ["This is a simple prompt for testing."],
        "test_prompt_with_arguments": [
            f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
        ],
        "test_prompt_with_embedded_resource": [
            embedded(
                given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing."
            ),
            "Please process the embedded resource above.",
        ],
        "test_prompt_with_image": [IMAGE, "Please analyze the image above."],
    }
    if params.name == "test_input_required_result_prompt":
        answer = accepted(params, "user_context")
        if answer is None:
            return want(user_context=form("What context should the prompt use?", "context"))
        content[params.name] = [f"Context: {answer.get('context')}"]
    if params.name not in content:
        return None
    messages = [
        types.PromptMessage(role="user", content=one) for one in say(*content[params.name]).content
    ]
    return types.GetPromptResult(messages=messages)


def _mount_resources(server: Server[Any]) -> None:
    own_list, own_read = _own(server, "resources/list"), _own(server, "resources/read")
    own_templates = _own(server, "resources/templates/list")
    fixed: dict[str, types.TextResourceContents | types.BlobResourceContents] = {
        "test://static-text": types.TextResourceContents(
            uri="test://static-text",
            mime_type="text/plain",
            text="This is the content of the static text resource.",
        ),
        "test://static-binary": types.BlobResourceContents(
            uri="test://static-binary", mime_type="image/png", blob=PNG
        ),
        "test://watched-resource": types.TextResourceContents(
            uri="test://watched-resource", mime_type="text/plain", text="watched"
        ),
    }

    async def list_resources(context: Context, params: Any) -> types.ListResourcesResult:
        listed: types.ListResourcesResult = await own_list(context, params)
        more = [
            types.Resource(uri=uri, name=uri[7:], description="Fixture.", mime_type=one.mime_type)
            for uri, one in fixed.items()
        ]
        return types.ListResourcesResult(resources=[*listed.resources, *more])

    async def list_templates(context: Context, params: Any) -> types.ListResourceTemplatesResult:
        listed: types.ListResourceTemplatesResult = await own_templates(context, params)
        one = types.ResourceTemplate(
            uri_template="test://template/{id}/data", name="template", description="Fixture.",
            mime_type="application/json",
        )  # fmt: skip
        return types.ListResourceTemplatesResult(
            resource_templates=[*listed.resource_templates, one]
        )

    async def read(context: Context, params: types.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        if uri in fixed:
            return types.ReadResourceResult(contents=[fixed[uri]])
        if uri.startswith("test://template/") and uri.endswith("/data"):
            name = uri.split("/")[3]
            text = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
            content = types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
            return types.ReadResourceResult(contents=[content])
        return await own_read(context, params)

    server.add_request_handler("resources/list", types.PaginatedRequestParams, list_resources)
    server.add_request_handler(
        "resources/templates/list", types.PaginatedRequestParams, list_templates
    )
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
