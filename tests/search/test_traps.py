"""No trap passes for an answer, no answer is refused for talking about captchas, and the next
provider is asked.

A trap was met with one provider, which tells its outcome. What is no object of JSON (pages, texts,
halves of answers) must not pass for an answer of any provider, so it is given to all of them.
"""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.search.replies import MOMENT, recorded
from tests.search.test_providers import BY_NAME, configured
from tests.search.traps import BAD, FOLDER, GOOD, Recorded
from webquarry._search.models import Found, Query
from webquarry._search.router import Router
from webquarry.clock import FrozenClock
from webquarry.errors import OUTCOMES, WebquarryError
from webquarry.net.client import Client
from webquarry.settings import Settings

each_trap = pytest.mark.parametrize("trap", BAD, ids=lambda trap: trap.file)
each_good = pytest.mark.parametrize("good", GOOD, ids=lambda good: good.file)


def test_there_are_twenty_of_each_and_every_file_is_used() -> None:
    assert len(BAD) >= 20
    assert len(GOOD) >= 20
    for folder, listed in (("bad", BAD), ("good", GOOD)):
        assert {path.name for path in (FOLDER / folder).iterdir()} == {one.file for one in listed}
    assert {one.provider for one in BAD} == {one.provider for one in GOOD} <= set(BY_NAME)


@each_trap
def test_a_trap_is_never_an_answer(trap: Recorded) -> None:
    with pytest.raises(WebquarryError) as caught:
        configured(BY_NAME[trap.provider]).parse_reply(trap.reply)

    assert caught.value.kind == trap.outcome
    assert trap.outcome in OUTCOMES


@each_good
def test_a_good_reply_is_never_refused(good: Recorded) -> None:
    batch = configured(BY_NAME[good.provider]).parse_reply(good.reply)

    assert len(batch.results) == good.results


def routed(provider: str, first: Recorded) -> Found:
    """A search that asks this provider first, who answers with this; whoever is asked next has
    results.
    """
    after = "brave" if provider != "brave" else "google"

    def answer(request: httpx2.Request) -> httpx2.Response:
        if ("search.brave.com" if after == "brave" else "googleapis.com") in request.url.host:
            return httpx2.Response(200, content=recorded(f"{after}/ok_200"))
        return httpx2.Response(
            first.status, headers={"content-type": first.content_type}, content=first.body
        )

    async def run() -> Found:
        variables = {"SEARXNG_URL": "http://searx.example", "retries": "0"}
        settings = Settings.from_environment({**variables, "SEARCH_ROUTING": f"{provider},{after}"})
        keys = {
            wanted.variable: "canary-1234567"
            for kind in BY_NAME.values()
            for wanted in kind.credentials
        }
        transport, clock = httpx2.MockTransport(answer), FrozenClock(MOMENT)
        async with Client(settings, clock, pages=transport, providers=transport) as client:
            return await Router(client, settings, {**keys, "HOME": "/nonexistent"}, clock).route(
                Query("captcha", 5)
            )

    return asyncio.run(run())


@each_trap
def test_after_a_trap_the_next_provider_is_asked_and_the_trace_says_why(trap: Recorded) -> None:
    found = routed(trap.provider, trap)

    assert found.results
    assert found.provider == ("brave" if trap.provider != "brave" else "google")
    assert [(attempt.provider, attempt.outcome) for attempt in found.attempts] == [
        (trap.provider, trap.outcome),
        (found.provider, "ok"),
    ]
    assert len(found.attempts[0].reason) > 20
    assert "canary" not in repr(found)
