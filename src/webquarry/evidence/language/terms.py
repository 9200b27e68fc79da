"""What a query or a claim speaks of, as terms; and which of them a text holds.

Words are stemmed, stop words are passed over, numbers weigh more than words. Scripts without blanks
between words are compared by pairs of characters. Stemming is slow, so of a text only those words
are stemmed that begin like a wanted one: in most languages a stem keeps the beginning of its word,
but for accents and for `y` and `i`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from webquarry.evidence.language.languages import languages_of, usual_language
from webquarry.evidence.language.letters import (
    MARKS,
    PAIRED,
    PAIRED_SCRIPTS,
    fold,
    pair_characters,
    script_of,
    without_accents,
)
from webquarry.evidence.language.stems import CHANGED_BEGINNINGS, stems_of
from webquarry.evidence.language.stopwords import STOP_WORDS

_WORD = re.compile(
    r"\d+(?:[.,]\d+)*"
    # signs of those scripts that are no letters
    rf"|(?:(?![・゠฿๏๚๛၊-၏។-៛])[{PAIRED}][{MARKS}]*)+"
    rf"|[^\W\d_{PAIRED}](?:[^\W\d_{PAIRED}]|[{MARKS}])*+"
)
# The same for texts in Latin letters, as most are: simple patterns are up to four times as fast.
_ASCII_WORD = re.compile(r"[a-z]+|[0-9]+(?:[.,][0-9]+)*")
_LATIN_WORD = re.compile(r"[^\W\d_]+|\d+(?:[.,]\d+)*")
_BEYOND_LATIN = re.compile("[^\x00-\u02ff\u2000-\u206f]")
# the same for a text with ASCII letters only, but not from the middle of a word
_WHOLE_WORD = re.compile(r"(?<![a-z])[a-z]+|(?<!\d)(?<!\d[.,])\d+(?:[.,]\d+)*")
_FOREIGN = re.compile(
    rf"[^\x00-\x7f\W]|[{MARKS}{PAIRED}]"
)  # letters, digits and marks beyond ASCII
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_NUMBER_WEIGHT = 1.5
_BEGINNING = 3  # letters that a word shares with its stem
_SAMPLE = 3_000  # characters that tell a language
_FEWEST_STOP_WORDS = 2  # that show a question to be in another language than the text beside it
_NOTHING: frozenset[str] = frozenset()
_PARTICLES = frozenset("的了吗呢嗎是在和はがをのにでとへも")
_PAIRED_STOP_WORDS = STOP_WORDS["chinese"] | STOP_WORDS["japanese"] | STOP_WORDS["thai"]


class Terms:
    """The terms of one text that others are compared with. They depend on the language, which both
    texts tell.
    """

    def __init__(self, about: str, beside: str = "") -> None:
        self._languages = languages_of(about, beside[:_SAMPLE])
        self.language = next(iter(self._languages.values()), "english")
        question_words = find_words(fold(about))
        self._stop_words = self._find_stop_words(about, question_words)
        words: list[str] = []
        terms: list[str] = []
        for word in question_words:
            if word not in self._stop_words:
                words.append(word)
                terms += self._terms_of(word)
        self.weights = dict.fromkeys(drop_particles(terms), 1.0)
        for term in self.weights:
            if term[0].isdigit():
                self.weights[term] = _NUMBER_WEIGHT
        self.total_weight = sum(self.weights.values())
        beginnings = [_beginning(word) for word in [*words, *terms]]
        self._beginnings = frozenset(beginnings)
        # what words hold whose stem begins otherwise than they do
        middles = [without_accents(word)[1 : 1 + _BEGINNING] for word in [*words, *terms]]
        self._middles = frozenset(middles)
        spellings: set[str] = set()
        for beginning in self._beginnings:
            spellings |= _spellings(beginning)
        self._spellings = sorted(spellings)
        self._by_word: dict[str, tuple[str, ...]] = {}  # the terms that each word stands for
        self._by_text: dict[str, frozenset[str]] = {}

    def in_text(self, text: str) -> frozenset[str]:
        """The terms that a text holds; a paragraph is looked at several times, and read once."""
        held = self._by_text.get(text)
        if held is None:
            held = frozenset(self.find_occurrences(text)) or _NOTHING
            self._by_text[text] = held
        return held

    def find_occurrences(self, text: str) -> list[str]:
        """Every term as often as a text holds it, in no order."""
        found: list[str] = []
        for word in self._promising_words(fold(text)):
            terms = self._by_word.get(word)
            if terms is None:
                terms = ()
                if self._may_stand_for_term(word):
                    candidates = self._terms_of(word)
                    terms = tuple(term for term in candidates if term in self.weights)
                self._by_word[word] = terms
            found += terms
        return found

    def weight(self, terms: Iterable[str]) -> float:
        """What some of the terms weigh together."""
        return sum(map(self.weights.__getitem__, terms))

    def _find_stop_words(self, about: str, words: Iterable[str]) -> frozenset[str]:
        """Those of the languages of both texts, and of the question's own where it has some."""
        stop_words: frozenset[str] = frozenset()
        for language in self._languages.values():
            stop_words |= STOP_WORDS.get(language, _NOTHING)
        for language in languages_of(about).values():
            own = STOP_WORDS.get(language, _NOTHING)
            if len(own.intersection(words)) >= _FEWEST_STOP_WORDS:
                stop_words |= own
        return stop_words

    def _promising_words(self, folded: str) -> list[str]:
        """The words that may stand for a term: all where there are other letters than those of
        ASCII or where stems begin otherwise than words, else those that begin like a term.
        """
        is_foreign = not folded.isascii() and _FOREIGN.search(folded) is not None
        if is_foreign or self._languages.get("latin") in CHANGED_BEGINNINGS:
            return find_words(folded)
        words: dict[int, str] = {}  # by where they begin
        for spelling in self._spellings:
            # to look for a string is several times faster than to look for a pattern
            at = folded.find(spelling)
            while at >= 0:
                word = _WHOLE_WORD.match(folded, at)
                if word:
                    words[at] = word[0]
                at = folded.find(spelling, at + len(spelling))
        return list(words.values())

    def _may_stand_for_term(self, word: str) -> bool:
        """Whether it is worth to look for the stem of a word."""
        script = script_of(word[0])
        if script in PAIRED_SCRIPTS:
            return True
        if self._language_of(script) in CHANGED_BEGINNINGS and not word[0].isdigit():
            plain = without_accents(word)
            return any(middle in plain for middle in self._middles)
        return _beginning(word) in self._beginnings

    def _terms_of(self, word: str) -> Iterable[str]:
        """The stems of a word; of a word that is compared so, its pairs of characters."""
        if word[0].isdigit():
            return (plain_number(word),)
        if word in self._stop_words:
            return ()
        script = script_of(word[0])
        if script in PAIRED_SCRIPTS:
            return pair_characters(word)
        return stems_of(self._language_of(script), word)

    def _language_of(self, script: str) -> str:
        """The language of words in a script."""
        return self._languages.get(script) or usual_language(script)


