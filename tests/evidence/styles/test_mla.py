"""Entries in MLA 9."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.evidence.works import CASES, FOLDER, work_of
from webquarry.evidence.styles.mla import format_mla, mla_pages, title_case
from webquarry.evidence.styles.work import Work

each_case = pytest.mark.parametrize("recorded", CASES, ids=lambda recorded: str(recorded["id"]))


@each_case
def test_entry_matches_the_recorded_one(recorded: dict[str, Any]) -> None:
    assert format_mla(work_of(recorded["csl"])) == recorded["mla"].replace("*", "")


@pytest.mark.parametrize(
    ("written", "expected"),
    json.loads((FOLDER / "page-ranges.json").read_text("utf-8"))["mla"].items(),
)
def test_of_a_range_of_pages_the_repeated_hundreds_are_dropped(written: str, expected: str) -> None:
    assert mla_pages(written) == expected


def test_a_title_in_another_language_keeps_its_capitals() -> None:
    assert "“Die Gezeiten der lagune.”" in format_mla(
        Work(title="Die Gezeiten der lagune", language="de-DE")
    )
    assert "“Les marées.”" in format_mla(Work(title="Les marées", language="fr"))


def test_an_undated_work_says_when_it_was_read_and_a_dated_one_does_not() -> None:
    assert format_mla(Work(title="T", accessed=(2026, 5, 1))).endswith("Accessed 1 May 2026.")
    assert "Accessed" not in format_mla(Work(title="T", issued=(2020,), accessed=(2026, 5, 1)))


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
def test_english_titles_are_set_in_title_case(title: str, cased: str) -> None:
    assert title_case(title) == cased
