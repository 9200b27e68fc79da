"""The rules of a page that may say something else than those that hide an element, by its names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from webquarry.read.css.nesting import RawRule
from webquarry.read.css.scan import split_list
from webquarry.read.css.selectors.model import ANYTHING
from webquarry.read.css.selectors.names import find_rough_keys

try:
    from webquarry.read.css._rule_text import last_keys_of
except ImportError:  # not built: all selectors are read here, which takes longer

    def last_keys_of(selectors: bytes) -> list[str] | None:
        """None, as for selectors that need a closer look."""


class Contenders:
    """Rules that were not read yet. `find_words` names the properties that matter."""

    def __init__(self, rules: Sequence[RawRule], find_words: Callable[[], list[bytes]]) -> None:
        self._rules = rules
        self._find_words = find_words
        self._words: list[bytes] = []
        self._by_key: dict[str, list[RawRule]] | None = None

    def find(self, key: str) -> list[RawRule]:
        """The rules about elements that have a name, if they declare something that matters."""
        if self._by_key is None:
            self._words = self._find_words()
            self._by_key = _list_by_keys(self._rules)
        return [rule for rule in self._by_key.get(key, ()) if self._matters(rule.body)]

    def _matters(self, body: bytes) -> bool:
        """Whether the body of a rule may declare one of the properties."""
        if b"\\" in body or not body.islower():
            return True
        return any(map(body.__contains__, self._words))


def _list_by_keys(rules: Iterable[RawRule]) -> dict[str, list[RawRule]]:
    """Rules by the names of the elements that they may mean."""
    by_key: dict[str, list[RawRule]] = {}
    for rule in rules:
        keys = last_keys_of(rule.selectors)
        if keys is None:
            keys = _find_keys(rule)
        for key in dict.fromkeys(keys):
            by_key.setdefault(key, []).append(rule)
    return by_key


def _find_keys(rule: RawRule) -> list[str]:
    """The names of the elements that a rule may mean."""
    if rule.selectors[:1] in (b"&", b":"):
        return [ANYTHING]
    keys: list[str] = []
    for text in split_list(rule.selectors.decode(errors="replace")):
        keys += find_rough_keys(text)
    if "&" in keys:
        return [ANYTHING]
    return keys
