"""Text and addresses from the web -> what may stand in an answer.

Nothing in them is invisible, turns the direction of reading, or passes for a delimiter of a chat.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import quote

from webquarry._read.text.characters import INVISIBLE, clean
from webquarry._read.text.delimiters import BRACKETS
from webquarry._search.text import shorten_text

LONGEST_LINE = 10_000  # characters
_MAY_BE_ENCODED = frozenset('<>" [')
_ENCODED_IN_URLS = re.compile(rf'[<>"\s]|{BRACKETS}|{INVISIBLE.pattern}')


def clean_line(text: str) -> str:
    """A title, a name, a snippet or an abstract in one line; what is longer ends in dots."""
    is_clean = text.isascii() and text.isprintable() and "<" not in text and "[" not in text
    if is_clean and "  " not in text and text == text.strip() and len(text) <= LONGEST_LINE:
        return text  # as nearly all
    return _clean_short_line(shorten_text(text, LONGEST_LINE))


@lru_cache(2048)  # answers from the cache hold the same texts again and again
def _clean_short_line(text: str) -> str:
    cleaned = clean(text)
    return " ".join(cleaned.split())


def clean_text(text: str) -> str:
    """A text of several lines."""
    return clean(text).strip()


@lru_cache(2048)
def clean_url(url: str) -> str:
    """The same address, with what a reader would not see percent-encoded."""
    if url.isascii() and url.isprintable() and _MAY_BE_ENCODED.isdisjoint(url):
        return url  # as nearly all
    return _ENCODED_IN_URLS.sub(lambda match: quote(match[0], safe="", errors="replace"), url)
