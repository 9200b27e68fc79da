"""The `show_research` tool: a session, a page with its quotes marked or the bill, for a person."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

import webquarry
from webquarry.caller import serving
from webquarry.errors import NotFound
from webquarry.settings import Settings
from webquarry.tool import Answer
from webquarry.toolkit import Toolkit
from webquarry.tools import load
from webquarry.views.app import parse_view_uri
from webquarry.views.brief import write_page, write_session

PAGE = "https://tidelines.example/2026/09/storing-the-tide"
QUOTES = [
    "Tidal turbines stand still four times a day",
    "a tank of lithium salts now keeps the lights on",
    "words that nobody has ever written there",
]
GOAL = "How is it kept?"


@pytest.fixture(autouse=True)
def own_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WEBQUARRY_REPLAY", "demo")
    monkeypatch.setenv("WEBQUARRY_STATE_FOLDER", str(tmp_path / "state"))


def begin() -> str:
    """A session with what a search found and quotes that were checked."""
    begun = webquarry.call("sequential_search", searchStep="x", stepNumber=1, researchGoal=GOAL)
    id = str(begun.as_dict()["sessionId"])
    webquarry.call("web_search", query="tidal energy storage", sessionId=id)
    webquarry.call("check_quotes", quotes=QUOTES, sources=[PAGE], sessionId=id)
    return id


def show(**arguments: Any) -> tuple[dict[str, Any], str]:
    """The data of what is shown, and its text."""
    answer = webquarry.call("show_research", **arguments)
    return answer.as_dict(), answer.as_markdown() or ""


def test_a_session_is_shown_with_its_numbers_and_the_quoted_source_first() -> None:
    id = begin()

    shown, text = show(sessionId=id)

    session = shown["session"]
    assert shown["view"] == "session"
    assert (session["id"], session["goal"], session["steps"]) == (id, GOAL, 1)
    assert (session["quoted"], session["read"], session["found"]) == (1, 0, 4)
    assert session["sources"][0]["url"] == PAGE
    assert parse_view_uri(shown["resource"]) == ("session", {"id": id})
    assert text.startswith(f"# {GOAL}\n\nin progress, 1 step; sources: 1 quoted, 0 read, 4 found")
    assert f'- "{QUOTES[0]}" (exact)' in text
    assert f'- "{QUOTES[1]}" (near: not as quoted)' in text
    assert "`webquarry ui`" in text


def test_page_is_shown_with_quotes_marked() -> None:
    id = begin()

    shown, text = show(url=PAGE, sessionId=id)

    marked = re.findall(r"==(.*?)==", text)
    assert shown["view"] == "page"
    assert marked == [QUOTES[0], "a tank of vanadium salts now keeps the lights on"]
    assert f'1. "{QUOTES[0]}" (exact)' in text
    assert shown["page"]["textHash"] in text
    assert parse_view_uri(shown["resource"]) == ("page", {"url": PAGE, "session": id})


def call_in_kit(tool: str, **arguments: Any) -> Answer:
    """A call with a toolkit of its own, whose log is written when it ends."""

    async def run() -> Answer:
        async with Toolkit.open(Settings.from_environment()) as kit:
            return await load("research", tool).call_and_log(kit, arguments)

    return asyncio.run(run())


@pytest.mark.parametrize("arguments", [{}, {"sessionId": " ", "url": ""}])
def test_without_a_session_or_a_page_the_bill_is_shown(arguments: dict[str, str]) -> None:
    call_in_kit("web_search", query="tidal energy storage")

    answer = call_in_kit("show_research", **arguments)

    shown = answer.as_dict()
    assert (shown["view"], shown["bill"]["total"]["calls"]) == ("bill", 1)
    assert "- web_search: 1 call, 0 cached, 0 failed, $0.0000" in (answer.as_markdown() or "")


def test_views_are_isolated_per_caller() -> None:
    id = begin()

    with serving("ada"), pytest.raises(NotFound):
        show(sessionId=id)


HOSTILE = "# Heading\n- item ==mark== [link](https://evil.example) <b>x</b> | cell"


def test_what_the_web_writes_opens_no_markup_and_forges_no_mark() -> None:
    pieces = [{"text": f"{HOSTILE}\n"}, {"text": "quoted", "marks": [0]}, {"text": HOSTILE}]
    quote = {"quote": HOSTILE, "tier": "exact", "state": "here", "matched": [HOSTILE]}
    page = {"title": HOSTILE, "url": "https://a.org/", "kept": True, "readAt": "now"}
    page |= {"characters": 1, "textHash": "0", "quotes": [quote], "pieces": pieces}
    source = {"number": 1, "stage": "quoted", "title": HOSTILE, "url": "https://a.org/"}
    source["quotes"] = [{**quote, "found": True}]
    names = ("status", "steps", "quoted", "read", "found", "calls", "kept", "usd", "sourcesOmitted")
    session = {**dict.fromkeys(names, 0), "goal": HOSTILE, "summary": HOSTILE, "sources": [source]}
    session["status"] = "finished"

    shown = list(write_page(page))
    for text in ("\n".join(shown), "\n".join(write_session(session))):
        assert re.findall(r"(?m)^[> ]*#", text) == ["#"]  # the title is ours
        assert "](https" not in text.replace(r"\](https", "")
        assert "<b>" not in text.replace(r"\<b>", "")
    excerpt = [line for line in shown if line.startswith(">")]
    assert re.findall(r"==(.*?)==", "\n".join(excerpt)) == ["quoted"]
    assert r"> \# Heading" in excerpt
