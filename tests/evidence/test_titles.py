"""Titles of pages."""

from __future__ import annotations

import pytest

from webquarry.evidence.page.titles import title_from_url, without_site


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
def test_site_name_at_the_end_of_a_title_is_removed(title: str, bare: str) -> None:
    assert without_site(title, "post.example", "The Daily Post") == bare


def test_page_without_title_is_named_by_host_and_path() -> None:
    assert title_from_url("https://www.harbor.example/tide/?q=1#top") == "harbor.example/tide"
    assert title_from_url("https://harbor.example/") == "harbor.example"
