"""MCP: `{"name", "description", "inputSchema"}`; the schema is JSON Schema and goes through as it
is.
"""

from __future__ import annotations

from webquarry.host.models import JsonObject, ToolSchema
from webquarry.host.translation.naming import MCP, alias
from webquarry.host.translation.schema import clean


def to_mcp(tool: ToolSchema) -> JsonObject:
    """The tool as an MCP server lists it."""
    return {
        "name": alias(tool.name, MCP.tool),
        "description": tool.description,
        "inputSchema": clean(tool.parameters),
    }
