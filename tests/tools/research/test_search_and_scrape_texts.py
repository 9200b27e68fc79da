"""The texts of `search_and_scrape`: repeats dropped, filtered, cut to a shared length, and nothing
of it in silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.research.searched_web import article, desk, html, prose, url
from webquarry.evidence.language.relevant_paragraphs import RelevantParagraphs, find_relevant
from webquarry.pages.share import SharedText, fair_shares, share_out
from webquarry.tools.research import _sources

SHARED = (
    "Everybody copies this paragraph about tidal power from everybody else, word by word and "
    "without a second look."
)
ON_TOPIC = (
    "Tidal energy storage keeps what the stream gives at spring tide for the hours of slack water "
    "in the narrows."
)
LONG = [f"{paragraph} {paragraph}" for paragraph in prose(9, 60)]


# Repeats


def test_a_paragraph_that_an_earlier_source_has_is_dropped_and_counted() -> None:
    web = desk(
        1, 2, 3, page1=article(1, SHARED), page2=article(2, SHARED.upper()), page3=article(3)
    )
    answer = web.call()

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


def test_repeats_stay_where_that_is_wanted() -> None:
    web = desk(1, 2, page1=article(1, SHARED), page2=article(2, SHARED))
    answer = web.call(deduplicate=False)

    assert all(SHARED in (page.content or "") for page in answer.pages)
    assert answer.size_metadata.repeated_paragraphs == 0


# The filter


def test_a_filter_keeps_what_bears_on_the_query_under_its_headings() -> None:
    body = [
        *prose(1),
        "<h2>Stores</h2>",
        "<h3>Of the sea</h3>",
        ON_TOPIC,
        "<h2>Other</h2>",
        *prose(2),
    ]
    (page,) = desk(1, page1=html(*body, title="Notes")).call(filter_by_query=True).pages

    assert page.content == f"# Notes\n\n[...]\n\n## Stores\n\n### Of the sea\n\n{ON_TOPIC}\n\n[...]"
    assert page.filtered is not None
    assert (page.filtered.paragraphs, page.filtered.matched) == (12, True)
    assert page.filtered.bytes == (page.total_length or 0) - len(
        f"# Notes\n\n## Stores\n\n### Of the sea\n\n{ON_TOPIC}\n\n"
    )


def test_a_source_without_a_word_on_the_query_keeps_its_beginning_and_says_so() -> None:
    answer = desk(1).call(query="zebra crossings", filter_by_query=True)
    (page,) = answer.pages

    assert prose(1)[0] in (page.content or "")
    assert prose(1)[5] not in (page.content or "")
    assert page.filtered is not None
    assert page.filtered.matched is False
    assert answer.size_metadata.filtered_paragraphs == page.filtered.paragraphs == 4
    assert page.read_on


def test_what_a_filter_keeps_is_gone_through_a_few_times_and_not_for_every_paragraph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long page has tens of thousands of paragraphs: once for each of them took minutes."""
    rounds = []

    class Counted(tuple[int, ...]):
        def __iter__(self) -> Iterator[int]:
            rounds.append(1)
            return super().__iter__()

    def counted(*given: Any) -> RelevantParagraphs:
        found = find_relevant(*given)
        return replace(found, kept=Counted(found.kept))

    monkeypatch.setattr(_sources, "find_relevant", counted)
    body = [ON_TOPIC, *prose(1, 40)]
    (page,) = desk(1, page1=html(*body, title="Notes")).call(filter_by_query=True).pages

    assert page.filtered is not None
    assert page.filtered.paragraphs == 40
    assert len(rounds) < 5


def test_the_filter_says_nothing_where_it_was_not_asked_for() -> None:
    answer = desk(1).call()

    assert answer.pages[0].filtered is None
    assert answer.size_metadata.filtered_paragraphs is None


# The length


def test_a_long_first_source_leaves_room_for_the_others() -> None:
    web = desk(1, 2, 3, page1=html(*LONG, title="Long"))
    answer = web.call(total_max_length=6_000)
    first, second, third = answer.pages

    assert len(answer.combined_content.encode()) == answer.size_metadata.content_length <= 6_000
    assert (first.truncated, second.truncated, third.truncated) == (True, False, False)
    assert prose(2)[-1] in (second.content or "")
    assert prose(3)[-1] in (third.content or "")
    assert first.total_length == len(
        desk(1, page1=html(*LONG, title="Long")).call().pages[0].content or ""
    )
    assert answer.size_metadata.truncated
    assert answer.size_metadata.total_length > 6_000


