"""Scores of words and class names in the learned tables."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webquarry._native import COUNTED
from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.blocks import build_flow
from webquarry._read.main_content.boxes import LONGEST, OWN, describe_boxes
from webquarry._read.main_content.lifts import Lifts, Lookup
from webquarry._read.main_content.texts import SHORT, count_texts
from webquarry._read.main_content.words import split_names, split_words

KNOWN = ("the", "été", "2", "post", "body", "коммент", "评论", "a", "don", "t")
SCORES = {word: number / 8 for number, word in enumerate(KNOWN, 1)}
BLANKS = "\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\x1c\t\n’“”‘„_-"
TEXTS = st.lists(
    st.one_of(
        st.sampled_from(KNOWN),
        st.sampled_from(BLANKS),
        st.sampled_from("Aa 2Éé."),
        st.characters(exclude_categories=["Cs"], exclude_characters="\x00"),
    )
).map("".join)


@given(TEXTS.filter(bool))
@example("Don’t “the”, été_2 ÉTÉ\u3000评论\u2009The \u0080\u2080\ue000\U0001f600the")
@settings(max_examples=500, deadline=None)
def test_each_word_of_a_text_has_its_score(text: str) -> None:
    rows = count_texts([text], "", (), Lifts({}, SCORES, SCORES)).tolist()

    scores = [SCORES.get(word, 0.0) for word in split_words(text[:SHORT])]
    mean = sum(scores) / max(len(scores), 1)
    assert rows[COUNTED.index("word_mean")] == [pytest.approx(mean)]
    assert rows[COUNTED.index("word_max")] == [max(scores, default=0.0)]


@given(TEXTS)
@example("postBody post-12 Share_bar ÉpostBODY")
@settings(max_examples=500, deadline=None)
def test_each_part_of_a_class_name_has_its_score(text: str) -> None:
    flow = build_flow(parse_html("<p>text</p>"))
    flow.names[0] = text[:LONGEST]
    names = describe_boxes(flow, Lookup.build(SCORES)).names.tolist()

    assert names[OWN][0] == pytest.approx(
        sum(SCORES.get(part, 0.0) for part in split_names(text[:LONGEST]))
    )
