"""The MCP door: one server over any tool set of the registry."""
