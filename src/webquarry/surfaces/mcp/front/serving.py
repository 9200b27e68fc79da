"""A connection from its first call on: calls go straight to the tools, and their results are
written as bytes once. What is rare goes to the SDK's server, which is loaded then and sees the
handshake replayed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from contextlib import AsyncExitStack, redirect_stdout
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from webquarry.surfaces.mcp.front.calls import ToolCalls, encode_error, explain_failure
from webquarry.surfaces.mcp.front.light_loop import LightLoop, frame
from webquarry.surfaces.mcp.front.protocol import ANSWERED, CALL, CANCEL, REST, FrontProtocol
from webquarry.surfaces.mcp.wire.connection import HandOn, RequestId, StdioConnection
from webquarry.surfaces.mcp.wire.lines import Line
from webquarry.surfaces.mcp.wire.standard_streams import LineWriter, take_lines
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    from webquarry.host.host import ToolHost
    from webquarry.settings import Settings
    from webquarry.surfaces.mcp.wire.descriptors import LineReader
    from webquarry.surfaces.mcp.wire.lines import Message

log = logging.getLogger(__name__)

_CONNECTION_CLOSED = -32000
_THINKING_SECONDS = 1.0  # in which whoever has searched may search again, and not wait for it
_LEAST_REST = 0.01  # seconds: less is none
_READS_PAGES = "scrape_page"  # a set that has it
_LAST_WORDS_SECONDS = 1.0  # for calls that are stopped at the end to say so


@dataclass(frozen=True)
class FrontOptions:
    """What is served: a tool set under a name, external tools besides, and what texts hold."""

    name: str
    set_name: str
    with_tools: bool = False
    text: str | None = None


class FrontServer:
    """The tools of a set, called for one connection."""

    def __init__(
        self,
        options: FrontOptions,
        kit: Toolkit,
        protocol: FrontProtocol,
        connection: StdioConnection,
        host: ToolHost | None,
    ) -> None:
        self._options = options
        info = protocol.prepared.server_info
        self._tool_calls = ToolCalls(kit, options.set_name, info, options.text)
        self._kit = kit
        self._protocol = protocol
        self._connection = connection
        self._host = host
        self._calls: dict[RequestId, _Call] = {}  # that can be cancelled
        self._answered_at: float | None = None  # the last call, by the clock of the loop
        self._is_ending = False
        self._behind = AsyncExitStack()
        self._hand_on: HandOn | None = None  # to the SDK's server, once it is loaded

    async def serve(self, first: Line, incoming: LineReader) -> None:
        """Serve the line that was read already, and all that come, until stdin is closed."""
        async with asyncio.TaskGroup() as self._tasks, self._behind:
            if self._kit.settings.mcp_warm:
                self._tasks.create_task(self.warm_up())
            await self._connection.take_line(first, self.take)
            lines = take_lines(incoming, self._take_at_once)
            await self._connection.take_in(lines, self.take)
            self._is_ending = True
            await self._stop_calls()

    async def warm_up(self) -> None:
        """Load what the first calls need: the tools most often wanted, and what they work with.
        What cannot be opened is told to whoever calls.
        """
        try:
            await self._tool_calls.warm_up()
            await self._kit.warm_up()
        except Exception:
            log.warning("the engine could not be opened before the first call", exc_info=True)

    async def take(self, message: Message) -> None:
        """One message of the client."""
        verdict, result = self._protocol.look(message)
        if verdict == ANSWERED:
            await self._connection.settle(message["id"], frame(message, result))
        elif verdict == CALL:
            self._begin(message)
        elif verdict == CANCEL and self._cancel(message):
            return
        elif verdict == REST or self._hand_on is not None:
            await self._give_up(message)

    def _take_at_once(self, line: bytes) -> bool:
        """Take a line that is a call, as most are, in fewer steps: whether it is."""
        return self._connection.take_at_once(line, self._is_call, self._begin)

    def _is_call(self, message: Message) -> bool:
        """Whether a message is a call; no other one is looked at here, for a handshake is only once
        what it is.
        """
        return message.get("method") == "tools/call" and self._protocol.look(message)[0] == CALL

    def _begin(self, message: Message) -> None:
        call = _Call(message)
        call.task = self._tasks.create_task(self._make_call(call))
        self._calls[call.key] = call

    def _cancel(self, message: Message) -> bool:
        """Stop the call that a client does not want any more: whether it is one of ours."""
        id = (message.get("params") or {}).get("requestId")
        if not isinstance(id, str) and type(id) is not int:
            return False
        call = self._calls.get(_find_key(id))
        if call is None:
            return False
        call.is_wanted = False
        if call.is_begun:  # one that is not begun sees for itself
            call.task.cancel()
        return True

    async def _make_call(self, call: _Call) -> None:
        """Call a tool and write what came of it; a call that was cancelled has no answer."""
        call.is_begun = True
        answer = None
        try:
            if call.is_wanted:
                answer = await self._answer(call.message)
        except (Exception, BaseExceptionGroup) as raised:  # what does not even load
            answer = explain_failure(call.message, raised)
        except asyncio.CancelledError:
            answer = encode_error(call.message, _CONNECTION_CLOSED, "Connection closed")
        finally:
            if self._calls.get(call.key) is call:
                del self._calls[call.key]
        if not call.is_wanted:
            answer = None
        await self._connection.settle(call.message["id"], answer)
        loop = asyncio.get_running_loop()
        if self._answered_at is None:
            loop.call_later(_THINKING_SECONDS, self._prepare_reading)
        self._answered_at = loop.time()

    def _prepare_reading(self) -> None:
        """Whoever has searched will want to read: a process that reads pages is started, once
        nothing else has been asked for a moment.
        """
        if _READS_PAGES not in self._protocol.prepared.tools or self._is_ending:
            return
        loop = asyncio.get_running_loop()
        assert self._answered_at is not None
        rest = self._answered_at + _THINKING_SECONDS - loop.time()
        if self._calls:
            rest = _THINKING_SECONDS
        if rest > _LEAST_REST:
            loop.call_later(rest, self._prepare_reading)
        else:
            self._kit.runner.prepare()

    async def _answer(self, message: Message) -> bytes:
        report = None
        if "progressToken" in (message["params"].get("_meta") or {}):
            token = message["params"]["_meta"]["progressToken"]
            report = partial(self._report_progress, token)
        assert self._protocol.revision is not None
        return await self._tool_calls.answer(message, self._protocol.revision, report)

    async def _report_progress(
        self, token: str | int, progress: float, total: float | None, message: str | None
    ) -> None:
        params: dict[str, Any] = {"progressToken": token, "progress": progress}
        if total is not None:
            params["total"] = total
        if message is not None:
            params["message"] = message
        notice = {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
        await self._connection.writer.write(json.dumps(notice, separators=(",", ":")))

    async def _give_up(self, message: Message) -> None:
        """Leave a message to the SDK's server."""
        if self._hand_on is None:
            self._hand_on = await self._load_server()
        await self._hand_on(message)

    async def _load_server(self) -> HandOn:
        server_module = await asyncio.to_thread(_import_server)
        from webquarry.surfaces.mcp.wire.transport import serve_behind

        options = self._options
        server = server_module.build_server(
            options.name, options.set_name, host=self._host, text=options.text, kit=self._kit
        )
        behind = serve_behind(server, self._connection, list(self._protocol.seen))
        return await self._behind.enter_async_context(behind)

    async def _stop_calls(self) -> None:
        """End the calls that are still under way; they have a moment to say so."""
        tasks = [call.task for call in self._calls.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LAST_WORDS_SECONDS)


