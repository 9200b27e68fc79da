"""External tools of the tool host, listed and called together with the tools of a set.

Our own executables are left out, because the set has the same tools. If names collide, the tool of
the set is served. Results are passed on as JSON and not interpreted.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

from webquarry.host.host import ToolHost
from webquarry.host.vendors import to_mcp

if TYPE_CHECKING:
    from webquarry.mcp.protocol import Message
    from webquarry.settings import Settings

log = logging.getLogger(__name__)


class ExternalTools:
    """The external tools that are served, with their items in `tools/list`, by name."""

    def __init__(self, host: ToolHost, taken: Collection[str]) -> None:
        self.run = host.run
        self.descriptions: dict[str, Message] = {}
        for tool in host.tools:
            if tool.executable.ours:
                continue
            if tool.name in taken:
                problem = "the tool %s at %s is not served: ours has that name"
                log.warning(problem, tool.name, tool.path)
            else:
                self.descriptions[tool.name] = to_mcp(tool.schema)


async def discover(settings: Settings, taken: Collection[str]) -> ExternalTools:
    """Find the external tools on this machine; names in `taken` are not served."""
    return ExternalTools(await ToolHost.adiscover(settings), taken)
