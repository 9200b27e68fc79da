"""A routed search: one provider after the other, until one of them has results."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.engines import KEYS, Engines, brave, brave_limit, failed, google, routed, tavily
from tests.search.replies import recorded
from webquarry._search.models import Found, Query
from webquarry._search.providers.brave import Brave
from webquarry._search.router import Router
from webquarry.errors import (
    AuthFailure,
    BadInput,
    Challenge,
    ProviderFailure,
    RateLimited,
    WebquarryError,
    describe_wait,
)

TWO = KEYS | {"SEARCH_ROUTING": "brave,tavily"}
THREE = KEYS | {"SEARCH_ROUTING": "brave,tavily,google"}
CAPTCHA = httpx2.Response(
    200, html="<html><title>Just a moment</title>Please solve this captcha</html>"
)
A = "https://a.org/"


def route(
    engines: Engines, environ: dict[str, str] = TWO, query: Query | None = None, **choice: Any
) -> Found:
    return routed(
        engines, lambda router: router.route(query or Query("tides", 1), **choice), environ
    )


def outcomes(found: Found | WebquarryError) -> list[tuple[str, str]]:
    return [(attempt.provider, attempt.outcome) for attempt in found.attempts]


def test_the_first_provider_with_results_is_the_last_one_asked() -> None:
    engines = Engines(brave=brave(A), tavily=tavily(A))
    found = route(engines)

    assert engines.names == ["brave"]
    assert (found.provider, found.results[0].url, found.order) == ("brave", A, ("brave", "tavily"))
    assert outcomes(found) == [("brave", "ok")]


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (brave(), "empty"),
        (brave_limit(), "rate_limited"),
        (httpx2.Response(422, content=recorded("brave/auth_422_token_invalid")), "auth"),
        (failed(500), "network"),
        (CAPTCHA, "challenge"),
        (httpx2.Response(403, html="<html>No</html>"), "blocked"),
        (httpx2.Response(414, html="<html>Too long</html>"), "bad_input"),
    ],
)
def test_anything_but_results_passes_the_turn_on_and_the_trace_names_why(
    reply: httpx2.Response, outcome: str
) -> None:
    engines = Engines(brave=reply, tavily=tavily(A))
    found = route(engines)

    assert engines.names == ["brave", "tavily"]
    assert found.provider == "tavily"
    assert outcomes(found) == [("brave", outcome), ("tavily", "ok")]
    assert found.attempts[0].reason


def test_a_provider_without_its_key_is_passed_over_without_a_request() -> None:
    engines = Engines(brave=brave(A))
    found = route(engines, {"BRAVE_API_KEY": "canary-brave-1234", "SEARCH_ROUTING": "tavily,brave"})

    assert engines.names == ["brave"]
    assert found.attempts[0].reason == "TAVILY_API_KEY was not found."


def test_a_provider_that_fails_in_a_way_of_its_own_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def parse_reply(self: Brave, reply: object) -> None:
        raise KeyError("from another package")

    monkeypatch.setattr(Brave, "parse_reply", parse_reply)
    found = route(Engines(brave=brave(A), tavily=tavily(A)))

    assert found.provider == "tavily"
    assert found.attempts[0].reason == "Brave Search failed: KeyError."


def test_nothing_found_is_an_answer_once_everybody_was_asked() -> None:
    engines = Engines(brave=brave(), tavily=tavily())
    found = route(engines)

    assert engines.names == ["brave", "tavily"]
    assert (found.results, found.provider) == ((), "brave")


def test_a_named_provider_is_never_replaced_by_another() -> None:
    engines = Engines(brave=failed(500), tavily=tavily(A))
    with pytest.raises(ProviderFailure) as caught:
        route(engines, provider="brave")
    assert engines.names == ["brave"]
    assert caught.value.provider == "brave"

    empty = Engines(brave=brave(), tavily=tavily(A))
    assert route(empty, provider="brave").results == ()
    assert empty.names == ["brave"]


def test_unknown_provider_is_rejected_with_the_known_names_before_any_request() -> None:
    engines = Engines()
    with pytest.raises(BadInput, match="no search provider 'acorn'") as caught:
        route(engines, provider="acorn")

    assert caught.value.suggested_action.count("brave") == 1
    assert engines.names == []


def test_a_rate_limit_suggests_a_minute_or_another_provider() -> None:
    with pytest.raises(RateLimited) as caught:
        route(Engines(brave=brave_limit(1)), KEYS, provider="brave")

    assert caught.value.suggested_action == (
        "Wait 60 seconds and try again, or name another provider: duckduckgo, google, serper, "
        "tavily."
    )


@pytest.mark.parametrize(
    ("replies", "kind"),
    [
        ({"brave": failed(500), "tavily": failed(429), "google": CAPTCHA}, RateLimited),
        ({"brave": CAPTCHA, "tavily": httpx2.Response(401), "google": failed(500)}, Challenge),
        (
            {
                "brave": httpx2.Response(401),
                "tavily": httpx2.Response(401),
                "google": httpx2.Response(401),
            },
            AuthFailure,
        ),
    ],
)
def test_if_all_providers_fail_the_error_has_the_most_useful_kind_and_names_all(
    replies: dict[str, Any], kind: type[WebquarryError]
) -> None:
    with pytest.raises(kind) as caught:
        route(Engines(**replies), THREE)

    assert type(caught.value) is kind
    assert caught.value.message.startswith("No search provider answered. brave: ")
    assert [attempt.provider for attempt in caught.value.attempts] == ["brave", "tavily", "google"]
    for name in ("brave", "tavily", "google"):
        assert name in caught.value.message


def test_no_key_is_in_any_error_or_trace() -> None:
    def echo(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(500, json={"detail": {"error": f"bad {dict(request.headers)}"}})

    with pytest.raises(WebquarryError) as caught:
        route(Engines(brave=echo, tavily=echo), TWO)

    assert "canary" not in repr((caught.value.as_dict(), caught.value.attempts))


class Slow(Engines):
    """Engines of which one takes its time, on the clock of the test."""

    def __init__(self, clock: FakeClock, seconds: dict[str, float], **replies: Any) -> None:
        super().__init__(**replies)
        self._clock, self._seconds = clock, seconds

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        self._clock.seconds += self._seconds[self.names[-1]]
        return response


def test_one_deadline_holds_for_the_whole_and_who_comes_after_it_is_not_asked() -> None:
    clock = FakeClock()
    engines = Slow(
        clock, {"brave": 20, "tavily": 11}, brave=failed(500), tavily=failed(500), google=google(A)
    )
    with pytest.raises(ProviderFailure) as caught:
        routed(engines, lambda router: router.route(Query("x")), THREE, clock)

    assert engines.names == ["brave", "tavily"]
    assert outcomes(caught.value)[-1] == ("google", "skipped")
    assert caught.value.attempts[-1].reason == "No time was left to ask Google Custom Search."
    assert [attempt.seconds for attempt in caught.value.attempts] == [20, 11, 0]


class Hanging(Engines):
    """Engines of which some never answer."""

    def __init__(self, hangs: Any, **replies: Any) -> None:
        super().__init__(**replies)
        self._hangs = hangs

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if self._hangs(self.names[-1], request):
            await asyncio.Event().wait()
        return response


def test_a_provider_that_never_answers_leaves_time_for_the_next() -> None:
    engines = Hanging(lambda name, _: name == "brave", brave=brave(A), tavily=tavily(A))
    found = route(engines, TWO | {"WEBQUARRY_TIMEOUT_SECONDS": "0.4"})

    assert found.provider == "tavily"
    assert outcomes(found)[0] == ("brave", "network")


def test_results_before_the_timeout_are_the_answer() -> None:
    engines = Hanging(
        lambda _, request: request.url.params.get("offset") == "1", brave=brave(A, more=True)
    )
    found = route(engines, TWO | {"WEBQUARRY_TIMEOUT_SECONDS": "0.4"}, Query("x", 3))

    assert [result.url for result in found.results] == [A]
    assert "cut short" in found.notes[-1]


# Breakers


@pytest.mark.parametrize("status", [429, 503])
def test_a_wait_that_the_provider_asks_for_is_respected_at_once(status: int) -> None:
    clock = FakeClock()
    engines = Engines(brave=brave(A), tavily=failed(status, retry_after="120"))
    environ = KEYS | {"SEARCH_ROUTING": "tavily,brave"}

    async def use(router: Router) -> list[str]:
        found = [await router.route(Query("a"))]
        clock.seconds += 119
        found.append(await router.route(Query("b")))
        clock.seconds += 2
        found.append(await router.route(Query("c")))
        return [one.attempts[0].outcome for one in found]

    first, second, third = routed(engines, use, environ, clock)

    assert (second, first) == ("skipped", third)


@pytest.mark.parametrize(("asked", "advised"), [(30, 60), (90, 90)])
def test_a_named_provider_that_rests_is_an_error_with_the_wait_that_was_advised(
    asked: int, advised: int
) -> None:
    engines = Engines(brave=brave_limit(asked), tavily=tavily(A))

    async def use(router: Router) -> None:
        with pytest.raises(RateLimited) as first:
            await router.route(Query("a"), provider="brave")
        assert f"Wait {describe_wait(advised)} " in str(first.value.suggested_action)
        await router.route(Query("b"), provider="brave")

    with pytest.raises(RateLimited) as caught:
        routed(engines, use, TWO)
    assert engines.names == ["brave"]
    assert f"left alone for {describe_wait(advised, 'more')}" in caught.value.message
    assert f"Wait {describe_wait(advised)} " in str(caught.value.suggested_action)
    assert caught.value.retry_after_seconds == asked
