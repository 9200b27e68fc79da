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

from webquarry.evidence.language.stopwords import STOP_WORDS

_WORD = re.compile(r"\d+(?:[.,]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)*")
_WHOLE_WORD = re.compile(  # the same, but not from its middle
    r"(?<![^\W\d_])(?<![^\W\d_]['’])[^\W\d_]+(?:['’][^\W\d_]+)*|(?<!\d)(?<!\d[.,])\d+(?:[.,]\d+)*%?"
)
# the same but for numbers, and found in half the time
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")
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
# a stemmer holds the word it is at work on, and pages are judged in several threads
_stemmers = threading.local()


class Terms:
    """The terms of one text that others are compared with. They depend on the language, which both
    texts tell.
    """

    def __init__(self, about: str, beside: str = "") -> None:
        self.language = language_of(f"{about} {beside[:_SAMPLE]}")
        self._stop_words = STOP_WORDS.get(self.language, frozenset())
        words: list[str] = []
        terms: list[str] = []
        for word in _WORD.findall(about.casefold()):
            if word not in self._stop_words:
                words.append(word)
                terms += self._terms_of(word)
        self.weights = dict.fromkeys(terms, 1.0)
        for term in self.weights:
            if term[0].isdigit():
                self.weights[term] = _NUMBER_WEIGHT
        self.total_weight = sum(self.weights.values())
        self._beginnings = {_beginning(word) for word in [*words, *terms]}
        spellings: list[str] = []
        for beginning in self._beginnings:
            spellings += _spellings(beginning)
        self._spellings = sorted(spellings)
        self._by_word: dict[str, tuple[str, ...]] = {}  # the terms that each word stands for
        self._by_text: dict[str, frozenset[str]] = {}

    def in_text(self, text: str) -> frozenset[str]:
        """The terms that a text holds; a paragraph is looked at several times, and read once."""
        held = self._by_text.get(text)
        if held is None:
            words = self._promising_words(text.casefold())
            held = frozenset(self._terms_in(words)) if words else _NOTHING
            self._by_text[text] = held
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
        words: set[str] = set()
        for spelling in self._spellings:
            if spelling not in folded:
                continue
            # to look for a string is several times faster than to look for a pattern
            at = folded.find(spelling)
            while at >= 0:
                word = _WHOLE_WORD.match(folded, at)
                if word:
                    words.add(word[0])
                at = folded.find(spelling, at + len(spelling))
        return words

    def _terms_in(self, words: Iterable[str]) -> Iterator[str]:
        """The terms that any of these words stands for."""
        for word in words:
            terms = self._by_word.get(word)
            if terms is None:
                terms = ()
                if _beginning(word) in self._beginnings or _UNSPACED.search(word):
                    candidates = self._terms_of(word)
                    terms = tuple(term for term in candidates if term in self.weights)
                self._by_word[word] = terms
            yield from terms

    def _terms_of(self, word: str) -> list[str]:
        """The stem of a word; of a word in a script without blanks, its pairs of characters."""
        if not word.isascii() and _UNSPACED.search(word):
            pairs = max(1, len(word) - 1)
            return [word[at : at + 2] for at in range(pairs)]
        if word in self._stop_words:
            return []
        if word[0].isdigit() or len(word) > _LONGEST:
            return [word]
        straight = word.replace("’", "'")
        return [_stem(self.language, straight)]


def language_of(text: str) -> str:
    """The language most of whose stop words occur, as Snowball names it; English when none do."""
    folded = text.casefold()
    pattern = _ASCII_WORD if folded.isascii() else _WORD
    words = Counter(pattern.findall(folded))
    counts = dict.fromkeys(STOP_WORDS, 0)
    for word in words.keys() & _LANGUAGES.keys():
        for language in _LANGUAGES[word]:
            counts[language] += words[word]
    return max(counts, key=lambda language: (counts[language], language == "english"))


def _beginning(word: str) -> str:
    """The first letters of a word as its stem has them: without accents, `i` for `y`."""
    start = word[:_BEGINNING]
    if not start.isascii():
        decomposed = unicodedata.normalize("NFD", start)
        plain = [letter for letter in decomposed if not unicodedata.combining(letter)]
        start = "".join(plain)[:_BEGINNING]
    return start.replace("y", "i")


def _spellings(beginning: str) -> list[str]:
    """With `i` and with `y`, which stems put in each other's place."""
    spellings = [""]
    for letter in beginning:
        letters = "iy" if letter == "i" else letter
        spellings = [start + one for start in spellings for one in letters]
    return spellings


@lru_cache(20_000)
def _stem(language: str, word: str) -> str:
    """The stem of a word, by the stemmer of its language."""
    stemmer = getattr(_stemmers, language, None)
    if stemmer is None:
        import snowballstemmer  # many tables; only needed once there is something to compare

        stemmer = snowballstemmer.stemmer(language)
        setattr(_stemmers, language, stemmer)
    return str(stemmer.stemWord(word))
