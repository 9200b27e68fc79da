"""The client of fastmcp, in an environment of its own. It makes typed data of an answer: that it
could is checked here.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from lines import Json, answer_lines, read_target


async def main() -> None:
    target = read_target()
    server: Any = target.get("url")
    if server is None:
        command, *arguments = target["command"]
        server = StdioTransport(
            command=command, args=arguments, env=target["environ"], keep_alive=False
        )

    async with Client(server) as client:

        async def list_tools() -> list[Json]:
            return [_as_json(tool) for tool in await client.list_tools()]

        async def call_tool(name: str, arguments: Json) -> Json:
            result = await client.call_tool(name, arguments, raise_on_error=False)
            if result.structured_content is not None and result.data is None:
                raise ValueError("fastmcp made no typed data of the structured content")
            content = [_as_json(block) for block in result.content]
            fields = {"content": content, "isError": result.is_error}
            if result.structured_content is not None:
                fields["structuredContent"] = result.structured_content
            return fields

        await answer_lines(client.protocol_version, list_tools, call_tool)


def _as_json(model: Any) -> Json:
    fields: Json = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return fields


asyncio.run(main())
