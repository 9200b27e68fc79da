"""External tools beside a tool set: what the tool host found, listed and called through the same
server.

Our own executables are left out, since the set serves them in a better form; a name that the set
has already is the set's. Results come from programs that somebody else wrote: they are passed on as
JSON, never interpreted.
"""

from __future__ import annotations

import logging
from collections.abc import Container
from typing import TYPE_CHECKING, Any

import mcp_types as types

from webquarry.calls.receipt import RECEIPT_META
from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.surfaces.mcp.text import as_json

if TYPE_CHECKING:
    from webquarry.calls.log import CallLog
    from webquarry.host.host import ToolHost

log = logging.getLogger(__name__)


class ExternalTools:
    """The tools of a host that are served besides ours; `descriptions` is how they are listed."""

    def __init__(self, host: ToolHost, taken: Container[str]) -> None:
        names = []
        for tool in host.tools:
            if tool.executable.ours:
                continue
            if tool.name in taken:
                log.warning(
                    "the tool %s at %s is not served: ours has that name", tool.name, tool.path
                )
            else:
                names.append(tool.name)
        self._host = host.only(names) if names else None
        self.descriptions = self._describe_all()
        self._names = set(names)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def _describe_all(self) -> list[types.Tool]:
        if self._host is None:
            return []
        tools = []
        for tool in self._host.for_mcp():
            described = types.Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["inputSchema"],
            )
            tools.append(described)
        return tools

    async def call(
        self, name: str, arguments: dict[str, Any], calls: CallLog
    ) -> types.CallToolResult:
        """Run one; a failure is a result that a model can read. Each has a receipt, as ours do."""
        assert self._host is not None
        with calls.watch(name, arguments) as call:
            try:
                answer = await self._host.run(name, arguments)
            except WebquarryError as error:
                call.error = error
                sentence = redact(error.sentences)
                failure = [types.TextContent(text=sentence)]
                meta = {RECEIPT_META: call.seal(as_json(error.as_dict()))}
                return types.CallToolResult(content=[*failure], is_error=True, _meta=meta)
            text = as_json(answer)
            content: list[types.ContentBlock] = [types.TextContent(text=text)]
            meta = {RECEIPT_META: call.seal(text)}
            return types.CallToolResult(content=content, structured_content=answer, _meta=meta)
