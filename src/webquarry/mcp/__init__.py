"""The MCP server: one implementation of the protocol for stdio and HTTP."""
