"""The words of a question as a register takes them: a text in, words and phrases without any sign
of a query language out.
"""

from __future__ import annotations

import re
import unicodedata

_PARTS = re.compile(r'"([^"]*)"|([^\s"]+)')
_UNSAFE = re.compile(r"[^\w\s&'’.+-]|_")
_FILLING = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "for",
        "from",
        "has",
        "have",
        "how",
        "in",
        "into",
        "is",
        "it",
        "its",
        "not",
        "of",
        "on",
        "or",
        "that",
        "the",
        "their",
        "this",
        "to",
        "using",
        "via",
        "was",
        "were",
        "what",
        "which",
        "with",
    ]
)


def bare(text: str) -> str:
    """A value in one line, of letters, digits and the signs that stand in names; no quotation mark,
    no operator.
    """
    return " ".join(_UNSAFE.sub(" ", unicodedata.normalize("NFC", text)).split())


def terms(text: str, most: int) -> tuple[list[str], bool]:
    """The words and quoted phrases of a text, each once, without the small words; and whether some
    were left out.
    """
    found: dict[str, None] = {}
    for phrase, word in _PARTS.findall(text):
        said = bare(phrase) if phrase else bare(word)
        for one in [said] if phrase else said.split():
            if any(map(str.isalnum, one)) and (phrase or one.casefold() not in _FILLING):
                found.setdefault(one.strip("-'’.+&") or one)
    kept = list(found) or bare(text).split()
    return kept[:most], len(kept) > most
