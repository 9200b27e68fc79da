"""What a query or a claim speaks of, as terms; and which of them a text holds.

Words are stemmed, stop words of the common languages are passed over, numbers weigh more than words. Scripts without
blanks between words are compared by pairs of characters. Stemming is slow, so of a text only those words are stemmed
that begin like a wanted one: a stem keeps the beginning of its word, but for accents and for `y` and `i`.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from webquarry.evidence.stopwords import STOP_WORDS

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿豈-﫿฀-๿]")
_NUMBER_WEIGHT = 1.5
_BEGINNING = 3  # letters that a word shares with its stem
_LONGEST = 60  # letters of a word that is stemmed; anything longer is none
_SAMPLE = 3_000  # characters that tell a language
_NOTHING: frozenset[str] = frozenset()
_stemmers = threading.local()  # a stemmer holds the word it is at work on, and pages are judged in several threads


class Terms:
    """The terms of one text that others are compared with. They depend on the language, which both texts tell."""

    def __init__(self, about: str, beside: str = "") -> None:
        self.language = language_of(f"{about} {beside[:_SAMPLE]}")
        self._stop = STOP_WORDS.get(self.language, frozenset())
        words = [word for word in _WORD.findall(about.casefold()) if word not in self._stop]
        found = [term for word in words for term in self._all_of(word)]
        self.weights = {term: _NUMBER_WEIGHT if term[0].isdigit() else 1.0 for term in dict.fromkeys(found)}
        self.whole = sum(self.weights.values())
        self._beginnings = {_beginning(word) for word in [*words, *found]}
        ways = sorted(way for beginning in self._beginnings for way in _ways_to_write(beginning))
        self._begins = re.compile("|".join(map(re.escape, ways)) or "(?!)")
        self._words: dict[str, tuple[str, ...]] = {}  # those seen so far, and the terms that each stands for
        self._texts: dict[str, frozenset[str]] = {}

    def in_text(self, text: str) -> frozenset[str]:
        """The terms that a text holds; a paragraph is looked at several times, and read once."""
        held = self._texts.get(text)
        if held is None:
            folded = text.casefold()
            if folded.isascii() and not self._begins.search(folded):  # as most texts
                held = _NOTHING
            else:
                held = frozenset(self._in_words(self._promising_words(folded)))
            self._texts[text] = held
        return held

    def weight(self, terms: Iterable[str]) -> float:
        """What some of the terms weigh together."""
        return sum(self.weights[term] for term in terms)

    def _promising_words(self, folded: str) -> set[str]:
        """The words that may stand for a term: all where there are accents, else those that begin like one."""
        if not folded.isascii():
            return set(_WORD.findall(folded))
        starts = [found.start() for found in self._begins.finditer(folded)]
        words = [_WORD.match(folded, start) for start in starts if _opens_word(folded, start)]
        return {word[0] for word in words if word}

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
    words = Counter(_WORD.findall(text.casefold()))
    counts = {language: sum(words[word] for word in words.keys() & stop) for language, stop in STOP_WORDS.items()}
    return max(counts, key=lambda language: (counts[language], language == "english"))


def _opens_word(text: str, at: int) -> bool:
    """Whether a word or a number begins at a place, and not earlier."""
    before, glued = text[max(0, at - 1) : at], text[max(0, at - 2) : max(0, at - 1)]
    if text[at].isdigit():
        return not (before.isdigit() or (before in (".", ",") and glued.isdigit()))
    return not (before.isalpha() or (before == "'" and glued.isalpha()))


def _beginning(word: str) -> str:
    start = word[:_BEGINNING]
    if not start.isascii():
        plain = [letter for letter in unicodedata.normalize("NFD", start) if not unicodedata.combining(letter)]
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
