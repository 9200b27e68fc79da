"""Works -> their keys in a bibliography: family name, year and first word of the title, in plain
ASCII letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from webquarry._search.text import normalize_letters
from webquarry.evidence.styles.work import Work

_WORDS = re.compile(r"[a-z0-9]+")
_LONGEST = 60


def build_key(work: Work) -> str:
    """`okafor2023tidal`; for names that ASCII cannot write, what is left of it, and `source` if
    that is nothing.
    """
    author = ""
    if work.authors:
        name = work.authors[0]
        family = name.family or name.literal
        author = _join_ascii_words(family, 2)
    if not author and work.container:
        author = _join_ascii_words(work.container, 1)
    if not author and not work.title:
        return "source"
    year = "nd"
    if work.issued:
        year = str(work.issued[0])
    key = author + year + _join_ascii_words(work.title, 1)
    return key[:_LONGEST]


def build_keys(works: Iterable[Work]) -> list[str]:
    """A key for each work of a list, all different: the second of one key gets an `a`, the third a
    `b`.
    """
    keys: dict[str, None] = {}
    tried: Counter[str] = Counter()  # how far each key has come, so that many of one take no time
    for work in works:
        plain_key = build_key(work)
        key = plain_key
        while key in keys:
            key = plain_key + to_letters(tried[plain_key])
            tried[plain_key] += 1
        keys[key] = None
    return list(keys)


def to_letters(number: int) -> str:
    """0 -> `a`, 25 -> `z`, 26 -> `aa`."""
    written = ""
    while number >= 0:
        number, letter = divmod(number, 26)
        written = chr(ord("a") + letter) + written
        number -= 1
    return written


def _join_ascii_words(text: str, most: int) -> str:
    """The first words of a text without accents, in lower case; what ASCII cannot write is left
    out.
    """
    if not text.isascii():
        decomposed = normalize_letters("NFKD", text)
        text = decomposed.encode("ascii", "ignore").decode()
    found = islice(_WORDS.finditer(text.lower()), most)
    return "".join([word[0] for word in found])
