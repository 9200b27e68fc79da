"""The words of a source that are nearest to a quote that it does not have.

Bounded: places are found by votes of the rarer words, and only windows of the length of the quote
are compared word by word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from webquarry.verify.quotes.findings import ChangeKind, WordChange
from webquarry.verify.quotes.fold import SYMBOLS
from webquarry.verify.quotes.negation import is_negation
from webquarry.verify.quotes.source import SourceText, TokenIndex, WordToken, split_tokens

LEAST_ALIKE = 0.6  # of the words of a quote, for a place to be called near
_MOST_TOKENS = 400  # of a quote that are compared
_MOST_PLACES = 60  # of a word that votes
_BUCKET = 8  # words
_TRIED = 3  # windows
_LEAST_TOKENS = 3
_MOST_CHANGES = 12
_CONTRACTED = frozenset(
    """
    aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neednt shant
    shouldnt wasnt werent wont wouldnt
    """.split()  # noqa: SIM905
)
_WRAPPED = re.compile(r"(?<=[^\W\d_])-\n\s*(?=[^\W\d_])")


@dataclass(frozen=True)
class NearPlace:
    """The place of a source that is nearest to a quote."""

    source: SourceText
    start: int
    end: int
    changes: tuple[WordChange, ...]


class _Window(NamedTuple):
    """Words of a source that may be those of a quote."""

    shared: int  # words that both have, in whatever order
    source: SourceText
    tokens: Sequence[WordToken]


def find_near(quote: str, sources: Sequence[SourceText]) -> NearPlace | None:
    """Return the nearest place, if it is near enough."""
    quote = _WRAPPED.sub("", quote)
    own = split_tokens(quote)[:_MOST_TOKENS]
    if len(own) < _LEAST_TOKENS:
        return None
    windows: list[_Window] = []
    for source in sources:
        windows += _list_windows(own, source)
    windows.sort(key=lambda window: -window.shared)
    keys = [token.key for token in own]
    best: tuple[int, _Window, list[Pair]] | None = None
    for window in windows[:_TRIED]:
        pairs = align(keys, [token.key for token in window.tokens])
        same = sum(_is_same(pair, own, window.tokens) for pair in pairs)
        if best is None or same > best[0]:
            best = (same, window, pairs)
    if best is None or best[0] < LEAST_ALIKE * len(own):
        return None
    _, window, pairs = best
    used = [window.tokens[j] for _, j in pairs if j is not None]
    changes = _describe_changes(quote, own, window.source.text, window.tokens, pairs)
    return NearPlace(window.source, used[0].start, used[-1].end, changes)


def _list_windows(own: Sequence[WordToken], source: SourceText) -> Iterator[_Window]:
    """Yield the windows of a source that share enough words with a quote."""
    tokens = source.tokens.tokens
    wanted = Counter(token.key for token in own)
    slack = _BUCKET + len(own) // 4
    for start in _vote(own, source.tokens):
        first = max(0, start - slack)
        behind = max(0, start + _BUCKET + len(own) + slack)
        window = tokens[first:behind]
        present = Counter(token.key for token in window)
        shared = (wanted & present).total()
        if shared >= LEAST_ALIKE * len(own):
            yield _Window(shared, source, window)


def _vote(own: Sequence[WordToken], index: TokenIndex) -> list[int]:
    """Return the likely beginnings of the quote, in words of the source."""
    votes: Counter[int] = Counter()
    lists = []
    for number, token in enumerate(own):
        places = index.places.get(token.key)
        if places:
            lists.append((len(places), number, places))
    if len(lists) < LEAST_ALIKE * len(own):
        return []
    rare = [one for one in lists if one[0] <= _MOST_PLACES]
    if len(rare) < 2:
        rare = sorted(lists, key=lambda one: one[:2])[:4]
    for _, number, places in rare:
        for place in places[:_MOST_PLACES]:
            votes[(place - number) // _BUCKET] += 1
    ranked = []
    for bucket, count in votes.items():
        joined = count + votes.get(bucket + 1, 0)
        ranked.append((-joined, bucket))
    ranked.sort()
    return [bucket * _BUCKET for _, bucket in ranked[:_TRIED]]


def _is_same(pair: Pair, own: Sequence[WordToken], other: Sequence[WordToken]) -> bool:
    """Return whether a pair of places has the same word."""
    i, j = pair
    if i is None or j is None:
        return False
    return own[i].key == other[j].key


Pair = tuple[int | None, int | None]


def align(own: Sequence[str], other: Sequence[str]) -> list[Pair]:
    """Return the cheapest alignment of two lists of words as pairs of places; the ends of the
    second list are free, None is a gap.
    """
    width = len(other) + 1
    previous = [0] * width
    moves: list[bytearray] = [bytearray(width)]  # 0 ends, 1 both, 2 only own, 3 only other
    for i, word in enumerate(own, 1):
        current = [i] + [0] * len(other)
        row = bytearray(width)
        row[0] = 2
        for j, candidate in enumerate(other, 1):
            cost = previous[j - 1] + (word != candidate)
            move = 1
            if previous[j] + 1 < cost:
                cost, move = previous[j] + 1, 2
            if current[j - 1] + 1 < cost:
                cost, move = current[j - 1] + 1, 3
            current[j] = cost
            row[j] = move
        moves.append(row)
        previous = current
    j = min(range(width), key=previous.__getitem__)
    i = len(own)
    pairs: list[Pair] = []
    while i:
        move = moves[i][j]
        if move == 1:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif move == 2:
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    pairs.reverse()
    return pairs


def _describe_changes(
    quote: str,
    own: Sequence[WordToken],
    text: str,
    window: Sequence[WordToken],
    pairs: Sequence[Pair],
) -> tuple[WordChange, ...]:
    """Return the words that differ, neighbours together."""
    groups: list[tuple[list[WordToken], list[WordToken]]] = []
    is_open = False
    for i, j in pairs:
        if _is_same((i, j), own, window):
            is_open = False
            continue
        if not is_open:
            groups.append(([], []))
            is_open = True
        if i is not None:
            groups[-1][0].append(own[i])
        if j is not None:
            groups[-1][1].append(window[j])
    before = Counter(token.key for group in groups for token in group[0])
    behind = Counter(token.key for group in groups for token in group[1])
    is_order = bool(before) and before == behind
    changes = []
    for mine, theirs in groups[:_MOST_CHANGES]:
        kind: ChangeKind = "order"
        if not is_order:
            kind = _name_change(mine, theirs)
        changes.append(WordChange(kind, _cut(quote, mine), _cut(text, theirs)))
    return tuple(changes)


def _name_change(mine: Sequence[WordToken], theirs: Sequence[WordToken]) -> ChangeKind:
    """Return the kind of a change."""
    different = {token.key for token in mine} ^ {token.key for token in theirs}
    if any(is_negation(key) or key in _CONTRACTED for key in different):
        return "negation"
    if any(_is_number(key) for key in different):
        return "number"
    return "word"


def _is_number(key: str) -> bool:
    return key[-1].isdigit() or key in SYMBOLS


def _cut(text: str, tokens: Sequence[WordToken]) -> str:
    """Return the text from the first to the last of some words."""
    if not tokens:
        return ""
    return text[tokens[0].start : tokens[-1].end]
