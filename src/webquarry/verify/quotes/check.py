"""Quotes and sources in, findings out: `check_quote` for one, `check_quotes` for many, with one
index of each source for all of them.

    as it is written -> over note marks, page breaks -> by ellipses, brackets -> near -> absent
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from webquarry.verify.quotes.chains import find_chains
from webquarry.verify.quotes.describe import describe_chains, describe_near
from webquarry.verify.quotes.findings import ACCEPTED, QuoteFinding
from webquarry.verify.quotes.near import find_near
from webquarry.verify.quotes.negation import find_negation
from webquarry.verify.quotes.parts import (
    QuoteReading,
    is_too_short,
    list_readings,
    read_literally,
    strip_marks,
)
from webquarry.verify.quotes.source import SourceText

_LONGEST_QUOTE = 20_000  # characters; a quote is no book


def check_quote(
    quote: str, sources: Sequence[SourceText], expected: str | None = None
) -> QuoteFinding:
    """How a quote stands in its sources. With `expected`, the URL of the source that it is said to
    come from, a quote that only another one has is `elsewhere`.
    """
    return QuoteChecker(sources).check(quote, expected)


def check_quotes(
    quotes: Iterable[str], sources: Sequence[SourceText], expected: str | None = None
) -> list[QuoteFinding]:
    """The same for many quotes."""
    checker = QuoteChecker(sources)
    return [checker.check(quote, expected) for quote in quotes]


class QuoteChecker:
    """Checks quotes against the same sources."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self.sources = sources
        without_problem = [one for one in sources if one.problem is None]
        self._readable = [one for one in without_problem if one.text.strip()]

    def check(self, quote: str, expected: str | None = None) -> QuoteFinding:
        """How one quote stands in the sources."""
        literal = strip_marks(quote)
        if is_too_short(literal):
            return QuoteFinding(quote, "too_short", reason="It has too few letters to be sure of.")
        if len(literal) > _LONGEST_QUOTE:
            most = f"{_LONGEST_QUOTE:,} characters"
            return QuoteFinding(quote, "unchecked", reason=f"It is longer than {most}.")
        own = self._readable
        others: list[SourceText] = []
        if expected is not None:
            own = [one for one in self._readable if one.url == expected]
            others = [one for one in self._readable if one.url != expected]
        readings = [read_literally(literal), *list_readings(literal)]
        found = _find_best(quote, readings, own)
        if found is not None:
            return found
        elsewhere = _find_best(quote, readings, others)
        if elsewhere is not None:
            reason = f"It was said to come from {expected}; another source has it."
            return replace(elsewhere, tier="elsewhere", reason=reason)
        if not own:
            return QuoteFinding(quote, "unchecked", url=expected, reason=self._say_why(expected))
        return self._explain_absence(quote, literal, readings, own, expected)

    def _explain_absence(
        self,
        quote: str,
        literal: str,
        readings: Sequence[QuoteReading],
        sources: Sequence[SourceText],
        expected: str | None,
    ) -> QuoteFinding:
        """What is nearest to a quote that no source has."""
        near = find_near(literal, sources)
        if near is not None:
            return describe_near(quote, near)
        short = readings[1].short_piece if len(readings) > 1 else None
        if short is not None:
            piece = " ".join(short.text.split())
            reason = f"The piece “{piece}” beside an ellipsis is too short to be looked for."
            return QuoteFinding(quote, "too_short", url=expected, reason=reason)
        compared = f"Its words stand in none of the {len(sources)} texts it was compared with."
        if len(sources) == 1:
            compared = "Its words do not stand in the text it was compared with."
        unread = len(self.sources) - len(self._readable)
        if unread and expected is None:
            compared += f" Sources that could not be read: {unread}."
        return QuoteFinding(quote, "absent", url=expected, reason=compared)

    def _say_why(self, expected: str | None) -> str:
        """Why there was nothing to compare a quote with."""
        for source in self.sources:
            if expected in (None, source.url):
                return source.problem or f"{source.url} has no text."
        if expected is not None:
            return f"{expected} was not among the sources that were read."
        return "No source was given."


def _find_best(
    quote: str, readings: Sequence[QuoteReading], sources: Sequence[SourceText]
) -> QuoteFinding | None:
    """The finding in the source that has the quote most closely."""
    best: QuoteFinding | None = None
    for source in sources:
        found = find_in_source(quote, readings, source)
        if found is None:
            continue
        if best is None or ACCEPTED.index(found.tier) < ACCEPTED.index(best.tier):
            best = found
        if best.tier == "exact":
            break
    return best


def find_in_source(
    quote: str, readings: Sequence[QuoteReading], source: SourceText
) -> QuoteFinding | None:
    """Where a source has a quote, by the first reading and the first lane that have it. A bracket
    that turns the statement round is never taken for the writer's.
    """
    for reading in readings:
        if reading.short_piece or any(map(find_negation, reading.inserted)):
            continue
        for found_in in source.lanes:
            chains = find_chains(reading, source.text, found_in.lane)
            if chains:
                return describe_chains(quote, reading, source, chains, found_in)
    return None
