"""A quota that is used up is not asked for again and again; a passing limit is."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from tests.search.replies import MOMENT
from webquarry._search.models import Query
from webquarry._search.router import Router
from webquarry.clock import FrozenClock
from webquarry.errors import RateLimited
from webquarry.net.client import Client
from webquarry.settings import Settings

ENVIRON = {
    "BRAVE_API_KEY": "brave-key-1234",
    "GOOGLE_SEARCH_API_KEY": "google-key-1234",
    "GOOGLE_SEARCH_ENGINE_ID": "0123456789abcdef0",
    "SEARCHAPI_API_KEY": "searchapi-key-1234",
    "HOME": "/nonexistent",
}
SPENT = {
    "brave": {"error": {"code": "QUOTA_LIMITED", "detail": "Request quota limit exceeded."}},
    "google": {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "message": "Quota exceeded for quota metric 'Queries' and limit 'Queries per day'",
            "errors": [{"reason": "rateLimitExceeded"}],
        }
    },
    "searchapi": {"error": "You have used all of the searches for the month."},
}
MANY = tuple(f"number-{number}.example.com" for number in range(120))


class Answers:
    """Answers one after the other, the last one for ever, and counts the questions."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        self.answers = answers
        self.asked = 0

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        status, body = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        if isinstance(body, bytes):
            return httpx2.Response(status, content=body)
        return httpx2.Response(status, json=body)


def use(answers: Answers, call: Any) -> Any:
    """What a call of a router comes to, whose client tries twice more."""

    async def run() -> Any:
        settings = Settings.from_environment({"retries": "2"})
        clock = FrozenClock(MOMENT)
        transport = httpx2.MockTransport(answers)
        async with Client(settings, clock, pages=transport, providers=transport) as client:
            return await call(Router(client, settings, ENVIRON, clock))

    return asyncio.run(run())


@pytest.mark.parametrize("name", SPENT)
def test_a_spent_quota_is_asked_once_by_a_search_and_by_a_probe(name: str) -> None:
    calls = [
        lambda router: router.search(name, Query("x")),
        lambda router: router.route(Query("x"), provider=name),
    ]
    if name != "searchapi":  # whose probe asks for the account
        calls.append(lambda router: router.services.probe(router.provider(name)))
    for call in calls:
        answers = Answers((429, SPENT[name]))
        with pytest.raises(RateLimited) as caught:
            use(answers, call)
        assert answers.asked == 1
        assert not caught.value.retryable


def test_after_an_exhausted_quota_no_further_group_is_requested() -> None:
    hit = {"title": "T", "url": f"https://{MANY[0]}/", "description": "D"}
    first = {"query": {}, "web": {"results": [hit]}}
    answers = Answers((200, first), (429, SPENT["brave"]))
    notes: list[str] = []
    query = Query("x", allowed_domains=MANY)
    results = use(answers, lambda router: router.search("brave", query, notes))

    assert answers.asked == 2
    assert [result.url for result in results] == [f"https://{MANY[0]}/"]
    assert (
        notes[0] == "Group 2 of the domains of Brave Search failed and is left out (rate_limited)."
    )
    assert "Not asked for: " in notes[1]
    assert "and " in notes[1]
