"""Dates are read where they can only mean one day, and nothing is added to them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.evidence.page.dates import date_parts, is_plausible, read_date

NOW = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2025", "2025"),
        ("2025-07-01", "2025-07-01"),
        (" 2025-07-01\n", "2025-07-01"),
        ("20250701", "2025-07-01"),
        ("2023/04/05", "2023-04-05"),
        ("2023/4/5", "2023-04-05"),
        ("2025-07-01T06:30:00+01:00", "2025-07-01T06:30:00+01:00"),
        ("2025-07-01 06:30:00 -05", "2025-07-01T06:30:00-05:00"),
        ("2025-07-01T06:30:00.123Z", "2025-07-01T06:30:00.123Z"),
        ("2025-07-01 06:30 UTC", "2025-07-01T06:30Z"),
        ("Tue, 1 Jul 2025 06:30:00 +0100", "2025-07-01T06:30:00+01:00"),
        ("1 July 2025", "2025-07-01"),
        ("July 1st, 2025", "2025-07-01"),
        ("Sept. 3, 2021", "2021-09-03"),
    ],
)
def test_a_date_with_one_meaning_is_read(written: str, expected: str) -> None:
    assert read_date(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        "07/01/2025",
        "01-07-2025",
        "2025-13-01",
        "2025-02-30",
        "2025-07-01T25:00",
        "",
        "1751351400",
        "2025-07-01T06:30 CET",
        "２０２５",
        "2025-07-01 extra",
        None,
        ["2025"],
        "9" * 5000,
    ],
)
def test_ambiguous_dates_are_none(written: object) -> None:
    assert read_date(written) is None


@given(st.text(max_size=70))
def test_any_text_is_a_date_or_none_and_never_an_error(text: str) -> None:
    value = read_date(text)

    assert value is None or read_date(value) == value


@pytest.mark.parametrize(
    "value", ["1970-01-01", "1970-01-01T00:00:00Z", "1900-01-01", "2026-11-17", "2027", "2026-12"]
)
def test_the_dates_of_programs_that_had_none_and_of_the_future_are_not_the_pages(
    value: str,
) -> None:
    assert not is_plausible(value, NOW, declared=True)


@pytest.mark.parametrize(
    "value", ["1969-07-21", "2026-11-16", "2026", "2026-11", "2026-11-15T23:59:00Z"]
)
def test_what_a_page_declares_may_be_old_and_a_day_ahead(value: str) -> None:
    assert is_plausible(value, NOW, declared=True)


def test_a_date_older_than_the_web_counts_only_where_it_is_declared() -> None:
    assert not is_plausible("1969-07-21", NOW, declared=False)
    assert is_plausible("1991-08-06", NOW, declared=False)


def test_the_parts_of_a_date_are_those_that_can_be_right() -> None:
    assert date_parts("2024-02-29T23:30:00-11:00") == (2024, 2, 29)
    assert date_parts("2024-13") == (2024,)
    assert date_parts(None) == ()
