"""A call of a tool by the front of a server: the request in, the bytes of its answer out, whatever
it came by.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from webquarry.errors import WebquarryError
from webquarry.secret import redact
from webquarry.surfaces.mcp.calling import (
    CallOptions,
    ReportProgress,
    build_failure,
    run_tool,
)
from webquarry.surfaces.mcp.front.light_loop import frame
from webquarry.surfaces.mcp.front.plain import MODERN_REVISION
from webquarry.surfaces.mcp.front.prepared import SERVER_INFO
from webquarry.surfaces.mcp.linking import knows_links
from webquarry.surfaces.mcp.listing import ServedTools
from webquarry.surfaces.mcp.wire.lines import encode

if TYPE_CHECKING:
    from webquarry.surfaces.mcp.outcome import CallOutcome
    from webquarry.surfaces.mcp.wire.lines import Message
    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

_INTERNAL_ERROR = -32603
_MOST_WARM = 3  # tools


class ToolCalls:
    """The tools of a set on one toolkit. `text` is what the text of a result holds; the setting
    says it otherwise.
    """

    def __init__(
        self, kit: Toolkit, set_name: str, server_info: dict[str, Any], text: str | None = None
    ) -> None:
        self._kit = kit
        self._tools = ServedTools(set_name)
        self._stamp = {SERVER_INFO: server_info}
        self._text = text or kit.settings.mcp_text
        self._options: dict[tuple[str, str], CallOptions] = {}  # of calls without progress

    async def warm_up(self) -> None:
        """Import what the first calls of the tools most often wanted need."""
        for name in list(self._tools)[:_MOST_WARM]:
            await self._tools.load(name)

    async def answer(
        self, message: Message, revision: str, report: ReportProgress | None = None
    ) -> bytes:
        """Make a call and give back its answer; its progress is told to whoever asks for it."""
        params = message["params"]
        name = params["name"]
        tool = await self._tools.load(name)
        options = self._find_options(name, revision, report)
        outcome = await run_tool(tool, self._kit, params.get("arguments") or {}, options)
        return self._render(message, revision, outcome)

    def _find_options(self, name: str, revision: str, report: ReportProgress | None) -> CallOptions:
        options = self._options.get((name, revision))
        if options is None or report is not None:
            seconds = self._kit.settings.seconds_for(name)
            options = CallOptions(self._text, seconds, report, with_links=knows_links(revision))
        if report is None:
            self._options[name, revision] = options
        return options

    def _render(self, message: Message, revision: str, outcome: CallOutcome) -> bytes:
        """The answer as bytes; what cannot be written so costs only its own request its answer."""
        try:
            if revision == MODERN_REVISION:
                result = outcome.encode_pieces(self._stamp, resultType="complete")
            else:
                result = outcome.encode_pieces()
            return frame(message, *result)
        except ValueError:
            log.exception("an answer could not be written as JSON")
            problem = "The answer could not be written as JSON."
            return encode_error(message, _INTERNAL_ERROR, problem)


def explain_failure(message: Message, raised: BaseException) -> bytes:
    """The answer to a request that could not even be begun: to a call an error of ours is a result,
    as tools give it; whatever else is an internal error.
    """
    if not isinstance(raised, WebquarryError):
        log.error("a request failed before it was begun", exc_info=raised)
        problem = f"The server failed: {type(raised).__name__}."
        return encode_error(message, _INTERNAL_ERROR, problem)
    if message["method"] != "tools/call":
        return encode_error(message, _INTERNAL_ERROR, redact(raised.sentences))
    return frame(message, build_failure(raised, with_facts=True).encode())


def encode_error(message: Message, code: int, problem: str) -> bytes:
    """The answer to a request that has no result."""
    error = {"code": code, "message": problem}
    return encode({"jsonrpc": "2.0", "id": message["id"], "error": error}).encode()
