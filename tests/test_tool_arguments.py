"""Arguments as models send them, read before validation."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.errors import BadInput
from webquarry.tool_arguments import read_arguments, read_url
from webquarry.tools import load

SEARCH = load("research", "web_search")
PAGE = load("research", "scrape_page")
QUOTES = load("research", "check_quotes")
FETCH = load("executables", "web_fetch")
URL = "https://tidelines.example/a"


@pytest.mark.parametrize(
    ("tool", "sent", "means"),
    [
        (SEARCH, {"query": "x", "num_results": " 3 "}, {"query": "x", "num_results": 3}),
        (SEARCH, {"query": "x", "numResults": "3.0"}, {"query": "x", "num_results": 3}),
        (SEARCH, {"q": "x", "max_results": 2}, {"query": "x", "num_results": 2}),
        (SEARCH, {"query": "x", "time_range": "WEEK"}, {"query": "x", "time_range": "week"}),
        (
            SEARCH,
            {"query": "x", "site": ["HTTP://a.example/"]},
            {"query": "x", "site": "a.example/"},
        ),
        (SEARCH, {"query": "x", "site": None}, {"query": "x"}),
        (PAGE, {"urls": [URL], "outline": "False"}, {"url": URL, "outline": False}),
        (PAGE, {"pageUrl": f"[A page](<{URL}>)"}, {"url": URL}),
        (PAGE, {"url": URL, "max_tokens": 300.0}, {"url": URL, "max_tokens": 300}),
        (QUOTES, {"quote": "a", "source": URL}, {"quotes": ["a"], "sources": [URL]}),
        (QUOTES, {"quotes": '["a", "b"]'}, {"quotes": ["a", "b"]}),
        (QUOTES, {"quotes": [{"quote": "a"}]}, {"quotes": ["a"]}),
    ],
)
def test_arguments_with_one_meaning_are_read(tool: Any, sent: Any, means: Any) -> None:
    read, notes = read_arguments(sent, tool.schema)

    assert read == means
    assert [type(value) for value in read.values()] == [type(value) for value in means.values()]
    changed = {name: value for name, value in sent.items() if value is not None} != means
    assert bool(notes) == changed


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"query": "x", "q": "y"}, "query"),
        ({"query": "x", "num_results": "three"}, "num_results"),
        ({"query": "x", "num_results": "3.7"}, "num_results"),
        ({"query": "x", "num_results": True}, "num_results"),
        ({"query": ["a", "b"]}, "query"),
        ({"query": "x", "site": "a.example, b.example"}, "site"),
        ({"query": "x", "time_range": "past_week"}, "time_range"),
        ({"query": "x", "domain_filter": "a.example"}, "domain_filter"),
    ],
)
def test_arguments_with_two_meanings_are_refused_by_name(sent: Any, field: str) -> None:
    with pytest.raises(BadInput, match=field):
        SEARCH.check(sent)


@pytest.mark.parametrize("text", ["tidal energy", "https://", "example", "a.b c"])
def test_text_without_a_host_is_bad_input(text: str) -> None:
    with pytest.raises(BadInput, match="url"):
        PAGE.check({"url": text})


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("example.org.", "https://example.org"),
        ("//example.org/a", "https://example.org/a"),
        ('"<https://example.org/a>"', "https://example.org/a"),
        ("https://example.org/a(b)", "https://example.org/a(b)"),
        ("127.0.0.1", "https://127.0.0.1"),
        ("file:///etc/passwd", "file:///etc/passwd"),
    ],
)
def test_urls_are_unwrapped_and_completed(text: str, url: str) -> None:
    assert read_url(text) == url


def test_executables_tolerate_only_the_spelling_of_urls() -> None:
    assert FETCH.check({"url": f"<{URL}>"})["url"] == URL
    for arguments in ({"link": URL}, {"url": URL, "limit": "5"}):
        with pytest.raises(BadInput):
            FETCH.check(arguments)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=4))
def test_no_value_breaks_the_reading(value: Any) -> None:
    for name in ("query", "num_results", "site", "time_range"):
        with suppress(BadInput):
            assert SEARCH.check({"query": "x", name: value})["query"]
