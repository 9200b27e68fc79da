"""Filters hold on what comes back, and what nobody could check is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from webquarry._search.domains import DomainFilter
from webquarry._search.filters import Sieve, find_unapplied, notes_on, with_reserve, words_of
from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider
from webquarry._search.providers.brave import Brave
from webquarry._search.providers.mediawiki import MediaWiki
from webquarry._search.providers.tavily import Tavily

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
BRAVE, TAVILY, WIKI = Brave({}), Tavily({}), MediaWiki({})


def admitted(result: Result, provider: Provider = TAVILY, **wishes: Any) -> bool:
    return Sieve.of(Query("x", **wishes), DomainFilter.of((), ()), provider, NOW).admits(result)


def result(title: str = "t", snippet: str = "s", published: str | None = None) -> Result:
    return Result(title, "https://a.org/", snippet, "x", published)


@pytest.mark.parametrize(
    ("title", "excluded", "stays"),
    [
        ("Tidal POWER!", "Power", False),
        ("Tidal powerhouse", "power", True),
        ("C++ and Rust", "c++", False),
        ("about C", "c++", True),
        ("one, two", "three two", False),
        ("潮力発電の話", "発電", False),
        ("anything", "  ", True),
    ],
)
def test_an_excluded_word_is_found_as_a_whole_word_in_title_and_snippet(
    title: str, excluded: str | None, stays: bool
) -> None:
    assert admitted(result(title), exclude_terms=excluded) is stays
    assert admitted(result(snippet=f"so, {title}."), exclude_terms=excluded) is stays


@pytest.mark.parametrize(
    ("terms", "words"),
    [('-a, "b c"; -d', ["a", "b", "c", "d"]), (None, []), ("x x", ["x"]), ("co-op -", ["co-op"])],
)
def test_terms_are_words_without_the_signs_around_them(terms: str | None, words: list[str]) -> None:
    assert words_of(terms) == words


@pytest.mark.parametrize(
    ("published", "time_range", "stays"),
    [
        (
            "2026-11-13T23:00:00",
            "day",
            True,
        ),
        ("2026-11-12", "day", False),
        ("2026-11-01", "week", False),
        ("2026-10-16T08:00:00+02:00", "month", True),
        ("2026-09-30", "month", False),
        (None, "day", True),
    ],
)
def test_a_time_range_is_checked_on_dated_results_where_the_provider_knows_none(
    published: str | None, time_range: str | None, stays: bool
) -> None:
    assert admitted(result(published=published), WIKI, time_range=time_range) is stays


def test_what_cannot_be_checked_is_named_as_not_applied() -> None:
    query = Query(
        "x",
        language="de",
        country="DE",
        exact_terms="a b",
        safe="high",
        time_range="day",
        exclude_terms="z",
    )

    assert find_unapplied(query, WIKI) == ("country", "safe")
    assert notes_on(query, WIKI) == [
        "Wikipedia cannot filter by country and safe: not applied.",
        "Wikipedia cannot filter by time_range: applied only to results that carry a date.",
    ]
    assert (
        notes_on(query, TAVILY)[-1]
        == "Tavily cannot filter by exclude_terms: applied to titles and snippets."
    )


def test_where_we_take_results_out_ourselves_more_are_asked_for_up_to_a_page() -> None:
    assert with_reserve(Query("x", 5, exclude_terms="z"), TAVILY).count == 10
    assert with_reserve(Query("x", 15, exclude_terms="z"), TAVILY).count == 20
    assert with_reserve(Query("x", 5, exclude_terms="z"), BRAVE).count == 5
    assert with_reserve(Query("x", 5), TAVILY).count == 5
