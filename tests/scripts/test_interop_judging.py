"""What clients got from our servers -> what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from scripts.mcp_clients.calls import CALLS, fill_session, find_unmatched
from scripts.mcp_clients.judging import ClientRun, find_differences, find_faults

from webquarry.mcp.listing import load_listing

SCHEMA = {"type": "object", "properties": {"count": {"type": "number"}}, "required": ["count"]}
SERVED: dict[str, dict[str, Any] | None] = {"look": SCHEMA, "count": SCHEMA}
FACTS = json.dumps({"kind": "bad_input"})


def text(*parts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": part} for part in parts]


def result(data: Any) -> dict[str, Any]:
    return {"content": text(json.dumps(data)), "structuredContent": data, "isError": False}


def heard(client: str = "one") -> ClientRun:
    """A client that got everything as it should be."""
    return ClientRun(
        client,
        "stdio",
        "research",
        tools=[{"name": name, "outputSchema": schema} for name, schema in SERVED.items()],
        results={name: result({"count": 1}) for name in SERVED},
        refusal={"content": text("The field 'query' is missing.", FACTS), "isError": True},
    )


def test_a_client_that_got_everything_has_no_faults() -> None:
    assert find_faults(heard(), SERVED) == []


def spoilt(change: Callable[[ClientRun], object]) -> list[str]:
    got = heard()
    change(got)
    return find_faults(got, SERVED)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda got: got.tools.pop(), "without ['count']"),
        (lambda got: got.tools.append({"name": "more"}), "with ['more']"),
        (lambda got: got.tools.append(got.tools[0]), "the list is not what is served: 3 tools"),
        (lambda got: got.tools[0].pop("outputSchema"), "look: listed with another output schema"),
        (
            lambda got: got.raised.append("count: the client has ended"),
            "count: the client has ended",
        ),
    ],
)
def test_list_that_differs_from_the_served_one_is_a_fault(
    change: Callable[[ClientRun], object], words: str
) -> None:
    assert words in spoilt(change)[0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "look: was not called, or gave no result"),
        (
            {"content": text("The tool look failed.", "{}"), "isError": True},
            "look: failed: The tool look failed.",
        ),
        (result({"count": 1}) | {"content": []}, "look: has no text"),
        ({"content": text('{"count":1}')}, "look: has no structured content"),
        (result({}), "look: does not fit its schema at $: 'count' is a required property"),
        (result({"count": "1"}), "look: does not fit its schema at $.count"),
        (result({"count": 1}) | {"content": text('{"count":2}')}, "look: the text is not the JSON"),
        (result({"count": 1}) | {"content": text("one")}, "look: the text is not the JSON"),
    ],
)
def test_a_result_that_is_not_as_declared_is_a_fault(
    wrong: dict[str, Any] | None, words: str
) -> None:
    got = heard()
    del got.results["look"]
    if wrong is not None:
        got.results["look"] = wrong

    (fault,) = find_faults(got, SERVED)

    assert fault.startswith(words)


def test_a_tool_for_people_has_a_text_to_read() -> None:
    served: dict[str, dict[str, Any] | None] = {"show_research": SCHEMA}
    got = heard()
    got.tools = [{"name": "show_research", "outputSchema": SCHEMA}]
    got.results = {"show_research": result({"count": 1}) | {"content": text("One.")}}
    assert find_faults(got, served) == []

    got.results = {"show_research": result({"count": 1})}

    (fault,) = find_faults(got, served)
    assert fault == "show_research: the text is JSON, and should be one to read"


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (None, "no result came back"),
        (result({"count": 1}), "not marked as an error"),
        ({"content": text("Wrong.", FACTS), "isError": True}, "does not name the field"),
        (
            {"content": text("The field 'query' is missing."), "isError": True},
            "not one JSON object",
        ),
        (
            {"content": text("The field 'query' is missing.", "{}"), "isError": True},
            "not one JSON object",
        ),
        (
            {"content": text("The field 'query' is missing.", "[1]"), "isError": True},
            "not one JSON object",
        ),
    ],
)
def test_wrong_arguments_are_reported_as_sentence_and_object(
    refusal: dict[str, Any] | None, words: str
) -> None:
    got = heard()
    got.refusal = refusal

    faults = find_faults(got, SERVED)

    assert faults
    assert words in faults[0]
    assert all(fault.startswith("wrong arguments: ") for fault in faults)


def test_a_tool_without_a_schema_answers_with_text_alone() -> None:
    got = heard()
    got.tools = [{"name": "look"}]
    got.refusal = {"content": text("The field 'query' is missing."), "isError": True}
    got.results = {"look": {"content": text("1. Tides")}}
    assert find_faults(got, {"look": None}) == []

    got.results = {"look": result({"count": 1})}
    assert find_faults(got, {"look": None}) == [
        "look: has structured content, but declares no schema of it"
    ]


def test_the_client_that_got_something_else_is_named_with_the_place() -> None:
    clients = [heard("one"), heard("two"), heard("three")]
    clients[1].results["look"] = result({"count": 1, "rows": [{"url": "a"}, {"url": "b"}]})
    for other in (clients[0], clients[2]):
        other.results["look"] = result({"count": 1, "rows": [{"url": "a"}, {"url": "c"}]})

    assert find_differences(clients) == {
        "two stdio research": [
            'look: differs from what the others got, at $.rows[1].url: "b" and not "c"'
        ]
    }


def test_texts_are_compared_where_there_is_nothing_else() -> None:
    clients = [heard("one"), heard("two"), heard("three")]
    for client in clients:
        client.results["look"] = {"content": text("1. Tides")}
    clients[2].results["look"] = {"content": text("1. Tide")}

    assert list(find_differences(clients)) == ["three stdio research"]


def test_the_same_number_written_in_two_ways_is_no_difference() -> None:
    clients = [heard("one"), heard("two")]
    clients[0].results["look"] = result({"count": 1.0})

    assert find_differences(clients) == {}


def test_tool_sets_are_compared_each_by_itself() -> None:
    clients = [heard("one"), heard("two")]
    clients[1].toolset = "duckduckgo"
    clients[1].results["look"] = result({"count": 2})

    assert find_differences(clients) == {}


@pytest.mark.parametrize("toolset", CALLS)
def test_every_tool_that_is_served_has_a_call(toolset: str) -> None:
    assert find_unmatched(toolset, load_listing(toolset).tools) == []


def test_tool_without_a_test_call_is_named() -> None:
    assert find_unmatched("duckduckgo", ["web_search", "instant_answer", "news"]) == ["news"]
    assert find_unmatched("duckduckgo", ["web_search"]) == ["instant_answer"]


def test_the_session_takes_its_place_in_the_arguments() -> None:
    assert fill_session({"sessionId": "{session}", "style": "mla"}, "s-1") == {
        "sessionId": "s-1",
        "style": "mla",
    }
