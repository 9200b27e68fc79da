"""Other people's MCP clients against our servers: their packages, our servers, what they are asked
and how it is judged.
"""
