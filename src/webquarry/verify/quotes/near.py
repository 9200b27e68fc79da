"""The words of a source that are nearest to a quote that it does not have.

Places are found by votes of the rarer words; only windows of the length of the quote are compared
word by word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from webquarry.verify.quotes.findings import ChangeKind, WordChange
from webquarry.verify.quotes.fold import SYMBOLS, is_negation
from webquarry.verify.quotes.source import SourceText, WordToken, split_tokens

_MIN_SHARE = 0.6  # of the words of a quote, for a place to be near
_MAX_TOKENS = 400  # of a quote that are compared
_MAX_PLACES = 60  # of a word that votes
_BUCKET = 8  # words
_TRIED = 3  # windows
_MIN_TOKENS = 3
_MAX_CHANGES = 12
_CONTRACTED = frozenset(
    """
    aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt mightnt mustnt neednt shant
    shouldnt wasnt werent wont wouldnt
    """.split()  # noqa: SIM905
)
_WRAPPED = re.compile(r"(?<=[^\W\d_])-\n\s*(?=[^\W\d_])")

_Tokens = Sequence[WordToken]


@dataclass(frozen=True)
class NearPlace:
    """The place of a source that is nearest to a quote."""

    source: SourceText
    start: int
    end: int
    changes: tuple[WordChange, ...]


def find_near(quote: str, sources: Sequence[SourceText]) -> NearPlace | None:
    """Return the nearest place, if it is near enough."""
    quote = _WRAPPED.sub("", quote)
    own = split_tokens(quote)[:_MAX_TOKENS]
    keys = _keys(own)
    windows = [(source, tokens) for source in sources for tokens in _list_windows(keys, source)]
    windows.sort(key=lambda window: -_count_shared(keys, window[1]))
    places = []
    for source, tokens in windows[:_TRIED]:
        matcher = SequenceMatcher(None, _keys(tokens), keys, False)
        same = sum(block.size for block in matcher.get_matching_blocks())
        places.append((same, source, tokens, matcher.get_opcodes()))
    best = max(places, key=lambda one: one[0], default=None)
    if best is None or len(own) < _MIN_TOKENS or best[0] < _MIN_SHARE * len(own):
        return None
    _, source, tokens, codes = best
    groups = [(own[b:b2], tokens[a:a2]) for _, a, a2, b, b2 in codes]
    # The window is wider than the quote: words beyond its ends are not changes.
    if codes[0][0] != "equal":
        mine, theirs = groups[0]
        groups[0] = mine, theirs[max(0, len(theirs) - len(mine)) :]
    if codes[-1][0] != "equal":
        mine, theirs = groups[-1]
        groups[-1] = mine, theirs[: len(mine)]
    used = [token for _, theirs in groups for token in theirs]
    changes = _describe_changes(quote, source.text, groups)
    return NearPlace(source, used[0].start, used[-1].end, changes)


def _count_shared(keys: Sequence[str], tokens: _Tokens) -> int:
    return (Counter(keys) & Counter(_keys(tokens))).total()


def _list_windows(keys: Sequence[str], source: SourceText) -> Iterator[_Tokens]:
    """Yield the windows of a source that share enough words with a quote."""
    slack = _BUCKET + len(keys) // 4
    for start in _vote(keys, source.token_places):
        window = source.tokens[max(0, start - slack) : start + _BUCKET + len(keys) + slack]
        if _count_shared(keys, window) >= _MIN_SHARE * len(keys):
            yield window


def _vote(keys: Sequence[str], places: Mapping[str, Sequence[int]]) -> list[int]:
    """Return the likely beginnings of the quote, in words of the source."""
    counts = [(len(places.get(key, ())), number) for number, key in enumerate(keys)]
    known = [one for one in counts if one[0]]
    if len(known) < _MIN_SHARE * len(keys):
        return []
    rare = [one for one in known if one[0] <= _MAX_PLACES]
    if len(rare) < 2:
        rare = sorted(known)[:4]
    votes: Counter[int] = Counter()
    for _, number in rare:
        votes.update((place - number) // _BUCKET for place in places[keys[number]][:_MAX_PLACES])
    ranked = sorted((-count - votes[bucket + 1], bucket) for bucket, count in votes.items())
    return [bucket * _BUCKET for _, bucket in ranked[:_TRIED]]


def _describe_changes(
    quote: str, text: str, groups: Sequence[tuple[_Tokens, _Tokens]]
) -> tuple[WordChange, ...]:
    """Return the words that differ, neighbours together."""
    changed = [place for place, (mine, theirs) in enumerate(groups) if _keys(mine) != _keys(theirs)]
    pairs = [groups[place] for place in changed]
    left = Counter(key for mine, _ in pairs for key in _keys(mine))
    if left and left == Counter(key for _, theirs in pairs for key in _keys(theirs)):
        between = groups[changed[0] : changed[-1] + 1]
        mine = [token for tokens, _ in between for token in tokens]
        theirs = [token for _, tokens in between for token in tokens]
        return (WordChange("order", _cut(quote, mine), _cut(text, theirs)),)
    return tuple(
        WordChange(_name_change(mine, theirs), _cut(quote, mine), _cut(text, theirs))
        for mine, theirs in pairs[:_MAX_CHANGES]
    )


def _keys(tokens: _Tokens) -> list[str]:
    return [token.key for token in tokens]


def _name_change(mine: _Tokens, theirs: _Tokens) -> ChangeKind:
    """Return the kind of a change."""
    different = set(_keys(mine)) ^ set(_keys(theirs))
    if any(is_negation(key) or key in _CONTRACTED for key in different):
        return "negation"
    if any(key[-1].isdigit() or key in SYMBOLS for key in different):
        return "number"
    return "word"


def _cut(text: str, tokens: _Tokens) -> str:
    """Return the text from the first to the last of some words."""
    return text[tokens[0].start : tokens[-1].end] if tokens else ""
