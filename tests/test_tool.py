"""A typed function becomes a tool; its signature is the schema."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any, cast

import pytest
from msgspec import Meta

from webquarry.errors import BadInput
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools import load, toolset


class Echo(Answer):
    text: str
    times: int
    note: str | None = None


@tool
async def repeat(
    kit: Toolkit,
    text: Annotated[str, Meta(description="What to say", min_length=2)],
    times: Annotated[int, Meta(description="How often", ge=1, le=3)] = 1,
    tags: Annotated[list[str] | None, Meta(description="Labels")] = None,
) -> Echo:
    """Say it again.

    Over two paragraphs.
    """
    return Echo(text=text * times, times=times, note=",".join(tags) if tags else None)


def run(**arguments: Any) -> Answer:
    return asyncio.run(repeat.call(cast(Toolkit, None), arguments))


def test_the_signature_gives_the_schema_without_titles_and_null_branches() -> None:
    assert repeat.parameters == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to say", "minLength": 2},
            "times": {
                "type": "integer",
                "description": "How often",
                "default": 1,
                "minimum": 1,
                "maximum": 3,
            },
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Labels"},
        },
        "required": ["text"],
    }
    assert list(repeat.parameters["properties"]["tags"]) == ["type", "items", "description"]


def test_name_and_description_come_from_the_function() -> None:
    assert (repeat.name, repeat.description) == ("repeat", "Say it again. Over two paragraphs.")


def test_null_is_the_same_as_absent() -> None:
    assert run(text="ab", times=None, tags=None).as_dict() == {"text": "ab", "times": 1}


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert run(text="ab", times=2.0).as_dict()["times"] == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "'text' is missing"),
        ({"text": "a"}, "'text' does not fit: string should have at least 2 characters"),
        ({"text": "ab", "times": 0}, "'times' does not fit"),
        ({"text": "ab", "times": 2.5}, "'times' does not fit"),
        ({"text": "ab", "times": True}, "'times' does not fit"),
        ({"text": "ab", "tags": [1]}, "'tags.0' does not fit"),
        ({"text": "ab", "colour": "x"}, "'colour' is unknown; known are: text, times, tags"),
    ],
)
def test_arguments_that_do_not_fit_are_named_in_one_sentence(
    arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words):
        run(**arguments)


@tool
async def choose(kit: Toolkit, parts: list[str | dict[str, Any]]) -> Echo:
    """Take texts or objects."""
    return Echo(text="", times=len(parts))


def test_union_mismatch_is_reported_once() -> None:
    with pytest.raises(BadInput) as caught:
        asyncio.run(choose.call(cast(Toolkit, None), {"parts": ["a", 5]}))
    assert caught.value.message == (
        "The field 'parts.1' does not fit: input should be a valid string, or input should be a "
        "valid dictionary."
    )


def test_an_error_does_not_name_thousands_of_problems() -> None:
    with pytest.raises(BadInput) as caught:
        run(text="ab", tags=[1] * 10_000)
    assert caught.value.message.count("does not fit") == 5
    assert caught.value.message.endswith("There are 9995 more such problems.")


def test_an_error_about_an_argument_does_not_repeat_its_value() -> None:
    with pytest.raises(BadInput) as caught:
        run(text="ab", times="sk-secret-value")
    assert "sk-secret-value" not in caught.value.message


def test_a_tool_set_lists_its_tools_by_name() -> None:
    assert [member.name for member in toolset("executables")] == [
        "web_fetch",
        "web_search_brave",
        "web_search_google",
    ]


def test_an_unknown_tool_or_set_is_answered_with_those_there_are() -> None:
    with pytest.raises(BadInput) as missing_tool:
        load("executables", "nope")
    assert "web_fetch" in missing_tool.value.suggested_action
    with pytest.raises(BadInput) as missing_set:
        toolset("nope")
    assert "executables" in missing_set.value.suggested_action


@pytest.mark.parametrize(
    "text", ["plain", 'a "b" \\ c\n\t\x00\x1f\x7f', "caf\u00e9 \u2028 \U0001f600", "</script>"]
)
def test_an_answer_is_written_as_the_json_of_its_fields(text: str) -> None:
    answer = Echo(text=text, times=1)
    wanted = json.dumps(answer.as_dict(), ensure_ascii=False, separators=(",", ":"))
    assert answer.write() == wanted