class _Call:
    """A call of a tool that is under way."""

    task: asyncio.Task[None]

    def __init__(self, message: Message) -> None:
        self.message = message
        self.key = _find_key(message["id"])
        self.is_begun = False
        self.is_wanted = True


def _import_server() -> Any:
    """The SDK's server is large, and others go on while it is imported."""
    from webquarry.surfaces.mcp import server

    return server


def _find_key(id: RequestId) -> RequestId:
    """An id as it is cancelled by: the text of a number is that number, as the SDK has it."""
    try:
        return int(id)
    except ValueError:
        return id


async def open_and_serve(
    settings: Settings, light_loop: LightLoop, first: Line, options: FrontOptions
) -> None:
    """Open the engine, and serve a connection that has left the light loop with a line, until
    stdin is closed.
    """
    host = None
    if options.with_tools:
        from webquarry.host.host import ToolHost

        host = await ToolHost.adiscover()
    try:
        with redirect_stdout(sys.stderr):
            async with Toolkit.open(settings, runner="workers") as kit:
                writer = LineWriter(light_loop.writing)
                connection = StdioConnection(
                    writer, settings.mcp_grace_seconds, light_loop.revision
                )
                server = FrontServer(options, kit, light_loop.protocol, connection, host)
                light_loop.is_left = True
                await server.serve(first, light_loop.incoming)
    except* BrokenPipeError:
        log.info("the client has gone")
