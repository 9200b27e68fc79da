"""Which sentences of a text speak of a claim or a query: both in, sentences out, or none.

A small lexical scorer over the terms of `terms.py`: the sentence that holds the largest share of
the claim wins, and the earlier one on a tie.

What it is not: it does not understand either text. It cannot tell support from contradiction ("is"
from "is not"), knows no synonyms, and its choice is a hint where to read, never a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from webquarry.evidence.language.terms import Terms

# It begins with a set of characters: such places are found many times faster than those behind one.
_SENTENCE_END = re.compile(
    r"[.!?…。！？\n](?:(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])|(?<=\n)\n*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|[a-z]\.[a-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|al|Fig|approx|ca|bzw|ggf|Nr|z\.B))\.$"
)
_LONGEST = len("approx.")  # abbreviation


def claim_signal(claim: str, text: str) -> str:
    """The sentence of the text that is nearest to the claim, or an empty string when none shares a
    word with it.
    """
    return next(iter(nearest_sentences(Terms(claim, text), [text], 1)), "")


def nearest_sentences(terms: Terms, paragraphs: Sequence[str], most: int) -> list[str]:
    """Up to so many different sentences that hold the most of the terms, the nearest first."""
    shares = [terms.weight(terms.in_text(paragraph)) for paragraph in paragraphs]
    best: list[
        tuple[float, int, int, str]
    ] = []  # the score, negative so that the best sorts first, and the place
    promising = [at for at, share in enumerate(shares) if share]
    for at in sorted(promising, key=lambda at: -shares[at]):
        worst = -best[-1][0] if len(best) == most else 0.0
        if shares[at] < worst:
            break  # no sentence scores more than its paragraph holds
        for number, sentence in enumerate(sentences(paragraphs[at])):
            if _score(shares[at], sentence) < worst:
                continue
            score = _score(terms.weight(terms.in_text(sentence)), sentence)
            if score and all(sentence != other for *_, other in best):
                best = sorted([*best, (-score, at, number, sentence)])[:most]
    return [sentence for *_, sentence in best]


def _score(held: float, sentence: str) -> float:
    """Of two that hold as much, the shorter one says it more plainly."""
    return held / (1 + 0.01 * len(sentence.split()))


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; an abbreviation's full stop does not end one."""
    found: list[str] = []
    for piece in _pieces(text):
        if (
            found
            and found[-1][-1] == "."
            and _ABBREVIATION.search(found[-1], max(0, len(found[-1]) - _LONGEST))
        ):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found


def _pieces(text: str) -> Iterator[str]:
    """What stands between ends of sentences, each with its mark."""
    start = 0
    for end in _SENTENCE_END.finditer(text):
        piece = text[start : end.start() + 1].strip()
        if piece:
            yield piece
        start = end.end()
    last = text[start:].strip()
    if last:
        yield last
