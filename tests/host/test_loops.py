"""From a model's tool calls, as each vendor records them, to the results it wants back."""

from __future__ import annotations

import asyncio
import copy
import importlib.util
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.host.workbench import Workbench, schema_of
from webquarry.host.host import ToolHost
from webquarry.host.vendors import GEMINI, alias

REPLIES = Path(__file__).parent / "replies"
EXAMPLES = Path(__file__).parents[2] / "examples"
SEARCH: dict[str, Any] = {
    "description": "Search the web and return ranked results.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 2},
            "max_results": {"type": "integer", "minimum": 1, "maximum": 20},
            "freshness": {"type": "string", "enum": ["day", "week"]},
            "domains": {"type": "array", "items": {"type": "string"}},
            "date": {
                "type": "object",
                "properties": {"from": {"type": "string"}},
                "required": ["from"],
            },
        },
        "required": ["query"],
    },
}
# Fails for one of the two queries of the recorded parallel calls; otherwise echoes what it was
# sent.
BODY = """read -r line
case "$line" in *bearing*) echo '{"error": "Rate limited."}'; exit 1;; esac
echo "{\\"sent\\": $line}\""""


def recorded(name: str) -> Any:
    return json.loads((REPLIES / f"{name}.json").read_text("utf-8"))


def as_object(value: Any) -> Any:
    """The same as the objects of a vendor's SDK have it: attributes instead of keys."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_object(part) for key, part in value.items()})
    return [as_object(part) for part in value] if isinstance(value, list) else value


def as_gemini_object(value: Any) -> Any:
    """Gemini's SDK has snake_case attributes, and plain dicts for arguments."""
    if isinstance(value, dict):
        names = {
            "functionCall": "function_call",
            "thoughtSignature": "thought_signature",
            "finishReason": "finish",
        }
        parts = {
            key: part if key == "args" else as_gemini_object(part) for key, part in value.items()
        }
        return SimpleNamespace(**{names.get(key, key): part for key, part in parts.items()})
    return [as_gemini_object(part) for part in value] if isinstance(value, list) else value


@pytest.fixture
def host(bench: Workbench) -> ToolHost:
    for name in ("web_search", "search_web"):
        bench.tool({"name": name, **SEARCH}, BODY)
    return bench.host()


def with_plain_inputs(message: SimpleNamespace, original: dict[str, Any]) -> SimpleNamespace:
    """Anthropic's SDK gives `input` as a dict."""
    for block, source in zip(message.content, original["content"], strict=True):
        if "input" in source:
            block.input = source["input"]
    return message


FIRST = {"sent": {"query": "tidal turbine seal wear", "max_results": 5}}
FAILED = "The tool web_search failed: Rate limited. Correct the input, or look at the tool."


@pytest.mark.parametrize("from_sdk", [False, True])
def test_parallel_calls_of_claude_are_answered_in_one_message(
    host: ToolHost, from_sdk: bool
) -> None:
    message = recorded("anthropic_tool_use_parallel")
    given = with_plain_inputs(as_object(message), message) if from_sdk else message

    [answer] = asyncio.run(host.anthropic_results(given))

    good, bad = answer["content"]
    assert answer["role"] == "user"
    assert good == {
        "type": "tool_result",
        "tool_use_id": "toolu_01AAAAAAAAAAAAAAAAAAAAAA",
        "content": json.dumps(FIRST),
    }
    assert bad == {
        "type": "tool_result",
        "tool_use_id": "toolu_01BBBBBBBBBBBBBBBBBBBBBB",
        "content": FAILED,
        "is_error": True,
    }


def test_a_call_of_claude_that_was_cut_off_is_answered_but_not_run(host: ToolHost) -> None:
    message = {**recorded("anthropic_tool_use_parallel"), "stop_reason": "max_tokens"}
    [answer] = asyncio.run(host.anthropic_results(message))

    assert "is_error" not in answer["content"][0]
    assert answer["content"][1]["is_error"] is True
    assert "cut off" in answer["content"][1]["content"]


def test_refused_turn_is_not_answered(host: ToolHost) -> None:
    assert (
        asyncio.run(
            host.anthropic_results(
                {**recorded("anthropic_tool_use_parallel"), "stop_reason": "refusal"}
            )
        )
        == []
    )


@pytest.mark.parametrize("change", [as_object, copy.deepcopy])
def test_a_function_call_of_openais_responses_is_answered(
    change: Callable[[Any], Any], host: ToolHost
) -> None:
    [item] = asyncio.run(host.openai_results(change(recorded("openai_function_call"))))

    assert item == {
        "type": "function_call_output",
        "call_id": "call_abc123",
        "output": json.dumps(
            {"sent": {"query": "tidal turbine seal wear"}}
        ),  # the nulls of strict mode are absent
    }


@pytest.mark.parametrize("change", [as_object, copy.deepcopy])
def test_a_tool_call_of_openais_chat_is_answered(
    change: Callable[[Any], Any], host: ToolHost
) -> None:
    [message] = asyncio.run(host.openai_chat_results(change(recorded("openai_chat_tool_calls"))))

    assert message == {
        "role": "tool",
        "tool_call_id": "call_abc123",
        "content": json.dumps({"sent": {"query": "tidal turbine seal wear"}}),
    }


CUT_ARGUMENTS = ["", '{"query": "tidal tur', "null", "[]", '"x"', "{} {}"]


