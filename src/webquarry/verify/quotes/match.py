"""Places of a quote in a source: of its pieces, checked character by character, and in order.

A piece is found by its letters and digits, which typography cannot change, and counts only if
separators, signs and symbols agree and neither end is within a word or a number. The pieces of a
reading have to follow each other, with no more between them than an ellipsis or words in brackets
may stand for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webquarry._read.plain.words import Range
from webquarry.verify.quotes.findings import Tier
from webquarry.verify.quotes.fold import (
    CJK,
    FOLD,
    Lane,
    dots_agree,
    fold_blanks,
    fold_typography,
    has_sign,
    keep_symbols,
    make_skeleton,
)
from webquarry.verify.quotes.negation import find_negation
from webquarry.verify.quotes.parts import QuotePiece, QuoteReading

MOST_OCCURRENCES = 50  # that are looked at
_LONGEST_EDGE = 12  # characters before and behind a match that can belong to it
_NUMBER_BEFORE = re.compile(r"\d[.,'’]?\Z")
_NUMBER_BEHIND = re.compile(r"[.,'’]?\d")
_STOP = re.compile(r"[.!?…。！？]")


class PieceHit(NamedTuple):
    """The place of a piece in the text and in the key of its lane."""

    start: int
    end: int
    key_start: int
    key_end: int


def find_piece(piece: QuotePiece, text: str, lane: Lane, start: int = 0) -> list[PieceHit]:
    """Return the places of a piece in a lane, from a place of its key on."""
    key = piece.key
    if not key:
        return []
    hits = []
    for place in lane.find(key, MOST_OCCURRENCES, start):
        first = lane.locate(place)
        last = lane.locate(place + len(key) - 1) + 1
        own = cut_out(text, first, last, lane.removed)
        if make_skeleton(own) != piece.skeleton or not dots_agree(piece.text, own):
            continue
        if _edges_agree(piece, text, first, last, lane.removed):
            hits.append(PieceHit(first, last, place, place + len(key)))
    return hits


def gap_at(text: str, lane: Lane, hit: PieceHit, place: int) -> str:
    """Return the text between two letters of a hit, with removed ranges."""
    key_place = hit.key_start + place
    if not place:
        return _last_gap(text[max(0, hit.start - _LONGEST_EDGE) : hit.start])
    start = lane.locate(key_place - 1) + 1
    if key_place == hit.key_end:
        return _first_gap(text[start : start + _LONGEST_EDGE])
    return text[start : lane.locate(key_place)]


def cut_out(text: str, start: int, stop: int, removed: Sequence[Range]) -> str:
    """Return the text between two places without removed ranges."""
    if not removed:
        return text[start:stop]
    parts = []
    place = start
    for first, last in ranges_inside(removed, start, stop):
        parts.append(text[place:first])
        place = last
    parts.append(text[place:stop])
    return "".join(parts)


def ranges_inside(removed: Sequence[Range], start: int, stop: int) -> list[Range]:
    """Return the ranges that begin between two places."""
    first = bisect_left(removed, start, key=lambda one: one[0])
    found = []
    for one in removed[first:]:
        if one[0] >= stop:
            break
        found.append(one)
    return found


def _edges_agree(
    piece: QuotePiece, text: str, start: int, end: int, removed: Sequence[Range]
) -> bool:
    """Return whether the characters next to a match are compatible with the piece."""
    before = text[max(0, start - _LONGEST_EDGE) : start]
    behind = text[end : end + _LONGEST_EDGE]
    own_before, own_behind = _edges_of(piece.text)
    if _is_inside_word(before[-1:], text[start]):
        return False
    if not piece.may_end_in_word and _is_inside_word(text[end - 1], behind[:1]):
        return False
    if text[start].isdigit():
        if _NUMBER_BEFORE.search(before) and not _is_cut_off(start, removed):
            return False
        gap = _last_gap(before)
        if has_sign(gap) != has_sign(own_before):
            return False
    if text[end - 1].isdigit() and _NUMBER_BEHIND.match(behind) and not _is_cut_off(end, removed):
        return False
    symbols_before = keep_symbols(own_before)
    if symbols_before and not keep_symbols(_last_gap(before)).endswith(symbols_before):
        return False
    symbols_behind = keep_symbols(own_behind)
    return not symbols_behind or keep_symbols(_first_gap(behind)).startswith(symbols_behind)


def _is_cut_off(place: int, removed: Sequence[Range]) -> bool:
    """Return whether a removed range begins or ends at a place."""
    first = bisect_left(removed, place, key=lambda one: one[1])
    return first < len(removed) and place in removed[first]


def _edges_of(piece: str) -> tuple[str, str]:
    """Return the characters before the first and after the last letter of a piece."""
    places = [place for place, letter in enumerate(piece) if FOLD[ord(letter)]]
    return piece[: places[0]], piece[places[-1] + 1 :]


def _last_gap(before: str) -> str:
    """Return the characters after the last letter or digit."""
    place = len(before)
    while place and not FOLD[ord(before[place - 1])]:
        place -= 1
    return before[place:]


def _first_gap(behind: str) -> str:
    """Return the characters before the first letter or digit."""
    for place, letter in enumerate(behind):
        if FOLD[ord(letter)]:
            return behind[:place]
    return behind


def _is_inside_word(first: str, second: str) -> bool:
    """Return whether two neighbours are letters of one word; a change of case separates words."""
    if not (first.isalpha() and second.isalpha()) or CJK.match(first) or CJK.match(second):
        return False
    return (first.islower() and second.islower()) or first.isupper()


def judge_tier(piece: str, text: str, hit: PieceHit, removed: Sequence[Range]) -> Tier:
    """Return how closely a piece agrees with the text of a hit."""
    if ranges_inside(removed, hit.start, hit.end):
        return "letters"
    before, behind = _edges_of(piece)
    start = max(0, hit.start - 2 * len(before) - 2)
    window = text[start : hit.end + 2 * len(behind) + 2]
    if fold_blanks(piece) in fold_blanks(window):
        return "exact"
    own = fold_typography(piece).strip()
    other = fold_typography(window)
    if own in other or _swap_first_letter(own) in other:
        return "typography"
    return "letters"


def _swap_first_letter(text: str) -> str:
    """Return the text with the case of its first letter changed."""
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.swapcase() + text[place + 1 :]
    return text


def words_before(text: str, place: int, most: int = 4) -> str:
    """Return the last words of the same sentence before a place."""
    before = text[max(0, place - 80) : place]
    sentence = _STOP.split(before)[-1]
    return " ".join(sentence.split()[-most:])


LONGEST_GAP = 600  # characters that an ellipsis may omit
_LONGEST_REPLACED = 60  # characters that words in brackets may replace

Chain = list[PieceHit]


def find_chains(reading: QuoteReading, text: str, lane: Lane) -> list[Chain]:
    """Return the places at which the pieces of a reading follow each other."""
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
    """Return the places of a piece without brackets of the page at its seams."""
    hits = find_piece(piece, text, lane, start)
    if not piece.seams:
        return hits
    return [hit for hit in hits if not any(_has_brackets(piece, text, lane, hit))]


def _has_brackets(piece: QuotePiece, text: str, lane: Lane, hit: PieceHit) -> Iterator[bool]:
    """Yield for each seam of a piece whether the page has brackets there."""
    for seam in piece.seams:
        marks = "[]"
        if not seam:
            marks = "]"
        elif seam == len(piece.key):
            marks = "["
        gap = gap_at(text, lane, hit, seam)
        yield any(mark in gap for mark in marks)


def _extend(chains: Sequence[Chain], hits: Sequence[PieceHit], limit: int) -> list[Chain]:
    """Return the chains continued by the first place that follows within the limit."""
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
    """Return whether bracketed words replace neither a number nor a negation nor brackets."""
    for piece, before, hit in zip(pieces[1:], chain, chain[1:], strict=False):
        if piece.joint != "replacement":
            continue
        replaced = text[before.end : hit.start]
        if any(letter in "[]" or letter.isdigit() for letter in replaced):
            return False
        if find_negation(replaced):
            return False
    return True
