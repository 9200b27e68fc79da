"""MCP over stdin and stdout. While it serves, stdout is the protocol's alone; logs and stray prints go to stderr."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import redirect_stdout

from mcp.server.stdio import stdio_server

from webquarry.errors import WebquarryError
from webquarry.logs import set_up
from webquarry.secret import redact
from webquarry.surfaces.mcp.server import build_server, settings_of


async def serve(name: str, set_name: str) -> None:
    """Serve one tool set until stdin closes."""
    server = build_server(name, set_name)
    async with stdio_server() as (reading, writing):
        # The SDK has moved the descriptors out of the way; a print would still wait in the buffer for the end.
        with redirect_stdout(sys.stderr):
            await server.run(reading, writing, server.create_initialization_options())


def run(name: str, set_name: str) -> int:
    """The whole life of a stdio server; what a script returns."""
    # Ctrl-C ends the process at once: the thread that reads stdin could not be woken, and there is nothing to save.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        set_up(settings_of(set_name).log_level)
        asyncio.run(serve(name, set_name))
    except WebquarryError as error:
        sys.stderr.write(redact(f"{name}: {error.message} {error.suggested_action}\n"))
        return 1
    return 0
