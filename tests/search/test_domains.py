"""Domain lists: whole labels, subdomains in, look-alikes out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._search.domains import DomainFilter, host_of, normalise
from webquarry.errors import BadInput


@pytest.mark.parametrize(
    ("entry", "domain"),
    [
        ("duckdb.org", "duckdb.org"),
        ("https://duckdb.org/docs", "duckdb.org/docs"),
        ("duckdb.org/Docs/api/", "duckdb.org/Docs/api"),
        ("duckdb.org/docs/*", "duckdb.org/docs"),
        ("duckdb.org/a/../docs/./%64ev", "duckdb.org/docs/dev"),
        ("duckdb.org:8443", "duckdb.org"),
        ("*.duckdb.org", "duckdb.org"),
        ("  duckdb.org. ", "duckdb.org"),
        ("Bücher.de", "xn--bcher-kva.de"),
        ("192.0.2.7", "192.0.2.7"),
    ],
)
def test_an_entry_is_read_kindly(entry: str, domain: str) -> None:
    assert normalise(entry) == domain


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "*",
        "a b.com",
        "a..com",
        "a-.com",
        "https://",
        "user@a.com",
        "[::1]",
        "x" * 64 + ".com",
        "a.com OR site:b.com",
    ],
)  # fmt: skip
def test_an_entry_that_cannot_be_a_domain_is_bad_input_that_quotes_it(entry: str) -> None:
    with pytest.raises(BadInput, match="is not a domain") as caught:
        normalise(entry)

    assert len(caught.value.message) < 120


@pytest.mark.parametrize(
    "entry",
    [
        "a.org?x=1",
        "a.org/a b",
        "a.org/*/b",
    ],
)
def test_unsupported_entry_is_bad_input_and_never_a_wider_one(entry: str) -> None:
    with pytest.raises(BadInput, match="cannot be kept to") as caught:
        normalise(entry)

    assert len(caught.value.message) < 200


PATHS = [
    ("https://duckdb.org/docs", True),
    ("https://duckdb.org/docs/", True),
    ("https://duckdb.org/docs/sql?x=1#y", True),
    ("https://www.duckdb.org/docs/sql", True),
    ("https://duckdb.org/%64ocs/sql", True),
    ("https://duckdb.org/x/../docs", True),
    ("https://duckdb.org/", False),
    ("https://duckdb.org/docs-old", False),
    ("https://duckdb.org/Docs", False),
    ("https://duckdb.org/en/docs", False),
    ("https://duckdb.org/docs/../blog", False),
    ("https://duckdb.org/docs/%2e%2E/blog", False),
    ("https://duckdb.org/?/docs", False),
    ("https://other.org/docs", False),
    ("https://duckdb.org/docs%2Fsql", False),
    ("https://duckdb.org/\ud800", False),
]


@pytest.mark.parametrize(("url", "below"), PATHS)
def test_path_matches_by_whole_segments_in_either_list(url: str, below: bool) -> None:
    assert DomainFilter.of(["duckdb.org/docs"], []).admits(url) is below
    assert DomainFilter.of([], ["duckdb.org/docs"]).admits(url) is not below


@pytest.mark.parametrize(
    ("url", "covered"),
    [
        ("https://www.another.com/x", True),
        ("https://another.com/x", False),
        ("https://xwww.another.com/", False),
    ],
)
def test_www_means_that_host_in_either_list(url: str, covered: bool) -> None:
    assert DomainFilter.of(["www.another.com"], []).admits(url) is covered
    assert DomainFilter.of([], ["www.another.com"]).admits(url) is not covered


@pytest.mark.parametrize(
    "url",
    [
        "https://duckdb.org/docs",
        "http://docs.duckdb.org/x",
        "https://www.duckdb.org:8443/",
        "https://DUCKDB.ORG./",
        "https://user@duckdb.org/",
    ],
)
def test_the_domain_and_its_subdomains_are_allowed(url: str) -> None:
    assert DomainFilter.of(["duckdb.org"], []).admits(url)
    assert not DomainFilter.of([], ["duckdb.org"]).admits(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://notduckdb.org/",
        "https://duckdb.org.evil.com/",
        "https://duckdb.org@evil.com/",
        "https://evil.com/duckdb.org",
        "https://duckdb-org.com/",
        "https://dսckdb.org/",
    ],
)
def test_a_look_alike_is_not_the_domain(url: str) -> None:
    assert not DomainFilter.of(["duckdb.org"], []).admits(url)
    assert DomainFilter.of([], ["duckdb.org"]).admits(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "duckdb.org",
        "ftp://duckdb.org/",
        "javascript:alert(1)",
        "https:///x",
        "https://evil.com\\@duckdb.org/",
        "https://duck\ndb.org/",
        "https://[::1/",
        "https://duckdb.org:99999/",
    ],
)  # fmt: skip
def test_text_that_is_not_an_absolute_web_url_is_admitted_by_no_filter(url: str) -> None:
    assert host_of(url) is None
    assert not DomainFilter.of([], []).admits(url)
    assert not DomainFilter.of(["duckdb.org"], []).admits(url)


def test_where_both_lists_name_a_host_the_blocked_one_wins() -> None:
    both = DomainFilter.of(["duckdb.org"], ["blog.duckdb.org"])

    assert both.admits("https://docs.duckdb.org/")
    assert not both.admits("https://blog.duckdb.org/")
    assert not both.admits("https://de.blog.duckdb.org/")
    assert not both.admits("https://example.org/")


def test_an_international_name_is_the_same_in_either_spelling() -> None:
    assert DomainFilter.of(["bücher.de"], []).admits("https://www.xn--bcher-kva.de/")
    assert DomainFilter.of(["xn--bcher-kva.de"], []).admits("https://BÜCHER.de/")


@pytest.mark.parametrize(
    ("allowed", "blocked", "nothing"),
    [
        (["a.org"], ["a.org"], True),
        (["docs.a.org"], ["a.org"], True),
        (["a.org"], ["docs.a.org"], False),
        (["a.org/docs"], ["a.org"], True),
        (["a.org"], ["a.org/docs"], False),
    ],
)
def test_lists_that_leave_nothing_are_noticed(
    allowed: list[str], blocked: list[str], nothing: bool
) -> None:
    assert DomainFilter.of(allowed, blocked).admits_nothing is nothing


@given(st.text(max_size=80))
def test_fuzz_whatever_the_entry_it_becomes_a_domain_or_bad_input(entry: str) -> None:
    try:
        domain = normalise(entry)
    except BadInput:
        return
    assert normalise(domain) == domain
    assert host_of(f"https://{domain}/") == domain.partition("/")[0]
    assert DomainFilter.of([entry], []).admits(f"https://{domain}")


NEARLY = st.tuples(
    st.sampled_from(["https://", "http://", "//", "https://evil.com@"]),
    st.sampled_from(["", "docs.", "old.", "docs.old.", "not"]),
    st.sampled_from(["duckdb.org", "duckdb.org.evil.com"]),
    st.sampled_from(["", "/docs", ":8443/"]) | st.text(max_size=5),
).map("".join)


@given(st.text(max_size=80) | NEARLY)
def test_fuzz_no_text_breaks_the_filter_nor_gets_through_it(url: str) -> None:
    host = host_of(url) or ""
    allowed, blocked = (
        host == domain or host.endswith(f".{domain}") for domain in ("duckdb.org", "old.duckdb.org")
    )

    assert DomainFilter.of(["duckdb.org"], ["old.duckdb.org"]).admits(url) is (
        allowed and not blocked
    )


def test_a_host_of_thousands_of_marks_is_none() -> None:
    assert host_of("https://a" + "\u0316\u0301" * 100_000 + ".example/") is None
