"""Text and addresses from the web -> what may stand in an answer.

Nothing in them is invisible, turns the direction of reading, or passes for a delimiter of a chat.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from webquarry.read.text.characters import INVISIBLE, clean

_ENCODED_IN_URLS = re.compile(rf'[<>"\s]|{INVISIBLE.pattern}')


@lru_cache(2048)  # answers from the cache hold the same texts again and again
def clean_line(text: str) -> str:
    """A title or a snippet in one line."""
    cleaned = clean(text).text
    return " ".join(cleaned.split())


def clean_text(text: str) -> str:
    """A text of several lines."""
    return clean(text).text.strip()


@lru_cache(2048)
def clean_url(url: str) -> str:
    """The same address, with what a reader would not see percent-encoded."""
    return _ENCODED_IN_URLS.sub(lambda match: quote(match[0], safe="", errors="replace"), url)
