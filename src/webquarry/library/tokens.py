"""Terms -> what stands for them in the index of one caller: keyed hashes, so that no word lies on
the disk, and no caller finds what another has read.
"""

from __future__ import annotations

from hashlib import blake2b

from webquarry.library.terms import Languages, TextTerms, words_of_text

SIGNS = "!#$%&()*+,-./:;<=>?@[]^_{|}~"  # that tokens are made of, besides letters and digits
_ALPHABET = f"abcdefghijklmnopqrstuvwxyz0123456789{SIGNS}"
_BYTES = 4
_LENGTH = 5  # of six bits each: a collision in a million terms is rare, and does little
_MOST_KEPT = 200_000  # words whose tokens are remembered


class TermTokens:
    """The tokens of one caller's terms."""

    def __init__(self, key: bytes, most_kept: int = _MOST_KEPT) -> None:
        self.key = key
        self._most_kept = most_kept
        self._by_word: dict[str, dict[str, str]] = {}  # by languages, then by word
        self._kept = 0

    def of_term(self, term: str) -> str:
        """What stands for a term."""
        digest = blake2b(term.encode("utf-8", "replace"), digest_size=_BYTES, key=self.key)
        number = int.from_bytes(digest.digest())
        token = ""
        for _ in range(_LENGTH):
            token += _ALPHABET[number & 63]
            number >>= 6
        return token

    def of_text(self, text: str, languages: Languages) -> str:
        """What stands for the words of a text, in their order."""
        known = self._get_known(languages)
        words = words_of_text(text)
        tokens = list(map(known.get, words))
        if None in tokens:
            self._add_words({word for word in words if word not in known}, known, languages)
            tokens = list(map(known.get, words))
        return " ".join(filter(None, tokens))

    def _add_words(self, words: set[str], known: dict[str, str], languages: Languages) -> None:
        """Learn what stands for words; nothing does for those that say nothing."""
        terms = TextTerms(languages)
        for word in words:
            known[word] = " ".join(map(self.of_term, terms.of_word(word)))
        self._kept += len(words)

    def _get_known(self, languages: Languages) -> dict[str, str]:
        """The words of these languages that were seen before."""
        if self._kept > self._most_kept:
            self._by_word.clear()
            self._kept = 0
        name = " ".join(f"{script}={language}" for script, language in sorted(languages.items()))
        return self._by_word.setdefault(name, {})
