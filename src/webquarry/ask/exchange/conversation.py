"""One question and its answer: the request, at most one search, the second request, and what the
last reply says.

    ask -> [tool_use] -> search -> ask again, with the result and without the choice of a tool -> answer

Nothing here opens a socket or knows about money: both calls and the search are made by a `Talk`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from webquarry.ask.answers import Kept
from webquarry.ask.exchange import results
from webquarry.ask.exchange.schema import Mismatch, Schema
from webquarry.ask.models import AnswerSource, ModelReply, ReplyError
from webquarry.search.models import Result
from webquarry.secret import redact

PROMPT_VERSION = (
    1  # goes up when the words that we send change, so that no kept answer is one to other words
)
MOST_PAUSES = 2  # how often a model that pauses is asked to go on
WEB_SEARCH = "web_search"
TOOL: dict[str, Any] = {
    "name": WEB_SEARCH,
    "description": "Search the web for current information",
    "input_schema": {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "Search query"}},
        "required": ["query"],
    },
}


@dataclass(frozen=True, eq=False)
class Shape:
    """Everything of a request but the question, as it stands after the options were looked at; and
    its kept answers.
    """

    origin: str  # of the model's provider
    model: str
    max_tokens: int
    provider: str = ""  # who searches; nobody when empty
    schema: Schema | None = None
    instructions: str | None = None
    caller: str = ""
    kept: dict[tuple[str, str], Kept] = field(
        default_factory=dict, repr=False
    )  # by context and prompt

    @cached_property
    def request(self) -> bytes:
        """The whole request but for the question's words, in one spelling."""
        return json.dumps(first_request(self, "", ""), sort_keys=True).encode()

    def digest(self, context: str, prompt: str) -> str:
        """The name under which the answer is kept: everything that decides it."""
        parts = (
            str(PROMPT_VERSION),
            "anthropic",
            self.origin,
            self.provider,
            self.caller,
            context,
            prompt,
        )
        words = [part.encode("utf-8", "surrogatepass") for part in parts]
        lengths = " ".join(
            str(len(word)) for word in words
        ).encode()  # so that no words can move from one to another
        return hashlib.sha256(b"\n".join([self.request, lengths, *words])).hexdigest()


