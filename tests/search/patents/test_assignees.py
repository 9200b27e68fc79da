"""Assignees are counted under one name, whatever way a register spells it."""

from __future__ import annotations

import pytest

from webquarry._search.patents.numbers import (
    Cluster,
    assignee_clusters,
    assignee_key,
    names_match,
)


def patents(*assignees: tuple[str, ...]) -> list[tuple[str, ...]]:
    return list(assignees)


@pytest.mark.parametrize(
    "name",
    [
        "TIDEWORKS LTD [GB]",
        "Tideworks, Ltd.",
        "The Tideworks Company",
        "Tïdeworks Inc",
    ],
)
def test_spellings_of_one_name_have_one_key(name: str) -> None:
    assert assignee_key(name) == "tideworks"


def test_clusters_have_the_most_frequent_spelling_the_count_and_the_share() -> None:
    found = assignee_clusters(
        patents(
            ("TIDEWORKS LTD",),
            ("Tideworks Ltd",),
            ("Tideworks Ltd", "Oldmill Inc."),
            ("OLDMILL INC",),
            (),
        )
    )

    assert found == [Cluster("Tideworks Ltd", 3, 0.6), Cluster("Oldmill Inc.", 2, 0.4)]


def test_names_match_by_their_words_in_any_order() -> None:
    assert names_match("Per Lindqvist", ["LINDQVIST PER"])
    assert names_match("tideworks limited", ["Tideworks Energy Ltd"])
    assert not names_match("Tideworks Energy", ["Tideworks Ltd"])
