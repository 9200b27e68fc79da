"""MCP: one server over any tool set of the registry."""
