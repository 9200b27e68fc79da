"""Groups of features that the training script can leave out."""

from __future__ import annotations

import pytest
from scripts.extraction.groups import GROUPS, group_members

from webquarry._read.main_content.feature_names import NAMES


def test_without_a_group_every_feature_is_used() -> None:
    assert group_members(None, NAMES) == []


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_contains_some_features_but_not_most(group: str) -> None:
    assert 0 < len(group_members(group, NAMES)) < len(NAMES) / 2


def test_a_group_contains_the_features_of_its_pattern() -> None:
    assert {NAMES[index] for index in group_members("anchor", NAMES)} == {
        "from_anchor",
        "common_share",
        "common_paragraphs",
        "common_steps",
    }
