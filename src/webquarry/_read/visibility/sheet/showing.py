"""The rules of a page -> the names that some state of it shows, though others hide them."""

from __future__ import annotations

import re
from collections.abc import Set

from webquarry._read.css.rules import SOMETIMES, Rules
from webquarry._read.css.scan import split_list
from webquarry._read.css.selectors.names import NAMES, find_last_names
from webquarry._read.visibility.sheet.page_selectors import uses_known_pseudo

_SHOWING_WORDS = ("display:", "visibility:v", "opacity:", "height:")
_SHOWS = re.compile(
    r"display:(?!none)|visibility:visible|opacity:(?:1|0?\.[1-9]|\d\d)"
    r"|height:(?:[1-9]|none|auto|fit|max|var)"
)


def find_shown(rules: Rules, keys: Set[str]) -> tuple[set[str], set[str]]:
    """The classes and ids among some keys that a state of the page shows, and those that windows of
    some width show.
    """
    shown: set[str] = set()
    by_width: set[str] = set()
    names = {key[1:] for key in keys if key[0] in ".#"}
    for rule in rules.showing(names):
        is_hinted = any(word in rule.body for word in _SHOWING_WORDS)
        if not is_hinted or not _SHOWS.search(rule.body):
            continue
        selectors = rule.selectors.lower()
        if not uses_known_pseudo(selectors):
            continue  # browsers drop it
        if names.isdisjoint(NAMES.findall(selectors)):
            continue
        for text in split_list(selectors):
            last = find_last_names(text.strip().partition("::")[0])
            if names.isdisjoint(last):
                continue
            if rule.when == SOMETIMES:
                by_width.update(last)
            if rule.when == SOMETIMES or len(last) > 1 or _is_of_state(text.strip()):
                shown.update(last)
    return shown, by_width


def _is_of_state(text: str) -> bool:
    """Whether a selector asks for more than names."""
    return ":" in text or "[" in text or len(text.split()) > 1
