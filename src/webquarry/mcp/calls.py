"""One call of a tool: timeout, progress, receipt, and the result or failure as the protocol has it.

A failure is a result with `isError`, so that a model can correct its call: a sentence, then the
facts as JSON.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webquarry.answer_text import render_digest, render_markdown
from webquarry.errors import NetworkFailure, WebquarryError
from webquarry.mcp.linking import link
from webquarry.mcp.protocol import META_SERVER, Message, as_json, encode, text_block
from webquarry.meter import span
from webquarry.progress import listening
from webquarry.secret import redact
from webquarry.store.calls import RECEIPT_META
from webquarry.tool import Answer, TextAnswer, Tool
from webquarry.tools import load

if TYPE_CHECKING:
    from webquarry.mcp.external import ExternalTools
    from webquarry.mcp.protocol import Request
    from webquarry.store.calls import OngoingCall
    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

BEAT_SECONDS = 5.0  # longest silence of a call whose progress is reported
_DIGEST_BYTES = 2048


@dataclass(frozen=True)
class ToolResult:
    """The result of `tools/call`. Without content blocks, a text repeats the structured content."""

    content: list[Message] | None
    structured: bytes | None = None
    meta: Mapping[str, Any] | None = None
    is_error: bool = False

    def encode(self, server_info: Message | None = None) -> bytes:
        """Serialize; `server_info` is given for 2026-07-28, whose results carry it."""
        content, meta = self.content, self.meta or {}
        if content is None:
            content = [text_block((self.structured or b"").decode())]
        parts = [b'{"content":', encode(content)]
        if self.structured is not None:
            parts += [b',"structuredContent":', self.structured]
        parts.append(b',"isError":true' if self.is_error else b',"isError":false')
        if server_info is not None:
            meta = {**meta, META_SERVER: server_info}
        if meta:
            parts += [b',"_meta":', encode(meta)]
        parts.append(b"}" if server_info is None else b',"resultType":"complete"}')
        return b"".join(parts)


async def load_tool(package: str, name: str) -> Tool:
    """Import a tool, the first time in a thread, so that other requests are served meanwhile."""
    if f"webquarry.tools.{package}.{name}" not in sys.modules:
        await asyncio.to_thread(load, package, name)
    return load(package, name)


async def call_tool(
    tool: Tool, kit: Toolkit, arguments: Message, request: Request, text_format: str | None = None
) -> ToolResult:
    """Call a tool; `text_format` overrides the setting."""
    with kit.calls.watch(tool.name, arguments) as call:
        try:
            with span("tool", tool=tool.name):
                answer = await _call_with_timeout(tool, kit, arguments, request)
            call.answer = answer
            return await render(
                answer, kit, request.revision, text_format or kit.settings.mcp_text, call
            )
        except WebquarryError as error:
            failure = error
        except Exception as error:
            log.exception("the tool %s failed", tool.name)
            failure = WebquarryError(f"The tool {tool.name} failed: {type(error).__name__}.")
        return render_failure(failure, call, with_facts=not issubclass(tool.answer, TextAnswer))


async def call_external(
    external: ExternalTools, name: str, kit: Toolkit, arguments: Message
) -> ToolResult:
    """Call an external tool; its calls are logged and have receipts, too."""
    with kit.calls.watch(name, arguments) as call:
        try:
            body = encode(await external.run(name, arguments))
        except WebquarryError as error:
            return render_failure(error, call, with_facts=False)
        return ToolResult(None, body, {RECEIPT_META: call.receipt})


async def render(
    answer: Answer,
    kit: Toolkit,
    revision: str,
    text_format: str = "json",
    call: OngoingCall | None = None,
) -> ToolResult:
    """The result of an answer: a text answer is its text; any other one is structured, with a text
    in `text_format` (json, markdown or digest), or linked to if it is large. `call` adds a receipt.
    """
    if isinstance(answer, TextAnswer):
        if call is not None:
            answer.add_meta(receipt=call.receipt)
        return ToolResult([text_block(answer.text)], meta=answer.meta)
    if answer.text_is_for_people and text_format != "digest":
        text_format = "markdown"
    body = answer.write_bytes()
    if call is not None:
        answer.add_meta(receipt=call.receipt)
    is_large = answer.is_linkable() and len(body) >= kit.settings.link_threshold_bytes
    content = None
    if is_large or text_format != "json":
        data = answer.as_dict()
        if is_large:
            linked = await link(answer, data, body, kit, revision)
            if linked is not None:
                content, structured = linked
                return ToolResult(content, encode(structured), answer.meta)
        if text_format == "markdown":
            content = [text_block(answer.as_markdown() or render_markdown(data))]
        elif text_format == "digest":
            content = [text_block(render_digest(answer, data, _DIGEST_BYTES))]
    return ToolResult(content, body, answer.meta)


def render_failure(
    error: WebquarryError, call: OngoingCall | None = None, *, with_facts: bool = True
) -> ToolResult:
    """A sentence for the model and, `with_facts`, the error as JSON."""
    meta = None
    if call is not None:
        call.error = error
        meta = {RECEIPT_META: call.receipt}
    content = [text_block(redact(error.sentences))]
    if with_facts:
        facts = error.as_dict()
        facts.pop("message", None)
        content.append(text_block(redact(as_json(facts))))
    return ToolResult(content, meta=meta, is_error=True)


async def _call_with_timeout(
    tool: Tool, kit: Toolkit, arguments: Message, request: Request
) -> Answer:
    seconds = kit.settings.seconds_for(tool.name)
    timeout = asyncio.timeout(seconds)
    try:
        async with timeout:
            if request.progress_token is None:
                return await tool.call(kit, arguments)
            async with _report_progress(request, tool.name):
                return await tool.call(kit, arguments)
    except TimeoutError:
        if not timeout.expired():
            raise
        raise NetworkFailure(
            f"The tool {tool.name} took longer than {seconds:g} seconds and was stopped.",
            retryable=True,
            suggested_action="Ask for less at once, or call again later.",
        ) from None


@asynccontextmanager
async def _report_progress(request: Request, name: str) -> AsyncIterator[None]:
    """Send progress for each message of the engine, and after BEAT_SECONDS of silence."""
    messages: asyncio.Queue[str] = asyncio.Queue()

    async def send_all() -> None:
        step, idle_message = 0, f"still working on {name}"
        while True:
            message = None
            try:
                # asyncio.wait_for may lose a cancellation before Python 3.12.
                async with asyncio.timeout(BEAT_SECONDS):
                    message = await messages.get()
                idle_message = f"still working: {message}"
            except TimeoutError:
                pass
            step += 1
            params = {
                "progressToken": request.progress_token,
                "progress": step,
                "message": message or idle_message,
            }
            with suppress(Exception):  # the client is gone
                await request.send(
                    {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
                )
            if message is not None:
                messages.task_done()

    reporter = asyncio.create_task(send_all())
    try:
        with listening(messages.put_nowait):
            yield
        await messages.join()
    finally:
        reporter.cancel()
        await asyncio.wait([reporter])
