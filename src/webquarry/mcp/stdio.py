"""MCP over stdin and stdout.

The handshake and the lists are answered here, without an event loop; the first request that needs
the engine starts one (`connection.py`). While the server runs, stdout belongs to the protocol: logs
and stray prints go to stderr.
"""

from __future__ import annotations

import os
import select
import signal
import sys

from webquarry.mcp.handlers import LIGHT_METHODS, ToolServer
from webquarry.mcp.listing import SETS, load_listing, read_settings, server_name
from webquarry.mcp.protocol import ProtocolError, Session, error_response, parse, run_without_loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webquarry.settings import Settings
    from webquarry.toolkit import Toolkit

Logs = tuple[str | None, str | None]  # level and format; None for the settings'
_READ_BYTES = 65_536
_TEXT_FORMATS = ("json", "markdown", "digest")
_BLANK = b" \t\r\n\xef\xbb\xbf"  # whitespace and a byte order mark


def parse_arguments(arguments: Sequence[str]) -> tuple[str, str | None] | None:
    """The tool set and text format of `mcp [--toolset SET] [--text FORMAT]`; None for any other
    arguments, which the command line has to parse.
    """
    flags = dict(zip(arguments[1::2], arguments[2::2], strict=False))
    is_complete = 2 * len(flags) == len(arguments) - 1  # no flag twice or without a value
    set_name, text_format = flags.pop("--toolset", "research"), flags.pop("--text", None)
    if flags or not is_complete or set_name not in SETS:
        return None
    return (set_name, text_format) if text_format in (None, *_TEXT_FORMATS) else None


def run(
    set_name: str,
    with_tools: bool = False,
    text_format: str | None = None,
    logs: Logs = (None, None),
) -> int:
    """Serve a tool set, optionally with external tools, until stdin is closed; return the exit
    code.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that reads stdin is not interruptible
    try:
        listing = load_listing(set_name)
        settings = read_settings(listing.package)
        server = ToolServer(listing, lambda: open_engine(settings), text_format)
        session = Session()
        reading, writing = claim_streams()
        lines = read_lines(reading)
        first: bytes | None = b""
        # Errors in lenses are reported at the start, so the engine is opened before any request.
        if not with_tools and settings.lenses is None:
            first = serve_light(server, session, lines, writing, until_listed=settings.mcp_warm)
        if first is None:
            return 0
        import asyncio
        from functools import partial

        from webquarry.logs import set_up
        from webquarry.mcp.connection import StdioConnection

        async def serve(first: bytes) -> None:
            write = partial(write_line, writing)
            connection = StdioConnection(server, session, settings, write)
            await connection.serve(lines, first, with_tools=with_tools)

        level, format = logs
        set_up(level or settings.log_level, format or settings.log_format)
        asyncio.run(serve(first))
        return 0
    except BrokenPipeError:  # the client has closed stdout
        return 0
    except Exception as error:
        return report_error(server_name(set_name), error)


def report_error(name: str, error: Exception) -> int:
    """Write one of our errors to stderr and return the exit code; raise any other error."""
    from webquarry.errors import WebquarryError
    from webquarry.secret import redact

    if not isinstance(error, WebquarryError):
        raise error
    sys.stderr.write(redact(f"{name}: {error.sentences}\n"))
    return 1


def open_engine(settings: Settings) -> Toolkit:
    """Open the toolkit of a server on stdio."""
    from webquarry.toolkit import Toolkit

    return Toolkit(settings, os.environ, runner="workers")


def serve_light(
    server: ToolServer,
    session: Session,
    lines: Iterator[bytes],
    writing: int,
    *,
    until_listed: bool = False,
) -> bytes | None:
    """Answer lines that need neither the engine nor an event loop, and return the first other one;
    None at the end. With `until_listed`, return after `tools/list`.
    """

    async def send(message: object) -> None:
        raise NotImplementedError  # only calls send notifications

    for line in lines:
        try:
            message = parse(line)
        except ProtocolError as error:
            write_line(writing, error_response(error.request_id, error).body)
            continue
        is_batch = isinstance(message, list)
        methods = []
        for one in message if is_batch else [message]:
            if isinstance(one, dict) and "id" in one and "method" in one:
                methods.append(one["method"])
        if any(method not in LIGHT_METHODS for method in methods):
            return line
        handle = server.handle_batch if is_batch else server.handle
        response = run_without_loop(handle(session, message, send))
        if response is not None:
            write_line(writing, response.body)
        if until_listed and "tools/list" in methods:
            return b""
    return None


def read_lines(descriptor: int) -> Iterator[bytes]:
    """Lines that are not blank, as soon as they are complete, until the end of the file."""
    pending: list[bytes] = []
    data = b"\n"
    while data:
        try:
            data = os.read(descriptor, _READ_BYTES)
        except BlockingIOError:  # opened as non-blocking by the client
            select.select([descriptor], [], [])
            continue
        except OSError:  # a terminal that was closed
            data = b""
        *ends, rest = (data or b"\n").split(b"\n")
        for end in ends:
            line = b"".join([*pending, end]).strip(_BLANK)
            pending.clear()
            if line:
                yield line
        pending.append(rest)


def write_line(descriptor: int, line: bytes) -> None:
    """Write a whole line, however often that takes."""
    rest = memoryview(line + b"\n")
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def claim_streams() -> tuple[int, int]:
    """Return private descriptors of stdin and stdout. From now on stdin is empty for any other
    code, and what it prints goes to stderr.
    """
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no stderr
        os.dup2(null, 1)
    os.close(null)
    sys.stdout = sys.stderr
    return reading, writing
