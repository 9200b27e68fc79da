"""Gemini: `functionCall` parts -> one user turn with a `functionResponse` for each, in the same
order.

The REST form says `functionCall`, the SDK's objects `function_call`; both are read. The finish
reason does not tell whether there are calls, so the parts are looked through.
"""

from __future__ import annotations

from typing import Any

from webquarry.host.loops.calls import (
    RunCall,
    ToolCall,
    ToolOutcome,
    answer_all,
    read_field,
    read_list,
)
from webquarry.host.translation.naming import GEMINI


async def answer_gemini(response: Any, run: RunCall) -> list[dict[str, Any]]:
    """The content to append after the model's, or nothing."""
    outcomes = await answer_all(_calls(response), run, GEMINI)
    return [{"role": "user", "parts": [_part(outcome) for outcome in outcomes]}] if outcomes else []


def _calls(response: Any) -> list[ToolCall]:
    candidates = read_list(response, "candidates")
    content = read_field(candidates[0], "content") if candidates else None
    found = [
        read_field(part, "functionCall", "function_call") for part in read_list(content, "parts")
    ]
    return [
        ToolCall(
            read_field(call, "id"), str(read_field(call, "name")), read_field(call, "args") or {}
        )
        for call in found
        if call is not None
    ]


def _part(outcome: ToolOutcome) -> dict[str, Any]:
    answer = {"error": outcome.error} if outcome.result is None else {"output": outcome.result}
    named = {"id": outcome.call.id} if outcome.call.id else {}
    return {"functionResponse": {"name": outcome.call.name, **named, "response": answer}}
