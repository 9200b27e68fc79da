"""One call of a tool: checked, timed, cancelled with its caller, its progress reported, its failure
put into words.

A failure is a result with `isError`, so that a model can repair its call: a sentence, then the
facts as JSON.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webquarry.calls.models import OngoingCall
from webquarry.calls.receipt import RECEIPT_META
from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.meter import span
from webquarry.progress import listening
from webquarry.secret import redact
from webquarry.surfaces.mcp.linking import link
from webquarry.surfaces.mcp.outcome import CallOutcome, build_text
from webquarry.surfaces.mcp.text import as_json, digest_answer, render_markdown
from webquarry.tool import Answer, TextAnswer, Tool
from webquarry.toolkit import Toolkit

if TYPE_CHECKING:
    import mcp_types as types

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0  # how long a call is silent at most, for somebody who asked for its progress
DIGEST_BYTES = 2048
CACHE, ROUTING = "webquarry/cache", "webquarry/routing"  # what of an answer's meta changes

ReportProgress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True)
class CallOptions:
    """How a call is to be made: what the text of the result holds (`json`, `markdown` or `digest`),
    the time it may take, to whom its progress is reported, and whether the client knows links.
    """

    text: str = "json"
    seconds: float | None = None
    report: ReportProgress | None = None
    with_links: bool = True


USUAL_OPTIONS = CallOptions()


async def call_tool(
    tool: Tool,
    kit: Toolkit,
    arguments: dict[str, Any],
    options: CallOptions = USUAL_OPTIONS,
) -> types.CallToolResult:
    """Run a tool and give back what the protocol wants of it, as the SDK has it."""
    outcome = await run_tool(tool, kit, arguments, options)
    return outcome.as_result()


async def run_tool(
    tool: Tool, kit: Toolkit, arguments: dict[str, Any], options: CallOptions
) -> CallOutcome:
    """Run a tool and give back what the protocol wants of it, with a receipt beside it."""
    with kit.calls.watch(tool.name, arguments) as call:
        try:
            with span("tool", tool=tool.name):
                answer = await _call_in_time(tool, kit, arguments, options)
            call.answer = answer
            outcome = await render_answer(
                answer, kit, options.text, with_links=options.with_links, call=call
            )
        except WebquarryError as error:
            return render_failure(tool, error, call)
        except Exception as error:
            log.exception("the tool %s failed", tool.name)
            unforeseen = WebquarryError(f"The tool {tool.name} failed: {type(error).__name__}.")
            return render_failure(tool, unforeseen, call)
    return outcome


async def _call_in_time(
    tool: Tool, kit: Toolkit, arguments: dict[str, Any], options: CallOptions
) -> Answer:
    """Call a tool for as long as it may take, and report its progress to whoever asks for it."""
    async with AsyncExitStack() as stack:
        if options.report is not None:
            await stack.enter_async_context(_report_progress(options.report, tool.name))
        try:
            async with asyncio.timeout(options.seconds) as scope:
                return await tool.call(kit, arguments)
        except TimeoutError as error:
            if not scope.expired():
                raise
            raise NetworkFailure(
                f"The tool {tool.name} took longer than {options.seconds:g} seconds and was "
                "stopped.",
                retryable=True,
                suggested_action="Ask for less at once, or call again later.",
            ) from error


async def build_result(
    answer: Answer, kit: Toolkit, text: str = "json", *, with_links: bool = True
) -> types.CallToolResult:
    """The result of an answer as the SDK has it."""
    outcome = await render_answer(answer, kit, text, with_links=with_links)
    return outcome.as_result()


async def render_answer(
    answer: Answer,
    kit: Toolkit,
    text: str = "json",
    *,
    with_links: bool = True,
    call: OngoingCall | None = None,
) -> CallOutcome:
    """Text answers are their text; the others are structured, with a text besides that holds what
    was chosen. A large one is linked to, in words for clients that know no links. The answer to a
    call gets its receipt.
    """
    if isinstance(answer, TextAnswer):
        if call is not None:
            answer.add_meta(receipt=call.seal(answer.text))
        return CallOutcome([build_text(answer.text)], meta=answer.meta or None)
    if answer.text_is_for_people and text != "digest":
        text = "markdown"
    whole = answer.write_bytes()
    if call is not None:
        answer.add_meta(receipt=call.seal(whole))
    meta = answer.meta or None
    is_linked = answer.is_linkable() and len(whole) >= kit.settings.link_threshold_bytes
    if text == "json" and not is_linked:
        return CallOutcome([], encoded=whole, meta=meta)
    data = answer.as_dict()
    if is_linked:
        linked = await link(answer, data, whole, kit, with_link=with_links)
        if linked is not None:
            return linked
    content: list[dict[str, Any]] = []
    match text:
        case "markdown":
            content = [build_text(answer.as_markdown() or render_markdown(data))]
        case "digest":
            content = [build_text(digest_answer(answer, data, DIGEST_BYTES))]
    return CallOutcome(content, data, whole, meta)


def render_failure(
    tool: Tool, error: WebquarryError, call: OngoingCall | None = None
) -> CallOutcome:
    """A sentence for the model, then, unless the tool speaks in text only, the facts as JSON."""
    meta = None
    if call is not None:
        call.error = error
        meta = {RECEIPT_META: call.seal(as_json(error.as_dict()))}
    return build_failure(error, with_facts=not issubclass(tool.answer, TextAnswer), meta=meta)


def build_failure(
    error: WebquarryError, *, with_facts: bool, meta: dict[str, Any] | None = None
) -> CallOutcome:
    """The same of a tool that may not even be loaded."""
    sentence = redact(error.sentences)
    content = [build_text(sentence)]
    if with_facts:
        facts = error.as_dict()
        facts.pop("message", None)
        content.append(build_text(redact(as_json(facts))))
    return CallOutcome(content, meta=meta, is_error=True)


@asynccontextmanager
async def _report_progress(report: ReportProgress, name: str) -> AsyncIterator[None]:
    """Report what the work is doing, and that it goes on."""
    messages: asyncio.Queue[str] = asyncio.Queue()

    async def pass_on() -> None:
        # Each message as it comes, and every few seconds that the last one still holds.
        step, going_on = 0, f"still working on {name}"
        while True:
            try:
                # wait_for may swallow a cancellation before Python 3.12
                async with asyncio.timeout(BEAT_SECONDS):
                    message = await messages.get()
                is_new = True
                going_on = f"still working: {message}"
            except TimeoutError:
                message, is_new = going_on, False
            step += 1
            try:
                await report(step, None, message)
            finally:
                if is_new:
                    messages.task_done()

    reporter = asyncio.create_task(pass_on())
    try:
        with listening(messages.put_nowait):
            yield
        await messages.join()
    finally:
        reporter.cancel()
        await asyncio.wait([reporter])
