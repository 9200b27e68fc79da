"""Terms of texts and questions, and the tokens that represent them in the index.

A text is stemmed in its own language, a question in every language that it may be in and that a
page is in. Tokens are keyed hashes: the index contains no words, and callers have different tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import blake2b

from webquarry.evidence.language.languages import languages_of, usual_language
from webquarry.evidence.language.stopwords import STOP_WORDS
from webquarry.evidence.language.terms import drop_particles, is_particle
from webquarry.evidence.language.words import (
    PAIRED,
    find_words,
    fold,
    pair_characters,
    plain_number,
    script_of,
    stems_of,
)

Languages = Mapping[str, str]  # of the words in each script

SIGNS = "!#$%&()*+,-./:;<=>?@[]^_{|}~"  # that tokens are made of, besides letters and digits
_ALPHABET = f"abcdefghijklmnopqrstuvwxyz0123456789{SIGNS}"
_BYTES = 4
_LENGTH = 5  # of six bits each: a collision in a million terms is rare, and does little
_MOST_KEPT = 200_000  # words whose tokens are remembered
_SAMPLE = 3_000  # characters that tell a language
_NOTHING: frozenset[str] = frozenset()
_TONAL = frozenset({"vietnamese"})  # whose marks tell words apart
# Which a question may be in whose words tell nothing.
_LIKELY = {
    "latin": (
        "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "swedish",
        "danish", "norwegian", "finnish", "turkish", "romanian", "hungarian", "polish",
        "vietnamese",
    ),
    "cyrillic": ("russian", "ukrainian", "bulgarian"),
    "arabic": ("arabic", "persian", "urdu"),
    "hebrew": ("hebrew",),
    "devanagari": ("hindi", "nepali"),
}  # fmt: skip


def find_languages(text: str) -> dict[str, str]:
    """Return the languages of a text by script."""
    return languages_of(text[:_SAMPLE])


class TextTerms:
    """Terms of words in some languages."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        self._stop_words = _find_stop_words(languages)

    def of_word(self, word: str) -> tuple[str, ...]:
        """Return the terms of a word; none for a stop word."""
        if word in self._stop_words:
            return ()
        if word[0].isdigit():
            return (plain_number(word),)
        script = script_of(word[0])
        if script == PAIRED:
            return tuple(pair for pair in pair_characters(word) if not is_particle(pair))
        language = self._languages.get(script) or usual_language(script)
        return find_stems(language, word)


def name_language(language: str) -> str:
    """Return the term that marks pages in a language."""
    return f"\n{language}"


def find_stems(language: str, word: str) -> tuple[str, ...]:
    """Return the stems of a word; in tonal languages the word itself."""
    if language in _TONAL:
        return (word,)
    return stems_of(language, word)


def words_of_text(text: str) -> list[str]:
    """Return the folded words of a text."""
    return find_words(fold(text))


def question_terms(question: str, is_known: Callable[[str], bool]) -> list[frozenset[str]]:
    """Return the terms of each word of a question in every known language that it may be in. Stop
    words are left out, unless there are no others.
    """
    words = list(dict.fromkeys(words_of_text(question)))
    languages = languages_of(question)
    stop_words = _find_stop_words(languages)
    kept = [word for word in words if word not in stop_words]
    likely = _choose_languages(kept or words, languages, is_known)
    found: dict[frozenset[str], None] = {}
    paired: list[str] = []
    for word in kept or words:
        script = script_of(word[0])
        if word[0].isdigit():
            found[frozenset({plain_number(word)})] = None
        elif script == PAIRED:
            paired += pair_characters(word)
        else:
            stems: set[str] = set()
            for language in likely[script]:
                stems.update(find_stems(language, word))
            found[frozenset(stems)] = None
    for pair in drop_particles(paired):
        found[frozenset({pair})] = None
    return list(found)


def _choose_languages(
    words: list[str], languages: Languages, is_known: Callable[[str], bool]
) -> dict[str, list[str]]:
    """Return the languages that words may be in, by script: the likely one, the usual one, and
    others that a page is in.
    """
    chosen: dict[str, list[str]] = {}
    for script in {script_of(word[0]) for word in words}:
        usual = usual_language(script)
        first = languages.get(script) or usual
        others = [one for one in _LIKELY.get(script, ()) if one not in (first, usual)]
        chosen[script] = list(dict.fromkeys((first, usual, *filter(is_known, others))))
    return chosen


def _find_stop_words(languages: Languages) -> frozenset[str]:
    stop_words: frozenset[str] = frozenset()
    for language in languages.values():
        stop_words |= STOP_WORDS.get(language, _NOTHING)
    return stop_words


class TermTokens:
    """Tokens of the terms of one caller."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._by_word: dict[str, dict[str, str]] = {}  # by languages, then by word
        self._kept = 0

    def of_term(self, term: str) -> str:
        """Return the token of a term."""
        digest = blake2b(term.encode("utf-8", "replace"), digest_size=_BYTES, key=self._key)
        number = int.from_bytes(digest.digest())
        token = ""
        for _ in range(_LENGTH):
            token += _ALPHABET[number & 63]
            number >>= 6
        return token

    def of_text(self, text: str, languages: Languages) -> str:
        """Return the tokens of the words of a text, in order."""
        known = self._get_known(languages)
        words = words_of_text(text)
        tokens = list(map(known.get, words))
        if None in tokens:
            self._add_words({word for word in words if word not in known}, known, languages)
            tokens = list(map(known.get, words))
        return " ".join(filter(None, tokens))

    def _add_words(self, words: set[str], known: dict[str, str], languages: Languages) -> None:
        """Add the tokens of words."""
        terms = TextTerms(languages)
        for word in words:
            known[word] = " ".join(map(self.of_term, terms.of_word(word)))
        self._kept += len(words)

    def _get_known(self, languages: Languages) -> dict[str, str]:
        """Return the tokens of words in these languages that were seen before."""
        if self._kept > _MOST_KEPT:
            self._by_word.clear()
            self._kept = 0
        name = " ".join(f"{script}={language}" for script, language in sorted(languages.items()))
        return self._by_word.setdefault(name, {})
