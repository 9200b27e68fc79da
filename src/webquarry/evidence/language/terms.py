"""Terms of a query or a claim, and which of them a text contains.

Words are stemmed, stop words are omitted, and numbers weigh more than words.
"""

from __future__ import annotations

from collections.abc import Iterable

from webquarry.evidence.language.languages import languages_of, usual_language
from webquarry.evidence.language.stopwords import STOP_WORDS
from webquarry.evidence.language.words import (
    PAIRED,
    find_words,
    fold,
    pair_characters,
    plain_number,
    script_of,
    stems_of,
)

_NUMBER_WEIGHT = 1.5
_SAMPLE = 3_000  # characters for language detection
_MIN_STOP_WORDS = 2  # that show a question to be in another language than its context
_NO_WORDS: frozenset[str] = frozenset()
_PARTICLES = frozenset("的了吗呢嗎是在和はがをのにでとへも")
_PAIRED_STOP_WORDS = STOP_WORDS["chinese"] | STOP_WORDS["japanese"] | STOP_WORDS["thai"]


class Terms:
    """Terms of one text that others are compared with. They depend on the language, which is
    detected from both texts.
    """

    def __init__(self, text: str, context: str = "") -> None:
        self._languages = languages_of(text, context[:_SAMPLE])
        words = find_words(fold(text))
        self._stop_words = self._find_stop_words(text, words)
        terms = [term for word in words for term in self._terms_of(word)]
        self.weights = {
            term: _NUMBER_WEIGHT if term[0].isdigit() else 1.0 for term in drop_particles(terms)
        }
        self.total_weight = sum(self.weights.values())
        self._by_word: dict[str, tuple[str, ...]] = {}  # the terms of each word of a text

    def in_text(self, text: str) -> frozenset[str]:
        """Return the terms that a text contains."""
        return frozenset(self.find_occurrences(text))

    def find_occurrences(self, text: str) -> list[str]:
        """Return every occurrence of a term in a text."""
        found: list[str] = []
        by_word = self._by_word
        for word in find_words(fold(text)):
            if word not in by_word:
                by_word[word] = tuple(filter(self.weights.__contains__, self._terms_of(word)))
            found += by_word[word]
        return found

    def weight(self, terms: Iterable[str]) -> float:
        """Return the total weight of some of the terms."""
        return sum(map(self.weights.__getitem__, terms))

    def _find_stop_words(self, text: str, words: Iterable[str]) -> frozenset[str]:
        """Return the stop words of the detected languages, and of the language of the text alone
        if it contains some.
        """
        stop_words = _NO_WORDS.union(
            *(STOP_WORDS.get(language, _NO_WORDS) for language in self._languages.values())
        )
        for language in languages_of(text).values():
            own = STOP_WORDS.get(language, _NO_WORDS)
            if len(own.intersection(words)) >= _MIN_STOP_WORDS:
                stop_words |= own
        return stop_words

    def _terms_of(self, word: str) -> Iterable[str]:
        """Return the stems of a word, or its pairs of characters."""
        if word[0].isdigit():
            return (plain_number(word),)
        if word in self._stop_words:
            return ()
        script = script_of(word[0])
        if script == PAIRED:
            return pair_characters(word)
        return stems_of(self._languages.get(script) or usual_language(script), word)


def is_particle(pair: str) -> bool:
    """Return whether a pair of characters occurs in any sentence."""
    return pair in _PAIRED_STOP_WORDS or not _PARTICLES.isdisjoint(pair)


def drop_particles(terms: list[str]) -> list[str]:
    """Return terms without particles, unless all of them are."""
    return [term for term in terms if not is_particle(term)] or terms
