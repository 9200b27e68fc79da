"""One question and its answer: the request, at most one search, the second request, and what the
last reply says.

    ask -> [tool_use] -> search -> ask again, with the result and no choice of a tool -> answer

Nothing here opens a socket or knows about money: both calls and the search are made by a
`ConversationBackend`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from webquarry.ask.exchange import results
from webquarry.ask.exchange.request_template import WEB_SEARCH, RequestTemplate
from webquarry.ask.exchange.schema import Mismatch
from webquarry.ask.models import AnswerSource, ModelReply, ReplyError
from webquarry.search.models import Result
from webquarry.secret import redact

MOST_PAUSES = 2  # how often a model that pauses is asked to go on
_CUT_REASONS = ("max_tokens", "model_context_window_exceeded")
_WHOLE_REASONS = ("end_turn", "stop_sequence", "tool_use")
_MOST_EXPLANATION = 300  # characters of the model's own words in one of our messages
_MOST_REASON = 40


class ConversationBackend(Protocol):
    """Who makes the calls."""

    async def call(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The model's reply to a request."""

    async def search(self, query: str) -> Sequence[Result]:
        """What was found. Raises `SearchUnavailable` when the search failed or took too long."""


class SearchUnavailable(Exception):
    """There was no search; the text is the reason, for a person."""


@dataclass(frozen=True)
class ToolRun:
    """What came of the tool calls of one turn."""

    results: list[dict[str, Any]]  # one for each call, as they are sent back
    found: tuple[Result, ...] | None  # what the search found; None when there was none
    failed: str | None = None  # why there was no search, where one was wanted


_NO_RUN = ToolRun([], None)


async def converse(
    template: RequestTemplate, context: str, prompt: str, backend: ConversationBackend
) -> ModelReply:
    """The answer, or the error that there was; what it cost is the backend's to know. Raises what
    the backend raises.
    """
    body = template.build_request(context, prompt)
    body, reply, text = await _call_until_done(body, backend)
    # A tool may be used once, and only the search is one.
    run = _NO_RUN
    uses = [block for block in reply["content"] if block.get("type") == "tool_use"]
    if reply.get("stop_reason") == "tool_use" and uses and template.provider:
        wants_search = any(use.get("name") == WEB_SEARCH for use in uses)
        if not wants_search and text.strip():
            return _build_reply(template, "end_turn", text, reply, None)
        run = await _run_tools(uses, backend)
        turns = [
            {"role": "assistant", "content": _get_returnable_blocks(reply)},
            {"role": "user", "content": run.results},
        ]
        messages = [*body["messages"], *turns]
        body = body | {"messages": messages, "tool_choice": {"type": "none"}}
        body, reply, text = await _call_until_done(body, backend)
    answer = _build_reply(template, str(reply.get("stop_reason")), text, reply, run.found)
    wanted = run.found is not None or run.failed is not None
    return replace(answer, search_failed=run.failed, search_wanted=wanted)


async def _call_until_done(
    body: dict[str, Any], backend: ConversationBackend
) -> tuple[dict[str, Any], dict[str, Any], str]:
    """A reply that is no pause, with the request that led to it and its text, that before pauses
    included.
    """
    reply = await backend.call(body)
    text = extract_text(reply)
    for _ in range(MOST_PAUSES):
        if reply.get("stop_reason") != "pause_turn":
            break
        # It goes on when it gets back what it said; a turn without a word is refused.
        messages = list(body["messages"])
        blocks = _get_returnable_blocks(reply)
        if blocks:
            messages.append({"role": "assistant", "content": blocks})
        body = body | {"messages": messages}
        reply = await backend.call(body)
        text += extract_text(reply)
    return body, reply, text