@pytest.mark.parametrize("arguments", CUT_ARGUMENTS)
def test_arguments_that_are_no_json_object_are_answered_with_an_error(
    arguments: str, host: ToolHost
) -> None:
    response = recorded("openai_function_call")
    response["output"][1]["arguments"] = arguments
    completion = recorded("openai_chat_tool_calls")
    completion["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = arguments

    [item] = asyncio.run(host.openai_results(response))
    [message] = asyncio.run(host.openai_chat_results(completion))

    assert list(json.loads(item["output"])) == ["error"]
    assert list(json.loads(message["content"])) == ["error"]


def test_a_function_call_that_is_not_complete_is_not_run(host: ToolHost) -> None:
    response = recorded("openai_function_call")
    response["output"][1]["status"] = "incomplete"

    [item] = asyncio.run(host.openai_results(response))

    assert "cut off" in json.loads(item["output"])["error"]


@pytest.mark.parametrize("change", [as_gemini_object, copy.deepcopy])
def test_a_function_call_of_gemini_is_answered(
    change: Callable[[Any], Any], host: ToolHost
) -> None:
    [content] = asyncio.run(host.gemini_results(change(recorded("gemini_function_call"))))

    recorded_answer = recorded("gemini_request_followup")["contents"][2]
    recorded_answer["parts"][0]["functionResponse"]["response"]["output"] = FIRST
    assert content == recorded_answer


def test_parallel_calls_of_gemini_keep_their_order_and_errors_are_flagged(host: ToolHost) -> None:
    response = recorded("gemini_function_call")
    parts = response["candidates"][0]["content"]["parts"]
    parts.insert(0, {"text": "I look it up."})
    parts.append({"functionCall": {"name": "search_web", "args": {"query": "bearing"}}})

    [content] = asyncio.run(host.gemini_results(response))

    first, second = (part["functionResponse"] for part in content["parts"])
    assert first["id"] == "call-1"
    assert "id" not in second
    assert set(second["response"]) == {"error"}


def call_gemini(host: ToolHost, name: str, **arguments: Any) -> dict[str, Any]:
    call = {"functionCall": {"name": name, "args": arguments}}
    [content] = asyncio.run(host.gemini_results({"candidates": [{"content": {"parts": [call]}}]}))
    found: dict[str, Any] = content["parts"][0]["functionResponse"]
    return found


def test_names_that_gemini_was_given_lead_back_to_the_tools_own(bench: Workbench) -> None:
    parameters = {
        "type": "object",
        "properties": {"file-path": {"type": "string"}, "map": {"type": "object"}},
    }
    bench.tool(schema_of("9lives", parameters=parameters))
    host = bench.host()
    [declaration] = host.for_gemini()[0]["functionDeclarations"]
    sent = {alias("file-path", GEMINI.parameter): "x", "map": '{"any": [1]}'}

    assert set(sent) == set(declaration["parametersJsonSchema"]["properties"])
    answer = call_gemini(host, declaration["name"], **sent)

    assert answer["name"] == declaration["name"]
    assert answer["response"] == {"output": {"file-path": "x", "map": {"any": [1]}}}


class Recorder:
    """A vendor's client that gives recorded answers and keeps what it was asked."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.requests = list(answers), list[dict[str, Any]]()

    async def create(self, **request: Any) -> Any:
        self.requests.append(copy.deepcopy(request))
        return self.answers.pop(0)


def example(name: str) -> Callable[..., Awaitable[Any]]:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Awaitable[Any]] = module.ask
    return found


async def ask(loop: str, client: Any, host: ToolHost, question: str) -> Any:
    return await example(loop)(client, host, question)


def test_the_example_for_claude_goes_round_the_loop(host: ToolHost) -> None:
    first = recorded("anthropic_tool_use_parallel")
    recorder = Recorder(
        with_plain_inputs(as_object(first), first), as_object(recorded("anthropic_end_turn"))
    )
    client = SimpleNamespace(messages=recorder)

    message = asyncio.run(
        ask("anthropic_loop", client, host, "What wears out first in tidal turbines?")
    )

    assert message.stop_reason == "end_turn"
    question, assistant, results = recorder.requests[1]["messages"]
    followup = recorded("anthropic_followup")
    assert question == followup[0]
    assert [block.type for block in assistant["content"]] == [
        block["type"] for block in followup[1]["content"]
    ]
    assert [set(block) - {"content"} for block in results["content"]] == [
        set(block) - {"content"} for block in followup[2]["content"]
    ]
    assert [tool["name"] for tool in recorder.requests[0]["tools"]] == ["search_web", "web_search"]


def test_the_example_for_openai_goes_round_the_loop(host: ToolHost) -> None:
    recorder = Recorder(
        as_object(recorded("openai_function_call")), as_object(recorded("openai_message"))
    )
    client = SimpleNamespace(responses=recorder)

    response = asyncio.run(ask("openai_loop", client, host, "What wears first?"))

    assert response.output[0].type == "message"
    items = recorder.requests[1]["input"]
    followup = recorded("openai_followup_input")
    assert items[0] == followup[0]
    assert [item.type for item in items[1:3]] == ["reasoning", "function_call"]
    assert set(items[3]) == set(followup[3])


def test_the_example_for_gemini_goes_round_the_loop(host: ToolHost) -> None:
    recorder = Recorder(
        as_gemini_object(recorded("gemini_function_call")),
        as_gemini_object(recorded("gemini_text")),
    )
    models = SimpleNamespace(generate_content=recorder.create)
    client = SimpleNamespace(aio=SimpleNamespace(models=models))

    response = asyncio.run(ask("gemini_loop", client, host, "What wears first?"))

    assert response.candidates[0].content.parts[0].text == "Seal lips wear first."
    question, model, results = recorder.requests[1]["contents"]
    assert question == recorded("gemini_request_followup")["contents"][0]
    assert model.parts[0].thought_signature == "U0FNUExFU0lHTkFUVVJF"
    assert results["parts"][0]["functionResponse"]["response"]["output"] == FIRST
