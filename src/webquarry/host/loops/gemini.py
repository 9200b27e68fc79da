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
    answer_all,
    read_field,
    read_list,
)
from webquarry.host.models import JsonObject
from webquarry.host.translation.naming import GEMINI


async def answer_gemini(response: Any, run: RunCall) -> list[JsonObject]:
    """The content to append after the model's, or nothing."""
    candidates = read_list(response, "candidates")
    if not candidates:
        return []
    content = read_field(candidates[0], "content")
    calls = []
    for part in read_list(content, "parts"):
        call = read_field(part, "functionCall", "function_call")
        if call is None:
            continue
        id = read_field(call, "id")
        name = str(read_field(call, "name"))
        arguments = read_field(call, "args") or {}
        calls.append(ToolCall(id, name, arguments))
    outcomes = await answer_all(calls, run, GEMINI)
    if not outcomes:
        return []
    parts = []
    for outcome in outcomes:
        answer: JsonObject = {"name": outcome.call.name}
        if outcome.call.id:
            answer["id"] = outcome.call.id
        if outcome.result is None:
            answer["response"] = {"error": outcome.error}
        else:
            answer["response"] = {"output": outcome.result}
        parts.append({"functionResponse": answer})
    return [{"role": "user", "parts": parts}]
