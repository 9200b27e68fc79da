"""Which sentences of a text speak of a claim or a query: both in, sentences out, or none.

A small lexical scorer over the terms of `terms.py`: the sentence that holds the largest share of
the claim wins, and the earlier one on a tie.

What it is not: it does not understand either text. It cannot tell support from contradiction ("is"
from "is not"), knows no synonyms, and its choice is a hint where to read, never a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webquarry.evidence.language.terms import Terms

# It begins with a set of characters: such places are found many times faster than those behind one.
_SENTENCE_END = re.compile(
    r"[.!?…؟۔।॥։。！？\n](?:(?<=[.!?…؟۔।॥։])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])|(?<=\n)\n*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|[a-z]\.[a-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|al|Fig|approx|ca"
    r"|bzw|ggf|Nr|z\.B))\.$"
)
_LONGEST_ABBREVIATION = len("approx.")
_WORD_PENALTY = 0.01  # of two sentences that hold as much, the shorter one says it more plainly


def claim_signal(claim: str, text: str) -> str:
    """The sentence of the text that is nearest to the claim, or an empty string when none shares a
    word with it.
    """
    nearest = nearest_sentences(Terms(claim, text), [text], 1)
    return nearest[0] if nearest else ""


def nearest_sentences(terms: Terms, paragraphs: Sequence[str], most: int) -> list[str]:
    """Up to so many different sentences that hold the most of the terms, the nearest first."""
    weights: list[float] = []
    for paragraph in paragraphs:
        held = terms.in_text(paragraph)
        weights.append(terms.weight(held))
    promising = [place for place, weight in enumerate(weights) if weight]
    promising.sort(key=lambda place: -weights[place])
    # the score, negative so that the best sorts first, the paragraph, and the sentence in it
    best: list[tuple[float, int, int, str]] = []
    for place in promising:
        worst = -best[-1][0] if len(best) == most else 0.0
        if weights[place] < worst:
            break  # no sentence scores more than its paragraph holds
        sentences = split_sentences(paragraphs[place])
        for number, sentence in enumerate(sentences):
            words = len(sentence.split())
            penalty = 1 + _WORD_PENALTY * words
            if weights[place] / penalty < worst:
                continue
            held = terms.in_text(sentence)
            score = terms.weight(held) / penalty
            if score and all(sentence != other for *_, other in best):
                best.append((-score, place, number, sentence))
                best = sorted(best)[:most]
    return [sentence for *_, sentence in best]


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order; an abbreviation's full stop does not end one."""
    pieces: list[str] = []  # what stands between ends of sentences, each with its mark
    start = 0
    for end in _SENTENCE_END.finditer(text):
        pieces.append(text[start : end.start() + 1].strip())
        start = end.end()
    pieces.append(text[start:].strip())

    sentences: list[list[str]] = []
    goes_on = False  # the last sentence ends in an abbreviation
    for piece in filter(None, pieces):
        if goes_on:
            sentences[-1].append(piece)
        else:
            sentences.append([piece])
        goes_on = False
        if piece[-1] == ".":
            ending = _take_ending(sentences[-1])
            goes_on = _ABBREVIATION.search(ending) is not None
    return [" ".join(parts) for parts in sentences]


def _take_ending(parts: Sequence[str]) -> str:
    """The end of a sentence of some parts, with room for an abbreviation and what is before it."""
    enough = _LONGEST_ABBREVIATION + 1
    ending = ""
    for part in reversed(parts):
        ending = f" {part[-enough:]}{ending}"
        if len(ending) > enough:
            break
    return ending
