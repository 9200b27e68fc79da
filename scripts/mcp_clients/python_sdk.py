"""The client of the official Python SDK, in the version that we have ourselves."""

from __future__ import annotations

import asyncio
from typing import Any

from lines import Json, answer_lines, read_target
from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def main() -> None:
    target = read_target()
    server: Any = target.get("url")
    if server is None:
        command, *arguments = target["command"]
        server = StdioServerParameters(command=command, args=arguments, env=target["environ"])

    async with Client(server) as client:

        async def list_tools() -> list[Json]:
            listing = await client.list_tools()
            return [_as_json(tool) for tool in listing.tools]

        async def call_tool(name: str, arguments: Json) -> Json:
            return _as_json(await client.call_tool(name, arguments))

        await answer_lines(client.protocol_version, list_tools, call_tool)


def _as_json(model: Any) -> Json:
    fields: Json = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return fields


asyncio.run(main())
