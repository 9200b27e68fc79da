"""Stems of words, by which a word is found in any of its forms.

Languages without a Snowball stemmer use the first letters, because endings change there; a Hebrew
word also matches without its one-letter prefix.
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
_LONGEST = 60  # letters; longer strings are not stemmed
_KEPT_LETTERS = 5  # of a word in a language without a stemmer
_ARABIC_ARTICLE = re.compile("(?:[وفبك]?ال|و?لل)(?=...)")
_HEBREW_PREFIXES = frozenset("הבלמשוכ")
_SHORTEST_HEBREW = 4  # letters of a word with a prefix
# Stemmers are not thread-safe, and pages are scored in several threads.
_stemmers = threading.local()


@lru_cache(20_000)
def stems_of(language: str, word: str) -> tuple[str, ...]:
    """Return the stems of a lower-case word, without accents."""
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
    """Return this thread's stemmer of a language, None if there is none."""
    if not hasattr(_stemmers, "by_language"):
        _stemmers.by_language = {}
    by_language: dict[str, Any] = _stemmers.by_language
    if language not in by_language:
        import Stemmer  # large; only loaded when words are compared

        stemmer = None
        if language in Stemmer.algorithms():
            stemmer = Stemmer.Stemmer(language)
        by_language[language] = stemmer
    return by_language[language]
