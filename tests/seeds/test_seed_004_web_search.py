"""Seed 004, row by row: `web_search` and the contract of cache keys. Each test is named after the
row it stands for.
"""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.engines import (
    HOMELESS,
    KEYS,
    Engines,
    Reply,
    brave,
    brave_limit,
    called,
    failed,
    google,
    routed,
    tavily,
)
from tests.search.replies import recorded
from tests.seeds.seed_004 import SEED, check_as_in_table, rows_of
from webquarry._search import models as search_models
from webquarry._search.lenses import Lens, load_lenses
from webquarry._search.models import Attempt, Found, Query, Result
from webquarry.errors import AuthFailure, BadInput, RateLimited
from webquarry.store.cache import key_of
from webquarry.tools import load
from webquarry.tools.research._search import NOT_IN_KEY

SECTION = SEED.partition("## Tool 1: `web_search`")[2].partition("## Tool 2:")[0]
ROWS = rows_of(SECTION)
SCHEMA = load("research", "web_search").parameters
BRAVE = KEYS | {"SEARCH_PROVIDER": "brave"}
A, B = "https://a.org/1", "https://b.org/2"


def search(
    environ: dict[str, str] | None = None, reply: Reply | None = None, **arguments: Any
) -> dict[str, Any]:
    engines = Engines(brave=reply or brave(A, B))
    return called(
        engines, "web_search", environ or BRAVE, **{"query": "tides"} | arguments
    ).as_dict()


def sent(**arguments: Any) -> dict[str, Any]:
    """What Brave is sent for these arguments."""
    engines = Engines(brave=brave(A))
    called(engines, "web_search", BRAVE, **{"query": "tides"} | arguments)
    return engines.sent()


# Input


def test_input_fields_are_those_of_the_table_in_its_order() -> None:
    assert list(SCHEMA["properties"]) == [*ROWS, "fresh"]  # the last one is ours
    assert len(ROWS) == 13


@pytest.mark.parametrize("field", ROWS)
def test_input_type_requirement_and_default(field: str) -> None:
    check_as_in_table(ROWS[field], SCHEMA)


def test_input_query_is_1_to_500_characters() -> None:
    assert (
        SCHEMA["properties"]["query"]["minLength"],
        SCHEMA["properties"]["query"]["maxLength"],
    ) == (1, 500)


def test_input_num_results_is_1_to_10() -> None:
    assert (
        SCHEMA["properties"]["num_results"]["minimum"],
        SCHEMA["properties"]["num_results"]["maximum"],
    ) == (1, 10)
    assert search(num_results=1)["resultCount"] == 1


def test_input_time_range_is_day_week_month_or_year() -> None:
    assert SCHEMA["properties"]["time_range"]["enum"] == ["day", "week", "month", "year"]


def test_input_safe_is_off_medium_or_high() -> None:
    assert SCHEMA["properties"]["safe"]["enum"] == ["off", "medium", "high"]


def test_input_language_is_an_iso_639_1_code() -> None:
    assert sent(language="fr")["search_lang"] == "fr"
    with pytest.raises(BadInput, match="ISO 639-1"):
        search(language="french")


def test_input_site_is_a_domain_restriction() -> None:
    assert sent(site="a.org")["q"] == "tides site:a.org"
    assert search(site="a.org")["urls"] == [A]


def test_input_site_cannot_be_combined_with_lens_which_overrides_it() -> None:
    answer = called(
        Engines(brave=brave("https://arxiv.org/1", A)),
        "web_search",
        BRAVE,
        query="x",
        site="a.org",
        lens="academic",
    )

    assert answer.as_dict()["urls"] == ["https://arxiv.org/1"]
    assert any(
        "`site` was not applied" in note for note in answer.meta["webquarry/routing"]["notes"]
    )


def test_input_exact_terms_is_an_exact_phrase() -> None:
    assert sent(exact_terms="slack water")["q"] == 'tides "slack water"'


def test_input_exclude_terms_are_excluded() -> None:
    assert sent(exclude_terms="moon sun")["q"] == "tides -moon -sun"


def test_input_country_is_an_iso_3166_1_alpha_2_code() -> None:
    assert sent(country="FR")["country"] == "FR"
    with pytest.raises(BadInput, match="ISO 3166-1 alpha-2"):
        search(country="France")


def test_input_lens_is_one_of_the_lenses_there_are() -> None:
    with pytest.raises(BadInput) as caught:
        search(lens="nope")
    for name in load_lenses():
        assert name in caught.value.suggested_action


def test_input_provider_forces_a_provider() -> None:
    engines = Engines(tavily=tavily(A))

    assert called(engines, "web_search", BRAVE, query="x", provider="tavily").as_dict()["urls"] == [
        A
    ]
    assert engines.names == ["tavily"]


def test_input_session_id_links_results_to_a_session(tmp_path: Path) -> None:
    environ = BRAVE | {"WEBQUARRY_STATE_FOLDER": str(tmp_path)}
    begun = called(
        Engines(), "sequential_search", environ, searchStep="tides", stepNumber=1
    ).as_dict()
    session = {"sessionId": begun["sessionId"]}

    assert search(environ, **session) == search()
    linked = called(Engines(), "get_research_session", environ, **session).as_dict()["sources"]
    assert [source["url"] for source in linked] == [A, B]


