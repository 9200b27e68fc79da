"""MCP over stdin and stdout. While it serves, stdout is the protocol's alone; logs and stray prints go to stderr."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import redirect_stdout

from mcp.server.stdio import stdio_server

from webquarry.errors import WebquarryError
from webquarry.host.host import ToolHost
from webquarry.logs import set_up
from webquarry.secret import redact
from webquarry.surfaces.mcp.server import build_server, settings_of

log = logging.getLogger(__name__)


async def serve(name: str, set_name: str, with_tools: bool = False) -> None:
    """Serve one tool set, and the external tools found on this machine if asked to, until stdin closes."""
    host = await ToolHost.adiscover() if with_tools else None
    server = build_server(name, set_name, host=host)
    try:
        async with stdio_server() as (reading, writing):
            # The SDK has moved the descriptors out of the way; a print would still wait in the buffer for the end.
            with redirect_stdout(sys.stderr):
                await server.run(reading, writing, server.create_initialization_options())
    except* BrokenPipeError:
        log.info("the client has gone")


def run(name: str, set_name: str, with_tools: bool = False) -> int:
    """The whole life of a stdio server; what a script returns."""
    # Ctrl-C ends the process at once: the thread that reads stdin could not be woken, and there is nothing to save.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        set_up(settings_of(set_name).log_level)
        asyncio.run(serve(name, set_name, with_tools))
    except (WebquarryError, BaseExceptionGroup) as raised:
        error = _ours(raised)
        if error is None:
            raise
        sys.stderr.write(redact(f"{name}: {error.message} {error.suggested_action}\n"))
        return 1
    return 0


def _ours(raised: BaseException) -> WebquarryError | None:
    """The error of ours in what was raised: what goes wrong at the start comes in the task groups of the SDK."""
    if isinstance(raised, BaseExceptionGroup):
        return next((found for one in raised.exceptions if (found := _ours(one))), None)
    return raised if isinstance(raised, WebquarryError) else None
