"""Word numbers in the learned table."""

from __future__ import annotations

from array import array

from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._native import WordTable
from webquarry._read.main_content.words import END_OF_TEXT, split_names, split_words

KNOWN = ("the", "été", "2", "post", "body", "коммент", "评论", END_OF_TEXT, "a", "don", "t")
NUMBERS = {word: number for number, word in enumerate(KNOWN, 2)}
UNKNOWN = 1
BLANKS = "\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\x1c\t\n’“”‘„_-"
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(KNOWN),
        st.sampled_from(BLANKS),
        st.sampled_from("Aa 2Éé."),
        st.characters(exclude_categories=["Cs"]),
    )
).map("".join)


def decode(numbers: bytes) -> list[int]:
    return array("q", numbers).tolist()


@given(TEXTS)
@example("")
@example("Don’t “the”, été_2 ÉTÉ\u3000评论\u2009The \u0080\u2080\ue000\U0001f600the")
@settings(max_examples=500, deadline=None)
def test_each_word_of_a_text_has_its_number(text: str) -> None:
    numbers = decode(WordTable(NUMBERS, UNKNOWN).words(text))

    assert numbers == [NUMBERS.get(word, UNKNOWN) for word in split_words(text)]


@given(TEXTS)
@example("postBody post-12 Share_bar\x00 ÉpostBODY")
@settings(max_examples=500, deadline=None)
def test_each_part_of_a_class_name_has_its_number(text: str) -> None:
    numbers, parts = WordTable(NUMBERS, UNKNOWN).tokens(text)

    assert parts.split() == split_names(text)
    assert decode(numbers) == [NUMBERS.get(part, UNKNOWN) for part in split_names(text)]


def test_all_words_are_unknown_to_an_empty_table() -> None:
    assert decode(WordTable({}, 7).words("any words")) == [7, 7]