async def _run_tools(uses: Sequence[Mapping[str, Any]], backend: ConversationBackend) -> ToolRun:
    """One result for each tool call, and what the search found: the first search is made, every
    other call refused.
    """
    tool_results: list[dict[str, Any]] = []
    found: tuple[Result, ...] | None = None
    failed: str | None = None
    searched = False
    for use in uses:
        succeeded = False
        if use.get("name") != WEB_SEARCH:
            text = results.UNKNOWN_TOOL
        elif searched:
            text = results.ONE_ONLY
        else:
            searched = True
            text, found, failed = await _search(use.get("input"), backend)
            succeeded = found is not None
        result = {"type": "tool_result", "tool_use_id": use.get("id"), "content": text}
        if not succeeded:
            result["is_error"] = True
        tool_results.append(result)
    return ToolRun(tool_results, found, failed)


async def _search(
    arguments: Any, backend: ConversationBackend
) -> tuple[str, tuple[Result, ...] | None, str | None]:
    """What the model is shown of the search that it asked for, and the results in it; None when
    there was no search, and then the reason.
    """
    query = arguments.get("query") if isinstance(arguments, dict) else None
    if not isinstance(query, str) or not query.strip():
        return results.MISSING_QUERY, None, "The model asked for a search without a query."
    try:
        hits = await backend.search(query)
    except SearchUnavailable as unavailable:
        return results.UNAVAILABLE, None, str(unavailable)
    found = results.select_results(hits)
    return results.format_results(found), found, None


def _get_returnable_blocks(reply: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The assistant's blocks, to be sent back; a blank text, which a model may write, is refused
    when it comes back.
    """
    blocks = []
    for block in reply["content"]:
        if block.get("type") == "text" and not str(block.get("text") or "").strip():
            continue
        blocks.append(block)
    return blocks


def extract_text(reply: Mapping[str, Any]) -> str:
    """The text of a reply; other blocks are not for people."""
    parts = []
    for block in reply["content"]:
        text = block.get("text")
        if block.get("type") == "text" and isinstance(text, str):
            parts.append(text)
    return "".join(parts)


def _build_reply(
    template: RequestTemplate,
    reason: str,
    text: str,
    reply: Mapping[str, Any],
    found: tuple[Result, ...] | None,
) -> ModelReply:
    """What the last reply says, by the reason for which it ended."""
    sources = tuple(AnswerSource(result.title, result.url) for result in found or ())
    bare = ModelReply(None, sources, found is not None, model=template.model)
    if reason == "refusal":
        message = _describe_refusal(reply.get("stop_details"))
        return replace(bare, error=ReplyError("refused", message))
    is_cut = reason in _CUT_REASONS
    if not text.strip() and is_cut:
        message = (
            f"The model used all of its {template.max_tokens} tokens before it gave an answer; "
            "raise max_tokens."
        )
        return replace(bare, error=ReplyError("cut", message))
    if not text.strip():
        message = f"The model ended without an answer ({redact(reason)[:_MOST_REASON]})."
        return replace(bare, error=ReplyError("no_answer", message, True))
    # A reason that nobody knows yet: the text is there, but whether it is whole is not known.
    partial = is_cut or reason not in _WHOLE_REASONS
    if template.schema is None:
        return replace(bare, answer=text, partial=partial)
    try:
        value = template.schema.check(text)
    except Mismatch as mismatch:
        message = f"The model's answer is not of the form that was asked for: {mismatch}."
        error = ReplyError("bad_answer", message, True)
        if is_cut:  # then it cannot be of that form
            message = f"The typed answer was cut at {template.max_tokens} tokens; raise max_tokens."
            error = ReplyError("cut", message)
        return replace(bare, error=error)
    return replace(bare, answer=text, value=value, partial=partial)


def _describe_refusal(details: Any) -> str:
    """A sentence with the category and the explanation, as far as the provider gave them."""
    if not isinstance(details, dict):
        details = {}
    message = "The model declined to answer"
    category = details.get("category")
    if isinstance(category, str):
        message += f" ({category})"
    explanation = details.get("explanation")
    if isinstance(explanation, str) and explanation.strip():
        words = redact(" ".join(explanation.split()))
        return f"{message}: {words[:_MOST_EXPLANATION]}"
    return f"{message}."
