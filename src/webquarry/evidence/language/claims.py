"""Sentences of a text that are closest to a claim or a query.

A lexical score: the sentence with the largest share of the terms is first, the earlier one on a
tie. It knows no synonyms and cannot distinguish support from contradiction: a hint where to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webquarry.evidence.language.terms import Terms

_SENTENCE_END = re.compile(
    r"[.!?…؟۔।॥։。！？\n](?:(?<=[.!?…؟۔।॥։])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])|(?<=\n)\n*)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|[a-z]\.[a-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|al|Fig|approx|ca"
    r"|bzw|ggf|Nr|z\.B))\.\s*$"
)
_MAX_ABBREVIATION = len("approx.") + 3
_WORD_PENALTY = 0.01  # of two sentences with the same terms, the shorter one is closer


def claim_signal(claim: str, text: str) -> str:
    """Return the sentence that is closest to a claim; empty if no sentence shares a word."""
    return next(iter(nearest_sentences(Terms(claim, text), [text], 1)), "")


def nearest_sentences(terms: Terms, paragraphs: Sequence[str], most: int) -> list[str]:
    """Return up to `most` different sentences that contain terms, the closest first."""
    ranked: list[tuple[float, int, str]] = []
    for paragraph in paragraphs:
        if not terms.in_text(paragraph):
            continue
        for sentence in split_sentences(paragraph):
            weight = terms.weight(terms.in_text(sentence))
            if weight:
                score = weight / (1 + _WORD_PENALTY * len(sentence.split()))
                ranked.append((-score, len(ranked), sentence))
    return list(dict.fromkeys(sentence for _, _, sentence in sorted(ranked)))[:most]


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each on one line. The full stop of an abbreviation does not
    end a sentence.
    """
    sentences: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        stop = end.start() + 1
        if not _ABBREVIATION.search(text, max(start, stop - _MAX_ABBREVIATION), stop):
            sentences.append(text[start:stop])
            start = end.end()
    sentences.append(text[start:])
    return list(filter(None, (" ".join(sentence.split()) for sentence in sentences)))
