"""MCP over stdin and stdout. While it serves, stdout is the protocol's alone; logs and stray prints
go to stderr.

A front answers what is prepared before anything heavy is imported (front/); the SDK's server alone
serves where it has nothing prepared.
"""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False  # importing typing for it would cost a tenth of a server's start
if TYPE_CHECKING:
    from typing import Any

    from mcp.server.lowlevel.server import Server

    from webquarry.errors import WebquarryError
    from webquarry.settings import Settings
    from webquarry.surfaces.mcp.front.light_loop import LightLoop
    from webquarry.surfaces.mcp.front.prepared import PreparedAnswers
    from webquarry.surfaces.mcp.wire.lines import Line
    from webquarry.toolkit import Toolkit

Logs = tuple[str | None, str | None]  # the level and the format
Served = tuple[str, str, bool, str | None]  # name, tool set, with external tools, text of results


async def create_server(
    name: str, set_name: str, with_tools: bool, text: str | None, kit: Toolkit | None = None
) -> Server[Any]:
    """The server, with the external tools found on this machine if asked to; on a toolkit of its
    own unless one is given.
    """
    from webquarry.surfaces.mcp.server import build_server

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
    closes; calls under way then get `grace_seconds` to end. By the SDK's server alone.
    """
    import logging
    from contextlib import redirect_stdout

    from webquarry.surfaces.mcp.wire.connection import StdioConnection
    from webquarry.surfaces.mcp.wire.descriptors import LineReader, claim_streams
    from webquarry.surfaces.mcp.wire.standard_streams import LineWriter, take_lines
    from webquarry.surfaces.mcp.wire.transport import serve_behind

    server = await create_server(name, set_name, with_tools, text)
    try:
        with claim_streams() as (reading, writing):
            connection = StdioConnection(LineWriter(writing), grace_seconds)
            # The descriptors have been moved out of the way; a print would still wait in the
            # buffer for the end.
            with redirect_stdout(sys.stderr):
                async with serve_behind(server, connection) as hand_on:
                    await connection.take_in(take_lines(LineReader(reading)), hand_on)
    except* BrokenPipeError:
        logging.getLogger(__name__).info("the client has gone")


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
    try:
        return _run(name, set_name, with_tools, text, logs)
    except (Exception, BaseExceptionGroup) as raised:
        return report_error(name, raised)


def _run(name: str, set_name: str, with_tools: bool, text: str | None, logs: Logs) -> int:
    """Serve by the front, or by the SDK's server alone."""
    from webquarry.settings import Settings
    from webquarry.surfaces.mcp.front.prepared import find_prepared

    settings = Settings.from_environment()
    is_early = settings.lenses is not None or with_tools  # not to wait for the first call
    prepared = find_prepared(name, set_name)
    is_traced = any(variable.startswith("OTEL_") for variable in os.environ)
    if prepared is not None and not is_traced:
        return _run_front(prepared, (name, set_name, with_tools, text), logs, settings, is_early)
    import asyncio

    seconds = prepare(set_name, logs).mcp_grace_seconds
    asyncio.run(serve(name, set_name, with_tools, text, seconds))
    return 0


def _run_front(
    prepared: PreparedAnswers,
    served: Served,
    logs: Logs,
    settings: Settings,
    is_early: bool,
) -> int:
    """Wait for the first call, unless the engine is to be opened early; then serve."""
    from webquarry.surfaces.mcp.front.light_loop import LightLoop
    from webquarry.surfaces.mcp.front.protocol import FrontProtocol
    from webquarry.surfaces.mcp.wire.descriptors import LineReader, claim_streams

    _, _, with_tools, _ = served
    protocol = FrontProtocol(prepared, hidden=("tools/list",) if with_tools else ())
    with claim_streams() as (reading, writing):
        light_loop = LightLoop(protocol, LineReader(reading), writing)
        if is_early:
            _open_and_serve(light_loop, None, served, logs)
            return 0
        while True:
            try:
                first = light_loop.wait(until_open=settings.mcp_warm)
            except OSError:  # the client has gone
                return 0
            if first is None:
                return 0
            try:
                _open_and_serve(light_loop, first, served, logs)
                return 0
            except (Exception, BaseExceptionGroup) as raised:
                _refuse(light_loop, first, raised)


def _open_and_serve(light_loop: LightLoop, first: Line | None, served: Served, logs: Logs) -> None:
    """Load and open the engine, and serve until stdin is closed."""
    # Plug-ins of pydantic have nothing to do here, and are looked for in every package there is.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    import asyncio

    from webquarry.surfaces.mcp.front.serving import FrontOptions, open_and_serve
    from webquarry.surfaces.mcp.wire.lines import Line

    full = prepare(served[1], logs)
    asyncio.run(open_and_serve(full, light_loop, first or Line(), FrontOptions(*served)))


def _refuse(light_loop: LightLoop, first: Line, raised: BaseException) -> None:
    """Say to whoever called why the engine cannot be opened; the next call tries again. What is no
    error of ours, or came later, is raised on.
    """
    error = _find_own_error(raised)
    if error is None or light_loop.is_left:
        raise raised
    from webquarry.surfaces.mcp.front.calls import explain_failure

    light_loop.refuse(first, lambda message: explain_failure(message, error))


def prepare(set_name: str, logs: Logs) -> Settings:
    """The settings of a set, all of them checked; logs are written as they say from now on."""
    from webquarry.logs import set_up
    from webquarry.surfaces.mcp.listing import read_settings

    level, format = logs
    settings = read_settings(set_name)
    set_up(level or settings.log_level, format or settings.log_format)
    return settings


def report_error(name: str, raised: BaseException) -> int:
    """Say on stderr which error of ours was raised; the exit code for it comes back. What is none
    of ours is raised on.
    """
    from webquarry.secret import redact

    error = _find_own_error(raised)
    if error is None:
        raise raised
    sys.stderr.write(redact(f"{name}: {error.sentences}\n"))
    return 1


def _find_own_error(raised: BaseException) -> WebquarryError | None:
    """The error of ours in what was raised: what goes wrong at the start comes in the task groups
    of the SDK.
    """
    from webquarry.errors import WebquarryError

    if isinstance(raised, WebquarryError):
        return raised
    if isinstance(raised, BaseExceptionGroup):
        for inner in raised.exceptions:
            error = _find_own_error(inner)
            if error is not None:
                return error
    return None
