"""Terms of a query, and which of them a text holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webquarry.evidence.language.claims import nearest_sentences
from webquarry.evidence.language.languages import language_of
from webquarry.evidence.language.letters import fold
from webquarry.evidence.language.terms import _WORD, Terms, find_words


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
def test_a_text_holds_a_term_in_any_form_of_its_word(about: str, text: str, held: int) -> None:
    assert len(Terms(about, text).in_text(text)) == held


def test_a_number_weighs_more_than_a_word() -> None:
    terms = Terms("330 metres")

    assert terms.weights == {"330": 1.5, "metr": 1.0}
    assert terms.total_weight == terms.weight(terms.weights) == 2.5


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the wind and the sea", "english"),
        ("der Wind und das Meer", "german"),
        ("", "english"),
        ("xyz", "english"),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_terms_are_compared_in_several_threads_at_once() -> None:
    """A stemmer is not made for that: it holds the word it is at work on."""
    letters = "abcdefghijklmnopqrst"

    def count(first: str) -> int:
        text = " ".join(
            f"organ{first}{second}{third}isations" for second in letters for third in letters
        )
        return len(Terms(f"organ{first}abisation organ{first}tsisation", text).in_text(text))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(count, letters)) == [2] * len(letters)


@example("𝐀", "")
@given(st.text(), st.text())
def test_a_text_holds_all_terms_of_itself_and_nobody_elses(about: str, text: str) -> None:
    terms = Terms(about, text)

    assert terms.in_text(text) <= set(terms.weights)
    assert Terms(about).in_text(about) == set(Terms(about).weights)


@given(st.text("abiy15.,'’% _-", max_size=30), st.text("abiy15.,'’%— _-", max_size=80))
def test_a_letter_that_is_not_ascii_does_not_change_what_the_other_words_hold(
    about: str, text: str
) -> None:
    assert Terms(about).in_text(f"{text} ж") == Terms(about).in_text(text)


def test_the_nearest_sentences_are_different_ones_the_nearest_first() -> None:
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


@given(st.lists(st.text("ab cd.", max_size=30), max_size=6), st.integers(1, 4))
def test_skipping_paragraphs_skips_no_sentence_that_is_nearer(
    paragraphs: list[str], most: int
) -> None:
    terms = Terms("ab cd ba")

    everything = nearest_sentences(terms, paragraphs, 1000)

    assert nearest_sentences(terms, paragraphs, most) == everything[:most]


@given(
    st.text(st.characters(max_codepoint=0x250) | st.sampled_from("’–…_1.,٣ªᴀ的กి가"), max_size=40)
)
@example("naïve café’s 1,234.5 x2 ²abc_def")
@example("plain words, 3.14 and A4")
def test_simple_patterns_find_the_words_that_the_whole_one_finds(text: str) -> None:
    folded = fold(text)
    assert find_words(folded) == _WORD.findall(folded)
