"""The client of fastmcp, in an environment of its own. It makes typed data of an answer: that it
could is checked here.
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from lines import Json, answer_lines, target


async def main() -> None:
    to = target()
    server: Any = to.get("url")
    if server is None:
        command, *arguments = to["command"]
        server = StdioTransport(
            command=command, args=arguments, env=to["environ"], keep_alive=False
        )

    async with Client(server) as client:

        async def list_tools() -> list[Json]:
            return [_written(tool) for tool in await client.list_tools()]

        async def call_tool(name: str, arguments: Json) -> Json:
            result = await client.call_tool(name, arguments, raise_on_error=False)
            if result.structured_content is not None and result.data is None:
                raise ValueError("fastmcp made no typed data of the structured content")
            content = [_written(block) for block in result.content]
            structured = (
                {}
                if result.structured_content is None
                else {"structuredContent": result.structured_content}
            )
            return {"content": content, "isError": result.is_error, **structured}

        await answer_lines(client.protocol_version, list_tools, call_tool)


def _written(model: Any) -> Json:
    written: Json = model.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return written


asyncio.run(main())
