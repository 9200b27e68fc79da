from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry.read.text.word_groups import PlainGroups, WordGroups

LETTERS = st.sampled_from("abAB é\u0130ΣσÉ語😀")
PLAIN_LETTERS = st.sampled_from("abAB:-0")
GROUPS = st.lists(st.lists(st.text(PLAIN_LETTERS, min_size=2, max_size=4), max_size=5), max_size=6)


@given(GROUPS, st.text(PLAIN_LETTERS | LETTERS | st.sampled_from("\ud800"), max_size=40))
@example([["ab", "ba"], ["ab"], []], "xab")
def test_the_same_groups_of_words_are_found(groups: list[list[str]], text: str) -> None:
    one, other = PlainGroups(groups), WordGroups(groups)

    assert one.find_in(text) == other.find_in(text)


@pytest.mark.parametrize("kind", [PlainGroups, WordGroups])
def test_groups_are_told_by_their_bits(kind: type[PlainGroups]) -> None:
    groups = kind([["tide", "ebb"], ["moon"], ["sun"]])

    assert groups.find_in("the sun, and an ebbing tide") == 0b101
    assert groups.find_in("Moon") == 0


@pytest.mark.parametrize("kind", [PlainGroups, WordGroups])
@pytest.mark.parametrize("groups", [[["a"]], [["é语"]], [["aa"] * 251], [["aa"]] * 33])
def test_groups_hold_words_that_can_be_looked_for(
    kind: type[PlainGroups], groups: list[list[str]]
) -> None:
    with pytest.raises(ValueError, match="word"):
        kind(groups)
