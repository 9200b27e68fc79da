"""A work -> its key in a bibliography: family name, year and first word of the title, in plain ASCII letters."""

from __future__ import annotations

import re
import unicodedata

from webquarry.evidence.styles.work import Work

_WORDS = re.compile(r"[a-z0-9]+")
_LONGEST = 60


def key_of(work: Work) -> str:
    """`okafor2023tidal`; for names that ASCII cannot write, what is left of it, and `source` if that is nothing."""
    name = work.authors[0] if work.authors else None
    author = "" if name is None else "".join(_ascii(name.family or name.literal)[:2])
    if not author and work.container:
        author = "".join(_ascii(work.container)[:1])
    year = str(work.issued[0]) if work.issued else "nd"
    return (author + year + "".join(_ascii(work.title)[:1]))[:_LONGEST] if author or work.title else "source"


def _ascii(text: str) -> list[str]:
    return _WORDS.findall(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())
