"""Anthropic: `tool_use` blocks -> one user message with a `tool_result` for each."""

from __future__ import annotations

from typing import Any

from webquarry.host.loops.calls import (
    CUT_OFF,
    RunCall,
    ToolCall,
    answer_all,
    read_field,
    read_list,
)
from webquarry.host.models import JsonObject
from webquarry.host.translation.naming import ANTHROPIC

_CUT_SHORT = ("max_tokens", "model_context_window_exceeded")  # why a message ends too early


async def answer_anthropic(message: Any, run: RunCall) -> list[JsonObject]:
    """The user message to append after the assistant's, or nothing."""
    stop = read_field(message, "stop_reason")
    if stop == "refusal":  # that turn is to be dropped, not answered
        return []
    blocks = read_list(message, "content")
    calls = []
    for index, block in enumerate(blocks):
        if read_field(block, "type") != "tool_use":
            continue
        is_last = index == len(blocks) - 1
        problem = ""
        if is_last and stop in _CUT_SHORT:
            problem = CUT_OFF
        id = read_field(block, "id")
        name = str(read_field(block, "name"))
        arguments = read_field(block, "input") or {}
        calls.append(ToolCall(id, name, arguments, problem))
    outcomes = await answer_all(calls, run, ANTHROPIC)
    if not outcomes:
        return []
    content = []
    for outcome in outcomes:
        result: JsonObject = {"type": "tool_result", "tool_use_id": outcome.call.id}
        if outcome.result is None:
            result["content"] = outcome.error
            result["is_error"] = True
        else:
            result["content"] = outcome.text
        content.append(result)
    return [{"role": "user", "content": content}]
