"""What is a patent number, and how others write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.patents.recorded import number
from webquarry._search.patents.numbers import (
    office_code,
    read_number,
)
from webquarry.errors import BadInput


@pytest.mark.parametrize(
    ("written", "google", "docdb", "epodoc"),
    [
        ("us 10,123,456 b2", "US10123456B2", "US.10123456.B2", "US10123456"),
        ("U.S. Patent No. 10,123,456", "US10123456", "US.10123456", "US10123456"),
        ("US 2019/0123456 A1", "US20190123456A1", "US.2019123456.A1", "US2019123456"),
        ("US2020012345A1", "US20200012345A1", "US.2020012345.A1", "US2020012345"),
        ("USD912345S1", "USD912345S1", "US.D912345.S1", "USD912345"),
        ("US RE45,678 E1", "USRE45678E1", "US.RE45678.E1", "USRE45678"),
        ("EP 1 234 567 B1", "EP1234567B1", "EP.1234567.B1", "EP1234567"),
        ("EP 123456 A2", "EP0123456A2", "EP.0123456.A2", "EP0123456"),
        ("WO 2020/123456 A1", "WO2020123456A1", "WO.2020123456.A1", "WO2020123456"),
        ("WO 99/12345", "WO1999012345", "WO.9912345", "WO9912345"),
        ("DE 10 2015 001 234 A1", "DE102015001234A1", "DE.102015001234.A1", "DE102015001234"),
        ("JP H07-123456 A", "JPH07123456A", "JP.H07123456.A", "JPH07123456"),
        ("KR 10-2015-0012345 A", "KR20150012345A", "KR.20150012345.A", "KR20150012345"),
        ("NO 343434 B1", "NO343434B1", "NO.343434.B1", "NO343434"),
    ],
)
def test_a_number_is_read_however_it_is_written(
    written: str, google: str, docdb: str, epodoc: str
) -> None:
    found = number(written)

    assert (found.google, found.docdb, found.epodoc) == (google, docdb, epodoc)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tidal turbine",
        "10123456",
        "US 2020",
        "DE 10115",
        "ZZ1234567",
        "PCT/US2019/012345",
        "turbine US10123456B2",
        "US" + "1" * 14,
    ],
)
def test_text_that_is_not_exactly_a_number_is_none(text: str) -> None:
    assert read_number(text) is None


@given(st.text(max_size=80))
def test_reading_any_text_raises_nothing_and_is_stable(text: str) -> None:
    found = read_number(text)

    assert found is None or read_number(found.google) == found


@pytest.mark.parametrize(
    ("wanted", "given", "covered"),
    [
        ("EP1234567", "EP1234567B1", True),
        ("EP1234567B1", "EP1234567A1", False),
        ("EP1234567", "EP1234568A1", False),
    ],
)
def test_a_number_without_a_kind_means_any_publication_of_it(
    wanted: str, given: str, covered: bool
) -> None:
    assert number(wanted).covers(number(given)) is covered


@pytest.mark.parametrize(
    ("text", "stage", "by_grant", "year"),
    [
        ("US10123456B2", "granted", True, None),
        ("US5123456A", "granted", True, None),
        ("US20190123456A1", "application", False, 2019),
        ("WO2020123456A1", "application", False, 2020),
        ("EP1234567B1", "granted", True, None),
        ("EP1234567B2", "granted", False, None),
    ],
)
def test_a_number_tells_stage_and_year_only_where_it_does(
    text: str, stage: str | None, by_grant: bool, year: int | None
) -> None:
    one = number(text)

    assert (one.stage, one.is_dated_by_grant, one.published_year) == (stage, by_grant, year)


@pytest.mark.parametrize(
    ("value", "code"), [("us", "US"), ("EPO", "EP"), ("wipo", "WO"), ("all", None), ("", None)]
)
def test_an_office_is_known_by_its_letters_and_by_its_name(value: str, code: str | None) -> None:
    assert office_code(value) == code


@pytest.mark.parametrize("value", ["XX", "Europe", "U S", "pn=EP OR ti"])
def test_an_office_that_there_is_not_is_bad_input(value: str) -> None:
    with pytest.raises(BadInput, match="patent_office"):
        office_code(value)
