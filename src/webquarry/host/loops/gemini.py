"""Gemini: `functionCall` parts -> one user turn with a `functionResponse` for each, in the same
order.

The REST form says `functionCall`, the SDK's objects `function_call`; both are read. The finish
reason does not tell whether there are calls, so the parts are looked through.
"""

from __future__ import annotations

from typing import Any

from webquarry.host.loops.calls import Call, Outcome, RunCall, answer_all, listed, read
from webquarry.host.translation.naming import GEMINI


async def answer_gemini(response: Any, run: RunCall) -> list[dict[str, Any]]:
    """The content to append after the model's, or nothing."""
    outcomes = await answer_all(_calls(response), run, GEMINI)
    return [{"role": "user", "parts": [_part(outcome) for outcome in outcomes]}] if outcomes else []


def _calls(response: Any) -> list[Call]:
    candidates = listed(response, "candidates")
    content = read(candidates[0], "content") if candidates else None
    found = [read(part, "functionCall", "function_call") for part in listed(content, "parts")]
    return [
        Call(read(call, "id"), str(read(call, "name")), read(call, "args") or {})
        for call in found
        if call is not None
    ]


def _part(outcome: Outcome) -> dict[str, Any]:
    answer = {"error": outcome.error} if outcome.result is None else {"output": outcome.result}
    named = {"id": outcome.call.id} if outcome.call.id else {}
    return {"functionResponse": {"name": outcome.call.name, **named, "response": answer}}
