"""How much a source is worth to a question: four scores from 0 to 1, each explained, and their
weighted sum.

    relevance  35 %   the query's terms: how many the text holds, how many of them in one paragraph, how many in the title
    freshness  20 %   halves with every year since publication; an unknown date is in the middle
    authority  25 %   the authority tier and the known reputation; nothing for a retracted paper
    content    20 %   whether the page was read whole, how long its text is, and whether headings order it

They are made from words and dates alone, the same for the same page, query and day: a hint what to
read first, not a verdict on what is true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from webquarry.evidence.language.terms import Terms
from webquarry.evidence.models import AnswerPart
from webquarry.evidence.page.dates import date_parts
from webquarry.read.slices.paragraphs import Paragraph

WEIGHTS = {"relevance": 0.35, "freshness": 0.20, "authority": 0.25, "content": 0.20}
_NEUTRAL = 0.5
_HALF_LIFE_DAYS = 365.0
_TIERS = {"high": 0.9, "medium": 0.55, "low": 0.2}
_REPUTATIONS = {"high": 1.0, "mixed": 0.5, "low": 0.0}
_FULL_LENGTH = 600  # words from which a text is as long as it needs to be
_FULL_ORDER = 3  # headings from which it is in order


class ScoreExplanations(AnswerPart):
    """Why each score is what it is."""

    relevance: str
    freshness: str
    authority: str
    content: str


class SourceScores(AnswerPart):
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
class Part:
    """One score and its reason."""

    score: float
    why: str


def total(relevance: Part, freshness: Part, authority: Part, content: Part) -> SourceScores:
    """The four scores together."""
    parts = {
        "relevance": relevance,
        "freshness": freshness,
        "authority": authority,
        "content": content,
    }
    scores = {name: round(part.score, 3) for name, part in parts.items()}
    overall = sum(WEIGHTS[name] * score for name, score in scores.items())
    return SourceScores(
        overall=round(overall, 3),
        **scores,
        explanations=ScoreExplanations(**{name: part.why for name, part in parts.items()}),
    )


def relevance(terms: Terms, title: str, paragraphs: Sequence[Paragraph]) -> Part:
    """How much of the query a source holds."""
    if not terms.whole:
        return Part(_NEUTRAL, "The query has no words that could be looked for.")
    everywhere: set[str] = set()
    together: frozenset[str] = frozenset()
    for paragraph in paragraphs:
        held = terms.in_text(paragraph.text)
        everywhere |= held
        if held and terms.weight(held) > terms.weight(together):
            together = held
    titled = terms.in_text(title)
    shares = [terms.weight(held) / terms.whole for held in (everywhere, together, titled)]
    score = 0.5 * shares[0] + 0.3 * shares[1] + 0.2 * shares[2]
    why = f"Of {len(terms.weights)} terms {len(everywhere)} in the text, {len(together)} in one paragraph, {len(titled)} in the title."
    return Part(min(1.0, score), why)


def freshness(published: str | None, today: date) -> Part:
    """How recent a source is. A date as exact as a year or a month counts as its last day."""
    parts = date_parts(published)
    stated = _last_day(parts)
    if stated is None:
        return Part(_NEUTRAL, "No date is known, so it counts as neither new nor old.")
    days = max(0, (today - stated).days)
    return Part(
        0.5 ** (days / _HALF_LIFE_DAYS), f"Published {(published or '')[:10]}, {days} days ago."
    )


def authority(tier: str, reputation: str | None, retracted: bool = False) -> Part:
    """How much weight the source itself has."""
    if retracted:
        return Part(0.0, "The paper was retracted.")
    by_tier = _TIERS.get(tier, _NEUTRAL)
    if reputation not in _REPUTATIONS:
        return Part(by_tier, f"Authority {tier}; the host's reputation is not known.")
    score = 0.6 * by_tier + 0.4 * _REPUTATIONS[reputation]
    return Part(score, f"Authority {tier}; the host's reputation is {reputation}.")


def content(complete: bool, words: int, headings: int) -> Part:
    """How much there is to read, and in what state."""
    length, order = min(1.0, words / _FULL_LENGTH), min(1.0, headings / _FULL_ORDER)
    score = 0.4 * (1.0 if complete else 0.3) + 0.4 * length + 0.2 * order
    how = "Read whole" if complete else "Read in part"
    return Part(score, f"{how}; {words} words, {headings} headings.")


def _last_day(parts: tuple[int, ...]) -> date | None:
    try:
        if len(parts) == 3:
            return date(*parts)
        if len(parts) == 2:
            year, month = parts
            return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        if parts:
            return date(parts[0], 12, 31)
        return None
    except ValueError:  # the thirtieth of February
        return None
