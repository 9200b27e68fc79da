"""Scores of a source for a question: four scores from 0 to 1, each explained, and their weighted
sum.

    relevance  35 %   the terms of the query in the text, in one paragraph, and in the title
    freshness  20 %   halves with every year since publication; an unknown date is neutral
    authority  25 %   authority tier and reputation; 0 for a retracted paper
    content    20 %   whether the page was read completely, its length, and its headings

They depend on words and dates alone: a hint what to read first, not a judgement of the content.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from webquarry._read.slices.paragraphs import Paragraph
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.models import AnswerPart
from webquarry.evidence.page.dates import date_parts

WEIGHTS = {"relevance": 0.35, "freshness": 0.20, "authority": 0.25, "content": 0.20}
_TEXT_WEIGHT, _PARAGRAPH_WEIGHT, _TITLE_WEIGHT = 0.5, 0.3, 0.2  # by place of the terms
_TIER_WEIGHT, _REPUTATION_WEIGHT = 0.6, 0.4
_STATE_WEIGHT, _LENGTH_WEIGHT, _ORDER_WEIGHT = 0.4, 0.4, 0.2
_NEUTRAL = 0.5
_HALF_LIFE_DAYS = 365.0
_TIERS = {"high": 0.9, "medium": 0.55, "low": 0.2}
_REPUTATIONS = {"high": 1.0, "mixed": 0.5, "low": 0.0}
_FULL_LENGTH = 600  # words
_FULL_ORDER = 3  # headings


class ScoreExplanations(AnswerPart, kw_only=True):
    """Why each score is what it is."""

    relevance: str
    freshness: str
    authority: str
    content: str


class SourceScores(AnswerPart, kw_only=True):
    __doc__ = (
        "The scores of a source; `overall` is relevance 35, freshness 20, authority 25 and "
        "content 20 percent."
    )

    overall: float
    relevance: float
    freshness: float
    authority: float
    content: float
    explanations: ScoreExplanations


@dataclass(frozen=True)
class Score:
    """One score and its reason."""

    value: float
    why: str


def total(relevance: Score, freshness: Score, authority: Score, content: Score) -> SourceScores:
    """Return the scores with their weighted sum."""
    scores = {
        "relevance": relevance,
        "freshness": freshness,
        "authority": authority,
        "content": content,
    }
    values = {name: round(score.value, 3) for name, score in scores.items()}
    reasons = {name: score.why for name, score in scores.items()}
    return SourceScores(
        overall=round(sum(WEIGHTS[name] * value for name, value in values.items()), 3),
        **values,
        explanations=ScoreExplanations(**reasons),
    )


def relevance(terms: Terms, title: str, paragraphs: Sequence[Paragraph]) -> Score:
    """Return how much of the query a source contains."""
    if not terms.total_weight:
        return Score(_NEUTRAL, "The query has no words that could be looked for.")
    in_text: set[str] = set()
    in_paragraph: frozenset[str] = frozenset()  # of the best one
    for paragraph in paragraphs:
        held = terms.in_text(paragraph.text)
        in_text |= held
        if held and terms.weight(held) > terms.weight(in_paragraph):
            in_paragraph = held
    in_title = terms.in_text(title)
    parts = ((_TEXT_WEIGHT, in_text), (_PARAGRAPH_WEIGHT, in_paragraph), (_TITLE_WEIGHT, in_title))
    score = sum(weight * terms.weight(held) for weight, held in parts) / terms.total_weight
    why = (
        f"Of {len(terms.weights)} terms {len(in_text)} in the text, "
        f"{len(in_paragraph)} in one paragraph, {len(in_title)} in the title."
    )
    return Score(min(1.0, score), why)


def freshness(published: str | None, today: date) -> Score:
    """Return how recent a source is. A year or a month counts as its last day."""
    parts = date_parts(published)
    if not parts or not parts[0]:
        return Score(_NEUTRAL, "No date is known, so it counts as neither new nor old.")
    year, month = parts[0], parts[1] if len(parts) > 1 else 12
    day = min(monthrange(year, month)[1], parts[2] if len(parts) > 2 else 31)
    last_day = date(year, month, day)
    days = max(0, (today - last_day).days)
    score = 0.5 ** (days / _HALF_LIFE_DAYS)
    return Score(score, f"Published {(published or '')[:10]}, {days} days ago.")


def authority(tier: str, reputation: str | None, retracted: bool = False) -> Score:
    """Return the weight of the source itself."""
    if retracted:
        return Score(0.0, "The paper was retracted.")
    by_tier = _TIERS.get(tier, _NEUTRAL)
    if reputation not in _REPUTATIONS:
        return Score(by_tier, f"Authority {tier}; the host's reputation is not known.")
    score = _TIER_WEIGHT * by_tier + _REPUTATION_WEIGHT * _REPUTATIONS[reputation]
    return Score(score, f"Authority {tier}; the host's reputation is {reputation}.")


def content(complete: bool, words: int, headings: int) -> Score:
    """Return how complete, long and structured a text is."""
    score = _STATE_WEIGHT * (1.0 if complete else 0.3)
    score += _LENGTH_WEIGHT * min(1.0, words / _FULL_LENGTH)
    score += _ORDER_WEIGHT * min(1.0, headings / _FULL_ORDER)
    state = "Read whole" if complete else "Read in part"
    return Score(score, f"{state}; {words} words, {headings} headings.")