def test_input_claim_is_evaluated_against_each_snippet() -> None:
    assert all("claimSignal" in result for result in search(claim="About tides")["results"])


# Output


def test_output_fields_are_those_of_search_output() -> None:
    assert list(search()) == ["urls", "query", "resultCount", "results", "trust"]
    assert list(search(reply=brave())) == [
        "urls",
        "query",
        "resultCount",
        "results",
        "hints",
        "trust",
    ]


def test_output_urls_query_and_result_count() -> None:
    found = search()

    assert (found["urls"], found["query"], found["resultCount"]) == ([A, B], "tides", 2)
    assert [result["url"] for result in found["results"]] == found["urls"]


def test_output_trust_is_the_mark_of_untrusted_content() -> None:
    assert search()["trust"] == "untrusted-external-content"


def test_output_result_title_url_snippet_and_display_link() -> None:
    assert search()["results"][0] == {
        "title": f"Title of {A}",
        "url": A,
        "snippet": f"About {A}.",
        "displayLink": "a.org",
    }


def test_output_source_reputation_is_there_for_known_hosts_and_absent_for_unknown_ones() -> None:
    known, unknown = search(reply=brave("https://www.reuters.com/1", A))["results"]

    assert set(known["sourceReputation"]) == {"tier", "basis"}
    assert known["sourceReputation"]["tier"] in ("high", "mixed", "low")
    assert "sourceReputation" not in unknown


def test_output_claim_signal_is_on_every_result_and_empty_when_nothing_matched() -> None:
    def hits(request: httpx2.Request) -> httpx2.Response:
        texts = ["Tides rise. The moon pulls the sea.", "Nothing else."]
        found = [
            {"title": "t", "url": url, "description": text}
            for url, text in zip([A, B], texts, strict=True)
        ]
        return httpx2.Response(200, json={"query": {}, "web": {"results": found}})

    assert [
        result["claimSignal"]
        for result in search(reply=hits, claim="the moon pulls at the sea")["results"]
    ] == [
        "The moon pulls the sea.",
        "",
    ]


def test_output_hints_are_there_only_with_no_results() -> None:
    assert "hints" not in search()
    assert set(search(reply=brave())["hints"]) == {"reason", "filtersApplied", "suggestedActions"}


@pytest.mark.parametrize(
    "field", ["site", "lens", "time_range", "country", "language", "exact_terms", "exclude_terms"]
)
def test_output_hints_name_the_filters_that_may_have_eliminated_results(field: str) -> None:
    values = {
        "site": "a.org",
        "lens": "news",
        "time_range": "day",
        "country": "US",
        "language": "en",
    }
    chosen: dict[str, Any] = {field: values.get(field, "x")}
    hints = search(reply=brave(), **chosen)["hints"]

    assert (hints["reason"], hints["filtersApplied"]) == ("filters_too_restrictive", [field])
    assert hints["suggestedActions"][0] == {"action": "remove-filter", "filter": field}


def test_output_hints_reason_is_no_match_without_filters() -> None:
    assert search(reply=brave())["hints"]["reason"] == "no_match"


def test_output_hints_suggest_only_providers_that_are_configured_and_healthy() -> None:
    keys = {name: value for name, value in KEYS.items() if "SERPER" not in name}
    environ = keys | {"SEARCH_ROUTING": "tavily,brave", "breaker_failures": "1"}
    engines = Engines(tavily=failed(500), brave=brave())
    hints = called(engines, "web_search", environ, query="x", site="a.org").as_dict()["hints"]

    assert [action["provider"] for action in hints["suggestedActions"] if "provider" in action] == [
        "duckduckgo",
        "google",
    ]


# Behaviour


def test_behaviour_1_search_routing_is_followed_with_fallback() -> None:
    engines = Engines(brave=failed(500), tavily=tavily(A))
    answer = called(engines, "web_search", KEYS | {"SEARCH_ROUTING": "brave,tavily"}, query="x")

    assert engines.names == ["brave", "tavily"]
    assert answer.meta["webquarry/routing"]["fallback"] is True


def test_behaviour_1_each_provider_has_a_circuit_breaker() -> None:
    engines = Engines(brave=failed(500), tavily=tavily(A))

    async def use(router: Any) -> Any:
        return [await router.route(Query(f"q{number}")) for number in range(4)]

    found = routed(engines, use, KEYS | {"SEARCH_ROUTING": "brave,tavily"})

    assert [one.attempts[0].outcome for one in found] == [
        "network",
        "network",
        "network",
        "skipped",
    ]


def lens_of(**fields: Any) -> Lens:
    return Lens.parse({"name": "mine", "description": "d", "domains": ["a.org", "b.org"], **fields})


def test_behaviour_2_a_lens_with_an_engine_goes_directly_to_it() -> None:
    engines = Engines(google=google(A))
    routed(engines, lambda router: router.route(Query("x"), lens=lens_of(cx="cx:1")), BRAVE)

    assert engines.names == ["google"]
    assert engines.sent()["cx"] == "cx:1"


