"""Anthropic: `tool_use` blocks -> one user message with a `tool_result` for each."""

from __future__ import annotations

from typing import Any

from webquarry.host.loops.calls import (
    CUT_OFF,
    RunCall,
    ToolCall,
    ToolOutcome,
    answer_all,
    read_field,
    read_list,
)
from webquarry.host.translation.naming import ANTHROPIC


async def answer_anthropic(message: Any, run: RunCall) -> list[dict[str, Any]]:
    """The user message to append after the assistant's, or nothing."""
    outcomes = await answer_all(_calls(message), run, ANTHROPIC)
    if outcomes:
        return [{"role": "user", "content": [_block(outcome) for outcome in outcomes]}]
    return []


def _calls(message: Any) -> list[ToolCall]:
    stop = read_field(message, "stop_reason")
    if stop == "refusal":  # that turn is to be dropped, not answered
        return []
    blocks = read_list(message, "content")
    calls = []
    for index, block in enumerate(blocks):
        if read_field(block, "type") != "tool_use":
            continue
        cut = stop in ("max_tokens", "model_context_window_exceeded") and index == len(blocks) - 1
        problem = CUT_OFF if cut else ""
        calls.append(
            ToolCall(
                read_field(block, "id"),
                str(read_field(block, "name")),
                read_field(block, "input") or {},
                problem,
            )
        )
    return calls


def _block(outcome: ToolOutcome) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": outcome.call.id}
    if outcome.result is None:
        return {**block, "content": outcome.error, "is_error": True}
    return {**block, "content": outcome.text}
