"""Coverage of a session's goal, and queries for the next search; computed without a model.

An aspect is a word of the goal, or of a gap that was named. It is covered when the title of a
recorded source has it, and mentioned when only a step has. Words are compared by their stems. What
was rejected is left out of the queries.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from webquarry.evidence.language.terms import Terms
from webquarry.sessions.models import ResearchSession, Step

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MOST_QUERIES = 3
_MOST_WORDS = 10  # in a query; more of them find less
_MOST_ASPECTS = 40
_MOST_STEPS = 200  # the latest, of a longer session
# Words of the goal that stand beside others, so that they are not taken for something else.
_CONTEXT = 3


@dataclass(frozen=True)
class Coverage:
    """The aspects of a session as words."""

    covered: tuple[str, ...]
    mentioned: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the aspects that is covered, from 0 to 1."""
        every = len(self.covered) + len(self.mentioned) + len(self.missing)
        if not every:
            return 0.0
        share = len(self.covered) / every
        return round(share, 2)


def coverage_of(session: ResearchSession) -> Coverage:
    """Return which aspects of the goal and the gaps sources and steps contain."""
    words = _SessionWords(session)
    titles = [recorded.source.title for recorded in session.sources]
    texts = [step.text for step in words.steps]
    gaps = [step.gap for step in words.steps]
    in_sources = words.find_stems(titles)
    in_steps = words.find_stems(texts)
    aspects = words.find_words([words.aim, *gaps])
    covered: list[str] = []
    mentioned: list[str] = []
    missing: list[str] = []
    for word, stems in islice(aspects.items(), _MOST_ASPECTS):
        if stems <= in_sources:
            covered.append(word)
        elif stems <= in_steps:
            mentioned.append(word)
        else:
            missing.append(word)
    return Coverage(tuple(covered), tuple(mentioned), tuple(missing))


def refinement_queries(session: ResearchSession, step: Step) -> list[str]:
    """Return queries for the gap, for aspects that are missing, and for the step."""
    words = _SessionWords(session)
    coverage = coverage_of(session)
    goal = list(words.find_words([words.aim]))
    context = goal[:_CONTEXT]
    gap = list(words.find_words([step.gap]))
    candidates = []
    if gap:
        candidates.append([*gap, *context])
    if coverage.missing:
        candidates.append([*context, *coverage.missing])
    if coverage.mentioned:
        candidates.append([*context, *coverage.mentioned])
    step_words = words.find_words([step.text])
    candidates.append([*step_words, *context])
    candidates.append(goal)

    rejected = words.find_stems(words.rejected)
    unwanted = rejected - words.find_stems([words.aim, step.gap])
    queries: dict[frozenset[str], str] = {}  # by their stems, so that none is asked twice
    for candidate in candidates:
        found = words.find_words(candidate)
        wanted = [word for word, stems in found.items() if not stems & unwanted]
        query = " ".join(wanted[:_MOST_WORDS])
        if query:
            stems = words.find_stems([query])
            queries.setdefault(stems, query)
    distinct = list(queries.values())
    return distinct[:_MOST_QUERIES]


class _SessionWords:
    """The words of a session about its subject, with their stems."""

    def __init__(self, session: ResearchSession) -> None:
        latest = session.steps[-_MOST_STEPS:]
        self.steps = [step for step in latest if step.superseded_by is None]
        # the first step replaces a missing goal
        self.aim = session.goal or session.steps[0].text
        self.rejected: list[str] = []
        texts = [self.aim]
        for step in latest:
            self.rejected += step.rejected
            texts += (step.text, step.gap)
        self._terms = Terms("\n".join([*texts, *self.rejected]))

    def find_stems(self, texts: Sequence[str]) -> frozenset[str]:
        """Return the stems of the subject in texts."""
        return self._terms.in_text("\n".join(texts))

    def find_words(self, texts: Sequence[str]) -> dict[str, frozenset[str]]:
        """Return the words of texts in order with their stems, one word for each set of stems."""
        folded = "\n".join(texts).casefold()
        words: dict[frozenset[str], str] = {}
        for word in _WORD.findall(folded):
            stems = self._terms.in_text(word)
            if stems:
                words.setdefault(stems, word)
        return {word: stems for stems, word in words.items()}
