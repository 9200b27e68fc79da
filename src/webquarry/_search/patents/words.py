"""The words of a question as a register takes them: a text in, words and phrases without any sign
of a query language out.
"""

from __future__ import annotations

import re

from webquarry._search.replies.text import normalize_letters

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
    safe = _UNSAFE.sub(" ", normalize_letters("NFC", text))
    return " ".join(safe.split())


def terms(text: str, most: int) -> tuple[list[str], bool]:
    """The words and quoted phrases of a text, each once, without the small words; and whether some
    were left out.
    """
    found: dict[str, None] = {}
    for phrase, word in _PARTS.findall(text):
        if phrase:
            candidates = [bare(phrase)]
        else:
            words = bare(word).split()
            candidates = [one for one in words if one.casefold() not in _FILLING]
        for candidate in candidates:
            if any(map(str.isalnum, candidate)):
                found.setdefault(candidate.strip("-'’.+&") or candidate)
    every = list(found) or bare(text).split()
    return every[:most], len(every) > most
