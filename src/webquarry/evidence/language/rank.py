"""Texts in chunks and the terms of a question -> how much each chunk bears on it, and each text.

BM25 over all chunks. What a row does not say, its head and its headings do, so they are counted
with it. A table whose rows together hold much of the question lifts all of them, and so do the rows
beside a good one; first and last rows hold what "first", "most" and "in all" ask for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from webquarry._read.slices.chunks import Chunk, Frame, Section
from webquarry.evidence.language.terms import Terms

Bearing = Literal["clear", "weak", "none"]
Counts = Mapping[str, float]

_SATURATION = 1.2  # k1 of BM25: how soon a further occurrence adds nothing
_LENGTH_WEIGHT = 0.3  # b of BM25
_SECTION_ABOVE = 0.5  # what a heading counts for that stands one level higher
_TABLE_WEIGHT = 0.3
_NEIGHBOUR_WEIGHT = 0.3
_FIRST_ROWS, _LAST_ROWS = 1.2, 1.1
_LONGEST_CAPTION = 200  # bytes
_FURTHER_TABLE = 0.75  # what each further table counts for that holds the same terms
_NO_COUNTS: Counts = {}


@dataclass(frozen=True)
class ChunkedText:
    """A text in UTF-8 with its chunks."""

    data: bytes
    chunks: Sequence[Chunk]

    def read(self, piece: Chunk | Frame) -> str:
        """What a piece of it says."""
        return self.data[piece.start : piece.stop].decode("utf-8", "replace")


@dataclass(frozen=True)
class RankedText:
    """A score for each chunk of a text, and how clearly the text bears on the question."""

    scores: list[float]
    bearing: Bearing


@dataclass(frozen=True)
class _Counted:
    """How often a text holds the terms: in each chunk, and with what stands above it."""

    own: list[Counts]
    with_context: list[Counts]
    has_term_above: bool  # in a heading or the head of a table


def rank_texts(texts: Sequence[ChunkedText], terms: Terms) -> list[RankedText]:
    """The scores of all chunks of all texts, which can be compared with each other."""
    counted = [_count_terms(text, terms) for text in texts]
    chunks = sum(len(text.chunks) for text in texts)
    sizes = sum(chunk.size for text in texts for chunk in text.chunks)
    mean_size = sizes / max(1, chunks)
    holders = dict.fromkeys(terms.weights, 0)  # how many chunks hold each term
    for one in counted:
        for held in filter(None, one.own):
            for term in held:
                holders[term] += 1
    rarity = {}
    for term, weight in terms.weights.items():
        without = chunks - holders[term]
        rarity[term] = weight * math.log(1 + (without + 0.5) / (holders[term] + 0.5))

    ranked = []
    for text, one in zip(texts, counted, strict=True):
        scores = []
        for chunk, counts in zip(text.chunks, one.with_context, strict=True):
            length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * chunk.size / mean_size
            scores.append(_score(counts, rarity, length) if counts else 0.0)
        _lift_tables(text.chunks, one.with_context, rarity, scores)
        ranked.append(RankedText(scores, _find_bearing(one, terms)))
    return ranked


def _count_terms(text: ChunkedText, terms: Terms) -> _Counted:
    """Count the terms in each chunk; headings and heads of tables are read once."""
    by_section: dict[Section, Counts] = {}
    by_frame: dict[Frame, Counts] = {}
    own: list[Counts] = []
    with_context: list[Counts] = []
    last: Chunk | None = None
    for chunk in text.chunks:
        counts = _count(terms.find_occurrences(text.read(chunk)))
        above = _count_above(chunk.section, terms, by_section)
        head = _NO_COUNTS
        if chunk.frame is not None:
            if chunk.frame not in by_frame:
                held = terms.in_text(text.read(chunk.frame))
                if last is not None and _is_caption(last, chunk):
                    held |= own[-1].keys()
                by_frame[chunk.frame] = dict.fromkeys(held, 1.0)
            head = by_frame[chunk.frame]
        own.append(counts)
        last = chunk
        if above or head:
            total = dict(counts)
            for context in (above, head):
                for term, count in context.items():
                    total[term] = total.get(term, 0) + count
            with_context.append(total)
        else:
            with_context.append(counts)
    has_term_above = any(by_section.values()) or any(by_frame.values())
    return _Counted(own, with_context, has_term_above)


def _count(found: Sequence[str]) -> Counts:
    """How often each term was found; most chunks hold none."""
    if not found:
        return _NO_COUNTS
    counts: dict[str, float] = {}
    for term in found:
        counts[term] = counts.get(term, 0) + 1
    return counts


def _is_caption(chunk: Chunk, table: Chunk) -> bool:
    """Whether a chunk right before a table is short enough to be its caption."""
    return (
        chunk.frame is None
        and chunk.section is table.section
        and chunk.size <= _LONGEST_CAPTION
        and table.is_row
    )


def _count_above(section: Section, terms: Terms, by_section: dict[Section, Counts]) -> Counts:
    """The terms in a heading and, counting less, in those that it stands under."""
    known = by_section.get(section)
    if known is not None:
        return known
    counts: dict[str, float] = {}
    if section.above is not None:
        for term, count in _count_above(section.above, terms, by_section).items():
            counts[term] = count * _SECTION_ABOVE
    for term in terms.in_text(section.title):
        counts[term] = counts.get(term, 0) + 1
    by_section[section] = counts
    return counts


def _score(counts: Counts, rarity: Mapping[str, float], length: float) -> float:
    """BM25 of one chunk; `length` is its length as BM25 takes it into account."""
    score = 0.0
    for term, count in counts.items():
        share = count * (_SATURATION + 1) / (count + _SATURATION * length)
        score += rarity[term] * share
    return score


def _lift_tables(
    chunks: Sequence[Chunk],
    counts: Sequence[Counts],
    rarity: Mapping[str, float],
    scores: list[float],
) -> None:
    """Add to the scores of rows what their table and the rows beside them say."""
    tables: dict[Frame, list[int]] = {}
    for place, chunk in enumerate(chunks):
        if chunk.frame is not None and chunk.frame.is_table:
            tables.setdefault(chunk.frame, []).append(place)
    alike: dict[frozenset[str], list[list[int]]] = {}  # tables by the terms that they hold
    for places in tables.values():
        held: set[str] = set()
        for place in places:
            held |= counts[place].keys()
        if not held:
            continue
        alike.setdefault(frozenset(held), []).append(places)
        table_score = _TABLE_WEIGHT * sum(map(rarity.__getitem__, held))
        own = [scores[place] for place in places]
        before = [0.0, *own[:-1]]
        behind = [*own[1:], 0.0]
        for at, place in enumerate(places):
            beside = max(before[at], behind[at])
            scores[place] = own[at] + table_score + _NEIGHBOUR_WEIGHT * beside
        scores[places[0]] *= _FIRST_ROWS
        scores[places[-1]] *= _LAST_ROWS
    for group in alike.values():
        best_first = sorted(group, key=lambda places: -max(scores[place] for place in places))
        for rank, places in enumerate(best_first):
            for place in places:
                scores[place] *= _FURTHER_TABLE**rank


def _find_bearing(counted: _Counted, terms: Terms) -> Bearing:
    """Clear where a chunk holds two terms of three or more with what stands above it, or a heading
    holds one; weak where terms are strewn over the text.
    """
    most = max((len(held) for held in counted.with_context), default=0)
    if not most:
        return "none"
    needed = 1
    if len(terms.weights) > 2:
        needed = 2
    if most >= needed or counted.has_term_above:
        return "clear"
    return "weak"
