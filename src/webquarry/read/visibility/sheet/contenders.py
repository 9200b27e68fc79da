"""The rules of a page that may say something else than those that hide an element, by its names.

For a few names all rules are gone through; should there be more of them, each rule is put under its
own name once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from webquarry.read.css.nesting import RawRule
from webquarry.read.css.scan import split_list
from webquarry.read.css.selectors.model import ANYTHING
from webquarry.read.css.selectors.names import find_rough_keys

_MOST_SEARCHED = 32  # names for which all rules are gone through
_ODD = re.compile(rb"[*:\[&\\]")


class Contenders:
    """Rules that were not read yet. `find_words` names the properties that matter."""

    def __init__(self, rules: Sequence[RawRule], find_words: Callable[[], list[bytes]]) -> None:
        self._all = rules
        self._find_words = find_words
        self._rules: list[tuple[bytes, RawRule]] | None = None  # with their selectors
        self._by_key: dict[str, list[RawRule]] | None = None
        self._searched = 0
        self._keys: dict[RawRule, frozenset[str]] = {}

    def find(self, key: str) -> list[RawRule]:
        """The rules about elements that have a name."""
        if self._rules is None:
            self._rules = list(self._filter())
        self._searched += 1
        if self._searched <= _MOST_SEARCHED:
            return self._search(key)
        if self._by_key is None:
            by_key: defaultdict[str, list[RawRule]] = defaultdict(list)
            for _, rule in self._rules:
                for found in _find_keys(rule):
                    by_key[found].append(rule)
            self._by_key = by_key
        return self._by_key.get(key, [])

    def _filter(self) -> Iterator[tuple[bytes, RawRule]]:
        """The rules that declare something which matters."""
        words = self._find_words()
        for rule in self._all:
            body = rule.body
            is_odd = b"\\" in body or not body.islower()
            if is_odd or any(map(body.__contains__, words)):
                yield rule.selectors.lower(), rule

    def _search(self, key: str) -> list[RawRule]:
        """The same, found by a look at all of them."""
        assert self._rules is not None
        if key == ANYTHING:
            likely = [rule for text, rule in self._rules if _ODD.search(text)]
        else:
            name = key.lstrip(".#").encode()
            likely = [rule for text, rule in self._rules if name in text or b"\\" in text]
        return [rule for rule in likely if key in self._find_keys(rule)]

    def _find_keys(self, rule: RawRule) -> frozenset[str]:
        keys = self._keys.get(rule)
        if keys is None:
            keys = self._keys[rule] = frozenset(_find_keys(rule))
        return keys


def _find_keys(rule: RawRule) -> set[str]:
    """The names of the elements that a rule may mean."""
    if rule.selectors[:1] in (b"&", b":"):
        return {ANYTHING}
    keys: set[str] = set()
    for text in split_list(rule.selectors.decode(errors="replace")):
        keys.update(find_rough_keys(text))
    if "&" in keys:
        return {ANYTHING}
    return keys
