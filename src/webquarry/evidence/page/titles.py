"""Titles: the name of the site taken off their end, and the capitals that MLA wants."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_SEPARATORS = (" | ", " · ", " – ", " — ", " - ", " :: ")
_SMALL_WORDS = (
    "a an the and but for nor or so yet as at by in into of off on onto out over per to up via "
    "with from about above"
    " across after against along among around before behind below beneath beside between beyond "
    "despite down during"
    " except inside like near since through throughout toward towards under until upon within "
    "without"
)
_SMALL = frozenset(_SMALL_WORDS.split())
_PLAIN_WORD = re.compile(r"([\"'“‘(\[]*)([A-Za-z][a-z'’]*(?:-[a-z'’]+)*)([\"'”’)\],.;:!?…]*)")
_SENTENCE_START = (":", "?", "!", "—", "–")


def host_of_page(url: str) -> str:
    """The host of a page, without the `www.` that says nothing."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def title_from_url(url: str) -> str:
    """What to call a page that has no title: its host and path."""
    try:
        path = urlsplit(url).path.rstrip("/")
    except ValueError:
        return url
    return host_of_page(url) + path or url


def without_site(title: str, host: str, site: str = "") -> str:
    """Many titles end in the site's name, which a citation gives anyway."""
    place = max(title.rfind(separator) for separator in _SEPARATORS)
    if place > 0:
        bare, last = (title[:place], title[place:].strip(" |·–—-:"))
    else:
        bare, last = (title, "")
    name = _letters(last)
    names = {*host.lower().replace("-", "").split("."), _letters(host), _letters(site)}
    if name and name in names:
        return bare
    return title


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def title_case(title: str) -> str:
    """An English title in the capitals of MLA.

    Words with capitals of their own (`NASA`, `iPhone`) and words that are no plain words
    (`height()`, `example.org`) stay as they are.
    """
    words = title.split(" ")
    cased = []
    for place, word in enumerate(words):
        starts = place == 0 or words[place - 1].endswith(_SENTENCE_START)
        edge = starts or place == len(words) - 1
        cased.append(_cased(word, edge))
    return " ".join(cased)


def _cased(word: str, edge: bool) -> str:
    found = _PLAIN_WORD.fullmatch(word)
    if not found:
        return word
    before, letters, after = found.groups()
    if letters.lower() in _SMALL and not edge:
        return before + letters.lower() + after
    parts = letters.split("-")
    parts = [
        part[:1].upper() + part[1:] if at == 0 or part not in _SMALL else part
        for at, part in enumerate(parts)
    ]
    return before + "-".join(parts) + after
