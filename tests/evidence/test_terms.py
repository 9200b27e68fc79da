"""Terms of a query, and which of them a text holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from webquarry.evidence.language.claims import nearest_sentences
from webquarry.evidence.language.terms import Terms


@pytest.mark.parametrize(
    ("about", "text", "held"),
    [
        ("tidal energy storage", "Storing ENERGIES from the tidal stream.", 2),
        ("battery", "A flow-battery, or two batteries.", 1),
        ("sky", "The skies were grey.", 1),
        ("skies", "The sky was grey.", 1),
        ("330 metres", "It is 330 m high, built in 1330.", 1),
        ("33 boats", "It is 330 m high, and 1.33 wide.", 0),
        ("die Häuser der Stadt", "Das Haus steht in der Stadt.", 2),
        ("l'énergie des marées", "La marée et l'énergie.", 2),
        ("cat", "Concatenate the strings.", 0),
        ("the and of", "The one and the other of them.", 0),
        ("東京の人口", "東京は大きい。", 1),
        ("", "Anything.", 0),
    ],
)
def test_terms_match_any_form_of_their_words(about: str, text: str, held: int) -> None:
    assert len(Terms(about, text).in_text(text)) == held


def test_terms_are_thread_safe() -> None:
    letters = "abcdefghijklmnopqrst"

    def count(first: str) -> int:
        text = " ".join(
            f"organ{first}{second}{third}isations" for second in letters for third in letters
        )
        return len(Terms(f"organ{first}abisation organ{first}tsisation", text).in_text(text))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, letters)) == [2] * len(letters)


def test_nearest_sentences_are_distinct_and_ranked() -> None:
    paragraphs = [
        "Boats. Tidal power is dear.",
        "Tidal power storage is dearer. Tidal power is dear.",
        "Storage.",
    ]

    assert nearest_sentences(Terms("tidal power storage"), paragraphs, 3) == [
        "Tidal power storage is dearer.",
        "Tidal power is dear.",
        "Storage.",
    ]
    assert nearest_sentences(Terms("zebra"), paragraphs, 3) == []
