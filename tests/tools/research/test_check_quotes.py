"""The `check_quotes` tool: quotes of a list or of a draft, beside pages or the pages of a session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb
from tests.sessions.kits import A, B, kit_on
from webquarry.errors import BadInput
from webquarry.sessions.models import Source, StepDraft
from webquarry.toolkit import Toolkit
from webquarry.tools import load

PAGE = "<title>The port of Ellery</title><p>Some {} words here.</p><ol><li>Tie up the boat at the quay.</li></ol>"
HTML = {"content-type": "text/html"}


def web() -> FakeWeb:
    words = (
        "The port was built in a single winter and grew by 12.5% a year." + " More is told." * 30
    )
    return FakeWeb(
        {
            A: httpx2.Response(200, headers=HTML, content=PAGE.format(words).encode()),
            B: httpx2.Response(200, headers=HTML, content=PAGE.format("Other " * 60).encode()),
        }
    )


def scenario(folder: Path, work: Callable[[Toolkit], Awaitable[Any]]) -> Any:
    async def all_of_it() -> Any:
        async with kit_on(folder, web(), environ={"WEBQUARRY_ROBOTS": "0"}) as kit:
            return await work(kit)

    return asyncio.run(all_of_it())


def check(folder: Path, **arguments: Any) -> dict[str, Any]:
    async def work(kit: Toolkit) -> dict[str, Any]:
        return (await load("research", "check_quotes").call(kit, arguments)).as_dict()

    answer: dict[str, Any] = scenario(folder, work)
    return answer


def test_quotes_have_tier_span_hash_and_time(tmp_path: Path) -> None:
    quotes = ["the port was built in a single winter", "The port was built in a double winter"]

    answer = check(tmp_path, quotes=quotes, sources=[A, B])

    first, second = answer["quotes"]
    assert (first["tier"], first["url"]) == ("typography", A)
    assert first["spans"][0]["end"] - first["spans"][0]["start"] == len(quotes[0])
    assert len(first["textHash"]) == 64
    assert first["readAt"]
    assert second["differs"] == [{"kind": "word", "quote": "double", "source": "single"}]
    assert answer["summary"] == {"typography": 1, "near": 1}
    assert "not whether a statement is true" in answer["compared"]


def test_draft_is_checked_against_the_pages_it_cites(tmp_path: Path) -> None:
    draft = (
        f'It "was built in a single winter" ([port]({A})) and grew by 12.5% ([port]({A})).\n\n'
        f'Also "Tie up the boat at the quay." ({B}) It grew by 14% ([port]({A})).'
    )

    answer = check(tmp_path, text=draft)

    assert [(one["tier"], one["line"]) for one in answer["quotes"]] == [("exact", 1), ("exact", 3)]
    assert [one["verdict"] for one in answer["numbers"]] == ["found", "different"]


def test_a_page_that_cannot_be_read_leaves_its_quotes_unchecked(tmp_path: Path) -> None:
    answer = check(
        tmp_path, quotes=["the port was built in a single winter"], sources=["https://x.org/"]
    )

    assert answer["quotes"][0]["tier"] == "unchecked"
    assert answer["sources"][0]["state"] == "unreadable"


def test_the_sources_of_a_session_are_those_of_its_record(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> dict[str, Any]:
        session = await kit.sessions.begin(StepDraft(1, "What is known?"))
        await kit.sessions.record(session, "scrape_page", [Source(A), Source(B)])
        arguments = {"quotes": ["was built in a single winter"], "sessionId": session.id}
        return (await load("research", "check_quotes").call(kit, arguments)).as_dict()

    answer = scenario(tmp_path, work)

    assert answer["quotes"][0]["url"] == A
    assert len(answer["sources"]) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"text": "a", "quotes": ["b"]},
        {"quotes": ["words of some length"]},
        {"text": "No link."},
    ],
)
def test_missing_arguments_are_named(tmp_path: Path, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        check(tmp_path, **arguments)
