"""The two tools under the settings of their set: pauses, repetitions, time, and how long answers are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.duckduckgo_site import DuckDuckGoSite, Said, as_recorded, many
from tests.net.doubles import FakeClock
from tests.search.replies import recorded
from tests.tools.duckduckgo.calls import ask, kept
from webquarry.errors import WebquarryError
from webquarry.settings import Settings
from webquarry.tools.duckduckgo import own_settings

# --- the settings
# --------------------------------------------------------------------------------------------------


def test_the_settings_of_the_set_count_for_more_than_those_of_the_engine() -> None:
    environ = {
        "WEBQUARRY_TIMEOUT_SECONDS": "7",
        "WEBSEARCH_TIMEOUT_SECS": "3",
        "WEBSEARCH_USER_AGENT": "me/2",
        "WEBSEARCH_CACHE_TTL_SECS": "5",
        "WEBSEARCH_MAX_RETRIES": "0",
    }
    settings = own_settings(Settings.from_environment(environ))

    assert (settings.timeout_seconds, settings.user_agent, settings.retries) == (3, "me/2", 0)
    assert (settings.cache, settings.cache_search_seconds, settings.cache_empty_seconds) == (
        True,
        5,
        5,
    )


@pytest.mark.parametrize("name", ["web_search", "instant_answer"])
@pytest.mark.parametrize(("retries", "requests"), [("0", 1), ("2", 3)])
def test_a_busy_site_is_asked_again_as_often_as_was_set(
    name: str, retries: str, requests: int
) -> None:
    with DuckDuckGoSite(lambda _: Said(b"", 503)) as site, pytest.raises(WebquarryError):
        ask(
            site,
            (name, {"query": "x"}),
            clock=FakeClock(),
            environ={"WEBSEARCH_MAX_RETRIES": retries},
        )

    assert len([asked for asked in site.asked if asked.way != "lite"]) == requests


def test_between_two_requests_there_is_the_pause_that_was_set_whichever_tool_makes_them() -> None:
    clock = FakeClock()
    calls = (
        ("web_search", {"query": "a"}),
        ("instant_answer", {"query": "b"}),
        ("web_search", {"query": "c"}),
    )
    with DuckDuckGoSite(many(3)) as site:
        site.rule = lambda asked: (
            recorded("instant/article") if asked.way == "api" else many(3)(asked)
        )
        ask(site, *calls, clock=clock, environ={"WEBSEARCH_RATE_LIMIT_MS": "1500"})

    assert clock.waits == pytest.approx([1.5, 1.5])


# --- the cache
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["web_search", "instant_answer"])
def test_second_call_is_answered_from_the_cache_in_any_process(name: str, tmp_path: Path) -> None:
    with DuckDuckGoSite() as site:
        first, second = ask(
            site, (name, {"query": "x"}), (name, {"query": "x"}), environ=kept(tmp_path)
        )
        (third,) = ask(site, (name, {"query": "x"}), environ=kept(tmp_path))

    assert first.text == second.text == third.text
    assert [answer.meta["webquarry/cache"]["cached"] for answer in (first, second, third)] == [
        False,
        True,
        True,
    ]
    assert len({asked.way for asked in site.asked}) == 1
    assert len([asked for asked in site.asked if "s" not in asked.fields]) == 1


@pytest.mark.parametrize("name", ["web_search", "instant_answer"])
def test_ttl_zero_disables_the_cache(name: str, tmp_path: Path) -> None:
    call = (name, {"query": "x"})
    with DuckDuckGoSite(
        lambda asked: as_recorded(asked) if asked.way == "api" else many(3)(asked)
    ) as site:
        ask(site, call, environ=kept(tmp_path))
        answers = ask(site, call, call, environ=kept(tmp_path) | {"WEBSEARCH_CACHE_TTL_SECS": "0"})

    assert [answer.meta["webquarry/cache"]["cached"] for answer in answers] == [False, False]
    assert len(site.asked) == 3
