"""Scores of a source: from 0 to 1, explained, and summed by their weights."""

from __future__ import annotations

from datetime import date

import pytest

from tests.read.written import written
from webquarry._read.slices.paragraphs import paragraphs_of
from webquarry.evidence import scores
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.scores import Score

TODAY = date(2026, 3, 1)


def relevance(query: str, title: str, text: str) -> Score:
    return scores.relevance(Terms(query, text), title, paragraphs_of(written(text)))


def test_a_page_on_the_subject_is_more_relevant_than_one_that_only_names_it() -> None:
    on_topic = relevance(
        "tidal energy storage",
        "Tidal energy storage",
        "The storage of energies from tidal streams.",
    )
    in_passing = relevance("tidal energy storage", "Boats", "Energy is needed.\n\nStorage is dear.")
    off_topic = relevance("tidal energy storage", "Boats", "The harbour has a crane.")

    assert on_topic.value == 1
    assert on_topic.why == "Of 3 terms 3 in the text, 3 in one paragraph, 3 in the title."
    assert on_topic.value > in_passing.value > off_topic.value == 0


@pytest.mark.parametrize(
    ("published", "score", "why"),
    [
        ("2026-03-01", 1.0, "Published 2026-03-01, 0 days ago."),
        ("2026-03-01T23:00:00Z", 1.0, "Published 2026-03-01, 0 days ago."),
        ("2025-03-01", 0.5, "Published 2025-03-01, 365 days ago."),
        ("2024-12", 0.5 ** (425 / 365), "Published 2024-12, 425 days ago."),
        ("2025-02", 0.5 ** (366 / 365), "Published 2025-02, 366 days ago."),
        ("2025", 0.5 ** (60 / 365), "Published 2025, 60 days ago."),
        ("2030-01-01", 1.0, "Published 2030-01-01, 0 days ago."),
        (None, 0.5, "No date is known, so it counts as neither new nor old."),
        ("0000-00-00", 0.5, "No date is known, so it counts as neither new nor old."),
        ("n.d.", 0.5, "No date is known, so it counts as neither new nor old."),
    ],
)
def test_freshness_halves_with_every_year_and_is_neutral_where_no_date_is_known(
    published: str | None, score: float, why: str
) -> None:
    part = scores.freshness(published, TODAY)

    assert part.value == pytest.approx(score)
    assert part.why == why


def test_authority_follows_the_tier_and_the_reputation() -> None:
    ordered = [
        scores.authority("high", "high"),
        scores.authority("high", None),
        scores.authority("medium", None),
        scores.authority("medium", "mixed"),
        scores.authority("low", None),
        scores.authority("low", "low"),
    ]

    assert [part.value for part in ordered] == sorted(
        (part.value for part in ordered), reverse=True
    )
    assert ordered[1].why == "Authority high; the host's reputation is not known."


def test_content_score_counts_state_length_and_headings() -> None:
    assert scores.content(True, 600, 3) == Score(1.0, "Read whole; 600 words, 3 headings.")
    assert scores.content(False, 600, 3).value < scores.content(True, 300, 3).value < 1


def test_the_weights_are_those_of_the_contract() -> None:
    assert scores.WEIGHTS == {
        "relevance": 0.35,
        "freshness": 0.20,
        "authority": 0.25,
        "content": 0.20,
    }
    whole = scores.total(Score(1, "a"), Score(0, "b"), Score(1, "c"), Score(0.5, "d"))

    assert (whole.overall, whole.content, whole.explanations.freshness) == (0.7, 0.5, "b")
