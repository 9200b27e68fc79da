"""What a query or a claim speaks of, as terms; and which of them a text holds.

Words are stemmed, stop words of the common languages are passed over, numbers weigh more than
words. Scripts without blanks between words are compared by pairs of characters. Stemming is slow,
so of a text only those words are stemmed that begin like a wanted one: a stem keeps the beginning
of its word, but for accents and for `y` and `i`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from webquarry.evidence.language.stopwords import STOP_WORDS

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_WHOLE_WORD = re.compile(  # the same, but not from its middle
    r"(?<![^\W\d_])(?<![^\W\d_]['’])[^\W\d_]+(?:['’][^\W\d_]+)*|(?<!\d)(?<!\d[.,])\d+(?:[.,]\d+)*%?"
)
_ASCII_WORD = re.compile(
    r"[a-z]+(?:'[a-z]+)*"
)  # the same but for numbers, and found in half the time
_FOREIGN = re.compile(r"[^\x00-\x7f\W]")  # letters and digits beyond ASCII
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿豈-﫿฀-๿]")
_NUMBER_WEIGHT = 1.5
_BEGINNING = 3  # letters that a word shares with its stem
_LONGEST = 60  # letters of a word that is stemmed; anything longer is none
_SAMPLE = 3_000  # characters that tell a language
_NOTHING: frozenset[str] = frozenset()
_LANGUAGES = {
    word: [language for language, words in STOP_WORDS.items() if word in words]
    for word in frozenset[str]().union(*STOP_WORDS.values())
}
_stemmers = (
    threading.local()
)  # a stemmer holds the word it is at work on, and pages are judged in several threads


class Terms:
    """The terms of one text that others are compared with. They depend on the language, which both
    texts tell.
    """

    def __init__(self, about: str, beside: str = "") -> None:
        self.language = language_of(f"{about} {beside[:_SAMPLE]}")
        self._stop = STOP_WORDS.get(self.language, frozenset())
        words = [word for word in _WORD.findall(about.casefold()) if word not in self._stop]
        found = [term for word in words for term in self._all_of(word)]
        self.weights = {
            term: _NUMBER_WEIGHT if term[0].isdigit() else 1.0 for term in dict.fromkeys(found)
        }
        self.whole = sum(self.weights.values())
        self._beginnings = {_beginning(word) for word in [*words, *found]}
        self._ways = sorted(
            way for beginning in self._beginnings for way in _ways_to_write(beginning)
        )
        self._words: dict[
            str, tuple[str, ...]
        ] = {}  # those seen so far, and the terms that each stands for
        self._texts: dict[str, frozenset[str]] = {}

    def in_text(self, text: str) -> frozenset[str]:
        """The terms that a text holds; a paragraph is looked at several times, and read once."""
        held = self._texts.get(text)
        if held is None:
            words = self._promising_words(text.casefold())
            held = self._texts[text] = frozenset(self._in_words(words)) if words else _NOTHING
        return held

    def weight(self, terms: Iterable[str]) -> float:
        """What some of the terms weigh together."""
        return sum(map(self.weights.__getitem__, terms))

    def _promising_words(self, folded: str) -> set[str]:
        """The words that may stand for a term: all where letters have accents, else those that
        begin like one.
        """
        if not folded.isascii() and _FOREIGN.search(folded):
            return set(_WORD.findall(folded))
        return {
            word for way in self._ways if way in folded for word in _words_that_begin(folded, way)
        }

    def _in_words(self, words: Iterable[str]) -> Iterator[str]:
        for word in words:
            held = self._words.get(word)
            if held is None:
                held = self._words[word] = self._held_by(word)
            yield from held

    def _held_by(self, word: str) -> tuple[str, ...]:
        if _beginning(word) not in self._beginnings and not _UNSPACED.search(word):
            return ()
        return tuple(term for term in self._all_of(word) if term in self.weights)

    def _all_of(self, word: str) -> list[str]:
        if not word.isascii() and _UNSPACED.search(word):
            return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        if word in self._stop:
            return []
        if word[0].isdigit() or len(word) > _LONGEST:
            return [word]
        return [_stem(self.language, word.replace("’", "'"))]


def language_of(text: str) -> str:
    """The language most of whose stop words occur, as Snowball names it; English when none do."""
    folded = text.casefold()
    words = Counter((_ASCII_WORD if folded.isascii() else _WORD).findall(folded))
    counts = dict.fromkeys(STOP_WORDS, 0)
    for word in words.keys() & _LANGUAGES.keys():
        for language in _LANGUAGES[word]:
            counts[language] += words[word]
    return max(counts, key=lambda language: (counts[language], language == "english"))


def _words_that_begin(folded: str, way: str) -> Iterator[str]:
    """The words of a text that begin so. To look for a string is several times faster than to look
    for a pattern.
    """
    at = folded.find(way)
    while at >= 0:
        word = _WHOLE_WORD.match(folded, at)
        if word:
            yield word[0]
        at = folded.find(way, at + len(way))


def _beginning(word: str) -> str:
    start = word[:_BEGINNING]
    if not start.isascii():
        plain = [
            letter
            for letter in unicodedata.normalize("NFD", start)
            if not unicodedata.combining(letter)
        ]
        start = "".join(plain)[:_BEGINNING]
    return start.replace("y", "i")


def _ways_to_write(beginning: str) -> list[str]:
    """With `i` and with `y`, which stems put in each other's place."""
    ways = product(*("iy" if letter == "i" else letter for letter in beginning))
    return ["".join(way) for way in ways]


@lru_cache(20_000)
def _stem(language: str, word: str) -> str:
    stemmer = getattr(_stemmers, language, None)
    if stemmer is None:
        import snowballstemmer  # many tables; only needed once there is something to compare

        stemmer = snowballstemmer.stemmer(language)
        setattr(_stemmers, language, stemmer)
    return str(stemmer.stemWord(word))
