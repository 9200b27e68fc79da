"""Titles: the name of the site taken off their end, and the capitals that MLA wants."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult

from webquarry._search.addresses import split_host, split_url

_SEPARATORS = (" | ", " · ", " – ", " — ", " - ", " :: ")
_SMALL_WORDS = """
    a an the and but for nor or so yet as at by in into of off on onto out over per to up via
    with from about above across after against along among around before behind below beneath
    beside between beyond despite down during except inside like near since through throughout
    toward towards under until upon within without
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_PLAIN_WORD = re.compile(r"([\"'“‘(\[]*)([A-Za-z][a-z'’]*(?:-[a-z'’]+)*)([\"'”’)\],.;:!?…]*)")
_SENTENCE_START = (":", "?", "!", "—", "–")


@lru_cache(maxsize=4)  # asked several times for each page
def host_of_page(url: str) -> str:
    """The host of a page, without the `www.` that says nothing."""
    try:
        return (split_page(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def split_page(url: str) -> SplitResult:
    """The parts of the address of a page, whatever its port; ValueError for one that cannot be an
    address.
    """
    try:
        return split_host(url)[0]  # which is asked for more than once
    except ValueError:
        return split_url(url)


def title_from_url(url: str) -> str:
    """What to call a page that has no title: its host and path."""
    try:
        path = split_page(url).path.rstrip("/")
    except ValueError:
        return url
    return host_of_page(url) + path or url


def without_site(title: str, host: str, site: str = "") -> str:
    """Many titles end in the site's name, which a citation gives anyway."""
    place = max(map(title.rfind, _SEPARATORS))
    if place <= 0:
        return title
    ending = _only_letters(title[place:].strip(" |·–—-:"))
    site_names = {*host.lower().replace("-", "").split("."), _only_letters(host)}
    site_names.add(_only_letters(site))
    if ending and ending in site_names:
        return title[:place]
    return title


def _only_letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    kept = filter(str.isalnum, text.lower())
    return "".join(kept)


def title_case(title: str) -> str:
    """An English title in the capitals of MLA.

    Words with capitals of their own (`NASA`, `iPhone`) and words that are no plain words
    (`height()`, `example.org`) stay as they are.
    """
    words = title.split(" ")
    capitalised: list[str] = []
    for place, word in enumerate(words):
        found = _PLAIN_WORD.fullmatch(word)
        if not found:
            capitalised.append(word)
            continue
        starts = place == 0 or words[place - 1].endswith(_SENTENCE_START)
        ends = place == len(words) - 1
        before, letters, after = found.groups()
        if letters.lower() in _SMALL and not starts and not ends:
            capitalised.append(before + letters.lower() + after)
            continue
        parts = letters.split("-")
        for number, part in enumerate(parts):
            if number == 0 or part not in _SMALL:
                parts[number] = part[:1].upper() + part[1:]
        capitalised.append(before + "-".join(parts) + after)
    return " ".join(capitalised)
