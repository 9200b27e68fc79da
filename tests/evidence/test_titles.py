"""Titles lose the name of their site, and get the capitals of MLA."""

from __future__ import annotations

import pytest

from webquarry.evidence.page.titles import title_case, title_from_url, without_site


@pytest.mark.parametrize(
    ("title", "cased"),
    [
        ("how to read a tide table", "How to Read a Tide Table"),
        ("Harbour Reopens After Storm", "Harbour Reopens after Storm"),
        ("what tides are for", "What Tides Are For"),
        ("tides: a guide to the sea", "Tides: A Guide to the Sea"),
        ("NASA and the iPhone", "NASA and the iPhone"),
        ("height() of example.org", "height() of example.org"),
        ("well-known state-of-the-art tides", "Well-Known State-of-the-Art Tides"),
        ("“read” this", "“Read” This"),
        ("", ""),
    ],
)
def test_a_title_gets_the_capitals_of_mla(title: str, cased: str) -> None:
    assert title_case(title) == cased


@pytest.mark.parametrize(
    ("title", "bare"),
    [
        ("Tides | The Daily Post", "Tides"),
        ("Tides — The Daily Post", "Tides"),
        ("Tides - post.example", "Tides"),
        ("Tides - Part 2", "Tides - Part 2"),
        ("The Daily Post", "The Daily Post"),
    ],
)
def test_the_name_of_the_site_is_taken_off_the_end(title: str, bare: str) -> None:
    assert without_site(title, "post.example", "The Daily Post") == bare


def test_a_page_without_a_title_is_called_by_its_host_and_path() -> None:
    assert title_from_url("https://www.harbor.example/tide/?q=1#top") == "harbor.example/tide"
    assert title_from_url("https://harbor.example/") == "harbor.example"
