"""OpenAI: function calls of the Responses API and tool calls of Chat Completions -> their results.

Neither has a flag for failure: an error is an output of the form `{"error": "..."}`.
"""

from __future__ import annotations

from typing import Any

from webquarry.host.loops.calls import (
    CUT_OFF,
    RunCall,
    ToolCall,
    answer_all,
    parse_call,
    read_field,
    read_list,
)
from webquarry.host.models import JsonObject
from webquarry.host.translation.naming import OPENAI


async def answer_responses(response: Any, run: RunCall) -> list[JsonObject]:
    """The input items to append after all items of the response's output, or nothing."""
    calls = []
    for item in read_list(response, "output"):
        if read_field(item, "type") != "function_call":
            continue
        id = read_field(item, "call_id")
        name = read_field(item, "name")
        if read_field(item, "status") == "incomplete":
            calls.append(ToolCall(id, str(name), problem=CUT_OFF))
            continue
        arguments = read_field(item, "arguments")
        calls.append(parse_call(id, name, arguments))
    outcomes = await answer_all(calls, run, OPENAI)
    return [
        {
            "type": "function_call_output",
            "call_id": outcome.call.id,
            "output": outcome.text,
        }
        for outcome in outcomes
    ]


async def answer_chat(completion: Any, run: RunCall) -> list[JsonObject]:
    """The tool messages to append after the first choice's message, or nothing."""
    choices = read_list(completion, "choices")
    if not choices:
        return []
    message = read_field(choices[0], "message")
    calls = []
    for item in read_list(message, "tool_calls"):
        id = read_field(item, "id")
        function = read_field(item, "function")
        if function is None:  # a call of another kind still wants its answer
            calls.append(ToolCall(id, "", problem="Only calls of functions are answered here."))
            continue
        name = read_field(function, "name")
        arguments = read_field(function, "arguments")
        calls.append(parse_call(id, name, arguments))
    outcomes = await answer_all(calls, run, OPENAI)
    return [
        {
            "role": "tool",
            "tool_call_id": outcome.call.id,
            "content": outcome.text,
        }
        for outcome in outcomes
    ]
