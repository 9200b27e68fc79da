"""The numbers of words and of parts of names, in Python and compiled: one and the same."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._read.main_content import words as plain
from webquarry._read.main_content.words import END_OF_TEXT, split_names, split_words

compiled = pytest.importorskip(
    "webquarry._read.main_content._words", reason="the compiled words were not built"
)

KNOWN = ("the", "été", "2", "post", "body", "коммент", "评论", END_OF_TEXT, "a", "don", "t")
NUMBERS = {word: number for number, word in enumerate(KNOWN, 2)}
BLANKS = "\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\x1c\t\n’“”‘„_-"
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(KNOWN),
        st.sampled_from(BLANKS),
        st.sampled_from("Aa 2Éé."),
        st.characters(exclude_categories=["Cs"]),
    )
).map("".join)


@given(TEXTS)
@example("")
@example("Don’t “the”, été_2 ÉTÉ\u3000评论\u2009The \u0080\u2080\ue000\U0001f600the")
@settings(max_examples=500, deadline=None)
def test_words_have_the_same_numbers(text: str) -> None:
    numbers = compiled.WordTable(NUMBERS, 1).words(text)

    assert numbers == plain.WordTable(NUMBERS, 1).words(text)
    assert len(numbers) == 8 * len(split_words(text))


@given(TEXTS)
@example("postBody post-12 Share_bar\x00 ÉpostBODY")
@settings(max_examples=500, deadline=None)
def test_parts_of_names_have_the_same_numbers(text: str) -> None:
    numbers, parts = compiled.WordTable(NUMBERS, 1).tokens(text)

    assert (numbers, parts) == plain.WordTable(NUMBERS, 1).tokens(text)
    assert parts.split() == split_names(text)


def test_an_empty_table_knows_nothing() -> None:
    assert compiled.WordTable({}, 7).words("any words") == plain.WordTable({}, 7).words("any words")
