"""Quotes compared with sources: `check_quote` for one, `check_quotes` for many.

The order of attempts: as written, over note marks and page breaks, by ellipses and brackets, near,
absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from webquarry._read.plain.words import cut_out, visible_ranges
from webquarry.verify.quotes.findings import ACCEPTED, QuoteFinding, QuoteSpan, Tier
from webquarry.verify.quotes.fold import Lane, find_negation, make_key
from webquarry.verify.quotes.match import (
    Chain,
    QuoteReading,
    find_chains,
    is_too_short,
    judge_tier,
    list_readings,
    read_literally,
    strip_marks,
    words_before,
)
from webquarry.verify.quotes.near import NearPlace, find_near
from webquarry.verify.quotes.source import SourceLane, SourceText

_MAX_QUOTE = 20_000


def check_quote(
    quote: str, sources: Sequence[SourceText], expected: str | None = None
) -> QuoteFinding:
    """Check a quote; if only another source than `expected` (a URL) has it, it is `elsewhere`."""
    return QuoteChecker(sources).check(quote, expected)


def check_quotes(
    quotes: Iterable[str], sources: Sequence[SourceText], expected: str | None = None
) -> list[QuoteFinding]:
    """Check several quotes against the same sources."""
    checker = QuoteChecker(sources)
    return [checker.check(quote, expected) for quote in quotes]


class QuoteChecker:
    """Checks quotes against the same sources."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self.sources = sources
        self._readable = [one for one in sources if one.problem is None and one.text.strip()]

    def check(self, quote: str, expected: str | None = None) -> QuoteFinding:
        """Check one quote."""
        literal = strip_marks(quote)
        if is_too_short(literal):
            return QuoteFinding(quote, "too_short", reason="It has too few letters to be sure of.")
        if len(literal) > _MAX_QUOTE:
            reason = f"It is longer than {_MAX_QUOTE:,} characters."
            return QuoteFinding(quote, "unchecked", reason=reason)
        own = [one for one in self._readable if expected in (None, one.url)]
        others = [one for one in self._readable if expected not in (None, one.url)]
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
        """Return the nearest words, or why a quote was not found."""
        near = find_near(literal, sources)
        if near is not None:
            return _describe_near(quote, near)
        short = readings[1].short_piece if len(readings) > 1 else None
        if short is not None:
            piece = " ".join(short.text.split())
            reason = f"The piece “{piece}” next to an ellipsis is too short to be checked."
            return QuoteFinding(quote, "too_short", url=expected, reason=reason)
        compared = f"Its words are in none of the {len(sources)} texts it was compared with."
        if len(sources) == 1:
            compared = "Its words do not stand in the text it was compared with."
        unread = len(self.sources) - len(self._readable)
        if unread and expected is None:
            compared += f" Sources that could not be read: {unread}."
        return QuoteFinding(quote, "absent", url=expected, reason=compared)

    def _say_why(self, expected: str | None) -> str:
        """Return why there was nothing to compare a quote with."""
        for source in self.sources:
            if expected in (None, source.url):
                return source.problem or f"{source.url} has no text."
        if expected is not None:
            return f"{expected} was not among the sources that were read."
        return "No source was given."


def _find_best(
    quote: str, readings: Sequence[QuoteReading], sources: Sequence[SourceText]
) -> QuoteFinding | None:
    """Return the finding in the source that has the quote most closely."""
    found = [_find_in_source(quote, readings, source) for source in sources]
    return min(filter(None, found), key=lambda finding: ACCEPTED.index(finding.tier), default=None)


def _find_in_source(
    quote: str, readings: Sequence[QuoteReading], source: SourceText
) -> QuoteFinding | None:
    """Return the finding of the first reading and lane that match, if any. A bracket with a
    negation is never taken as inserted by the writer.
    """
    for reading in readings:
        if reading.short_piece or any(map(find_negation, reading.inserted)):
            continue
        for found_in in source.lanes:
            chains = find_chains(reading, source.text, found_in.lane)
            if chains:
                return _describe_chains(quote, reading, source, chains, found_in)
    return None


