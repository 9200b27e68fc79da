"""MCP over stdin and stdout. While it serves, stdout is the protocol's alone; logs and stray prints
go to stderr.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from webquarry.errors import WebquarryError
from webquarry.logs import set_up
from webquarry.secret import redact
from webquarry.surfaces.mcp.server import build_server, read_settings
from webquarry.surfaces.mcp.wire.transport import open_stdio

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

Logs = tuple[str | None, str | None]  # the level and the format


async def create_server(
    name: str, set_name: str, with_tools: bool, text: str | None, kit: Toolkit | None = None
) -> Server[Any]:
    """The server, with the external tools found on this machine if asked to; on a toolkit of its
    own unless one is given.
    """
    host = None
    if with_tools:
        from webquarry.host.host import ToolHost

        host = await ToolHost.adiscover()
    return build_server(name, set_name, host=host, text=text, kit=kit)


async def serve(
    name: str,
    set_name: str,
    with_tools: bool = False,
    text: str | None = None,
    grace_seconds: float = 0,
) -> None:
    """Serve one tool set, and the external tools found on this machine if asked to, until stdin
    closes; calls under way then get `grace_seconds` to end.
    """
    server = await create_server(name, set_name, with_tools, text)
    try:
        async with open_stdio(grace_seconds) as (reading, writing):
            # The descriptors have been moved out of the way; a print would still wait in the
            # buffer for the end.
            with redirect_stdout(sys.stderr):
                await server.run(reading, writing, server.create_initialization_options())
    except* BrokenPipeError:
        log.info("the client has gone")


def run(
    name: str,
    set_name: str,
    with_tools: bool = False,
    text: str | None = None,
    logs: Logs = (None, None),
) -> int:
    """The whole life of a stdio server; what a script returns. What `logs` leaves open is taken
    from the settings.
    """
    # Ctrl-C ends the process at once: the thread that reads stdin could not be woken, and there is
    # nothing to save.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    level, format = logs
    try:
        settings = read_settings(set_name)
        set_up(level or settings.log_level, format or settings.log_format)
        asyncio.run(serve(name, set_name, with_tools, text, settings.mcp_grace_seconds))
    except (WebquarryError, BaseExceptionGroup) as raised:
        return report_error(name, raised)
    return 0


def report_error(name: str, raised: BaseException) -> int:
    """Say on stderr which error of ours was raised; the exit code for it comes back. What is none
    of ours is raised on.
    """
    error = _find_own_error(raised)
    if error is None:
        raise raised
    sys.stderr.write(redact(f"{name}: {error.sentences}\n"))
    return 1


def _find_own_error(raised: BaseException) -> WebquarryError | None:
    """The error of ours in what was raised: what goes wrong at the start comes in the task groups
    of the SDK.
    """
    if isinstance(raised, WebquarryError):
        return raised
    if isinstance(raised, BaseExceptionGroup):
        for inner in raised.exceptions:
            error = _find_own_error(inner)
            if error is not None:
                return error
    return None
