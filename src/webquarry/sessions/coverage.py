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
_MAX_QUERIES = 3
_MAX_WORDS = 10  # of a query
_MAX_ASPECTS = 40
_MAX_STEPS = 200  # the latest, of a longer session
_CONTEXT = 3  # words of the goal in a query


@dataclass(frozen=True)
class Coverage:
    """The aspects of a session as words."""

    covered: tuple[str, ...]
    mentioned: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the aspects that is covered, from 0 to 1."""
        count = len(self.covered) + len(self.mentioned) + len(self.missing)
        return round(len(self.covered) / max(1, count), 2)


def coverage_of(session: ResearchSession) -> Coverage:
    """Return which aspects of the goal and the gaps sources and steps contain."""
    words = _SessionWords(session)
    in_sources = words.find_stems([recorded.source.title for recorded in session.sources])
    in_steps = words.find_stems([step.text for step in words.steps])
    aspects = words.find_words([words.aim, *(step.gap for step in words.steps)])
    groups: tuple[list[str], list[str], list[str]] = ([], [], [])
    for word, stems in islice(aspects.items(), _MAX_ASPECTS):
        groups[0 if stems <= in_sources else 1 if stems <= in_steps else 2].append(word)
    return Coverage(*map(tuple, groups))


def refinement_queries(session: ResearchSession, step: Step) -> list[str]:
    """Return queries for the gap, for aspects that are missing, and for the step."""
    words = _SessionWords(session)
    coverage = coverage_of(session)
    goal = list(words.find_words([words.aim]))
    context = goal[:_CONTEXT]
    gap = list(words.find_words([step.gap]))
    candidates = [
        [*gap, *context] if gap else [],
        [*context, *coverage.missing] if coverage.missing else [],
        [*context, *coverage.mentioned] if coverage.mentioned else [],
        [*words.find_words([step.text]), *context],
        goal,
    ]
    unwanted = words.find_stems(words.rejected) - words.find_stems([words.aim, step.gap])
    queries: dict[frozenset[str], str] = {}  # by their stems
    for candidate in candidates:
        found = words.find_words(candidate)
        wanted = [word for word, stems in found.items() if not stems & unwanted]
        query = " ".join(wanted[:_MAX_WORDS])
        if query:
            queries.setdefault(words.find_stems([query]), query)
    return list(queries.values())[:_MAX_QUERIES]


class _SessionWords:
    """The words of a session about its subject, with their stems."""

    def __init__(self, session: ResearchSession) -> None:
        latest = session.steps[-_MAX_STEPS:]
        self.steps = [step for step in latest if step.superseded_by is None]
        self.aim = session.goal or session.steps[0].text
        self.rejected = [approach for step in latest for approach in step.rejected]
        texts = [text for step in latest for text in (step.text, step.gap)]
        self._terms = Terms("\n".join([self.aim, *texts, *self.rejected]))

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
