"""A word and its language -> the stems that it is found by.

By the stemmer of Snowball where there is one. Of other languages the first letters are taken, as
endings are what changes there; a Hebrew word is also found without the small word before it.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from typing import Any

from webquarry.evidence.language.letters import without_accents

# Languages whose stems may begin otherwise than their words.
CHANGED_BEGINNINGS = frozenset(
    {"arabic", "dutch", "hebrew", "indonesian", "irish", "serbian", "yiddish"}
)
_LONGEST = 60  # letters of a word that is stemmed; anything longer is none
_KEPT_LETTERS = 5  # of a word in a language without a stemmer
_ARABIC_ARTICLE = re.compile("(?:[وفبك]?ال|و?لل)(?=...)")
_HEBREW_PREFIXES = frozenset("הבלמשוכ")
_SHORTEST_HEBREW = 4  # letters of a word that a small one may stand before
# a stemmer holds the word it is at work on, and pages are judged in several threads
_stemmers = threading.local()


@lru_cache(20_000)
def stems_of(language: str, word: str) -> tuple[str, ...]:
    """The stems of a word in small letters, without accents."""
    if len(word) > _LONGEST:
        return (word,)
    if language == "hebrew":
        if len(word) >= _SHORTEST_HEBREW and word[0] in _HEBREW_PREFIXES:
            return word, word[1:]
        return (word,)
    if language == "arabic":
        article = _ARABIC_ARTICLE.match(word)
        if article:
            word = word[article.end() :]
    stemmer = _find_stemmer(language)
    if stemmer is None:
        plain = without_accents(word)
        return (plain[:_KEPT_LETTERS],)
    stem = str(stemmer.stemWord(word))
    return (without_accents(stem or word),)


def _find_stemmer(language: str) -> Any:
    """The stemmer of a language, made once for each thread; None where there is none."""
    if not hasattr(_stemmers, "by_language"):
        _stemmers.by_language = {}
    by_language: dict[str, Any] = _stemmers.by_language
    if language not in by_language:
        import snowballstemmer  # many tables; only needed once there is something to compare

        stemmer = None
        if language in snowballstemmer.algorithms():
            stemmer = snowballstemmer.stemmer(language)
        by_language[language] = stemmer
    return by_language[language]
