"""What was found in a source -> the finding that is told: tier, spans with their pages, the words
of the source, and warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from webquarry._read.plain.words import Range
from webquarry.verify.quotes.chains import Chain
from webquarry.verify.quotes.findings import QuoteFinding, QuoteSpan, Tier
from webquarry.verify.quotes.fold import Lane, make_key
from webquarry.verify.quotes.match import cut_out, judge_tier, ranges_inside, words_before
from webquarry.verify.quotes.near import NearPlace
from webquarry.verify.quotes.negation import find_negation
from webquarry.verify.quotes.parts import QuoteReading
from webquarry.verify.quotes.source import SourceLane, SourceText

_RANKS: tuple[Tier, ...] = ("exact", "typography", "letters")
_LONGEST_SHOWN = 400  # characters of what was left out
_HIDDEN = "These words stand in a part of the page that a person does not see."
_FURNITURE = "Lines that look like the head or foot of a page are skipped in it."


def describe_chains(
    quote: str,
    reading: QuoteReading,
    source: SourceText,
    chains: Sequence[Chain],
    found_in: SourceLane,
) -> QuoteFinding:
    """A quote that a source has, by the closest of its places."""
    lane = found_in.lane
    best = chains[0]
    tier = _judge(reading, source, chains[0], lane)
    for chain in chains[1:]:
        other = _judge(reading, source, chain, lane)
        if tier in _RANKS and _RANKS.index(other) < _RANKS.index(tier):
            best, tier = chain, other
    spans: list[QuoteSpan] = []
    for hit in best:
        for start, end in split_around((hit.start, hit.end), lane.removed, source.text):
            spans.append(QuoteSpan(start, end, source.words.page_at(start)))
    left_out, warnings = _describe_gaps(reading, source, best, found_in)
    return QuoteFinding(
        quote,
        tier,
        url=source.url,
        title=source.title,
        text_hash=source.text_hash,
        read_at=source.read_at,
        section=source.words.section_at(spans[0].start),
        spans=tuple(spans),
        matched=tuple(source.text[span.start : span.end] for span in spans),
        occurrences=len(chains),
        left_out=left_out,
        inserted=reading.inserted,
        warnings=warnings,
    )


def _judge(reading: QuoteReading, source: SourceText, chain: Chain, lane: Lane) -> Tier:
    """The tier of one chain."""
    if len(chain) > 1:
        return "elided"
    if reading.inserted:
        return "letters"
    return judge_tier(reading.pieces[0].text, source.text, chain[0], lane.removed)


def split_around(whole: Range, removed: Sequence[Range], text: str) -> list[Range]:
    """A range in pieces, without what lies between: note marks, lines between pages."""
    pieces = []
    place, end = whole
    for first, last in ranges_inside(removed, place, end):
        pieces.append((place, first))
        place = last
    pieces.append((place, end))
    return [piece for piece in pieces if make_key(text[piece[0] : piece[1]])]


def _describe_gaps(
    reading: QuoteReading, source: SourceText, chain: Chain, found_in: SourceLane
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What the quote leaves out of the source, and warnings of it. What a person does not see is
    not shown to others either.
    """
    text = source.text
    left_out = []
    warnings = []
    if reading.opens_with_ellipsis:
        negation = find_negation(words_before(text, chain[0].start))
        if negation is not None:
            warnings.append(f"The ellipsis at its beginning leaves out “{negation}”.")
    for before, hit in pairwise(chain):
        gap = cut_out(text, before.end, hit.start, found_in.lane.removed)
        negation = find_negation(gap)
        if negation is not None:
            warnings.append(f"What is left out holds a negation: “{negation}”.")
        if found_in.kind != "hidden":
            left_out.append(_shorten(gap))
    if found_in.kind == "hidden":
        warnings.append(_HIDDEN)
    elif found_in.kind == "furniture":
        warnings.append(_FURNITURE)
    return tuple(left_out), tuple(warnings)


def _shorten(text: str) -> str:
    """A text in one line, its middle left out where it is long."""
    text = " ".join(text.split())
    if len(text) <= _LONGEST_SHOWN:
        return text
    half = _LONGEST_SHOWN // 2
    return f"{text[:half]} … {text[-half:]}"


def describe_near(quote: str, near: NearPlace) -> QuoteFinding:
    """The finding of a quote whose words nearly stand in a source."""
    source = near.source
    start = near.start
    end = near.end
    reason = "Some of its words differ from those of the source."
    if not near.changes:
        reason = "Its words stand there, but not with the same signs or the same ends of words."
    return QuoteFinding(
        quote,
        "near",
        url=source.url,
        title=source.title,
        text_hash=source.text_hash,
        read_at=source.read_at,
        section=source.words.section_at(start),
        spans=(QuoteSpan(start, end, source.words.page_at(start)),),
        matched=(cut_out(source.text, start, end, source.words.hidden),),
        changes=near.changes,
        reason=reason,
    )
