"""Pages that arrive in any order, late, broken or not at all, and callers who leave."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import httpx2
import pytest

from tests.tools.research.searched_web import (
    QUERY,
    Desk,
    Handler,
    SearchedWeb,
    article,
    desk,
    url,
)
from webquarry.pages.score import score_page
from webquarry.progress import listening
from webquarry.tools.research.search_and_scrape import SearchAndScrapeOutput

GONE = httpx2.Response(404, content=b"gone")


def urls_of(answer: SearchAndScrapeOutput) -> list[str]:
    return [page.url for page in answer.pages]


async def hang(request: httpx2.Request) -> httpx2.Response:
    await asyncio.Event().wait()
    raise AssertionError


def delayed(page: httpx2.Response, turns: int) -> Handler:
    async def answer(request: httpx2.Request) -> httpx2.Response:
        for _ in range(turns):
            await asyncio.sleep(0)
        return page

    return answer


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_arrival_changes_no_byte_of_the_answer(seed: int) -> None:
    chance = random.Random(seed)
    shared = (
        "<p>"
        + "The same words about the tide stand on every page that anybody has written about it. "
        * 2
        + "</p>"
    )
    pages = {number: article(number, shared) for number in range(1, 10)} | {
        1: GONE,
        3: GONE,
        5: article(2, shared),
    }
    expected = Desk(SearchedWeb({url(number): page for number, page in pages.items()})).call(
        num_results=4
    )
    late: dict[str, httpx2.Response | Handler] = {
        url(number): delayed(page, chance.randrange(200)) for number, page in pages.items()
    }

    answer = Desk(SearchedWeb(late)).call(num_results=4)

    assert json.dumps(answer.as_dict()) == json.dumps(expected.as_dict())
    assert urls_of(answer) == [url(2), url(4), url(6), url(7)]


def test_unexpected_error_of_one_page_does_not_affect_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(snapshot: Any, result: Any, question: Any) -> Any:
        if result.url == url(1):
            raise ZeroDivisionError
        return score_page(snapshot, result, question)

    monkeypatch.setattr("webquarry.pages.score.score_page", broken)
    answer = desk(1, 2, 3, 4).call()

    assert urls_of(answer) == [url(2), url(3), url(4)]
    assert (
        answer.scrape_failures[0].kind,
        "ZeroDivisionError" in answer.scrape_failures[0].reason,
    ) == (
        "internal",
        True,
    )


# Time


def test_slow_page_is_reported_and_not_awaited() -> None:
    web = desk(1, 2, 3, 4, page2=hang)
    heard: list[str] = []

    def hear(message: str) -> None:
        heard.append(message)
        if message == "2 of 3 pages read":
            web.clock.seconds += 1000

    with listening(hear):
        answer = web.call()

    assert (answer.status, urls_of(answer)) == ("partial", [url(1), url(3)])
    (failure,) = answer.scrape_failures
    assert (failure.url, failure.kind, failure.retryable) == (url(2), "network", True)
    assert "time" in failure.reason
    assert "scrape_page" in failure.suggested_action


def test_a_caller_who_leaves_stops_the_reads() -> None:
    stopped: list[str] = []

    async def run() -> None:
        waiting = asyncio.Event()

        async def held(request: httpx2.Request) -> httpx2.Response:
            waiting.set()
            try:
                return await hang(request)
            except asyncio.CancelledError:
                stopped.append(str(request.url))
                raise

        web = Desk(SearchedWeb({url(number): held for number in (1, 2)}))
        call = asyncio.create_task(web.acall("search_and_scrape", {"query": QUERY}))
        await waiting.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(run())
    assert url(1) in stopped
