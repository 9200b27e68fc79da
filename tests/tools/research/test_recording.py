"""Any tool that is given a sessionId records its sources there, in one place: wherever its answer
came from.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb
from tests.search.engines import Engines, brave, brave_limit
from tests.sessions.kits import A, B, kit_on, run, step
from tests.tools.pages import sent
from webquarry.caller import serving
from webquarry.errors import NotFound, RateLimited, RecordsFailure
from webquarry.sessions.models import ResearchSession
from webquarry.toolkit import Toolkit

PAGE = "https://harbor.example/tide.txt"
TEXT = "Reading a tide table\n\n" + "The pilot reads the second column of the table first. " * 40


def session_after(
    folder: Path,
    work: Callable[[Toolkit, str], Awaitable[Any]],
    engines: httpx2.AsyncBaseTransport | None = None,
) -> ResearchSession:
    """A session of two steps after some work for it."""

    async def scenario() -> ResearchSession:
        async with kit_on(folder, engines) as kit:
            id = (await step(kit, 1))["sessionId"]
            await step(kit, 2, id)
            await work(kit, id)
            return await kit.sessions.read(id)

    return asyncio.run(scenario())


async def no_answer(*args: Any, **kwargs: Any) -> int:
    raise RecordsFailure("The record file did not answer.")


def test_what_a_search_finds_is_recorded_with_the_current_step_and_without_its_snippets(
    tmp_path: Path,
) -> None:
    async def work(kit: Toolkit, id: str) -> None:
        answer = await run(kit, "web_search", query="tides", sessionId=id)
        assert answer.meta["webquarry/session"] == {"sessionId": id, "stepNumber": 2, "recorded": 2}

    engines = Engines(brave=brave(A, B, page_age="2026-02-03T00:00:00"))
    session = session_after(tmp_path, work, engines)

    assert [
        (one.source.url, one.source.title, one.source.provider, one.steps)
        for one in session.sources
    ] == [(url, f"Title of {url}", "brave", (2,)) for url in (A, B)]
    assert {one.source.published for one in session.sources} == {"2026-02-03T00:00:00"}
    assert "About" not in repr(session)


def test_a_page_that_was_read_is_recorded_with_its_reference(tmp_path: Path) -> None:
    async def work(kit: Toolkit, id: str) -> None:
        await run(kit, "scrape_page", url=PAGE, sessionId=id)

    web = FakeWeb({PAGE: sent(TEXT, "text/plain; charset=utf-8")})
    (found,) = session_after(tmp_path, work, web).sources

    assert found.source.url == PAGE
    assert found.source.csl
    assert found.source.csl["URL"] == PAGE
    assert found.source.published is None
    assert found.tools == ("scrape_page",)


@pytest.mark.parametrize("id", ["s-1", "3f2a0f7e-0000-4000-8000-000000000000"])
def test_nothing_is_spent_on_a_session_that_is_not_there(tmp_path: Path, id: str) -> None:
    engines = Engines(brave=brave(A))

    async def scenario() -> None:
        async with kit_on(tmp_path, engines) as kit:
            await run(kit, "web_search", query="tides", sessionId=id)

    with pytest.raises(NotFound, match="no research session"):
        asyncio.run(scenario())
    assert engines.asked == []


def test_a_session_of_another_caller_is_not_there(tmp_path: Path) -> None:
    engines = Engines(brave=brave(A))

    async def scenario() -> None:
        async with kit_on(tmp_path, engines) as kit:
            with serving("ada"):
                id = (await step(kit, 1))["sessionId"]
            with serving("bob"):
                for name, arguments in (
                    ("web_search", {"query": "tides"}),
                    ("get_research_session", {}),
                    ("sequential_search", {"searchStep": "x", "stepNumber": 2}),
                ):
                    with pytest.raises(NotFound):
                        await run(kit, name, sessionId=id, **arguments)

    asyncio.run(scenario())
    assert engines.asked == []


def test_an_error_of_a_tool_is_recorded_by_its_kind_and_raised(tmp_path: Path) -> None:
    async def work(kit: Toolkit, id: str) -> None:
        with pytest.raises(RateLimited):
            await run(kit, "web_search", query="tides", sessionId=id)

    (error,) = session_after(tmp_path, work, Engines(brave=brave_limit())).errors

    assert (error.kind, error.tool, error.step) == ("rate_limited", "web_search", 2)


def test_an_answer_is_not_lost_when_its_sources_cannot_be_recorded_and_that_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(kit: Toolkit, id: str) -> None:
        kit.journals.append = no_answer  # type: ignore[method-assign]
        answer = await run(kit, "web_search", query="tides", sessionId=id)
        assert answer.as_dict()["urls"] == [A, B]
        beside = answer.meta["webquarry/session"]
        assert beside["recorded"] == 0
        assert "did not answer" in beside["error"]["message"]

    assert session_after(tmp_path, work).sources == ()
    assert "not recorded" in caplog.text
