"""Tool calls of models: reading them from a vendor's response, and the results to send back.

A response is a dict or an object of the vendor's SDK. Each call gets a result, also one that cannot
be run or that fails, because the vendors require it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.errors import WebquarryError
from webquarry.host.models import JsonObject
from webquarry.host.strict_json import NotJson, parse_json

_MAX_CONCURRENT = 8
_CUT_OFF = "The call was cut off before its arguments were complete and was not run; make it again."
_CUT_OFF_REASONS = ("max_tokens", "model_context_window_exceeded")

RunCall = Callable[[str, Any], Awaitable[JsonObject]]


@dataclass(frozen=True)
class ToolCall:
    """A tool call of a model."""

    id: str | None
    name: str
    arguments: Any = None
    problem: str = ""  # why it cannot be run


@dataclass(frozen=True)
class ToolOutcome:
    """The result of a call, or its error."""

    call: ToolCall
    result: JsonObject | None = None
    error: str = ""

    @property
    def text(self) -> str:
        """The result as JSON; an error as an object with the field `error`."""
        value = {"error": self.error} if self.result is None else self.result
        return json.dumps(value, ensure_ascii=False)


async def answer_anthropic(message: Any, run: RunCall) -> list[JsonObject]:
    """Return the user message with a `tool_result` for each `tool_use` block; empty without one."""
    stop = _read(message, "stop_reason")
    blocks = _read_list(message, "content")
    calls = []
    for block in blocks:
        if _read(block, "type") == "tool_use":
            is_cut = block is blocks[-1] and stop in _CUT_OFF_REASONS
            arguments, name = _read(block, "input") or {}, str(_read(block, "name"))
            calls.append(ToolCall(_read(block, "id"), name, arguments, _CUT_OFF if is_cut else ""))
    if stop == "refusal":  # this turn is to be dropped
        calls = []
    content: list[JsonObject] = []
    for outcome in await _answer_all(calls, run):
        result: JsonObject = {"type": "tool_result", "tool_use_id": outcome.call.id}
        if outcome.result is None:
            content.append(result | {"content": outcome.error, "is_error": True})
        else:
            content.append(result | {"content": outcome.text})
    return [{"role": "user", "content": content}] if content else []


async def answer_responses(response: Any, run: RunCall) -> list[JsonObject]:
    """Return an output item for each function call of a response of OpenAI."""
    calls = [
        _parse_call(_read(item, "call_id"), item, _read(item, "status") == "incomplete")
        for item in _read_list(response, "output")
        if _read(item, "type") == "function_call"
    ]
    return [
        {"type": "function_call_output", "call_id": outcome.call.id, "output": outcome.text}
        for outcome in await _answer_all(calls, run)
    ]


async def answer_chat(completion: Any, run: RunCall) -> list[JsonObject]:
    """Return a tool message for each tool call in the first choice of a completion."""
    calls = []
    for choice in _read_list(completion, "choices")[:1]:
        for item in _read_list(_read(choice, "message"), "tool_calls"):
            calls.append(_parse_call(_read(item, "id"), _read(item, "function")))
    return [
        {"role": "tool", "tool_call_id": outcome.call.id, "content": outcome.text}
        for outcome in await _answer_all(calls, run)
    ]


async def answer_gemini(response: Any, run: RunCall) -> list[JsonObject]:
    """Return the user turn with a `functionResponse` for each `functionCall`; empty without one."""
    calls = []
    for candidate in _read_list(response, "candidates")[:1]:
        for part in _read_list(_read(candidate, "content"), "parts"):
            call = _read(part, "functionCall", "function_call")
            if call is not None:
                arguments = _read(call, "args") or {}
                calls.append(ToolCall(_read(call, "id"), str(_read(call, "name")), arguments))
    parts = []
    for outcome in await _answer_all(calls, run):
        answer: JsonObject = {"name": outcome.call.name}
        if outcome.call.id:
            answer["id"] = outcome.call.id
        if outcome.result is None:
            answer["response"] = {"error": outcome.error}
        else:
            answer["response"] = {"output": outcome.result}
        parts.append({"functionResponse": answer})
    return [{"role": "user", "parts": parts}] if parts else []


async def _answer_all(calls: Sequence[ToolCall], run: RunCall) -> list[ToolOutcome]:
    """Run calls in parallel; the outcomes are in the order of the calls."""
    slots = asyncio.Semaphore(_MAX_CONCURRENT)

    async def answer(call: ToolCall) -> ToolOutcome:
        if call.problem:
            return ToolOutcome(call, error=call.problem)
        async with slots:
            try:
                return ToolOutcome(call, await run(call.name, call.arguments))
            except WebquarryError as error:
                return ToolOutcome(call, error=error.sentences)

    return list(await asyncio.gather(*map(answer, calls)))


def _read(source: Any, *names: str) -> Any:
    """Return the first of these fields that is not None."""
    for name in names:
        value = source.get(name) if isinstance(source, Mapping) else getattr(source, name, None)
        if value is not None:
            return value
    return None


def _read_list(source: Any, name: str) -> list[Any]:
    """Return a list field; empty if it is absent."""
    value = _read(source, name)
    return list(value) if isinstance(value, list | tuple) else []


def _parse_call(id: str | None, function: Any, is_cut: bool = False) -> ToolCall:
    """Return a call whose arguments are JSON text."""
    name = str(_read(function, "name"))
    if is_cut:
        return ToolCall(id, name, problem=_CUT_OFF)
    text = str(_read(function, "arguments") or "")
    try:
        return ToolCall(id, name, parse_json(text.encode("utf-8", "replace")))
    except NotJson as error:
        problem = f"The call was not run: the text of its arguments {error}."
        return ToolCall(id, name, problem=problem)
