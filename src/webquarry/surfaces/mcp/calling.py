"""One call of a tool: checked, timed, cancelled with its caller, its progress told, its failure put
into words.

A failure is a result with `isError`, so that a model can repair its call: a sentence, then the
facts as JSON.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import mcp_types as types

from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.meter import span
from webquarry.progress import listening
from webquarry.secret import redact
from webquarry.surfaces.mcp.linking import link
from webquarry.surfaces.mcp.text import as_json, digest, markdown
from webquarry.tool import Answer, TextAnswer, Tool
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0  # how long a call is silent at most, for somebody who asked for its progress
DIGEST_BYTES = 2048

Report = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True)
class CallOptions:
    """How a call is to be made: what the text holds, the time it may take, and to whom progress is
    told.
    """

    text: str = "json"
    seconds: float | None = None
    report: Report | None = None


async def call(
    tool: Tool,
    kit: Toolkit,
    arguments: dict[str, Any],
    manner: CallOptions = CallOptions(),  # noqa: B008 - frozen
) -> types.CallToolResult:
    """Run a tool and give back what the protocol wants of it."""
    try:
        with span("tool", tool=tool.name):
            async with _reporting(manner.report, tool.name), _deadline(manner.seconds, tool.name):
                answer = await tool.call(kit, arguments)
        return await success(answer, kit, manner.text)
    except WebquarryError as error:
        return failure(tool, error)
    except Exception as error:
        log.exception("the tool %s failed", tool.name)
        return failure(
            tool, WebquarryError(f"The tool {tool.name} failed: {type(error).__name__}.")
        )


async def success(answer: Answer, kit: Toolkit, text: str = "json") -> types.CallToolResult:
    """Text answers are their text; the others are structured, with a text besides that holds what
    was chosen.
    """
    if isinstance(answer, TextAnswer):
        return types.CallToolResult(
            content=[types.TextContent(text=answer.text)], _meta=answer.meta or None
        )
    data = answer.as_dict()
    whole = as_json(data)
    if answer.may_be_large and (linked := await link(answer, data, whole, kit)):
        return linked
    if text != "json":
        shown = {"markdown": markdown, "digest": _digest}[text](data)
    else:
        shown = whole
    return types.CallToolResult(
        content=[types.TextContent(text=shown)], structured_content=data, _meta=answer.meta or None
    )


def failure(tool: Tool, error: WebquarryError) -> types.CallToolResult:
    """A sentence for the model, then, unless the tool speaks in text only, the facts as JSON."""
    sentence = redact(f"{error.message} {error.suggested_action}".strip())
    content: list[types.ContentBlock] = [types.TextContent(text=sentence)]
    if not issubclass(tool.answer, TextAnswer):
        facts = {key: value for key, value in error.as_dict().items() if key != "message"}
        content.append(types.TextContent(text=redact(as_json(facts))))
    return types.CallToolResult(content=content, is_error=True)


def _digest(data: dict[str, Any]) -> str:
    return digest(data, DIGEST_BYTES)


@asynccontextmanager
async def _deadline(seconds: float | None, name: str) -> AsyncIterator[None]:
    """Stop the work when its time is over."""
    try:
        async with asyncio.timeout(seconds) as scope:
            yield
    except TimeoutError as error:
        if not scope.expired():
            raise
        raise NetworkFailure(
            f"The tool {name} took longer than {seconds:g} seconds and was stopped.",
            retryable=True,
            suggested_action="Ask for less at once, or call again later.",
        ) from error


@asynccontextmanager
async def _reporting(report: Report | None, name: str) -> AsyncIterator[None]:
    """Tell what the work is doing, and that it goes on; nothing is told where nobody asked."""
    if report is None:
        yield
        return
    heard: asyncio.Queue[str] = asyncio.Queue()
    teller = asyncio.create_task(_tell(report, heard, name))
    try:
        with listening(heard.put_nowait):
            yield
        await heard.join()
    finally:
        teller.cancel()
        await asyncio.wait([teller])


async def _tell(report: Report, heard: asyncio.Queue[str], name: str) -> None:
    step, message = 0, name
    while True:
        try:
            async with asyncio.timeout(
                BEAT_SECONDS
            ):  # wait_for may swallow a cancellation before Python 3.12
                message = await heard.get()
            new = True
        except TimeoutError:
            new = False
        step += 1
        try:
            await report(step, None, message if new else f"still {message}")
        finally:
            if new:
                heard.task_done()