def test_behaviour_3_a_lens_without_an_engine_becomes_site_operators() -> None:
    engines = Engines(brave=brave(A))
    routed(engines, lambda router: router.route(Query("x"), lens=lens_of()), BRAVE)

    assert engines.sent()["q"] == "x site:a.org OR site:b.org"


@pytest.mark.parametrize(
    ("time_range", "value"), [("day", "pd"), ("week", "pw"), ("month", "pm"), ("year", "py")]
)
def test_behaviour_4_time_range_is_a_date_restriction(time_range: str, value: str) -> None:
    assert sent(time_range=time_range)["freshness"] == value


def test_behaviour_5_urls_are_deduplicated() -> None:
    assert search(reply=brave(A, "http://www.a.org/1/?utm_source=x", B))["urls"] == [A, B]


# Errors


def test_error_unknown_provider_lists_all_supported_ones_once() -> None:
    with pytest.raises(BadInput) as caught:
        search(provider="nope")

    names = re.findall(r"[a-z]+(?= \(|[,.])", caught.value.suggested_action)
    assert names == sorted(set(names))
    assert {
        "brave",
        "duckduckgo",
        "exa",
        "google",
        "searchapi",
        "searxng",
        "serper",
        "tavily",
    } <= set(names)


@pytest.mark.parametrize("environ", [{}, {"BRAVE_API_KEY": "canary-wrong-1234"}])
def test_error_missing_or_invalid_key_gives_set_up_instructions_with_env_example(
    environ: dict[str, str],
) -> None:
    invalid = httpx2.Response(422, content=recorded("brave/auth_422_token_invalid"))
    with pytest.raises(AuthFailure) as caught:
        search(environ | {"SEARCH_PROVIDER": "brave"}, invalid)

    assert "BRAVE_API_KEY" in caught.value.message
    assert ".env.example" in caught.value.suggested_action


def test_error_rate_limited_suggests_60_seconds_or_another_provider() -> None:
    with pytest.raises(RateLimited) as caught:
        search(reply=brave_limit())

    assert caught.value.suggested_action.startswith(
        "Wait 60 seconds and try again, or name another provider"
    )


def test_error_no_results_is_an_empty_list_and_no_error() -> None:
    assert search(reply=brave())["urls"] == []


@pytest.mark.parametrize(
    "arguments",
    [{"provider": "nope"}, {"provider": "tavily"}, {"query": "x" * 501}, {"lens": "nope"}],
)
def test_error_all_have_one_form(arguments: dict[str, Any]) -> None:
    with pytest.raises((BadInput, AuthFailure)) as caught:
        search({"BRAVE_API_KEY": "canary-brave-1234"}, **arguments)

    assert {"kind", "message", "retryable", "suggestedAction"} <= set(caught.value.as_dict())


# Cache


def test_cache_keeps_results_for_30_minutes() -> None:
    clock, engines = FakeClock(), Engines(brave=brave(A))

    async def use(router: Any) -> None:
        for moment in (0, 1799, 2):
            clock.seconds += moment
            await router.route(Query("x", 1))

    routed(engines, use, BRAVE, clock)

    assert len(engines.asked) == 2


def test_cache_key_is_a_sha_256_with_a_version_segment() -> None:
    assert re.fullmatch("[0-9a-f]{64}", key_of("search", search_models.VERSION, {"query": "x"}))
    assert key_of("search", search_models.VERSION, {"query": "x"}) != key_of(
        "search", search_models.VERSION + 1, {"query": "x"}
    )


def test_cache_key_contract_two_requests_that_differ_never_share_an_answer() -> None:
    """Every parameter that affects the results; tests/tools/test_cache_keys.py flips them one by
    one.
    """
    assert set(ROWS) - NOT_IN_KEY == set(ROWS) - {"sessionId", "claim"}
    engines = Engines(brave=brave(A, B), tavily=tavily(B))
    environ = HOMELESS | KEYS | {"retries": "0", "SEARCH_PROVIDER": "brave"}

    async def use(router: Any) -> list[list[str]]:
        found = [
            await router.route(Query("x", 2)),
            await router.route(Query("x", 1)),
            await router.route(Query("x", 2), provider="tavily"),
        ]
        return [[result.url for result in one.results] for one in found]

    assert routed(engines, use, environ) == [[A, B], [A], [B]]


def test_cache_key_contract_version_changes_with_the_shape_of_the_entry() -> None:
    """Whoever changes the shape raises VERSION, and then writes the new shape here."""
    kept = [
        field
        for field in fields(Found)
        if field.name not in ("cached", "age_seconds", "max_age_seconds", "source")
    ]
    shape = {"found": kept, "result": fields(Result), "attempt": fields(Attempt)}

    assert search_models.VERSION == 2
    assert {name: " ".join(field.name for field in parts) for name, parts in shape.items()} == {
        "found": "results provider attempts notes unapplied order because partial",
        "result": "title url snippet provider published age_seconds",
        "attempt": "provider outcome reason seconds",
    }
