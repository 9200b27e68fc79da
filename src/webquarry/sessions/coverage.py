"""How far a session has come, and what to search for next: a session in, covered words and queries
out. No model.

An aspect is a word of the goal, or of a gap that was named. It is covered when the title of a
recorded source has it, and mentioned when only a step has. Words are compared by their stems. What
was rejected is left out of the queries.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from webquarry.evidence.language.terms import Terms
from webquarry.sessions.models import ResearchSession, Step

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MOST_QUERIES = 3
_MOST_WORDS = 10  # in a query; more of them find less
_MOST_ASPECTS = 40
# Words of the goal that stand beside others, so that they are not taken for something else.
_CONTEXT = 3


@dataclass(frozen=True)
class Coverage:
    """The aspects of a session, as words."""

    covered: tuple[str, ...]
    mentioned: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def share(self) -> float:
        """How many of the aspects are covered, from 0 to 1."""
        every = len(self.covered) + len(self.mentioned) + len(self.missing)
        if every:
            return round(len(self.covered) / every, 2)
        return 0.0


def coverage_of(session: ResearchSession) -> Coverage:
    """Which aspects of the goal and the gaps the sources and the steps have touched."""
    words = _SessionWords(session)
    titles = "\n".join(recorded.source.title for recorded in session.sources)
    in_sources = words.terms.in_text(titles)
    in_steps = words.terms.in_text("\n".join(step.text for step in words.steps))
    covered: list[str] = []
    mentioned: list[str] = []
    missing: list[str] = []
    gaps = [step.gap for step in words.steps]
    aspects = words.find("\n".join([words.aim, *gaps]))
    for word, stems in list(aspects.items())[:_MOST_ASPECTS]:
        if stems <= in_sources:
            covered.append(word)
        elif stems <= in_steps:
            mentioned.append(word)
        else:
            missing.append(word)
    return Coverage(tuple(covered), tuple(mentioned), tuple(missing))


def refinement_queries(session: ResearchSession, step: Step) -> list[str]:
    """What to search for next, the most pressing first: the gap, what nothing speaks of yet, the
    step itself.
    """
    words, coverage = _SessionWords(session), coverage_of(session)
    goal = list(words.find(words.aim))
    context = goal[:_CONTEXT]
    gap = list(words.find(step.gap))
    candidates = []
    if gap:
        candidates.append([*gap, *context])
    if coverage.missing:
        candidates.append([*context, *coverage.missing])
    if coverage.mentioned:
        candidates.append([*context, *coverage.mentioned])
    candidates.append([*words.find(step.text), *context])
    candidates.append(goal)

    unwanted = words.rejected - words.terms.in_text(f"{words.aim}\n{step.gap}")
    queries: dict[frozenset[str], str] = {}  # by their stems, so that none is asked twice
    for candidate in candidates:
        found = words.find(" ".join(candidate))
        wanted = [word for word, stems in found.items() if not stems & unwanted]
        query = " ".join(wanted[:_MOST_WORDS])
        if query:
            queries.setdefault(words.terms.in_text(query), query)
    return list(queries.values())[:_MOST_QUERIES]


class _SessionWords:
    """The words of a session that say something of its subject, with their stems."""

    def __init__(self, session: ResearchSession) -> None:
        self.steps = [step for step in session.steps if step.superseded_by is None]
        # A session without a goal aims at what its first step says.
        self.aim = session.goal or session.steps[0].text
        rejected: list[str] = []
        texts: list[str] = []
        for step in session.steps:
            rejected += step.rejected
            texts += (step.text, step.gap)
        self._rejected = "\n".join(rejected)
        self.terms = Terms("\n".join([self.aim, self._rejected, *texts]))

    def find(self, text: str) -> dict[str, frozenset[str]]:
        """The words of a text in order, each once, however it is inflected."""
        found: dict[frozenset[str], str] = {}
        for word in _WORD.findall(text.casefold()):
            stems = self.terms.in_text(word)
            if stems:
                found.setdefault(stems, word)
        return {word: stems for stems, word in found.items()}

    @cached_property
    def rejected(self) -> frozenset[str]:
        return self.terms.in_text(self._rejected)