class Talk(Protocol):
    """Who makes the calls."""

    async def call(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The model's reply to a request."""

    async def search(self, query: str) -> Sequence[Result] | None:
        """What was found; None when the search failed or took too long."""


def first_request(shape: Shape, context: str, prompt: str) -> dict[str, Any]:
    """The body of the first call."""
    body: dict[str, Any] = {
        "model": shape.model,
        "max_tokens": shape.max_tokens,
        "messages": [{"role": "user", "content": f"Context: {context}\n\nQuestion: {prompt}"}],
    }
    if shape.instructions:
        body["system"] = shape.instructions
    if shape.schema is not None:
        body["output_config"] = {
            "format": {"type": "json_schema", "schema": shape.schema.json_schema()}
        }
    if shape.provider:
        body |= {
            "tools": [TOOL],
            "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
        }
    return body


async def converse(shape: Shape, context: str, prompt: str, talk: Talk) -> ModelReply:
    """The answer, or the trouble that there was; what it cost is the talk's to know. Raises what
    the talk raises.
    """
    body, reply, before = await _spoken(first_request(shape, context, prompt), talk)
    found: tuple[Result, ...] | None = None
    uses = [block for block in reply["content"] if block.get("type") == "tool_use"]
    if reply.get("stop_reason") == "tool_use" and uses and shape.provider:
        known = any(use.get("name") == WEB_SEARCH for use in uses)
        if not known and (before + text_of(reply)).strip():
            return _concluded(shape, "end_turn", before + text_of(reply), reply, None)
        answers, found = await _tool_results(uses, talk)
        body = _further(body, reply, answers) | {"tool_choice": {"type": "none"}}
        body, reply, before = await _spoken(body, talk)
    return _concluded(shape, str(reply.get("stop_reason")), before + text_of(reply), reply, found)


async def _spoken(body: dict[str, Any], talk: Talk) -> tuple[dict[str, Any], dict[str, Any], str]:
    """A reply that is no pause, with the request that led to it and what was said before pauses."""
    reply, before = await talk.call(body), ""
    for _ in range(MOST_PAUSES):
        if reply.get("stop_reason") != "pause_turn":
            break
        before += text_of(reply)
        turns = []
        if said := _said(reply):
            turns = [{"role": "assistant", "content": said}]
        body = body | {"messages": [*body["messages"], *turns]}
        reply = await talk.call(body)
    return body, reply, before


async def _tool_results(
    uses: Sequence[Mapping[str, Any]], talk: Talk
) -> tuple[list[dict[str, Any]], tuple[Result, ...] | None]:
    """One result for each tool call, and what the search found: the first search is made, every
    other call refused.
    """
    answers: list[dict[str, Any]] = []
    found: tuple[Result, ...] | None = None
    searched = False
    for use in uses:
        if use.get("name") != WEB_SEARCH:
            text = results.UNKNOWN_TOOL
        elif searched:
            text = results.ONE_ONLY
        else:
            searched = True
            given = use.get("input")
            query = None
            if isinstance(given, dict):
                query = given.get("query")
            if not isinstance(query, str) or not query.strip():
                text = results.MISSING_QUERY
            else:
                hits = await talk.search(query)
                if hits is not None:
                    found = results.shown(hits)
                    answers.append(_result(use, results.format_results(found)))
                    continue
                text = results.UNAVAILABLE
        answers.append(_result(use, text) | {"is_error": True})
    return answers, found


def _result(use: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": use.get("id"), "content": text}


def _further(
    body: dict[str, Any], reply: Mapping[str, Any], answers: list[dict[str, Any]]
) -> dict[str, Any]:
    """The next request: the assistant's turn whole, as it came, and the results in one turn of the
    user.
    """
    turns = [{"role": "assistant", "content": _said(reply)}, {"role": "user", "content": answers}]
    return body | {"messages": [*body["messages"], *turns]}


def _said(reply: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The assistant's blocks, to be sent back; a blank text, which a model may write, is refused
    when it comes back.
    """
    return [
        block
        for block in reply["content"]
        if block.get("type") != "text" or str(block.get("text") or "").strip()
    ]


def text_of(reply: Mapping[str, Any]) -> str:
    """The text of a reply; other blocks are not for people."""
    parts = [block.get("text") for block in reply["content"] if block.get("type") == "text"]
    return "".join(part for part in parts if isinstance(part, str))


def _concluded(
    shape: Shape, reason: str, text: str, reply: Mapping[str, Any], found: tuple[Result, ...] | None
) -> ModelReply:
    """What the last reply says, by the reason for which it ended."""
    sources = tuple(AnswerSource(result.title, result.url) for result in found or ())
    bare = ModelReply(None, sources, found is not None, model=shape.model)
    if reason == "refusal":
        return replace(bare, error=ReplyError("refused", _refusal(reply.get("stop_details"))))
    cut = reason in ("max_tokens", "model_context_window_exceeded")
    if not text.strip():
        return replace(bare, error=_silence(reason, cut, shape.max_tokens))
    # A reason that nobody knows yet: the text is there, but whether it is whole is not known.
    partial = cut or reason not in ("end_turn", "stop_sequence", "tool_use")
    if shape.schema is None:
        return replace(bare, answer=text, partial=partial)
    try:
        return replace(bare, answer=text, value=shape.schema.check(text), partial=partial)
    except Mismatch as error:
        return replace(bare, error=_unfit(error, cut, shape.max_tokens))


def _refusal(details: Any) -> str:
    found = details if isinstance(details, dict) else {}
    category, why = found.get("category"), found.get("explanation")
    said = f"The model declined to answer{f' ({category})' if isinstance(category, str) else ''}"
    if isinstance(why, str) and why.strip():
        return f"{said}: {redact(' '.join(why.split()))[:300]}"
    return f"{said}."


def _silence(reason: str, cut: bool, max_tokens: int) -> ReplyError:
    if cut:
        return ReplyError(
            "cut",
            f"The model used all of its {max_tokens} tokens before it gave an answer; raise "
            "max_tokens.",
        )
    return ReplyError(
        "no_answer", f"The model ended without an answer ({redact(reason)[:40]}).", True
    )


def _unfit(error: Mismatch, cut: bool, max_tokens: int) -> ReplyError:
    if cut:
        return ReplyError(
            "cut", f"The typed answer was cut at {max_tokens} tokens; raise max_tokens."
        )
    return ReplyError(
        "bad_answer", f"The model's answer is not of the form that was asked for: {error}.", True
    )
