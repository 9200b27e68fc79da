"""Seed 001, row by row: the two tools of `websearch-mcp`. Each test is named after the row it
stands for.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from tests.duckduckgo_site import DuckDuckGoSite, Said, many, page
from tests.mcp.in_process import connect
from tests.mcp.stdio_process import lines
from tests.search.replies import recorded, recorded_json
from webquarry._search import instant
from webquarry._search.providers.duckduckgo import DuckDuckGo

SEED = Path(__file__).with_name("001_830bb2186b96835b.txt").read_text("utf-8")
PARTS = dict(
    zip(
        ("web_search", "instant_answer", "tools/list"),
        re.split(r"(?m)^## `", SEED)[1:],
        strict=True,
    )
)
RUST = "https://en.wikipedia.org/wiki/Rust_(programming_language)"

both_tools = pytest.mark.parametrize("tool", ["web_search", "instant_answer"])


def block(part: str, language: str, place: int = 0) -> str:
    """A code block of a part of the seed."""
    found: list[str] = re.findall(rf"```{language}\n(.*?)\n```", PARTS[part], re.DOTALL)
    return found[place]


def rows(tool: str) -> dict[str, list[str]]:
    """The table of a tool's parameters, by their names."""
    cells = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in PARTS[tool].splitlines()
    ]
    return {row[0]: row[1:] for row in cells if len(row) == 5 and row[1] in ("string", "integer")}


def schema_of(tool: str) -> dict[str, Any]:
    return next(listed.input_schema for listed in asyncio.run(listing()) if listed.name == tool)


async def listing() -> list[types.Tool]:
    async with Client(connect("duckduckgo"), mode="legacy") as client:
        return (await client.list_tools()).tools


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[DuckDuckGoSite]:
    """A DuckDuckGo that this process takes for the real one."""
    with DuckDuckGoSite() as site:
        for name, value in site.environ.items():
            monkeypatch.setenv(name, value)
        yield site


