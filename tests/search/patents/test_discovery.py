"""Pages of patent sites that a web search found: which are patents, and which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.patents.recorded import number
from webquarry._search.models import Result
from webquarry._search.patents.provider import Patent, PatentQuery
from webquarry._search.patents.web import SITES, each_once, number_in, patent_of, web_query


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://patents.google.com/patent/US10999999B2/en", "US10999999B2"),
        ("https://patents.google.com/patent/WO2020123456A1/en?oq=x", "WO2020123456A1"),
        ("https://worldwide.espacenet.com/patent/search?q=pn%3DEP1234567B1", "EP1234567B1"),
        (
            "https://worldwide.espacenet.com/publicationDetails/biblio?CC=EP&NR=1234567B1&KC=B1",
            "EP1234567B1",
        ),
        (
            "https://worldwide.espacenet.com/patent/search/family/070000001"
            "/publication/EP3456789A1?q=x",
            "EP3456789A1",
        ),
        ("https://www.lens.org/lens/patent/US_10999999_B2/fulltext", "US10999999B2"),
        (
            "https://patentscope.wipo.int/search/en/detail.jsf?docId=WO2020123456&_cid=P1",
            "WO2020123456",
        ),
        ("https://image-ppubs.uspto.gov/dirsearch-public/print/downloadPdf/10999999", "US10999999"),
    ],
)
def test_the_number_is_in_the_address(url: str, found: str) -> None:
    read = number_in(url)

    assert read
    assert read.google == found


@pytest.mark.parametrize(
    "url",
    [
        "https://patents.google.com/?q=tidal",
        "https://worldwide.espacenet.com/patent/search?q=ti%3Dtidal",
        "https://www.lens.org/lens/patent/031-156-664-516-153",
        "https://patentcenter.uspto.gov/applications/16123456",
    ],
)
def test_a_page_that_is_no_patent_is_dropped(url: str) -> None:
    assert number_in(url) is None
    assert patent_of(Result("Tidal turbines", url, "", "brave")) is None


@pytest.mark.parametrize(
    ("title", "clean"),
    [
        ("US10999999B2 - Tidal turbine - Google Patents", "Tidal turbine"),
        ("US 10999999 B2 | Tidal turbine | The Lens", "Tidal turbine"),
        ("Tidal turbine - a history", "Tidal turbine - a history"),
        ("US10999999B2 - Google Patents", "US10999999B2"),
    ],
)
def test_a_title_is_the_title_alone(title: str, clean: str) -> None:
    patent = patent_of(
        Result(title, "https://patents.google.com/patent/US10999999B2/en", "s", "brave")
    )

    assert patent
    assert (patent.title, patent.snippet, patent.status) == (clean, "s", "granted")


def test_one_publication_on_two_sites_is_one_patent() -> None:
    google, office = number("US10999999B2"), number("US10999999")
    found = each_once(
        [
            Patent(google, "1", "https://a.example/"),
            Patent(office, "2", "https://b.example/", pdf="https://b.example/"),
        ]
    )

    assert [(one.title, one.pdf) for one in found] == [("1", "https://b.example/")]


def test_names_and_class_are_words_of_the_web_search_and_the_sites_its_limit() -> None:
    query = web_query(PatentQuery("turbine", 'Tide"works', "Per L.", cpc="F03B"))

    assert (query.text, query.count, query.allowed_domains) == (
        'turbine "Tide works" "Per L." F03B',
        5,
        SITES,
    )
    assert web_query(PatentQuery(assignee="Tideworks", office="US")).count > 5
    assert web_query(PatentQuery(assignee="Tideworks")).text == '"Tideworks" patent'


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_result_is_a_patent_or_none(title: str, path: str) -> None:
    patent = patent_of(Result(title, f"https://patents.google.com/patent/{path}", "", "x"))

    assert patent is None or (patent.title and patent.number.google)
