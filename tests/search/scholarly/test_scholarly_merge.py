"""Records of one paper become one paper, whoever sent them and in whatever order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.search.scholarly.test_scholarly_contract import papers_in
from webquarry._search.scholarly.merge import merge
from webquarry._search.scholarly.models import EMPTY, FIELDS, Author, Notice, Paper


def record(source: str = "openalex", title: str = "Tides", rank: int = 0, **fields: Any) -> Paper:
    url = fields.pop("url", f"https://{source}.example/{rank}")
    paper = Paper(title, url, source, rank, **fields)
    known = [name for name in FIELDS if getattr(paper, name) not in EMPTY]
    return replace(paper, origins=dict.fromkeys(known, source))


def by(*names: str) -> tuple[Author, ...]:
    return tuple(Author(name) for name in names)


# Few values, so that records meet in many ways.
authors = st.sampled_from(
    [(), by("A. Okafor"), by("Amara Okafor", "P. Lindqvist"), (Author("Zed", "Zed"),)]
)
notices = st.sampled_from(
    [
        (),
        (Notice("retraction", source="openalex"),),
        (Notice("withdrawal", source="arxiv", preprint=True),),
    ]
)
records = st.builds(
    record,
    source=st.sampled_from(["arxiv", "crossref", "openalex", "pubmed"]),
    title=st.sampled_from(
        ["Tides", "tides!", "RETRACTED: Tides", "Waves", "Harbour currents: notes"]
    ),
    rank=st.integers(0, 3),
    doi=st.sampled_from(["", "10.5555/a", "10.5555/b", "10.48550/arxiv.2209.00042"]),
    arxiv_id=st.sampled_from(["", "2209.00042", "2209.00043"]),
    pmid=st.sampled_from(["", "1", "2"]),
    authors=authors,
    year=st.sampled_from([None, 2020, 2021]),
    published=st.sampled_from(["", "2020-01-02", "2021"]),
    journal=st.sampled_from(["", "J. Tides"]),
    abstract=st.sampled_from(["", "short", "a longer one", "b longer one"]),
    citation_count=st.sampled_from([None, 0, 7]),
    open_access=st.sampled_from([None, True, False]),
    pdf_url=st.sampled_from(["", "https://a.example/1.pdf"]),
    kind=st.sampled_from(["", "article", "article-journal"]),
    volume=st.sampled_from(["", "3"]),
    notices=notices,
)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.lists(records, max_size=9))
def test_the_order_of_the_records_decides_nothing(
    data: st.DataObject, given_ones: list[Paper]
) -> None:
    shuffled = data.draw(st.permutations(given_ones))

    assert merge(shuffled) == merge(given_ones)


@settings(max_examples=200, deadline=None)
@given(st.lists(records, max_size=9))
def test_no_identifier_is_in_two_papers_and_no_value_is_without_its_origin(
    given_ones: list[Paper],
) -> None:
    papers = merge(given_ones)

    for name in ("journal_doi", "pmid"):
        ids = [getattr(paper, name) for paper in papers if getattr(paper, name)]
        assert len(ids) == len(set(ids))
    for paper in papers:
        known = {name for name in FIELDS if getattr(paper, name) not in (None, "", ())}
        assert set(paper.origins) == known
        for name in known - {"url", "notices"}:
            values = [getattr(one, name) for one in given_ones if one.source == paper.origins[name]]
            assert getattr(paper, name) in values


def test_the_same_records_of_real_shape_are_one_paper_with_the_best_of_each() -> None:
    found = [
        *papers_in("crossref/ok_200.json"),
        *papers_in("openalex/ok_200.json"),
        *papers_in("arxiv/ok_200.xml"),
        *papers_in("semanticscholar/ok_200.json"),
    ]
    paper = next(one for one in merge(found) if one.doi == "10.5555/jce.2023.0042")

    assert paper.arxiv_id == "2209.00042"
    assert paper.url == "https://doi.org/10.5555/jce.2023.0042"
    assert (paper.journal, paper.year, paper.kind) == (
        "Journal of Coastal Engineering",
        2023,
        "article-journal",
    )
    assert (paper.citation_count, paper.origins["citation_count"]) == (19, "openalex")
    assert paper.origins["arxiv_id"] in ("arxiv", "semanticscholar")
    assert paper.origins["abstract"] == "arxiv"  # the longest
    assert len([one for one in merge(found) if one.doi == paper.doi]) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"doi": "10.5555/a"}, {"doi": "10.5555/a", "title": "Another title"}),
        ({"arxiv_id": "2209.00042"}, {"arxiv_id": "2209.00042", "doi": "10.5555/a"}),
        (
            {"doi": "10.48550/arxiv.2209.00042", "arxiv_id": "2209.00042"},
            {"arxiv_id": "2209.00042"},
        ),
        ({"pmid": "1"}, {"pmid": "1"}),
        (
            {"year": 2020, "authors": by("Amara Okafor"), "doi": "10.5555/a"},
            {
                "year": 2020,
                "authors": (Author("A. Okafor", "Okafor", "A."),),
                "title": "RETRACTED: tides.",
            },
        ),
    ],
)
def test_records_that_share_an_identifier_or_title_year_and_first_author_are_one(
    first: Any, second: Any
) -> None:
    assert len(merge([record("crossref", **first), record("arxiv", **second)])) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {}),  # the same title alone says nothing
        ({"year": 2020, "authors": by("A. Okafor")}, {"year": 2021, "authors": by("A. Okafor")}),
        ({"year": 2020, "authors": by("A. Okafor")}, {"year": 2020, "authors": by("B. Haddad")}),
        (
            {"year": 2020, "authors": by("A. Okafor"), "doi": "10.5555/a"},
            {"year": 2020, "authors": by("A. Okafor"), "doi": "10.5555/b"},
        ),
        (
            {"doi": "10.48550/arxiv.1", "arxiv_id": "2209.00042"},
            {"doi": "10.48550/arxiv.1", "arxiv_id": "2209.00043"},
        ),
    ],
)
def test_what_only_looks_alike_stays_apart(first: Any, second: Any) -> None:
    assert len(merge([record("crossref", **first), record("arxiv", **second)])) == 2


def test_the_journal_counts_for_more_than_the_preprint_and_dates_fit_together() -> None:
    preprint = record(
        "arxiv", arxiv_id="2209.00042", doi="10.5555/a", year=2022, published="2022-09-01",
        kind="article", publisher="arXiv", abstract="long " * 20,
        pdf_url="https://arxiv.org/pdf/2209.00042", open_access=True,
    )  # fmt: skip
    article = record(
        "crossref", doi="10.5555/a", year=2023, kind="article-journal", journal="J. Tides"
    )
    (paper,) = merge([preprint, article])

    assert (paper.year, paper.published, paper.kind, paper.journal) == (
        2023,
        "",
        "article-journal",
        "J. Tides",
    )
    assert paper.source == "arxiv"
    assert paper.origins["year"] == "crossref"


def test_a_withdrawn_preprint_says_nothing_of_the_paper_that_a_journal_published() -> None:
    preprint = record(
        "arxiv",
        arxiv_id="2209.00042",
        doi="10.5555/a",
        notices=(Notice("withdrawal", source="arxiv", preprint=True),),
    )

    assert merge([preprint])[0].notices
    (paper,) = merge([preprint, record("crossref", doi="10.5555/a")])
    assert paper.notices == ()
    assert "notices" not in paper.origins


def test_notices_of_all_indexes_are_merged_without_duplicates() -> None:
    flag = Notice("retraction", source="openalex")
    found = [
        record("openalex", doi="10.5555/a", notices=(flag,)),
        record(
            "crossref",
            doi="10.5555/a",
            notices=(Notice("retraction", "2021-03-15", "10.5555/n", "publisher"),),
        ),
    ]
    (paper,) = merge([*found, found[0]])

    assert len(paper.notices) == 2
    assert paper.origins["notices"] == "crossref,openalex"


def test_what_several_indexes_rank_high_comes_before_the_first_of_one() -> None:
    lists = [
        record("openalex", "Alone at the top", 0, doi="10.5555/top"),
        record("openalex", "Known to both", 1, doi="10.5555/both"),
        record("crossref", "Known to both", 1, doi="10.5555/both"),
        record("crossref", "Far below", 9, doi="10.5555/far"),
    ]

    assert [paper.title for paper in merge(lists)] == [
        "Known to both",
        "Alone at the top",
        "Far below",
    ]
