"""OpenAI: function calls of the Responses API and tool calls of Chat Completions -> their results.

Neither has a flag for failure: an error is an output of the form `{"error": "..."}`.
"""

from __future__ import annotations

from typing import Any

from webquarry.host.loops.calls import CUT_OFF, Call, RunCall, answer_all, listed, parsed_call, read
from webquarry.host.translation.naming import OPENAI


async def answer_responses(response: Any, run: RunCall) -> list[dict[str, Any]]:
    """The input items to append after all items of the response's output, or nothing."""
    calls = [
        _response_call(item)
        for item in listed(response, "output")
        if read(item, "type") == "function_call"
    ]
    return [
        {"type": "function_call_output", "call_id": outcome.call.id, "output": outcome.text}
        for outcome in await answer_all(calls, run, OPENAI)
    ]


def _response_call(item: Any) -> Call:
    call_id, name = read(item, "call_id"), read(item, "name")
    if read(item, "status") == "incomplete":
        return Call(call_id, str(name), problem=CUT_OFF)
    return parsed_call(call_id, name, read(item, "arguments"))


async def answer_chat(completion: Any, run: RunCall) -> list[dict[str, Any]]:
    """The tool messages to append after the first choice's message, or nothing."""
    choices = listed(completion, "choices")
    message = read(choices[0], "message") if choices else None
    calls = [_chat_call(item) for item in listed(message, "tool_calls")]
    return [
        {"role": "tool", "tool_call_id": outcome.call.id, "content": outcome.text}
        for outcome in await answer_all(calls, run, OPENAI)
    ]


def _chat_call(item: Any) -> Call:
    function = read(item, "function")
    if function is None:  # a call of another kind still wants its answer
        return Call(read(item, "id"), "", problem="Only calls of functions are answered here.")
    return parsed_call(read(item, "id"), read(function, "name"), read(function, "arguments"))
