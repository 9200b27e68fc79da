"""The routes of the web UI.

    GET    /ui                      the page, which holds no data
    GET    /ui/data?view=...        the data of a view
    GET    /ui/events?after=ID      calls as server-sent events
    POST   /ui/call                 {"tool": ..., "arguments": {...}}: call a tool
    POST   /ui/delete               {"session": ID}

`guard.py` authenticates the caller. The views are imported by the first request that needs them.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from webquarry.caller import LOCAL, caller
from webquarry.errors import BadInput, WebquarryError
from webquarry.views.app import PRIVATE_HEADERS, load_page

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from webquarry.toolkit import Toolkit

PAGE = "/ui"
DATA, EVENTS, CALL, DELETE = "/ui/data", "/ui/events", "/ui/call", "/ui/delete"
GUARDED = (DATA, EVENTS, CALL, DELETE)

_SET = "research"
_TOOLS = frozenset(  # that can be called on the page
    {
        "web_search", "academic_search", "patent_search", "instant_answer", "scrape_page",
        "check_quotes", "research_export", "format_bibliography",
    }
)  # fmt: skip
_MAX_STREAMS = 8  # of one caller
_MAX_CALLS = 200  # of one poll
_POLL_SECONDS = 0.25
_PING_SECONDS = 15.0


class PageRoutes:
    """The web UI of one toolkit; its event streams end when `is_ending` returns True."""

    def __init__(self, kit: Toolkit, is_ending: Callable[[], bool] = lambda: False) -> None:
        self._kit = kit
        self._is_ending = is_ending
        self._streams: Counter[str] = Counter()

    def routes(self) -> list[Route]:
        """Return all routes."""
        return [
            Route(PAGE, endpoint=self._send_page, methods=["GET"]),
            Route(PAGE + "/", endpoint=self._send_page, methods=["GET"]),
            Route(DATA, endpoint=self._answer_data, methods=["GET"]),
            Route(EVENTS, endpoint=self._answer_events, methods=["GET"]),
            Route(CALL, endpoint=self._answer_call, methods=["POST"]),
            Route(DELETE, endpoint=self._answer_delete, methods=["POST"]),
        ]

    async def _send_page(self, request: Request) -> Response:
        body, headers = load_page()
        return Response(body, media_type="text/html", headers=headers)

    async def _answer_data(self, request: Request) -> Response:
        from webquarry.views.research import VIEWS, answer_view, show_calls

        parameters = dict(request.query_params)
        name = parameters.pop("view", "")
        views = {**VIEWS, "calls": show_calls, "health": show_health}
        return await _answer(lambda: answer_view(views, self._kit, name, parameters))

    async def _answer_events(self, request: Request) -> Response:
        who = caller()
        if self._streams[who] >= _MAX_STREAMS:
            error = {"message": "Too many pages are open.", "suggestedAction": "Close one of them."}
            return JSONResponse({"error": error}, 429, PRIVATE_HEADERS)
        after = request.query_params.get("after", "0")
        events = self._stream(who, int(after) if after.isdecimal() else 0)
        return StreamingResponse(events, media_type="text/event-stream", headers=PRIVATE_HEADERS)

    async def _stream(self, who: str, after: int) -> AsyncIterator[bytes]:
        self._streams[who] += 1
        try:
            async for event in follow_calls(self._kit, after, self._is_ending):
                yield event
        finally:
            self._streams[who] -= 1

    async def _answer_call(self, request: Request) -> Response:
        async def call() -> dict[str, Any]:
            from webquarry.tools import load

            body = await _read_object(request)
            name = body.get("tool")
            arguments = body.get("arguments")
            if name not in _TOOLS or not isinstance(arguments, dict):
                raise BadInput(
                    "This tool cannot be called on the page.",
                    suggested_action=f"Call one of: {', '.join(sorted(_TOOLS))}.",
                )
            answer = await load(_SET, name).call_and_log(self._kit, arguments)
            return answer.as_dict()

        return await _answer(call)

    async def _answer_delete(self, request: Request) -> Response:
        async def delete() -> dict[str, Any]:
            id = str((await _read_object(request)).get("session", ""))
            await self._kit.sessions.delete(id)
            return {"deleted": id}

        return await _answer(delete)


async def follow_calls(
    kit: Toolkit, after: int, is_ending: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """Yield the caller's calls after an id as events, until the server ends.

    The call log is polled, because most calls are made by other processes.
    """
    from webquarry.views.research import describe_call

    clock = asyncio.get_running_loop().time
    sent_at = clock()
    yield b": following\n\n"
    while not is_ending():
        for call in await asyncio.to_thread(kit.calls.list_after, after, _MAX_CALLS):
            after, sent_at = call.id, clock()
            data = json.dumps(describe_call(call), separators=(",", ":"))
            yield f"id: {call.id}\ndata: {data}\n\n".encode()
        if clock() - sent_at > _PING_SECONDS:
            sent_at = clock()
            yield b": ping\n\n"
        await asyncio.sleep(_POLL_SECONDS)


async def show_health(kit: Toolkit, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Return the report of doctor without network checks.

    Callers of a shared server only learn whether records can be written.
    """
    if caller() != LOCAL:
        trouble = kit.records.trouble if kit.redis is None else kit.redis.refusal
        return {"ok": trouble is None, "records": trouble or "ok"}
    from webquarry.doctor.examine import examine

    report = await examine(kit.environ, offline=True)
    return {**report.as_dict(), "ok": report.ok}


async def _answer(work: Callable[[], Awaitable[dict[str, Any]]]) -> Response:
    """Return a result or an error as JSON."""
    try:
        return JSONResponse(await work(), headers=PRIVATE_HEADERS)
    except WebquarryError as error:
        return JSONResponse({"error": error.as_dict()}, 422, PRIVATE_HEADERS)


async def _read_object(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request; forms of other sites cannot send this content type."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        body = json.loads(await request.body())
    except ValueError:
        body = None
    if kind != "application/json" or not isinstance(body, dict):
        raise BadInput("The request body is not a JSON object.", suggested_action="Send one.")
    return body
