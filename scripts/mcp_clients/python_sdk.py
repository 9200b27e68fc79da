"""The client of the official Python SDK, in the version that we have ourselves."""

from __future__ import annotations

import asyncio
from typing import Any

from lines import Json, answer_lines, target
from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def main() -> None:
    to = target()
    server: Any = to.get("url")
    if server is None:
        command, *arguments = to["command"]
        server = StdioServerParameters(command=command, args=arguments, env=to["environ"])

    async with Client(server) as client:

        async def list_tools() -> list[Json]:
            return [_written(tool) for tool in (await client.list_tools()).tools]

        async def call_tool(name: str, arguments: Json) -> Json:
            return _written(await client.call_tool(name, arguments))

        await answer_lines(client.protocol_version, list_tools, call_tool)


def _written(model: Any) -> Json:
    written: Json = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return written


asyncio.run(main())
