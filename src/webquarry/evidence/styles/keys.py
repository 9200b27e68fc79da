"""Works -> their keys in a bibliography: family name, year and first word of the title, in plain
ASCII letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count

from webquarry.evidence.styles.work import Work

_WORDS = re.compile(r"[a-z0-9]+")
_LONGEST = 60


def build_key(work: Work) -> str:
    """`okafor2023tidal`; for names that ASCII cannot write, what is left of it, and `source` if
    that is nothing.
    """
    name = work.authors[0] if work.authors else None
    if name is None:
        author = ""
    else:
        author = "".join(_ascii(name.family or name.literal)[:2])
    if not author and work.container:
        author = "".join(_ascii(work.container)[:1])
    year = str(work.issued[0]) if work.issued else "nd"
    if author or work.title:
        return (author + year + "".join(_ascii(work.title)[:1]))[:_LONGEST]
    return "source"


def build_keys(works: Iterable[Work]) -> list[str]:
    """A key for each work of a list, all different: the second of one key gets an `a`, the third a
    `b`.
    """
    given: dict[str, None] = {}
    letters: dict[
        str, Iterator[str]
    ] = {}  # how far each key has come, so that many of one key take no time
    for work in works:
        key = plain_key = build_key(work)
        while key in given:
            key = plain_key + next(letters.setdefault(plain_key, _letters()))
        given[key] = None
    return list(given)


def letters_of(place: int) -> str:
    """0 -> `a`, 25 -> `z`, 26 -> `aa`."""
    written = ""
    while place >= 0:
        place, letter = divmod(place, 26)
        written = chr(ord("a") + letter) + written
        place -= 1
    return written


def _letters() -> Iterator[str]:
    return map(letters_of, count())


def _ascii(text: str) -> list[str]:
    return _WORDS.findall(
        unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    )
