"""External tools of the tool host, listed and called beside the tools of a set.

Our own executables are left out, because the set has the same tools. If names collide, the tool of
the set is served. Results are passed on as JSON and not interpreted.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from webquarry.mcp.protocol import Message

if TYPE_CHECKING:
    from webquarry.host.host import ToolHost
    from webquarry.settings import Settings

log = logging.getLogger(__name__)


class ExternalTools:
    """The external tools that are served; `descriptions` are their items in `tools/list`."""

    def __init__(self, host: ToolHost, taken: Collection[str]) -> None:
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
        self.descriptions: list[Message] = []
        for described in self._host.for_mcp() if self._host else ():
            fields = ("name", "description", "inputSchema")
            self.descriptions.append({field: described[field] for field in fields})
        self.names = frozenset(names)

    async def run(self, name: str, arguments: dict[str, Any]) -> Any:
        """Run one; return its answer or raise a WebquarryError."""
        assert self._host is not None
        return await self._host.run(name, arguments)


async def discover(settings: Settings, taken: Collection[str]) -> ExternalTools:
    """Find the external tools on this machine; names in `taken` are not served."""
    from webquarry.host.host import ToolHost

    return ExternalTools(await ToolHost.adiscover(settings), taken)
