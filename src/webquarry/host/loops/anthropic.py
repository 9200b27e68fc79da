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
from webquarry.host.translation.naming import ANTHROPIC

_CUT_SHORT = ("max_tokens", "model_context_window_exceeded")  # why a message ends too early


async def answer_anthropic(message: Any, run: RunCall) -> list[dict[str, Any]]:
    """The user message to append after the assistant's, or nothing."""
    outcomes = await answer_all(_read_calls(message), run, ANTHROPIC)
    if not outcomes:
        return []
    content = []
    for outcome in outcomes:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": outcome.call.id}
        if outcome.result is None:
            block |= {"content": outcome.error, "is_error": True}
        else:
            block |= {"content": outcome.text}
        content.append(block)
    return [{"role": "user", "content": content}]


def _read_calls(message: Any) -> list[ToolCall]:
    stop = read_field(message, "stop_reason")
    if stop == "refusal":  # that turn is to be dropped, not answered
        return []
    blocks = read_list(message, "content")
    calls = []
    for index, block in enumerate(blocks):
        if read_field(block, "type") != "tool_use":
            continue
        is_last = index == len(blocks) - 1
        problem = CUT_OFF if is_last and stop in _CUT_SHORT else ""
        name = str(read_field(block, "name"))
        arguments = read_field(block, "input") or {}
        calls.append(ToolCall(read_field(block, "id"), name, arguments, problem))
    return calls
