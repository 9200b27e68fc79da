"""Readings of a quote and their places in a source.

Brackets and ellipses may belong to the page or to the writer. Each reading is one choice; readings
with fewer insertions of the writer come first. A piece is found by its letters and digits, which
typography cannot change, and counts only if separators, signs and symbols agree and neither end is
within a word or a number. The pieces of a reading have to follow each other, with no more between
them than an ellipsis or words in brackets may replace.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from webquarry._read.plain.words import Range, cut_out, ranges_inside
from webquarry.verify.quotes.findings import Tier
from webquarry.verify.quotes.fold import (
    CJK,
    FOLD,
    Lane,
    find_negation,
    fold_blanks,
    fold_typography,
    has_sign,
    keep_symbols,
    make_key,
    make_skeleton,
)

_MIN_LETTERS = 12
_MIN_CJK = 8
_MIN_PIECE_CJK = 4
_MIN_WORDS = 3  # of a piece with fewer letters
_ELLIPSIS = re.compile(
    r"\[\s*(?:\.\s?\.\s?\.\s?\.?|…{1,2})\s*\]|\(\s*(?:\.\s?\.\s?\.|…{1,2})\s*\)|\.\s\.\s\.(?:\s\.)?"
    r"|\.{3,6}|…{1,2}|⋯{1,2}"
)
_BRACKET = re.compile(r"\[([^\[\]]{0,200})\]")
# A letter, as in "[T]he", the number of a note, or an ellipsis.
_PAGE_BRACKET = re.compile(r"[^\W\d_]|\d{1,3}|[\s.…]*")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_PAIRS = {
    '"': '"”', "“": '”"“', "”": "”", "„": "“”\"", "«": "»", "»": "«", "‘": "’", "'": "'", "‚": "‘’",
    "‹": "›", "「": "」", "『": "』", "〈": "〉", "《": "》", "＂": "＂",
}  # fmt: skip
_SEAM = "\x00"  # where words in brackets were taken out

JointKind = Literal["ellipsis", "replacement"]


@dataclass(frozen=True)
class QuotePiece:
    """Consecutive words, and how they are joined to the piece before."""

    text: str
    joint: JointKind | None = None  # None for the first
    may_end_in_word: bool = False  # the quote breaks off with an ellipsis

    @cached_property
    def key(self) -> str:
        """The letters and digits."""
        return make_key(self.text)

    @cached_property
    def skeleton(self) -> str:
        """The key with significant signs."""
        return make_skeleton(self.text)

    @cached_property
    def is_long_enough(self) -> bool:
        """Whether the piece can be searched for on its own."""
        if CJK.search(self.text):
            return len(self.key) >= _MIN_PIECE_CJK
        return len(self.key) >= _MIN_LETTERS or len(_WORD.findall(self.text)) >= _MIN_WORDS


@dataclass(frozen=True)
class QuoteReading:
    """One way to take a quote apart."""

    pieces: tuple[QuotePiece, ...]
    inserted: tuple[str, ...] = ()  # assumed to be the writer's words
    opens_with_ellipsis: bool = False

    @cached_property
    def short_piece(self) -> QuotePiece | None:
        """A piece that is too short to be searched for on its own."""
        if len(self.pieces) < 2:
            return None
        return next((piece for piece in self.pieces if not piece.is_long_enough), None)


def strip_marks(quote: str) -> str:
    """Return a quote without the quotation marks around it."""
    quote = quote.strip()
    if len(quote) > 1 and quote[-1] in _PAIRS.get(quote[0], ""):
        return quote[1:-1].strip()
    return quote


def is_too_short(literal: str) -> bool:
    """Return whether a quote is too short to be identified."""
    key = make_key(literal)
    if CJK.search(literal):
        return len(key) < _MIN_CJK
    return len(key) < _MIN_LETTERS


def read_literally(literal: str) -> QuoteReading:
    """Return the reading in which every mark belongs to the page."""
    ends = literal.rstrip(" .\"'”’)]").endswith("…") or literal.endswith("...")
    piece = QuotePiece(literal, may_end_in_word=ends)
    return QuoteReading((piece,), opens_with_ellipsis=_ELLIPSIS.match(literal) is not None)


def list_readings(literal: str) -> Iterator[QuoteReading]:
    """Yield the other readings: ellipses as omissions, brackets as additions, then brackets as
    replacements of words of the page.
    """
    if _ELLIPSIS.search(literal):
        yield from _split(literal, ())
    brackets = [one for one in _BRACKET.finditer(literal) if not _PAGE_BRACKET.fullmatch(one[1])]
    if not brackets:
        return
    inserted = tuple(one[1].strip() for one in brackets)
    for one in reversed(brackets):
        literal = f"{literal[: one.start()]} {_SEAM} {literal[one.end() :]}"
    yield from _split(literal.replace(_SEAM, " "), inserted)
    replaced = _split_at_brackets(literal, inserted)
    if replaced is not None:
        yield replaced


def _split(text: str, inserted: tuple[str, ...]) -> Iterator[QuoteReading]:
    """Yield the readings with ellipses as omissions, at first all of them, then only between long
    pieces."""
    texts = _ELLIPSIS.split(text)
    opens, ends = (len(texts) > 1 and not make_key(texts[place]) for place in (0, -1))
    whole = [one for one in texts if make_key(one)]
    joined: list[str] = []
    for one in whole:
        if joined and not all(QuotePiece(piece).is_long_enough for piece in (joined[-1], one)):
            joined[-1] += f" … {one}"
        else:
            joined.append(one)
    for parts in [whole, joined] if joined != whole else [whole]:
        pieces = [QuotePiece(part, "ellipsis") for part in parts]
        if pieces:
            pieces[0] = replace(pieces[0], joint=None)
            pieces[-1] = replace(pieces[-1], may_end_in_word=ends)
            yield QuoteReading(tuple(pieces), inserted, opens)


def _split_at_brackets(literal: str, inserted: tuple[str, ...]) -> QuoteReading | None:
    """Return the reading in which brackets replace words of the page."""
    pieces: list[QuotePiece] = []
    for part in literal.split(_SEAM):
        for count, piece in enumerate(_ELLIPSIS.split(part)):
            if make_key(piece):
                joint: JointKind = "ellipsis" if count else "replacement"
                pieces.append(QuotePiece(piece, joint if pieces else None))
    if len(pieces) < 2 or not all(piece.is_long_enough for piece in pieces):
        return None
    return QuoteReading(tuple(pieces), inserted)


_MAX_OCCURRENCES = 50
_MAX_EDGE = 12  # characters before and after a match that can belong to it
_BRACKET_EDGE = 3  # characters next to a match in which a bracket is its own
_MAX_GAP = 600  # characters that an ellipsis may omit
_MAX_REPLACED = 60  # characters that words in brackets may replace
_NUMBER_BEFORE = re.compile(r"\d[.,'’]?\Z")
_NUMBER_BEHIND = re.compile(r"[.,'’]?\d")
_STOP = re.compile(r"[.!?…。！？]")


class PieceHit(NamedTuple):
    """The place of a piece in the text, and its end in the key of the lane."""

    start: int
    end: int
    key_end: int


Chain = list[PieceHit]


def find_chains(reading: QuoteReading, text: str, lane: Lane) -> list[Chain]:
    """Return the places at which the pieces of a reading follow each other."""
    chains: list[Chain] = [[hit] for hit in find_piece(reading.pieces[0], text, lane)]
    if len(reading.pieces) == 1 and reading.inserted:
        own = reading.pieces[0].text
        chains = [chain for chain in chains if not _has_brackets(own, text, chain[0], lane.removed)]
    for piece in reading.pieces[1:]:
        if not chains:
            return []
        limit = _MAX_REPLACED if piece.joint == "replacement" else _MAX_GAP
        hits = find_piece(piece, text, lane, chains[0][-1].key_end)
        extended = []
        for chain in chains:
            end = chain[-1].end
            following = next((hit for hit in hits if hit.start >= end), None)
            if following and following.start - end <= limit:
                extended.append([*chain, following])
        chains = extended
    return [chain for chain in chains if _may_replace(reading.pieces, chain, text)]


def find_piece(piece: QuotePiece, text: str, lane: Lane, start: int = 0) -> list[PieceHit]:
    """Return the places of a piece in a lane, from a place of its key on."""
    hits = []
    for place in lane.find(piece.key, _MAX_OCCURRENCES, start) if piece.key else ():
        end = place + len(piece.key)
        hit = PieceHit(lane.locate(place), lane.locate(end - 1) + 1, end)
        own = cut_out(text, hit.start, hit.end, lane.removed)
        if make_skeleton(own) == piece.skeleton and _edges_agree(piece, text, hit, lane.removed):
            hits.append(hit)
    return hits


def _has_brackets(piece: str, text: str, hit: PieceHit, removed: Sequence[Range]) -> bool:
    """Return whether the page has words in brackets at a match that the piece does not have."""
    start = max(0, hit.start - _BRACKET_EDGE)
    around = cut_out(text, start, hit.end + _BRACKET_EDGE, removed)
    return any(around.count(bracket) > piece.count(bracket) for bracket in "[]")


def _edges_agree(piece: QuotePiece, text: str, hit: PieceHit, removed: Sequence[Range]) -> bool:
    """Return whether the characters next to a match are compatible with the piece."""
    before = text[max(0, hit.start - _MAX_EDGE) : hit.start]
    behind = text[hit.end : hit.end + _MAX_EDGE]
    first, last = text[hit.start], text[hit.end - 1]
    own_before, own_behind = _first_gap(piece.text), _last_gap(piece.text)
    gap_before, gap_behind = _last_gap(before), _first_gap(behind)
    if _is_inside_word(before[-1:], first):
        return False
    if not piece.may_end_in_word and _is_inside_word(last, behind[:1]):
        return False
    if first.isdigit():
        if _NUMBER_BEFORE.search(before) and not _is_cut_off(hit.start, removed):
            return False
        if has_sign(gap_before) != has_sign(own_before):
            return False
    if last.isdigit() and _NUMBER_BEHIND.match(behind) and not _is_cut_off(hit.end, removed):
        return False
    return keep_symbols(gap_before).endswith(keep_symbols(own_before)) and keep_symbols(
        gap_behind
    ).startswith(keep_symbols(own_behind))


def _is_cut_off(place: int, removed: Sequence[Range]) -> bool:
    """Return whether a removed range starts or ends at a place."""
    first = bisect_left(removed, place, key=lambda one: one[1])
    return first < len(removed) and place in removed[first]


def _last_gap(before: str) -> str:
    """Return the characters after the last letter or digit."""
    return _first_gap(before[::-1])[::-1]


def _first_gap(behind: str) -> str:
    """Return the characters before the first letter or digit."""
    letters = (place for place, letter in enumerate(behind) if FOLD[ord(letter)])
    return behind[: next(letters, None)]


def _is_inside_word(first: str, second: str) -> bool:
    """Return whether two neighbours are letters of one word; a change of case separates words."""
    if not (first.isalpha() and second.isalpha()) or CJK.match(first) or CJK.match(second):
        return False
    return (first.islower() and second.islower()) or first.isupper()


def _may_replace(pieces: Sequence[QuotePiece], chain: Chain, text: str) -> bool:
    """Return whether bracketed words replace neither a number nor a negation nor brackets."""
    for piece, (before, hit) in zip(pieces[1:], pairwise(chain), strict=True):
        replaced = text[before.end : hit.start]
        is_protected = any(letter in "[]" or letter.isdigit() for letter in replaced)
        if piece.joint == "replacement" and (is_protected or find_negation(replaced)):
            return False
    return True


def judge_tier(piece: str, text: str, hit: PieceHit, removed: Sequence[Range]) -> Tier:
    """Return how closely a piece agrees with the text of a hit."""
    if ranges_inside(removed, hit.start, hit.end):
        return "letters"
    start = max(0, hit.start - 2 * len(_first_gap(piece)) - 2)
    window = text[start : hit.end + 2 * len(_last_gap(piece)) + 2]
    if fold_blanks(piece) in fold_blanks(window):
        return "exact"
    own = fold_typography(piece).strip()
    letter = next(filter(str.isalpha, own), "")
    spellings = (own, own.replace(letter, letter.swapcase(), 1) if letter else own)
    other = fold_typography(window)
    return "typography" if any(one in other for one in spellings) else "letters"


def words_before(text: str, place: int, most: int = 4) -> str:
    """Return the last words of the same sentence before a place."""
    sentence = _STOP.split(text[max(0, place - 80) : place])[-1]
    return " ".join(sentence.split()[-most:])
