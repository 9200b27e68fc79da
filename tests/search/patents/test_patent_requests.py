"""What the registers of patents are asked: in their own words, and no value leaves its field."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.patents.recorded import (
    KEYS,
    number,
)
from tests.search.patents.registers import FULL, epo, lens
from webquarry._search.patents.provider import PatentQuery
from webquarry._search.patents.providers.epo import cql


def test_the_epo_is_asked_in_cql_for_as_many_as_are_wanted() -> None:
    request = epo().build_search(FULL)

    assert request.url.params["q"] == (
        'ta all "tidal turbine" AND pa all "Tideworks" AND in all "Per Lindqvist" AND pn=EP AND '
        "cpc=/low F03B13/00"
        ' AND pd within "20180101 20211231"'
    )
    assert request.headers["X-OPS-Range"] == "1-7"
    assert cql(PatentQuery('a "folding  blade" of the turbine', search_type="specific")) == (
        'ti="folding blade" AND ti all "turbine"'
    )
    assert cql(PatentQuery(assignee="X", year_from=2018)) == 'pa all "X" AND pd>=2018'
    assert cql(PatentQuery(assignee="X", year_to=2018)) == 'pa all "X" AND pd<=2018'


def test_more_words_than_the_epo_takes_are_left_out_and_that_is_said() -> None:
    long = PatentQuery(" ".join(f"word{n}" for n in range(12)))

    assert cql(long).count("word") == 10
    assert epo().notes_on(long) == ("EPO OPS was asked with the first 10 words of the query.",)
    assert epo().notes_on(FULL) == ()


_CLAUSE = r'(?:(?:ti|ta|pa|in) all "[^"\\]*"|(?:ti|ta)="[^"\\]*")'


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_no_value_leaves_its_field_in_cql(text: str, assignee: str, inventor: str) -> None:
    made = cql(PatentQuery(text, assignee, inventor))

    assert made == "" or re.fullmatch(rf"{_CLAUSE}(?: AND {_CLAUSE})*", made)
    assert not re.search(r"[*?#<>()=\\/]", re.sub(r'(?:ti|ta)="', "", made))


@given(st.text(max_size=80), st.text(max_size=40), st.text(max_size=40))
def test_no_value_leaves_its_field_in_a_query_to_the_lens(
    text: str, assignee: str, inventor: str
) -> None:
    body = json.loads(lens().build_search(PatentQuery(text, assignee, inventor)).content)
    strings = [name for part in body["query"]["bool"]["must"] for name in part]

    assert set(strings) <= {"bool", "match", "match_phrase"}  # never a query in a text


def test_the_lens_is_asked_with_every_filter() -> None:
    request = lens().build_search(FULL)
    body = json.loads(request.content)
    must = body["query"]["bool"]["must"]

    assert request.headers["Authorization"] == f"Bearer {KEYS['LENS_API_TOKEN']}"
    assert KEYS["LENS_API_TOKEN"] not in str(request.url)
    assert body["size"] == 7
    assert {"match_phrase": {"applicant.name": "Tideworks"}} in must
    assert [part["match"]["inventor.name"] for part in must if "match" in part] == [
        "Per",
        "Lindqvist",
    ]
    assert {"term": {"jurisdiction": "EP"}} in must
    assert {"query_string": {"query": r"class_cpc.symbol:F03B13\/*"}} in must
    assert {"range": {"date_published": {"gte": "2018-01-01", "lte": "2021-12-31"}}} in must
    titles = json.loads(lens().build_search(PatentQuery("x", search_type="specific")).content)
    assert titles["query"]["bool"]["must"] == [{"bool": {"should": [{"match": {"title": "x"}}]}}]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("EP1234567", "epodoc/EP1234567"),
        ("US2019/0123456A1", "docdb/US.2019123456.A1"),
        ("WO9912345", "epodoc/WO9912345"),
    ],
)
def test_the_epo_is_asked_for_a_number_in_its_own_form(text: str, path: str) -> None:
    assert (
        epo().build_lookup(number(text)).url.path
        == f"/3.2/rest-services/published-data/publication/{path}/biblio"
    )


def test_the_lens_is_asked_for_a_number_in_both_spellings() -> None:
    must = json.loads(lens().build_lookup(number("US2019/0123456A1")).content)["query"]["bool"][
        "must"
    ]

    assert {"terms": {"doc_number": ["20190123456", "2019123456"]}} in must
    assert {"term": {"kind": "A1"}} in must
