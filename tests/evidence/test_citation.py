"""A page that was read becomes a line that can be quoted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from webquarry.evidence.citation import CitedPage, cite

ACCESSED = datetime(2026, 11, 5, 23, 59, tzinfo=UTC)


def source(
    title: str = "Tides", published: str | None = None, url: str = "https://www.example.org/tides"
) -> CitedPage:
    return CitedPage(title=title, url=url, accessed=ACCESSED, published=published)


def test_a_citation_names_title_date_site_access_date_and_address() -> None:
    assert cite(source(published="2024-03-03T12:00:00Z")) == (
        "Tides. (2024, March 3). example.org. Retrieved November 5, 2026, from "
        "https://www.example.org/tides"
    )


@pytest.mark.parametrize(
    ("published", "written"),
    [
        (None, "n.d."),
        ("", "n.d."),
        ("2024", "2024"),
        ("2024-02", "2024, February"),
        ("2024-02-29", "2024, February 29"),
        ("2024-02-29T23:30:00-11:00", "2024, February 29"),
        ("2024-13-01", "2024"),
        ("2024-02-41", "2024, February"),
        ("20240229", "n.d."),
        ("last Tuesday", "n.d."),
    ],
)
def test_a_date_is_written_as_exactly_as_it_is_known(published: str | None, written: str) -> None:
    assert f"Tides. ({written}). example.org." in cite(source(published=published))


@pytest.mark.parametrize(
    ("title", "start"),
    [
        ("Why tides?", "Why tides? ("),
        ("Tides.", "Tides. ("),
        ("  Tides\n of the\tlagoon ", "Tides of the lagoon. ("),
        (" \n", "[Untitled page]. ("),
    ],
)
def test_a_title_is_one_line_with_one_stop(title: str, start: str) -> None:
    assert cite(source(title=title)).startswith(start)


@pytest.mark.parametrize(
    ("title", "start"),
    [
        ("Tides | Example", "Tides. ("),
        ("Tides - Ex-ample", "Tides. ("),
        ("Tides – a guide – Example", "Tides – a guide. ("),
        ("Tides | Another", "Tides | Another. ("),
        ("Example", "Example. ("),
        ("Tides |", "Tides |. ("),
    ],
)
def test_the_sites_name_at_the_end_of_a_title_is_not_said_twice(title: str, start: str) -> None:
    assert cite(source(title=title)).startswith(start)
