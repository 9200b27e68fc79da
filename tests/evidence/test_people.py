"""Names are taken apart where that is no guess, and nobody is no author."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.evidence.page.people import Name, parse_people, parse_person


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Okafor, Amara", Name("Okafor", "Amara")),
        ("Amara Okafor", Name("Okafor", "Amara")),
        ("María de la Cruz", Name("de la Cruz", "María")),
        ("Van Morrison", Name("Morrison", "Van")),
        ("Martin Luther King Jr.", Name("King", "Martin Luther", "Jr.")),
        ("King, Martin Luther, Jr.", Name("King", "Martin Luther", "Jr.")),
        ("Jane Doe, MD, PhD", Name("Doe", "Jane")),
        ("John Y Smith", Name("Smith", "John Y")),
        ("saltmarsh", Name(literal="saltmarsh")),
        ("World Tide Organization", Name(literal="World Tide Organization")),
        ("Anna Newsome", Name("Newsome", "Anna")),
        ("Ada of tides.example.org", Name(literal="Ada of tides.example.org")),
        ("王小明", Name(literal="王小明")),
    ],
)
def test_single_author_is_parsed_or_stays_whole(written: str, name: Name) -> None:
    assert parse_person(written) == name


@pytest.mark.parametrize(
    "written",
    [
        "admin",
        "@kenito",
        "ken@post.example",
        "https://post.example/staff/ken-ito",
        "x" * 500,
    ],
)
def test_placeholders_are_no_authors(written: str) -> None:
    assert parse_people([written]) == ()


@pytest.mark.parametrize(
    ("byline", "families"),
    [
        ("By Amara Okafor", ["Okafor"]),
        ("Amara Okafor and Per Lindqvist", ["Okafor", "Lindqvist"]),
        ("Amara Okafor, Per Lindqvist and Ken Ito", ["Okafor", "Lindqvist", "Ito"]),
        ("Okafor, Amara; Lindqvist, Per", ["Okafor", "Lindqvist"]),
        ("Jane Doe, PhD", ["Doe"]),
        ("Ministry of Food and Fisheries Team", [""]),
    ],
)
def test_a_byline_names_each_of_its_authors(byline: str, families: list[str]) -> None:
    assert [name.family for name in parse_people([byline])] == families


@given(st.lists(st.text(max_size=80), max_size=5))
def test_any_byline_gives_names_that_say_something(texts: list[str]) -> None:
    assert all(name.written.strip() for name in parse_people(texts))
