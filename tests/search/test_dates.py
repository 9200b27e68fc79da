"""Dates that are shown to people, and the one shape of a timestamp."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry._search.text import read_shown_date, read_snippet_date, to_timestamp

NOW = datetime(2026, 11, 17, 12, 34, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("February 12, 2025", "2025-02-12"),
        ("Sept. 3, 2026", "2026-09-03"),
        ("12 February 2025", "2025-02-12"),
        ("3.11.2026", "2026-11-03"),
        ("2026年3月3日", "2026-03-03"),
        ("2 days ago", "2026-11-15"),
        ("1 week ago", "2026-11-10"),
        ("Yesterday", "2026-11-16"),
        ("3 hours ago", "2026-11-17T09:00:00Z"),
        ("20 mins ago", "2026-11-17T12:14:00Z"),
    ],
)
def test_a_date_that_is_shown_is_read(text: str, day: str) -> None:
    assert read_shown_date(text, NOW) == day


@pytest.mark.parametrize(
    "text",
    [
        "lately",
        "03/04/2026",
        "February 30, 2025",
        "3 months ago",
        "Nov 19, 2026",
        "2026",
        "x" * 10_000,
        None,
    ],
)  # fmt: skip
def test_ambiguous_future_and_invalid_dates_are_none(text: object) -> None:
    assert read_shown_date(text, NOW) is None


def test_age_is_subtracted_in_utc() -> None:
    elsewhere = NOW.astimezone(timezone(timedelta(hours=13)))

    assert read_shown_date("2 days ago", elsewhere) == "2026-11-15"


@pytest.mark.parametrize(
    ("snippet", "day"),
    [
        ("Mar 3, 2026 ... Notes from three", "2026-03-03"),
        ("Mar 3, 2026 — Notes", "2026-03-03"),
        ("3 days ago … Notes", "2026-11-14"),
        ("Mar 3, 2026 was a day ... Notes", None),
        ("On Mar 3, 2026 ... Notes", None),
    ],
)
def test_a_snippet_has_a_date_only_at_its_beginning_and_apart_from_the_text(
    snippet: str, day: str | None
) -> None:
    assert read_snippet_date(snippet, NOW) == day


@pytest.mark.parametrize(
    "value",
    [
        None,
        "2026",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_incomplete_date_has_no_timestamp(value: str | None) -> None:
    assert to_timestamp(value) is None


@given(st.text(max_size=60))
def test_fuzz_no_text_breaks_the_reading(text: str) -> None:
    for found in (read_shown_date(text, NOW), read_snippet_date(text, NOW)):
        assert found is None or to_timestamp(found)