_MAX_SHOWN = 400  # characters of an omission
_HIDDEN = "These words are in a part of the page that a person does not see."
_FURNITURE = "Lines that look like the head or foot of a page are skipped in it."


def _describe_chains(
    quote: str,
    reading: QuoteReading,
    source: SourceText,
    chains: Sequence[Chain],
    found_in: SourceLane,
) -> QuoteFinding:
    """Return the finding of a quote by the closest of its places."""
    lane = found_in.lane
    tiers = [_judge(reading, source, chain, lane) for chain in chains]
    tier = min(tiers, key=ACCEPTED.index)
    best = chains[tiers.index(tier)]
    spans = []
    for hit in best:
        for start, end in visible_ranges(hit.start, hit.end, lane.removed):
            if make_key(source.text[start:end]):
                spans.append(QuoteSpan(start, end, source.words.page_at(start)))
    left_out, warnings = _describe_gaps(reading, source, best, found_in)
    return _build_finding(
        quote,
        tier,
        source,
        spans,
        matched=tuple(source.text[span.start : span.end] for span in spans),
        occurrences=len(chains),
        left_out=left_out,
        inserted=reading.inserted,
        warnings=warnings,
    )


def _judge(reading: QuoteReading, source: SourceText, chain: Chain, lane: Lane) -> Tier:
    """Return the tier of one chain."""
    if len(chain) > 1:
        return "elided"
    if reading.inserted:
        return "letters"
    return judge_tier(reading.pieces[0].text, source.text, chain[0], lane.removed)


def _describe_gaps(
    reading: QuoteReading, source: SourceText, chain: Chain, found_in: SourceLane
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the quote leaves out and the warnings; hidden text is not shown."""
    text, removed = source.text, found_in.lane.removed
    warnings = []
    if reading.opens_with_ellipsis:
        negation = find_negation(words_before(text, chain[0].start))
        if negation:
            warnings.append(f"The ellipsis at its beginning leaves out “{negation}”.")
    gaps = [cut_out(text, before.end, hit.start, removed) for before, hit in pairwise(chain)]
    for negation in filter(None, map(find_negation, gaps)):
        warnings.append(f"The omission contains a negation: “{negation}”.")
    if found_in.kind == "hidden":
        return (), (*warnings, _HIDDEN)
    if found_in.kind == "furniture":
        warnings.append(_FURNITURE)
    return tuple(map(_shorten, gaps)), tuple(warnings)


def _shorten(text: str) -> str:
    """Return a text on one line, without its middle if it is long."""
    text = " ".join(text.split())
    half = _MAX_SHOWN // 2
    return text if len(text) <= _MAX_SHOWN else f"{text[:half]} … {text[-half:]}"


def _describe_near(quote: str, near: NearPlace) -> QuoteFinding:
    """Return the finding of a quote whose words are nearly in a source."""
    source = near.source
    start, end = near.start, near.end
    reason = "Some of its words differ from those of the source."
    if not near.changes:
        reason = "Its words are there, but not with the same signs or the same ends of words."
    return _build_finding(
        quote,
        "near",
        source,
        [QuoteSpan(start, end, source.words.page_at(start))],
        matched=(cut_out(source.text, start, end, source.words.hidden),),
        changes=near.changes,
        reason=reason,
    )


def _build_finding(
    quote: str, tier: Tier, source: SourceText, spans: Sequence[QuoteSpan], **more: Any
) -> QuoteFinding:
    """Return a finding with the fields of its source."""
    return QuoteFinding(
        quote,
        tier,
        url=source.url,
        title=source.title,
        text_hash=source.text_hash,
        read_at=source.read_at,
        section=source.words.section_at(spans[0].start),
        spans=tuple(spans),
        **more,
    )
