"""The ways in, such as MCP, SQL and the command line: each is a loop over the registry that
translates and adds nothing.
"""
