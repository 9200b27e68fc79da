"""Adds the fixtures of the conformance suite to one of our servers."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from tests.conformance.fixtures import (
    ANY_ARGUMENTS,
    IMAGE,
    PENDING,
    PNG,
    SCHEMAS,
    TOOLS,
    accepted,
    blocks,
    embedded,
    form,
    notify,
    say,
    want,
)
from webquarry.mcp.handlers import ToolServer
from webquarry.mcp.protocol import Message, Request, Response, Session

if TYPE_CHECKING:
    from webquarry.mcp.protocol import Send

_PROMPTS: dict[str, tuple[str, ...]] = {  # name -> arguments
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
_RESOURCES: dict[str, Message] = {
    "test://static-text": {
        "mimeType": "text/plain",
        "text": "This is the content of the static text resource.",
    },
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
    "test://watched-resource": {"mimeType": "text/plain", "text": "watched"},
}
_SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"


class FixtureServer(ToolServer):
    """The product with the fixtures; everything else is answered by the product."""

    def mount(self) -> None:
        """Extend the lists and the handlers."""
        self._streams: dict[asyncio.Queue[str], Message] = {}  # of subscriptions, with filters
        lists = self.listing.lists
        changing = ("test_trigger_tool_change", "test_trigger_prompt_change")
        for name in (*TOOLS, *changing):
            lists["tools"].append(_describe_tool(name))
        for name, arguments in _PROMPTS.items():
            lists["prompts"].append(_describe_prompt(name, arguments))
        for uri, content in _RESOURCES.items():
            described = {"uri": uri, "name": uri[7:], "description": "Fixture."}
            lists["resources"].append({**described, "mimeType": content["mimeType"]})
        template = {"uriTemplate": "test://template/{id}/data", "name": "template"}
        template |= {"description": "Fixture.", "mimeType": "application/json"}
        lists["resourceTemplates"].append(template)
        self.handlers |= {
            "tools/call": self.call_fixture,
            "prompts/get": self.get_fixture,
            "resources/read": self.read_fixture,
            "resources/subscribe": self.ping,
            "resources/unsubscribe": self.ping,
            "logging/setLevel": self.ping,
            "subscriptions/listen": self.subscribe,
        }

    async def handle(self, session: Session, message: Any, send: Send) -> Response | None:
        """Pass a response of the client to the tool that has sent the request."""
        if isinstance(message, dict) and "method" not in message:
            waiting = PENDING.get(str(message.get("id")))
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
        return await super().handle(session, message, send)

    async def call_fixture(self, request: Request) -> Message | bytes:
        name = request.params.get("name")
        if name == "test_trigger_tool_change":
            tools = self.listing.lists["tools"]
            tools.append(_describe_tool(f"test_added_tool_{len(tools)}"))
            return self._publish("tools")
        if name == "test_trigger_prompt_change":
            prompts = self.listing.lists["prompts"]
            prompts.append(_describe_prompt(f"test_added_prompt_{len(prompts)}", ()))
            return self._publish("prompts")
        if name in TOOLS:
            return await TOOLS[name](request)
        return await self.call_tool(request)

    def _publish(self, kind: str) -> Message:
        for stream, notifications in self._streams.items():
            if notifications.get(f"{kind}ListChanged"):
                stream.put_nowait(f"{kind}/list_changed")
        return say("changed")

    async def subscribe(self, request: Request) -> Message:
        """Serve a stream of change notifications until the client disconnects."""
        wanted = request.read("notifications", dict)
        honored = {name: value for name, value in wanted.items() if value}
        meta = {_SUBSCRIPTION_ID: request.id}
        stream: asyncio.Queue[str] = asyncio.Queue()
        self._streams[stream] = honored
        try:
            acknowledged = {"notifications": honored, "_meta": meta}
            await notify(request, "subscriptions/acknowledged", acknowledged)
            while True:
                await notify(request, await stream.get(), {"_meta": meta})
        finally:
            del self._streams[stream]

    async def get_fixture(self, request: Request) -> Message:
        name, given = request.params.get("name"), request.params.get("arguments") or {}
        contents: dict[Any, list[str | Message]] = {
            "test_simple_prompt": ["This is a simple prompt for testing."],
            "test_prompt_with_arguments": [
                f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
            ],
            "test_prompt_with_embedded_resource": [
                embedded(
                    given.get("resourceUri", ""),
                    "text/plain",
                    "Embedded resource content for testing.",
                ),
                "Please process the embedded resource above.",
            ],
            "test_prompt_with_image": [IMAGE, "Please analyze the image above."],
        }
        if name == "test_input_required_result_prompt":
            answer = accepted(request, "user_context")
            if answer is None:
                question = form("What context should the prompt use?", "context")
                return want(request, user_context=question)
            contents[name] = [f"Context: {answer.get('context')}"]
        if name not in contents:
            return await self.get_prompt(request)
        messages = [{"role": "user", "content": one} for one in blocks(*contents[name])]
        return {"messages": messages}

    async def read_fixture(self, request: Request) -> Message:
        uri = str(request.params.get("uri"))
        content = _RESOURCES.get(uri)
        if uri.startswith("test://template/") and uri.endswith("/data"):
            name = uri.split("/")[3]
            text = json.dumps({"id": name, "templateTest": True, "data": f"Data for ID: {name}"})
            content = {"mimeType": "application/json", "text": text}
        if content is None:
            return await self.read_resource(request)
        hints = {"ttlMs": 0, "cacheScope": "private"} if request.is_modern else {}
        return {"contents": [{"uri": uri, **content}], **hints}


def _describe_tool(name: str) -> Message:
    schema = SCHEMAS.get(name, ANY_ARGUMENTS)
    return {"name": name, "description": f"Fixture {name}.", "inputSchema": schema}


def _describe_prompt(name: str, arguments: tuple[str, ...]) -> Message:
    described = [{"name": one, "description": one, "required": True} for one in arguments]
    return {"name": name, "description": f"Fixture {name}.", "arguments": described}
