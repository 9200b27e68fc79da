"""The sentence nearest to a claim."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webquarry.evidence.language.claims import claim_signal, split_sentences

CASES = [
    (
        "coffee lowers the risk of diabetes",
        "Tea is popular in Britain. Drinking coffee was linked to lower diabetes risks in a "
        "large study. More is needed.",
        "Drinking coffee was linked to lower diabetes risks in a large study.",
    ),
    (
        "the tower is 330 metres tall",
        "It opened in 1889. It stands 330 m high. Many visit.",
        "It stands 330 m high.",
    ),
    (
        "Die Preise steigen",
        "Heute regnet es. Der Preis stieg um 3 Prozent.",
        "Der Preis stieg um 3 Prozent.",
    ),
    (
        "東京の人口が増えた",
        "大阪は雨でした。東京の人口は増加しています。",
        "東京の人口は増加しています。",
    ),
    (
        "цены выросли",
        "Сегодня дождь. Цены выросли на три процента.",
        "Цены выросли на три процента.",
    ),
    ("whales sing", "Nothing of the kind is said here.", ""),
    ("it is and was", "It is what it was.", ""),
    ("", "Any text.", ""),
    ("a claim", "", ""),
]


@pytest.mark.parametrize(("claim", "text", "expected"), CASES)
def test_the_sentence_that_shares_most_with_the_claim_is_chosen(
    claim: str, text: str, expected: str
) -> None:
    assert claim_signal(claim, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('He said "no." She left!  Why? …', ['He said "no.', "She left!", "Why?", "…"]),
        ("One\n\ntwo.\nThree. ", ["One", "two.", "Three."]),
        ("一。二！ 三", ["一。", "二！", "三"]),
        (
            "At 3.5 p.m. in St. Ives, e.g. by the sea.",
            ["At 3.5 p.m. in St. Ives, e.g. by the sea."],
        ),
        (
            "He is a Dr.\nAmes is not, approx. speaking.",
            ["He is a Dr. Ames is not, approx. speaking."],
        ),
        ("A reprDr. is none", ["A reprDr.", "is none"]),
        (" \n", []),
    ],
)
def test_sentences_end_at_marks_and_lines(text: str, expected: list[str]) -> None:
    assert split_sentences(text) == expected


@given(st.text(), st.text())
def test_the_signal_is_always_a_part_of_the_text(claim: str, text: str) -> None:
    signal = claim_signal(claim, text)
    assert "".join(signal.split()) in "".join(text.split())
