"""One page, one result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._search.identity import identity
from webquarry._search.models import Result
from webquarry._search.paging import fuse as merge


def result(url: str, provider: str = "a", published: str | None = None) -> Result:
    return Result(f"{provider} {url}", url, "", provider, published)


def urls(results: list[Result]) -> list[str]:
    return [one.url for one in results]


@pytest.mark.parametrize(
    "twin",
    [
        "http://example.org/a",
        "https://www.example.org/a/",
        "https://m.example.org/a?utm_source=x",
        "https://example.org/a#part",
        "https://example.org/a/index.html",
    ],
)
def test_two_addresses_of_one_page_are_one_result(twin: str) -> None:
    assert urls(merge([[result("https://example.org/a"), result(twin)]])) == [
        "https://example.org/a"
    ]


def test_a_date_that_the_first_list_lacks_is_taken_from_another() -> None:
    merged = merge([[result("https://x.org/")], [result("https://x.org/", "b", "2026-01-02")]])

    assert (merged[0].published, merged[0].provider) == ("2026-01-02", "a")


PAGES = st.sampled_from(
    [f"https://{host}/{path}" for host in ("a.org", "www.a.org", "b.org") for path in "123"]
)


@given(st.lists(st.lists(PAGES, max_size=6), max_size=4))
def test_fuzz_every_page_occurs_once_and_none_is_lost(lists: list[list[str]]) -> None:
    merged = merge([[result(url) for url in one] for one in lists])

    pages = [identity(url) for url in urls(merged)]
    assert len(pages) == len(set(pages))
    assert set(pages) == {identity(url) for one in lists for url in one}
    assert merge([merged]) == merged