def find_words(folded: str) -> list[str]:
    """The words of a folded text, numbers included."""
    if folded.isascii():
        return _ASCII_WORD.findall(folded)
    if _BEYOND_LATIN.search(folded) is None:
        return _LATIN_WORD.findall(folded)
    return _WORD.findall(folded)


def is_particle(pair: str) -> bool:
    """Whether a pair of characters stands in any sentence."""
    return pair in _PAIRED_STOP_WORDS or not _PARTICLES.isdisjoint(pair)


def drop_particles(terms: list[str]) -> list[str]:
    """The terms without those pairs of characters that stand in any sentence, unless all do."""
    kept = []
    for term in terms:
        if not is_particle(term):
            kept.append(term)
    return kept or terms


def plain_number(word: str) -> str:
    """A number as it is compared: thousands are not set apart."""
    if _GROUPED_NUMBER.fullmatch(word):
        return word.replace(",", "").replace(".", "")
    return word


def _beginning(word: str) -> str:
    """The first letters of a word as its stem has them: without accents, `i` for `y`."""
    if word[0].isdigit():
        return plain_number(word)[:_BEGINNING]
    # a letter without its accent may be two
    start = without_accents(word[: _BEGINNING + 1])[:_BEGINNING]
    return start.replace("y", "i")


def _spellings(beginning: str) -> set[str]:
    """How a beginning may be written: with `i` and with `y`, which stems put in each other's place;
    a number with and without a sign between its thousands.
    """
    if beginning[0].isdigit():
        spellings = {beginning}
        if beginning.isdigit() and len(beginning) == _BEGINNING:
            for sign in ",.":
                spellings |= {f"{beginning[0]}{sign}{beginning[1]}", f"{beginning[:2]}{sign}"}
        return spellings
    written = [""]
    for letter in beginning:
        letters = "iy" if letter == "i" else letter
        written = [start + one for start in written for one in letters]
    return set(written)