def call(tool: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """Call a tool as a client does."""

    async def run() -> types.CallToolResult:
        async with Client(connect("duckduckgo"), mode="legacy") as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(run())


def text_of(result: types.CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def instant_reply(**fields: Any) -> bytes:
    """A reply of the Instant Answer API with these fields, and nothing in the others."""
    return json.dumps(recorded_json("instant/no_answer") | fields).encode()


# --- web_search
# --------------------------------------------------------------------------------------------------


def test_web_search_reads_the_html_page_of_duckduckgo(site: DuckDuckGoSite) -> None:
    call("web_search", {"query": "Rust programming"})

    assert "`https://html.duckduckgo.com/html/`" in PARTS["web_search"]
    assert DuckDuckGo.origin == "https://html.duckduckgo.com"
    assert (site.asked[0].way, site.asked[0].fields["q"]) == ("html", "Rust programming")


@both_tools
def test_parameter_query_is_a_required_string_without_a_default(tool: str) -> None:
    kind, required, default, description = rows(tool)["query"]

    assert (kind, required, default) == ("string", "はい", "-")
    assert schema_of(tool)["properties"]["query"] == {"type": "string", "description": description}
    assert schema_of(tool)["required"] == ["query"]


@both_tools
def test_parameter_query_that_is_missing_is_an_error(tool: str, site: DuckDuckGoSite) -> None:
    assert call(tool, {}).is_error
    assert site.asked == []


def test_parameter_max_results_is_an_optional_integer(site: DuckDuckGoSite) -> None:
    kind, required, *_ = rows("web_search")["max_results"]

    assert (kind, required) == ("integer", "いいえ")
    assert call("web_search", {"query": "x", "max_results": "3"}).is_error
    assert not call("web_search", {"query": "x", "max_results": 3}).is_error


def test_parameter_max_results_is_10_by_default(site: DuckDuckGoSite) -> None:
    site.rule = many(40)

    assert rows("web_search")["max_results"][2] == "10"
    assert text_of(call("web_search", {"query": "x"})).endswith("(10 results)_")


@pytest.mark.parametrize("count", [1, 10, 11, 30])
def test_parameter_max_results_is_the_most_that_comes_back(
    site: DuckDuckGoSite, count: int
) -> None:
    site.rule = many(60)
    text = text_of(call("web_search", {"query": "x", "max_results": count}))

    assert text.endswith(f"_Source: DuckDuckGo ({count} results)_")
    assert text.count("\n### ") == count


@pytest.mark.parametrize("count", [-1, 0, 31])
def test_parameter_max_results_is_from_1_to_30(site: DuckDuckGoSite, count: int) -> None:
    assert "（1〜30）" in rows("web_search")["max_results"][3]
    assert call("web_search", {"query": "x", "max_results": count}).is_error
    assert site.asked == []


@both_tools
def test_input_schema_is_the_seeds_block_with_its_keys_in_order(tool: str) -> None:
    assert json.dumps(schema_of(tool)) == json.dumps(json.loads(block(tool, "json")))


@both_tools
def test_return_value_is_markdown_text_in_the_content_of_the_result(
    tool: str, site: DuckDuckGoSite
) -> None:
    result = call(tool, {"query": "x"})

    assert text_of(result).startswith("## ")
    assert result.structured_content is None
    assert not result.is_error


def test_success_format_of_web_search(site: DuckDuckGoSite) -> None:
    expected = block("web_search", "markdown").replace(
        "(3 results)", "(2 results)"
    )  # of its three it shows two
    site.rule = page(
        [
            (
                "The Rust Programming Language",
                "https://www.rust-lang.org/",
                "Rust is a systems programming language focused on safety, speed, and concurrency.",
            ),
            (
                "Rust (programming language) - Wikipedia",
                RUST,
                "Rust is a multi-paradigm, general-purpose programming language...",
            ),
        ]
    )

    assert text_of(call("web_search", {"query": "Rust programming"})) == expected


def test_format_of_web_search_without_results(site: DuckDuckGoSite) -> None:
    site.rule = recorded("duckduckgo/empty_200")
    result = call("web_search", {"query": "xyzzy12345noresult"})

    assert text_of(result) == block("web_search", "markdown", 1)
    assert not result.is_error


@pytest.mark.parametrize("said", [Said(b"", 500), Said(b"", 429), b"no page of results"])
@both_tools
def test_on_failure_is_error_is_true_and_the_text_is_the_message(
    tool: str, said: Said | bytes, site: DuckDuckGoSite
) -> None:
    site.rule = lambda _: said
    result = call(tool, {"query": "x"})

    assert result.is_error
    assert re.match(r"DuckDuckGo\b.*\.", text_of(result))


def test_on_a_challenge_is_error_is_true_and_the_text_is_the_message(site: DuckDuckGoSite) -> None:
    site.rule = lambda asked: Said(recorded(f"duckduckgo/challenge_202_{asked.way}_anomaly"), 202)
    result = call("web_search", {"query": "x"})

    assert result.is_error
    assert text_of(result).startswith(
        "DuckDuckGo takes us for a robot and wants a challenge solved (HTTP 202). Wait "
    )


@both_tools
@pytest.mark.parametrize("query", ["", "  "])
def test_on_an_empty_query_is_error_is_true_and_the_text_is_the_message(
    tool: str, query: str, site: DuckDuckGoSite
) -> None:
    result = call(tool, {"query": query})

    assert result.is_error
    assert text_of(result).startswith("The query is blank.")
    assert site.asked == []


# --- instant_answer
# --------------------------------------------------------------------------------------------------


def test_instant_answer_asks_the_instant_answer_api_for_json(site: DuckDuckGoSite) -> None:
    call("instant_answer", {"query": "Rust programming language"})
    (asked,) = site.asked

    assert "`https://api.duckduckgo.com/?format=json`" in PARTS["instant_answer"]
    assert instant.ORIGIN == "https://api.duckduckgo.com"
    assert (asked.way, asked.fields["format"], asked.fields["q"]) == (
        "api",
        "json",
        "Rust programming language",
    )


def test_success_format_of_instant_answer(site: DuckDuckGoSite) -> None:
    abstract = (
        "Rust is a multi-paradigm, general-purpose programming language "
        "that emphasizes performance, type safety, and concurrency."
    )
    site.rule = instant_reply(
        AbstractText=abstract,
        AbstractSource="Wikipedia",
        AbstractURL=RUST,
        RelatedTopics=[
            {
                "FirstURL": f"https://duckduckgo.com/{name}",
                "Result": f'<a href="https://duckduckgo.com/{name}">{name}</a> - {text}',
                "Text": f"{name} - {text}",
            }
            for name, text in [
                ("Cargo", "The Rust package manager"),
                ("Crates.io", "The Rust community's crate registry"),
            ]
        ],
    )
    expected = block("instant_answer", "markdown").replace(
        "language\nthat", "language that"
    )  # folded for the page

    assert text_of(call("instant_answer", {"query": "Rust programming language"})) == expected


def test_format_of_instant_answer_without_information(site: DuckDuckGoSite) -> None:
    site.rule = recorded("instant/no_answer")
    result = call("instant_answer", {"query": "xyzzy12345noresult"})

    assert text_of(result) == block("instant_answer", "markdown", 1)
    assert not result.is_error


@pytest.mark.parametrize(
    "fields",
    [
        {"AbstractText": "Text."},
        {"Answer": "42"},
        {"Definition": "Text."},
        {
            "RelatedTopics": [
                {"Text": "Name - text", "Result": "<a>Name</a> - text", "FirstURL": ""}
            ]
        },
        {
            "RelatedTopics": [
                {"Name": "Group", "Topics": [{"Text": "Name - text", "Result": "", "FirstURL": ""}]}
            ]
        },
    ],
    ids=["abstract", "answer", "definition", "topic", "grouped topic"],
)
def test_no_information_is_said_only_when_there_is_none(
    site: DuckDuckGoSite, fields: dict[str, Any]
) -> None:
    site.rule = instant_reply(**fields)

    assert "No instant answer" not in text_of(call("instant_answer", {"query": "x"}))


# --- tools/list
# --------------------------------------------------------------------------------------------------


def test_tools_list_is_the_seeds_block_to_the_last_key(site: DuckDuckGoSite) -> None:
    with lines(site.environ) as server:
        answer = server.ask("tools/list")

    assert json.dumps(answer) == json.dumps(json.loads(block("tools/list", "json")))
