"""Repeated reads: with `unchanged: "short"` a session gets a reference to a text that it has, and a
server is asked only whether a page has changed.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeWeb
from tests.sessions.kits import kit_on
from tests.tools.pages import ARTICLE, URL, Session, sent
from webquarry.toolkit import Toolkit
from webquarry.tools import load

MODIFIED = "Sun, 15 Nov 2026 10:00:00 GMT"


async def begin(kit: Toolkit) -> str:
    step = {"searchStep": "What is known?", "stepNumber": 1, "nextStepNeeded": True}
    begun = await load("research", "sequential_search").call(kit, step)
    return str(begun.as_dict()["sessionId"])


async def scrape(kit: Toolkit, id: str, **arguments: Any) -> dict[str, Any]:
    answer = await load("research", "scrape_page").call(
        kit, {"url": URL, "sessionId": id} | arguments
    )
    return answer.as_dict()


def run_session(
    folder: Path, work: Callable[[Toolkit, str], Awaitable[Any]], web: FakeWeb | None = None
) -> Any:
    async def run() -> Any:
        async with kit_on(folder, web or FakeWeb({URL: sent(ARTICLE)})) as kit:
            return await work(kit, await begin(kit))

    return asyncio.run(run())


def test_second_read_of_an_unchanged_page_is_a_reference_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def read_twice(kit: Toolkit, id: str) -> Any:
        return [await scrape(kit, id), await scrape(kit, id, unchanged="short")]

    first, second = run_session(tmp_path, read_twice)
    sizes = [len(str(answer)) // 4 for answer in (first, second)]
    with capsys.disabled():
        sys.stdout.write(f"\ntokens of a page: {sizes[0]}, read again in its session: {sizes[1]}\n")

    assert "unchangedSinceStep" not in first
    assert second["unchangedSinceStep"] == 1
    assert second["tokensSaved"] > 0
    assert "Part 3" in second["content"]
    assert "Call without unchanged" in second["content"]
    assert sizes[1] <= 0.4 * sizes[0]


@pytest.mark.parametrize(
    "arguments",
    [{}, {"again": False}, {"fresh": True, "unchanged": "short"}],
)
def test_text_is_returned_again_by_default(tmp_path: Path, arguments: dict[str, Any]) -> None:
    async def read_twice(kit: Toolkit, id: str) -> Any:
        return [await scrape(kit, id), await scrape(kit, id, **arguments)]

    first, second = run_session(tmp_path, read_twice)

    assert second["content"] == first["content"]


@pytest.mark.parametrize(
    "other",
    [{"mode": "preview"}, {"question": "pilot"}, {"section": "Part 2"}, {"outline": True}],
)
def test_another_mode_question_or_part_is_given(tmp_path: Path, other: dict[str, Any]) -> None:
    async def read_twice(kit: Toolkit, id: str) -> Any:
        await scrape(kit, id)
        short = {"unchanged": "short"} | other
        return [await scrape(kit, id, **short), await scrape(kit, id, **short)]

    first, second = run_session(tmp_path, read_twice)

    assert "unchangedSinceStep" not in first
    assert second["unchangedSinceStep"] == 1


def test_verbatim_bytes_are_never_replaced_by_a_reference(tmp_path: Path) -> None:
    async def read_twice(kit: Toolkit, id: str) -> Any:
        short = {"mode": "raw", "unchanged": "short"}
        return [await scrape(kit, id, **short), await scrape(kit, id, **short)]

    first, second = run_session(tmp_path, read_twice)

    assert second["content"] == first["content"]


def test_a_page_that_has_changed_is_given(tmp_path: Path) -> None:
    web = FakeWeb({URL: [sent(ARTICLE), sent(ARTICLE.replace("pilot", "captain"))]})

    async def read_twice(kit: Toolkit, id: str) -> Any:
        await scrape(kit, id)
        kit.clock.seconds += 4_000  # type: ignore[attr-defined]
        return await scrape(kit, id, unchanged="short")

    second = run_session(tmp_path, read_twice, web)

    assert "captain" in second["content"]


def answer_conditionally(request: httpx2.Request) -> httpx2.Response:
    """What a server does that knows its pages by a tag."""
    if request.headers.get("If-None-Match") == '"v1"':
        return httpx2.Response(304, headers={"ETag": '"v1"'})
    response = sent(ARTICLE)
    response.headers.update({"ETag": '"v1"', "Last-Modified": MODIFIED})
    return response


def test_a_server_is_asked_whether_a_page_has_changed_when_its_time_is_over() -> None:
    session = Session(FakeWeb({URL: answer_conditionally}))
    first = session.scrape()
    session.clock.seconds += 4_000
    second = session.scrape()
    session.scrape()

    pages = [one for one in session.web.requests if str(one.url) == URL]
    assert second.content == first.content
    assert [one.headers.get("If-None-Match") for one in pages] == [None, '"v1"']
    assert pages[1].headers["If-Modified-Since"] == MODIFIED
    assert second.meta["webquarry/cache"]["ageSeconds"] == 0
