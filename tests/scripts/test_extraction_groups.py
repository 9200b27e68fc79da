"""Groups of features that the training script can leave out."""

from __future__ import annotations

import pytest
from scripts.extraction.groups import GROUPS, group_members

from webquarry._native import FEATURE_NAMES


def test_without_a_group_every_feature_is_used() -> None:
    assert group_members(None, FEATURE_NAMES) == []


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_contains_some_features_but_not_most(group: str) -> None:
    assert 0 < len(group_members(group, FEATURE_NAMES)) < len(FEATURE_NAMES) / 2


def test_a_group_contains_the_features_of_its_pattern() -> None:
    assert {FEATURE_NAMES[index] for index in group_members("anchor", FEATURE_NAMES)} == {
        "from_anchor",
        "common_share",
        "common_paragraphs",
        "common_steps",
    }
