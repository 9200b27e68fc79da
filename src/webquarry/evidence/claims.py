"""Which sentences of a text speak of a claim or a query: both in, sentences out, or none.

A small lexical scorer over the terms of `terms.py`: the sentence that holds the largest share of the claim wins, and the
earlier one on a tie.

What it is not: it does not understand either text. It cannot tell support from contradiction ("is" from "is not"),
knows no synonyms, and its choice is a hint where to read, never a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webquarry.evidence.terms import Terms

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|[a-z]\.[a-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|al|Fig|approx|ca|bzw|ggf|Nr|z\.B))\.$"
)


def claim_signal(claim: str, text: str) -> str:
    """The sentence of the text that is nearest to the claim, or an empty string when none shares a word with it."""
    return next(iter(nearest_sentences(Terms(claim, text), [text], 1)), "")


def nearest_sentences(terms: Terms, paragraphs: Sequence[str], most: int) -> list[str]:
    """Up to so many different sentences that hold the most of the terms, the nearest first."""
    shares = [terms.weight(terms.in_text(paragraph)) for paragraph in paragraphs]
    best: list[tuple[float, int, int, str]] = []  # the score, negative so that the best sorts first, and the place
    for at in sorted(range(len(paragraphs)), key=lambda at: (-shares[at], at)):
        if not shares[at] or (len(best) == most and shares[at] < -best[-1][0]):
            break  # no sentence scores more than its paragraph holds
        for number, sentence in enumerate(sentences(paragraphs[at])):
            score = _score(terms, sentence)
            if score and all(sentence != other for *_, other in best):
                best = sorted([*best, (-score, at, number, sentence)])[:most]
    return [sentence for *_, sentence in best]


def _score(terms: Terms, sentence: str) -> float:
    held = terms.in_text(sentence)
    if not held:
        return 0.0
    # Of two that share as much, the shorter one says it more plainly.
    return terms.weight(held) / (1 + 0.01 * len(sentence.split()))


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; an abbreviation's full stop does not end one."""
    found: list[str] = []
    for piece in _SENTENCE_END.split(text):
        piece = piece.strip()
        if not piece:
            continue
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    return found
