"""Seed 000, row by row: the two searches. Each test is named after the row it stands for."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.executables import BRAVE, GOOGLE, KEYS, InProcess, Site, as_json, run_script
from tests.search.replies import recorded, status_of
from tests.seeds.seed_000 import INVALID, QUERY, SEARCHES, each_search, search, seed_json


def hits(script: str, *found: dict[str, str]) -> Any:
    """A provider's reply with these results, which are given in the seed's own words."""
    if script == BRAVE:
        return {
            "query": {},
            "web": {"results": [dict(hit, page_age=hit.get("published_date")) for hit in found]},
        }
    items = [
        {
            "title": hit["title"],
            "link": hit["url"],
            "snippet": hit["description"],
            "pagemap": {"metatags": [{"date": hit.get("published_date")}]},
        }
        for hit in found
    ]
    return {"queries": {"request": [{}]}, "items": items}


def hit(url: str, **more: str) -> dict[str, str]:
    return {"title": "Title", "url": url, "description": "Text", **more}


def test_provider_of_web_search_brave_is_the_brave_search_api(run: InProcess) -> None:
    _, site = search(run, BRAVE, QUERY)

    assert site.asked[0].target.startswith("/res/v1/web/search?q=tidal+turbine&")
    assert site.asked[0].headers["x-subscription-token"] == KEYS["BRAVE_API_KEY"]


def test_provider_of_web_search_google_is_the_google_custom_search_api(run: InProcess) -> None:
    _, site = search(run, GOOGLE, QUERY)

    assert site.asked[0].target.startswith("/customsearch/v1?")
    assert site.asked[0].headers["x-goog-api-key"] == KEYS["GOOGLE_SEARCH_API_KEY"]


@each_search
def test_request_format_of_the_seed_is_taken_on_stdin(run: InProcess, script: str) -> None:
    given = seed_json(BRAVE, "allowed_domains")
    done, site = search(
        run, script, given, hits(script, hit("https://example.com/page"), hit("https://spam.com/"))
    )

    assert [result["url"] for result in done.answer["results"]] == ["https://example.com/page"]
    assert "q=search+query+string" in site.asked[0].target


@each_search
@pytest.mark.parametrize("given", [{}, {"query": None}, {"allowed_domains": ["a.org"]}])
def test_field_query_is_required(run: InProcess, script: str, given: dict[str, Any]) -> None:
    assert run(script, given).error == "The field 'query' is missing."


@each_search
@pytest.mark.parametrize("query", ["", "x"])
def test_field_query_has_at_least_two_characters(run: InProcess, script: str, query: str) -> None:
    assert run(script, {"query": query}).error.endswith("should have at least 2 characters.")


@each_search
@pytest.mark.parametrize("query", [5, ["tidal"], {"text": "tidal"}, True])
def test_field_query_is_a_string(run: InProcess, script: str, query: object) -> None:
    assert run(script, {"query": query}).error.endswith("should be a valid string.")


@each_search
def test_field_allowed_domains_is_a_whitelist(run: InProcess, script: str) -> None:
    found = [
        hit("https://duckdb.org/a"),
        hit("https://docs.duckdb.org/b"),
        hit("https://notduckdb.org/"),
        hit("https://a.org/"),
    ]
    done, _ = search(
        run, script, {**QUERY, "allowed_domains": ["duckdb.org"]}, hits(script, *found)
    )

    assert [result["url"] for result in done.answer["results"]] == [
        "https://duckdb.org/a",
        "https://docs.duckdb.org/b",
    ]


@each_search
def test_field_blocked_domains_is_a_blacklist(run: InProcess, script: str) -> None:
    found = [hit("https://spam.com/a"), hit("https://www.spam.com/b"), hit("https://notspam.com/")]
    done, _ = search(run, script, {**QUERY, "blocked_domains": ["spam.com"]}, hits(script, *found))

    assert [result["url"] for result in done.answer["results"]] == ["https://notspam.com/"]


@each_search
@pytest.mark.parametrize("field", ["allowed_domains", "blocked_domains"])
@pytest.mark.parametrize("value", ["duckdb.org", [5], {"a": "b"}])
def test_the_domain_fields_are_arrays_of_strings(
    run: InProcess, script: str, field: str, value: object
) -> None:
    assert f"The field '{field}" in run(script, {**QUERY, field: value}).error


@each_search
def test_the_domain_fields_are_optional(run: InProcess, script: str) -> None:
    done, _ = search(run, script, QUERY)

    assert done.code == 0


@each_search
def test_response_format_is_the_seeds_to_the_key_and_its_order(script: str) -> None:
    wanted = seed_json(BRAVE, "results")
    with Site(as_json(hits(script, *wanted["results"]))) as site:
        done = run_script(script, QUERY, site.environ)

    assert done.code == 0
    assert json.dumps(done.answer) == json.dumps(wanted)


@each_search
def test_field_results_is_an_array_and_empty_when_nothing_was_found(
    run: InProcess, script: str
) -> None:
    nothing = recorded("brave/empty_200" if script == BRAVE else "google/empty_200")
    done, _ = search(run, script, QUERY, nothing)

    assert (done.code, done.answer) == (0, {"results": []})


@each_search
def test_fields_title_and_description_are_plain_text(run: InProcess, script: str) -> None:
    done, _ = search(run, script, QUERY)

    for result in done.answer["results"]:
        assert all(
            result[field] and not re.search(r"[<>\n]|&\w+;", result[field])
            for field in ("title", "description")
        )


@each_search
def test_field_url_is_a_full_url(run: InProcess, script: str) -> None:
    done, _ = search(
        run,
        script,
        QUERY,
        hits(script, hit("/relative"), hit("ftp://a.org/"), hit("https://a.org/page")),
    )

    assert [result["url"] for result in done.answer["results"]] == ["https://a.org/page"]


@each_search
def test_field_published_date_is_iso_8601_or_absent(run: InProcess, script: str) -> None:
    found = [
        hit("https://a.org/1", published_date="2026-01-16T12:00:00Z"),
        hit("https://a.org/2", published_date="2 days ago"),
        hit("https://a.org/3"),
    ]
    done, _ = search(run, script, QUERY, hits(script, *found))

    dates = [result.get("published_date", "absent") for result in done.answer["results"]]
    assert dates == ["2026-01-16T12:00:00Z", "absent", "absent"]


@each_search
def test_error_response_for_missing_credentials_is_word_for_word(script: str) -> None:
    done = run_script(script, QUERY)

    assert done.answer == seed_json(script, "error")


@each_search
def test_error_response_for_invalid_credentials_is_word_for_word(script: str) -> None:
    with Site(as_json(recorded(INVALID[script]), status_of(INVALID[script]))) as site:
        done = run_script(script, QUERY, site.environ)

    assert done.answer == seed_json(script, "error")


@each_search
@pytest.mark.parametrize("cause", ["missing", "invalid", "bad input"])
def test_non_zero_exit_code_indicates_failure(run: InProcess, script: str, cause: str) -> None:
    with Site(as_json(recorded(INVALID[script]), status_of(INVALID[script]))) as site:
        environ = site.environ if cause == "invalid" else {}
        done = run(script, {} if cause == "bad input" else QUERY, environ)

    assert done.code == 1
    assert list(done.answer) == ["error"]


@pytest.mark.parametrize(
    "given",
    [
        QUERY,
        {**QUERY, "allowed_domains": ["a.org"]},
        {"query": "x"},
        {"query": "xx", "limit": 1},
        {},
    ],
)
def test_google_request_and_response_formats_are_identical_to_braves(
    run: InProcess, given: dict[str, Any]
) -> None:
    found = [hit("https://a.org/", published_date="2026-01-16"), hit("https://b.org/")]
    answers = [search(run, script, given, hits(script, *found))[0] for script in SEARCHES]

    assert answers[0].stdout == answers[1].stdout
    assert answers[0].code == answers[1].code


def test_output_mapping_of_brave(run: InProcess) -> None:
    done, _ = search(run, BRAVE, QUERY)

    assert done.answer["results"][0] == {
        "title": "Tidal Turbine O&M: what it really costs",
        "url": "https://www.example-marine.org/om-cost-study",
        "description": "A five-year study puts maintenance at 28% of lifetime cost for seabed "
        "mounted machines.",
        "published_date": "2026-04-12T14:22:41",
    }


def test_output_mapping_of_google(run: InProcess) -> None:
    done, _ = search(run, GOOGLE, QUERY)

    assert done.answer["results"][0] == {
        "title": "Tidal turbine seals: field notes",
        "url": "https://www.example-marine.org/seals",
        "description": "Mar 3, 2026 ... Notes from three retrievals and what wore out first.",
        "published_date": "2026-03-03T08:15:00Z",
    }
