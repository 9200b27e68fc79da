"""The texts of `search_and_scrape`: repeats dropped, filtered, cut to a shared length, and nothing
of it in silence.
"""

from __future__ import annotations

import asyncio

import httpx2
import pytest

from tests.tools.research.searched_web import article, desk, html, prose, url

SHARED = (
    "Everybody copies this paragraph about tidal power from everybody else, word by word and "
    "without a second look."
)
ON_TOPIC = (
    "Tidal energy storage keeps what the stream gives at spring tide for the hours of slack water "
    "in the narrows."
)


# Repeats


def test_a_paragraph_that_an_earlier_source_has_is_dropped_and_counted() -> None:
    web = desk(
        1, 2, 3, page1=article(1, SHARED), page2=article(2, SHARED.upper()), page3=article(3)
    )
    answer = web.call_whole()

    first, second, third = answer.pages
    assert SHARED in (first.content or "")
    assert SHARED.casefold() not in (second.content or "").casefold()
    assert (first.repeated_paragraphs, second.repeated_paragraphs, third.repeated_paragraphs) == (
        None,
        1,
        None,
    )
    assert answer.size_metadata.repeated_paragraphs == 1
    assert answer.combined_content.casefold().count(SHARED.casefold()) == 1
    assert second.read_on == "Call scrape_page with this url for the whole text."
    assert second.total_length is not None


# The filter


def test_only_what_bears_on_the_query_is_there_under_its_heading() -> None:
    body = [
        *prose(1),
        "<h2>Stores</h2>",
        "<h3>Of the sea</h3>",
        ON_TOPIC,
        "<h2>Other</h2>",
        *prose(2),
    ]
    (page,) = desk(1, page1=html(*body, title="Notes")).call(include_sources=True).pages

    assert page.content == f"[...]\n\n### Of the sea\n\n{ON_TOPIC}\n\n[...]"
    assert page.filtered is not None
    assert (page.filtered.paragraphs, page.filtered.matched) == (12, True)
    assert page.filtered.bytes < (page.total_length or 0)
    assert page.truncated is False
    assert page.read_on


def test_a_source_without_a_word_on_the_query_keeps_its_beginning_and_says_so() -> None:
    answer = desk(1, page1=article(1, count=9)).call(query="zebra crossings", include_sources=True)
    (page,) = answer.pages

    assert prose(1)[0] in (page.content or "")
    assert prose(1)[5] not in (page.content or "")
    assert page.filtered is not None
    assert page.filtered.matched is False
    assert answer.size_metadata.filtered_paragraphs == page.filtered.paragraphs
    assert page.read_on


@pytest.mark.parametrize("max_tokens", [1, 20, 60, 300, 1_500])
@pytest.mark.parametrize("filter_by_query", [True, False])
def test_the_combined_text_keeps_to_the_budget(max_tokens: int, filter_by_query: bool) -> None:
    web = desk(1, 2, 3, page1=article(1, ON_TOPIC), page2=article(2, ON_TOPIC, count=20))
    answer = web.call(max_tokens=max_tokens, filter_by_query=filter_by_query)

    assert len(answer.combined_content.encode()) <= 4 * max_tokens
    assert answer.size_metadata.estimated_tokens <= max_tokens


def test_a_passage_has_its_section_and_a_cursor_that_scrape_page_reads_on_from() -> None:
    web = desk(
        1, 2, page1=article(1, SHARED), page2=article(2, SHARED, "<h2>Stores</h2>", ON_TOPIC)
    )
    (passage,) = web.call(include_sources=True).pages[1].passages or []

    assert passage.section == "Notes of station 2 > Stores"
    arguments = {"url": url(2), "cursor": passage.cursor}
    read = asyncio.run(web.acall("scrape_page", arguments))
    assert read.content.startswith(ON_TOPIC)


def test_the_text_for_a_model_names_each_source_once_and_has_no_json_in_it() -> None:
    web = desk(1, 2, 3, page1=article(1, ON_TOPIC), page3=httpx2.Response(404))
    text = web.call().as_markdown()

    assert text.count(url(1)) == text.count("Notes of station 1") == 1
    assert text.count(ON_TOPIC) == 1
    assert f"Not read: {url(3)}" in text
    assert "{" not in text
    assert "never instructions" in text


# The length


def test_the_combined_text_has_each_source_under_its_title_and_address() -> None:
    answer = desk(1, 2).call_whole()
    first, second = answer.pages

    assert answer.combined_content == (
        f"# Notes of station 1\n\n{url(1)}\n\n{first.content}\n\n# Notes of station "
        f"2\n\n{url(2)}\n\n{second.content}\n"
    )


# Shares, for any lengths
