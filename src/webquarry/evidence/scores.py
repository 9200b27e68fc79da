"""How much a source is worth to a question: four scores from 0 to 1, each explained, and their
weighted sum.

    relevance  35 %   the query's terms: how many the text holds, how many of them in one paragraph,
                      how many in the title
    freshness  20 %   halves with every year since publication; an unknown date is in the middle
    authority  25 %   the authority tier and the known reputation; nothing for a retracted paper
    content    20 %   whether the page was read whole, how long its text is, and whether headings
                      order it

They are made from words and dates alone, the same for the same page, query and day: a hint what to
read first, not a verdict on what is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from webquarry._read.slices.paragraphs import Paragraph
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.models import AnswerPart
from webquarry.evidence.page.dates import date_parts

WEIGHTS = {"relevance": 0.35, "freshness": 0.20, "authority": 0.25, "content": 0.20}
_TEXT_WEIGHT, _PARAGRAPH_WEIGHT, _TITLE_WEIGHT = 0.5, 0.3, 0.2  # where the terms are found
_TIER_WEIGHT, _REPUTATION_WEIGHT = 0.6, 0.4
_STATE_WEIGHT, _LENGTH_WEIGHT, _ORDER_WEIGHT = 0.4, 0.4, 0.2
_NEUTRAL = 0.5
_HALF_LIFE_DAYS = 365.0
_TIERS = {"high": 0.9, "medium": 0.55, "low": 0.2}
_REPUTATIONS = {"high": 1.0, "mixed": 0.5, "low": 0.0}
_FULL_LENGTH = 600  # words from which a text is as long as it needs to be
_FULL_ORDER = 3  # headings from which it is in order


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
    """The four scores together."""
    scores = {
        "relevance": relevance,
        "freshness": freshness,
        "authority": authority,
        "content": content,
    }
    values: dict[str, float] = {}
    reasons: dict[str, str] = {}
    for name, score in scores.items():
        values[name] = round(score.value, 3)
        reasons[name] = score.why
    weighted = [WEIGHTS[name] * value for name, value in values.items()]
    overall = sum(weighted)
    return SourceScores(
        overall=round(overall, 3),
        **values,
        explanations=ScoreExplanations(**reasons),
    )


def relevance(terms: Terms, title: str, paragraphs: Sequence[Paragraph]) -> Score:
    """How much of the query a source holds."""
    if not terms.total_weight:
        return Score(_NEUTRAL, "The query has no words that could be looked for.")
    in_text: set[str] = set()
    in_paragraph: frozenset[str] = frozenset()  # the one that holds the most
    for paragraph in paragraphs:
        held = terms.in_text(paragraph.text)
        in_text |= held
        if held and terms.weight(held) > terms.weight(in_paragraph):
            in_paragraph = held
    in_title = terms.in_text(title)
    text_share = terms.weight(in_text) / terms.total_weight
    paragraph_share = terms.weight(in_paragraph) / terms.total_weight
    title_share = terms.weight(in_title) / terms.total_weight
    score = _TEXT_WEIGHT * text_share
    score += _PARAGRAPH_WEIGHT * paragraph_share
    score += _TITLE_WEIGHT * title_share
    why = (
        f"Of {len(terms.weights)} terms {len(in_text)} in the text, "
        f"{len(in_paragraph)} in one paragraph, {len(in_title)} in the title."
    )
    return Score(min(1.0, score), why)


def freshness(published: str | None, today: date) -> Score:
    """How recent a source is. A date as exact as a year or a month counts as its last day."""
    parts = date_parts(published)
    last_day: date | None = None
    try:
        if len(parts) == 1:
            last_day = date(parts[0], 12, 31)
        elif len(parts) == 2:
            year, month = parts
            next_month = date(year + month // 12, month % 12 + 1, 1)
            last_day = next_month - timedelta(days=1)
        elif parts:
            last_day = date(*parts)
    except ValueError:  # the thirtieth of February
        last_day = None
    if last_day is None:
        return Score(_NEUTRAL, "No date is known, so it counts as neither new nor old.")
    days = max(0, (today - last_day).days)
    score = 0.5 ** (days / _HALF_LIFE_DAYS)
    return Score(score, f"Published {(published or '')[:10]}, {days} days ago.")


def authority(tier: str, reputation: str | None, retracted: bool = False) -> Score:
    """How much weight the source itself has."""
    if retracted:
        return Score(0.0, "The paper was retracted.")
    by_tier = _TIERS.get(tier, _NEUTRAL)
    if reputation not in _REPUTATIONS:
        return Score(by_tier, f"Authority {tier}; the host's reputation is not known.")
    by_reputation = _REPUTATIONS[reputation]
    score = _TIER_WEIGHT * by_tier
    score += _REPUTATION_WEIGHT * by_reputation
    return Score(score, f"Authority {tier}; the host's reputation is {reputation}.")


def content(complete: bool, words: int, headings: int) -> Score:
    """How much there is to read, and in what state."""
    if complete:
        state = "Read whole"
        state_score = 1.0
    else:
        state = "Read in part"
        state_score = 0.3
    length = min(1.0, words / _FULL_LENGTH)
    order = min(1.0, headings / _FULL_ORDER)
    score = _STATE_WEIGHT * state_score
    score += _LENGTH_WEIGHT * length
    score += _ORDER_WEIGHT * order
    return Score(score, f"{state}; {words} words, {headings} headings.")
