"""The script `websearch-mcp`: the tool set `duckduckgo` as an MCP server on stdio."""

from __future__ import annotations

import sys

from webquarry import __version__

_HELP = """\
websearch-mcp: web_search and instant_answer by DuckDuckGo, as an MCP server on stdin and stdout. \
No key needed.

Start it from an MCP client, for instance:  claude mcp add websearch -- websearch-mcp
Settings: WEBSEARCH_MAX_RESULTS, WEBSEARCH_TIMEOUT_SECS, WEBSEARCH_USER_AGENT, \
WEBSEARCH_CACHE_TTL_SECS,
WEBSEARCH_RATE_LIMIT_MS, WEBSEARCH_MAX_RETRIES, and those of webquarry.
"""


def main() -> int:
    """Run the server, or print help or the version; return the exit code."""
    arguments = sys.argv[1:]
    if not arguments:
        from webquarry.mcp.stdio import run

        return run("duckduckgo")
    if arguments in (["--help"], ["-h"]):
        sys.stdout.write(_HELP)
        return 0
    if arguments == ["--version"]:
        sys.stdout.write(f"websearch-mcp {__version__}\n")
        return 0
    problem = f"takes no arguments but --help and --version; got {arguments[0]!r}."
    sys.stderr.write(f"websearch-mcp {problem}\n")
    return 2
