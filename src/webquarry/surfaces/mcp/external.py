"""External tools beside a tool set: what the tool host found, listed and called through the same
door.

Our own executables are left out, since the set serves them in a better form; a name that the set
has already is the set's. Results come from programs that somebody else wrote: they are passed on as
JSON, never interpreted.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Container
from typing import TYPE_CHECKING, Any

import mcp_types as types

from webquarry.errors import WebquarryError
from webquarry.secret import redact

if TYPE_CHECKING:
    from webquarry.host.host import ToolHost

log = logging.getLogger(__name__)


class ExternalTools:
    """The tools of a host that are served besides ours."""

    def __init__(self, host: ToolHost, taken: Container[str]) -> None:
        theirs = [tool for tool in host.tools if not tool.executable.ours]
        for tool in theirs:
            if tool.name in taken:
                log.warning(
                    "the tool %s at %s is not served: ours has that name", tool.name, tool.path
                )
        for one in host.skipped:
            log.warning("the tool at %s is not served: %s", one.path, one.reason)
        self._host = (
            host.only([tool.name for tool in theirs if tool.name not in taken]) if theirs else None
        )
        self.listed = [
            types.Tool(
                name=tool["name"], description=tool["description"], input_schema=tool["inputSchema"]
            )
            for tool in (self._host.for_mcp() if self._host and self._host.tools else [])
            if tool["name"] not in taken
        ]
        self._names = {tool.name for tool in self.listed}

    def __contains__(self, name: str) -> bool:
        return name in self._names

    async def call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Run one; a failure is a result that a model can read."""
        assert self._host is not None
        try:
            answer = await self._host.run(name, arguments)
        except WebquarryError as error:
            sentence = redact(f"{error.message} {error.suggested_action}".strip())
            return types.CallToolResult(content=[types.TextContent(text=sentence)], is_error=True)
        text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
        return types.CallToolResult(
            content=[types.TextContent(text=text)], structured_content=answer
        )