def test_a_cut_ends_between_blocks_and_says_how_to_get_the_rest() -> None:
    (page,) = desk(1, page1=html(*LONG, title="Long")).call(max_length_per_source=2_000).pages

    assert page.truncated
    assert len((page.content or "").encode()) <= 2_000
    assert (page.content or "").split("\n\n")[-1] in LONG
    assert page.read_on == "Call scrape_page with this url for the whole text."


def test_the_way_to_the_rest_of_a_very_long_page_names_a_length() -> None:
    many = [f"{number}: {paragraph}" for number in range(4) for paragraph in LONG]
    (page,) = desk(1, page1=html(*many, title="Long")).call().pages

    assert page.truncated
    assert f"max_length {page.total_length}" in (page.read_on or "")


def test_a_source_that_is_whole_says_nothing_of_its_rest() -> None:
    (page,) = desk(1).call().pages

    assert (page.truncated, page.total_length, page.read_on, page.repeated_paragraphs) == (
        False,
        None,
        None,
        None,
    )


def test_the_combined_text_has_each_source_under_its_title_and_address() -> None:
    answer = desk(1, 2).call()
    first, second = answer.pages

    assert answer.combined_content == (
        f"# Notes of station 1\n\n{url(1)}\n\n{first.content}\n\n# Notes of station "
        f"2\n\n{url(2)}\n\n{second.content}\n"
    )


def test_without_sources_only_the_combined_text_is_there_and_they_are_still_listed() -> None:
    web = desk(1, 2)
    with_them, without = web.call(), web.call(include_sources=False)

    assert without.combined_content == with_them.combined_content
    assert [source.url for source in without.pages] == [url(1), url(2)]
    assert all("content" not in source for source in without.as_dict()["sources"])
    assert without.pages[0].scores == with_them.pages[0].scores


# Shares, for any lengths


@given(st.lists(st.integers(0, 10_000), max_size=10), st.integers(0, 30_000))
def test_shares_fit_the_total_keep_the_short_whole_and_lose_nobody(
    lengths: list[int], total: int
) -> None:
    shares = fair_shares(lengths, total)

    assert sum(shares) <= total
    assert all(share <= length for share, length in zip(shares, lengths, strict=True))
    cut = [share for share, length in zip(shares, lengths, strict=True) if share < length]
    if cut:
        assert sum(shares) == total
        assert max(shares) - min(cut) <= 1 or max(shares) <= min(cut) + 1
        assert max(cut) - min(cut) <= 1
    else:
        assert shares == lengths
    if total >= len(lengths):
        assert all(share for share, length in zip(shares, lengths, strict=True) if length)


@given(st.permutations([10, 200, 3_000, 4_000, 50_000]))
def test_a_share_does_not_depend_on_the_place(lengths: list[int]) -> None:
    by_length = dict(zip(lengths, fair_shares(lengths, 6_210), strict=True))

    assert (by_length[10], by_length[200]) == (10, 200)
    assert [by_length[length] for length in (3_000, 4_000, 50_000)] == [2_000, 2_000, 2_000]


TEXTS = st.builds(
    SharedText,
    st.text(max_size=300),
    st.text("abcé/", max_size=400),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=120), max_size=12).map(
        lambda parts: "\n\n".join(parts).encode()
    ),
)


@given(
    st.lists(TEXTS, min_size=1, max_size=10), st.integers(1_000, 4_000), st.integers(1_000, 6_000)
)
def test_any_texts_fit_their_limits_and_none_is_lost(
    texts: list[SharedText], each: int, total: int
) -> None:
    shares, combined = share_out(texts, each, total)

    assert len(combined.encode()) <= total
    assert len(shares) == len(texts)
    for text, share in zip(texts, shares, strict=True):
        assert len(share.content.encode()) <= each
        assert text.data.decode().startswith(share.content)
        assert share.truncated is (share.content.encode() != text.data.rstrip())
        assert share.content in combined


@pytest.mark.parametrize("length", [2_000, 8_000])
def test_addresses_too_long_for_the_room_give_way_to_numbers(length: int) -> None:
    texts = [SharedText("T", "https://a.example/" + "x" * length, b"Words. " * 100)] * 3

    shares, combined = share_out(texts, 1_000, 1_000)

    assert combined.startswith("# 1\n\nWords.")
    assert "# 3\n\nWords." in combined
    assert all(share.truncated for share in shares)
