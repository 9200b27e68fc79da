"""Readings of a quote: its pieces, and the ellipses and bracketed words between them.

Brackets and ellipses may belong to the page or to the writer. Each reading is one choice; readings
with fewer insertions of the writer come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal

from webquarry.verify.quotes.fold import CJK, make_key, make_skeleton

LEAST_LETTERS = 12
LEAST_CJK = 8  # a text without blanks says more with a letter
_LEAST_PIECE_CJK = 4
_LEAST_WORDS = 3  # of a piece beside an ellipsis, where it has fewer letters
_MOST_CHOICES = 4  # brackets of which every choice is tried
_MOST_ALONE = 16  # brackets that are tried one by one, where there are more of them
_ELLIPSIS = re.compile(
    r"\[\s*(?:\.\s?\.\s?\.\s?\.?|…{1,2})\s*\]|\(\s*(?:\.\s?\.\s?\.|…{1,2})\s*\)|\.\s\.\s\.(?:\s\.)?"
    r"|\.{3,6}|…{1,2}|⋯{1,2}"
)
_BRACKET = re.compile(r"\[([^\[\]]{0,200})\]")
_LETTER = re.compile(r"[^\W\d_]")
_DOTS = re.compile(r"[\s.…]*")
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
    seams: tuple[int, ...] = ()  # places in the key where words in brackets were taken out
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
            return len(self.key) >= _LEAST_PIECE_CJK
        return len(self.key) >= LEAST_LETTERS or len(_WORD.findall(self.text)) >= _LEAST_WORDS


@dataclass(frozen=True)
class QuoteReading:
    """One way to take a quote apart."""

    pieces: tuple[QuotePiece, ...]
    inserted: tuple[str, ...] = ()  # what is taken for the writer's own words
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
        return len(key) < LEAST_CJK
    return len(key) < LEAST_LETTERS


def read_literally(literal: str) -> QuoteReading:
    """Return the reading in which every mark belongs to the page."""
    ends = literal.rstrip(" .\"'”’)]").endswith("…") or literal.endswith("...")
    piece = QuotePiece(literal, may_end_in_word=ends)
    return QuoteReading((piece,), opens_with_ellipsis=_ELLIPSIS.match(literal) is not None)


def list_readings(literal: str) -> Iterator[QuoteReading]:
    """Yield the other readings: ellipses as omissions, brackets as additions, then brackets as
    replacements of words of the page.
    """
    brackets = [one for one in _BRACKET.finditer(literal) if _is_comment(one[1])]
    has_ellipsis = _ELLIPSIS.search(literal) is not None
    for dropped in _choose(brackets):
        if not dropped and not has_ellipsis:
            continue
        inserted = tuple(one[1].strip() for one in dropped)
        yield from _split(_cut_brackets(literal, dropped), inserted)
    for dropped in _choose(brackets):
        if dropped:
            reading = _split_at_brackets(literal, dropped)
            if reading is not None:
                yield reading


def _is_comment(text: str) -> bool:
    """Return whether bracketed words may be the writer's: not an ellipsis or one letter."""
    return not _LETTER.fullmatch(text) and not _DOTS.fullmatch(text)


def _choose(brackets: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], ...]]:
    """Yield the choices of the writer's brackets, the smallest first."""
    if len(brackets) > _MOST_CHOICES:
        yield ()
        for one in brackets[:_MOST_ALONE]:
            yield (one,)
        yield tuple(brackets)
        return
    for count in range(len(brackets) + 1):
        yield from combinations(brackets, count)


def _cut_brackets(literal: str, dropped: Sequence[re.Match[str]]) -> str:
    """Return the quote with a seam in place of each dropped bracket."""
    parts = []
    place = 0
    for one in dropped:
        parts.append(literal[place : one.start()])
        parts.append(f" {_SEAM} ")
        place = one.end()
    parts.append(literal[place:])
    return "".join(parts)


def _split(text: str, inserted: tuple[str, ...]) -> Iterator[QuoteReading]:
    """Yield the readings with ellipses as omissions; an ellipsis next to a short piece may belong
    to the page.
    """
    texts = _ELLIPSIS.split(text)
    marks = _ELLIPSIS.findall(text)
    whole = [one for one in texts if make_key(one)]
    opens = bool(marks) and not make_key(texts[0])
    ends = bool(marks) and not make_key(texts[-1])
    tried: set[tuple[str, ...]] = set()
    for joined in (whole, _join_short(whole, to_left=True), _join_short(whole, to_left=False)):
        if joined and tuple(joined) not in tried:
            tried.add(tuple(joined))
            yield _build_reading(joined, inserted, opens, ends)


def _join_short(texts: Sequence[str], *, to_left: bool) -> list[str]:
    """Return the pieces with those that are too short joined to a neighbour."""
    ordered = list(texts if to_left else reversed(texts))
    joined: list[str] = []
    for text in ordered:
        is_short = not QuotePiece(text).is_long_enough
        if joined and (is_short or not QuotePiece(joined[-1]).is_long_enough):
            pair = [joined[-1], text]
            joined[-1] = " … ".join(pair if to_left else reversed(pair))
        else:
            joined.append(text)
    return joined if to_left else joined[::-1]


def _build_reading(
    texts: Sequence[str], inserted: tuple[str, ...], opens: bool, ends: bool
) -> QuoteReading:
    """Return the reading of texts between ellipses with the seams of their keys."""
    pieces = []
    for number, text in enumerate(texts):
        seams = []
        length = 0
        parts = text.split(_SEAM)
        for part in parts[:-1]:
            length += len(make_key(part))
            seams.append(length)
        joint: JointKind | None = "ellipsis" if number else None
        is_last = number == len(texts) - 1
        plain = text.replace(_SEAM, " ")
        pieces.append(QuotePiece(plain, joint, tuple(seams), ends and is_last))
    return QuoteReading(tuple(pieces), inserted, opens)


def _split_at_brackets(literal: str, dropped: Sequence[re.Match[str]]) -> QuoteReading | None:
    """Return the reading in which brackets replace words of the page."""
    text = _cut_brackets(literal, dropped)
    pieces: list[QuotePiece] = []
    for part in text.split(_SEAM):
        for count, piece in enumerate(_ELLIPSIS.split(part)):
            if not make_key(piece):
                continue
            joint: JointKind | None = None
            if pieces:
                joint = "ellipsis" if count else "replacement"
            pieces.append(QuotePiece(piece, joint))
    if len(pieces) < 2 or not all(piece.is_long_enough for piece in pieces):
        return None
    inserted = tuple(one[1].strip() for one in dropped)
    return QuoteReading(tuple(pieces), inserted)
