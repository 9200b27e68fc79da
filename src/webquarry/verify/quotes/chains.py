"""A reading of a quote and a lane of a source -> chains of places, in the order of the quote, with
no more left out between two pieces than an ellipsis or words in brackets may stand for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webquarry.verify.quotes.fold import Lane
from webquarry.verify.quotes.match import PieceHit, find_piece, gap_at
from webquarry.verify.quotes.negation import find_negation
from webquarry.verify.quotes.parts import QuotePiece, QuoteReading

LONGEST_GAP = 600  # characters that an ellipsis may stand for
_LONGEST_REPLACED = 60  # characters that words in brackets may stand for

Chain = list[PieceHit]


def find_chains(reading: QuoteReading, text: str, lane: Lane) -> list[Chain]:
    """Where the pieces of a reading stand one behind the other; a quote of one piece is a chain of
    one.
    """
    first = reading.pieces[0]
    chains = [[hit] for hit in _find(first, text, lane)]
    for piece in reading.pieces[1:]:
        if not chains:
            return []
        limit = LONGEST_GAP
        if piece.joint == "replacement":
            limit = _LONGEST_REPLACED
        hits = _find(piece, text, lane, chains[0][-1].key_end)
        chains = _extend(chains, hits, limit)
    return [chain for chain in chains if _may_replace(reading.pieces, chain, text)]


def _find(piece: QuotePiece, text: str, lane: Lane, start: int = 0) -> list[PieceHit]:
    """The places of a piece at which the page has no brackets where the writer added some: its own
    may not be written anew.
    """
    hits = find_piece(piece, text, lane, start)
    if not piece.seams:
        return hits
    return [hit for hit in hits if not any(_has_brackets(piece, text, lane, hit))]


def _has_brackets(piece: QuotePiece, text: str, lane: Lane, hit: PieceHit) -> Iterator[bool]:
    """Whether the page has brackets of its own at each of the seams of a piece; at its ends only
    those count that lead away from it.
    """
    for seam in piece.seams:
        marks = "[]"
        if not seam:
            marks = "]"
        elif seam == len(piece.key):
            marks = "["
        gap = gap_at(text, lane, hit, seam)
        yield any(mark in gap for mark in marks)


def _extend(chains: Sequence[Chain], hits: Sequence[PieceHit], limit: int) -> list[Chain]:
    """The chains that one of the places goes on with; both are in the order of the text."""
    extended = []
    number = 0
    for chain in chains:
        end = chain[-1].end
        while number < len(hits) and hits[number].start < end:
            number += 1
        if number < len(hits) and hits[number].start - end <= limit:
            extended.append([*chain, hits[number]])
    return extended


def _may_replace(pieces: Sequence[QuotePiece], chain: Chain, text: str) -> bool:
    """Whether what words in brackets stand for is neither a number, nor a negation, nor in brackets
    itself.
    """
    for piece, before, hit in zip(pieces[1:], chain, chain[1:], strict=False):
        if piece.joint != "replacement":
            continue
        replaced = text[before.end : hit.start]
        if any(letter in "[]" or letter.isdigit() for letter in replaced):
            return False
        if find_negation(replaced):
            return False
    return True
