"""Which sentence of a text speaks of a claim: a claim and a text in, one sentence or an empty string out.

A small lexical scorer: words are stemmed, stop words of the common languages are passed over, numbers weigh more than
words, the sentence that holds the largest share of the claim wins and the earlier one on a tie. Scripts without
blanks between words are compared by pairs of characters.

What it is not: it does not understand either text. It cannot tell support from contradiction ("is" from "is not"),
knows no synonyms, and its choice is a hint where to read, never a verdict.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from webquarry.evidence.stopwords import STOP_WORDS

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+(?=\S)|(?<=[。！？])|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|[a-z]\.[a-z]|Dr|Mr|Mrs|Ms|Prof|St|No|vs|etc|al|Fig|approx|ca|bzw|ggf|Nr|z\.B))\.$"
)
_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’-][^\W\d_]+)*")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿豈-﫿฀-๿]")
_NUMBER_WEIGHT = 1.5


def claim_signal(claim: str, text: str) -> str:
    """The sentence of the text that is nearest to the claim, or an empty string when none shares a word with it."""
    language = _language(claim + " " + text)
    wanted = {term: _NUMBER_WEIGHT if term[0].isdigit() else 1.0 for term in _terms(claim, language)}
    best, best_score = "", 0.0
    for sentence in sentences(text):
        terms = set(_terms(sentence, language))
        shared = sum(weight for term, weight in sorted(wanted.items()) if term in terms)
        score = shared / (1 + 0.01 * len(terms))  # of two that share as much, the shorter one says it more plainly
        if shared and score > best_score:
            best, best_score = sentence, score
    return best


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


def _terms(text: str, language: str) -> list[str]:
    stop, stem = STOP_WORDS.get(language, frozenset()), _stemmer(language)
    terms: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if _UNSPACED.search(word):
            terms += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        elif word not in stop:
            terms.append(word if word[0].isdigit() else str(stem.stemWord(word.replace("’", "'"))))
    return terms


def _language(text: str) -> str:
    """The language most of whose stop words occur; English when none do."""
    words = _WORD.findall(text.casefold())
    counts = {language: sum(word in stop for word in words) for language, stop in STOP_WORDS.items()}
    return max(counts, key=lambda language: (counts[language], language == "english"))


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer  # many tables; only needed once a claim is given

    return snowballstemmer.stemmer(language)
