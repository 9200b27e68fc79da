"""Relevance of the chunks of texts to the terms of a question, by BM25.

Headings and the head of a table count for the text below them. The rows of a table that contains
terms are lifted together, and so are the neighbours of a relevant row; first and last rows answer
"first", "most" and "in all".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from webquarry._read.slices.chunks import Chunk, Frame, Section, split_chunks
from webquarry._read.slices.text import WrittenText
from webquarry.evidence.language.terms import Terms

Bearing = Literal["clear", "weak", "none"]
Counts = Mapping[str, float]

_SATURATION = 1.2  # k1 of BM25
_LENGTH_WEIGHT = 0.3  # b of BM25
_SECTION_ABOVE = 0.5  # weight of a heading one level higher
_TABLE_WEIGHT = 0.3
_NEIGHBOUR_WEIGHT = 0.3
_FIRST_ROWS, _LAST_ROWS = 1.2, 1.1
_MAX_CAPTION = 200  # bytes
_FURTHER_TABLE = 0.75  # weight of each further table with the same terms


@dataclass(frozen=True)
class RankedText:
    """A text in chunks with a score for each, and how clearly the text bears on the question."""

    data: bytes
    chunks: Sequence[Chunk]
    scores: Sequence[float]
    bearing: Bearing


def rank_texts(texts: Sequence[WrittenText], terms: Terms, budget: int) -> list[RankedText]:
    """Rank the chunks of texts for a budget in bytes. Scores of all texts are comparable."""
    chunked = [split_chunks(text, budget) for text in texts]
    counted = [
        _count_terms(text.data, chunks, terms) for text, chunks in zip(texts, chunked, strict=True)
    ]
    sizes = [chunk.size for chunks in chunked for chunk in chunks]
    mean_size = sum(sizes) / max(1, len(sizes))
    frequency = Counter(term for own, _ in counted for counts in own for term in counts)
    rarity = {
        term: weight * math.log(1 + (len(sizes) - frequency[term] + 0.5) / (frequency[term] + 0.5))
        for term, weight in terms.weights.items()
    }
    ranked = []
    for text, chunks, (own, with_context) in zip(texts, chunked, counted, strict=True):
        scores = []
        for chunk, counts in zip(chunks, with_context, strict=True):
            norm = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * chunk.size / mean_size
            scores.append(
                sum(
                    rarity[term] * count * (_SATURATION + 1) / (count + _SATURATION * norm)
                    for term, count in counts.items()
                )
            )
        _lift_tables(chunks, with_context, rarity, scores)
        bearing = _find_bearing(own, with_context, len(terms.weights))
        ranked.append(RankedText(text.data, chunks, scores, bearing))
    return ranked


def _count_terms(
    data: bytes, chunks: Sequence[Chunk], terms: Terms
) -> tuple[list[Counts], list[Counts]]:
    """Return the terms in each chunk with their counts: alone, and with headings and table head."""

    def read(piece: Chunk | Frame) -> str:
        return data[piece.start : piece.stop].decode("utf-8", "replace")

    @cache
    def count_above(section: Section) -> Counts:
        above = count_above(section.above) if section.above else {}
        half = {term: count * _SECTION_ABOVE for term, count in above.items()}
        return _add(half, dict.fromkeys(terms.in_text(section.title), 1))

    own: list[Counts] = []
    with_context: list[Counts] = []
    heads: dict[Frame | None, Counts] = {None: {}}
    last: Chunk | None = None
    for chunk in chunks:
        counts = Counter(terms.find_occurrences(read(chunk)))
        if chunk.frame is not None and chunk.frame not in heads:
            head = terms.in_text(read(chunk.frame))
            if last is not None and _is_caption(last, chunk):
                head |= own[-1].keys()
            heads[chunk.frame] = dict.fromkeys(head, 1)
        own.append(counts)
        with_context.append(_add(counts, count_above(chunk.section), heads[chunk.frame]))
        last = chunk
    return own, with_context


def _add(*parts: Counts) -> Counts:
    total: dict[str, float] = {}
    for part in parts:
        for term, count in part.items():
            total[term] = total.get(term, 0) + count
    return total


def _is_caption(chunk: Chunk, table: Chunk) -> bool:
    """Return whether the chunk before a table may be its caption."""
    is_near = chunk.frame is None and chunk.section is table.section
    return is_near and chunk.size <= _MAX_CAPTION and table.is_row


def _lift_tables(
    chunks: Sequence[Chunk],
    counts: Sequence[Counts],
    rarity: Mapping[str, float],
    scores: list[float],
) -> None:
    """Add to the scores of rows what their table and adjacent rows contain. Of tables with the
    same terms, only the best one counts fully.
    """
    tables: dict[Frame, list[int]] = {}
    for place, chunk in enumerate(chunks):
        if chunk.frame is not None and chunk.frame.is_table:
            tables.setdefault(chunk.frame, []).append(place)
    alike: dict[frozenset[str], list[list[int]]] = {}  # tables by their terms
    for places in tables.values():
        held = frozenset[str]().union(*(counts[place] for place in places))
        if not held:
            continue
        alike.setdefault(held, []).append(places)
        table_score = _TABLE_WEIGHT * sum(map(rarity.__getitem__, held))
        own = [0.0, *(scores[place] for place in places), 0.0]
        for number, place in enumerate(places, 1):
            neighbour = max(own[number - 1], own[number + 1])
            scores[place] = own[number] + table_score + _NEIGHBOUR_WEIGHT * neighbour
        scores[places[0]] *= _FIRST_ROWS
        scores[places[-1]] *= _LAST_ROWS
    for group in alike.values():
        group.sort(key=lambda places: -max(scores[place] for place in places))
        for rank, places in enumerate(group):
            for place in places:
                scores[place] *= _FURTHER_TABLE**rank


def _find_bearing(own: Sequence[Counts], with_context: Sequence[Counts], terms: int) -> Bearing:
    """Return `clear` if a chunk contains two terms of three or more with its headings, or a heading
    contains one; `weak` if single terms occur.
    """
    most = max(map(len, with_context), default=0)
    if not most:
        return "none"
    needed = 2 if terms > 2 else 1
    return "clear" if most >= needed or own != with_context else "weak"
