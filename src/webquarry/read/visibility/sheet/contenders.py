"""The rules of a page that may say something else than those that hide an element, by its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lxml import etree

from webquarry.read.css.nesting import RawRule
from webquarry.read.css.scan import find_closing, split_list
from webquarry.read.css.selectors.model import ANYTHING
from webquarry.read.css.selectors.names import find_rough_keys
from webquarry.read.text.search import WordSearch

try:
    from webquarry.read.css._rule_text import last_keys_of
except ImportError:  # not built: all selectors are read here, which takes longer

    def last_keys_of(selectors: bytes) -> list[str] | None:
        """None, as for selectors that need a closer look."""


# A selector whose last compound begins with an attribute, as `.a > [data-layout="a"]::after`.
_OF_ATTRIBUTE = re.compile(
    r"(?:.*[\s>+~])?"
    r"\[([a-zA-Z][\w-]*+)(?:[~|^$*]?=(?:\"[^\"\\]*+\"|'[^'\\]*+'|[\w-]++))?\](?:::?[\w-]++)?+",
    re.ASCII | re.DOTALL,
)
_ANY_OF = re.compile(r":(?:where|is)\(", re.IGNORECASE)
_MOST_WORDS = 64  # that are looked for at once
_DEEPEST = 3  # brackets in each other that are looked into


class Contenders:
    """Rules that were not read yet. `find_words` names the properties that matter."""

    def __init__(self, rules: Sequence[RawRule], find_words: Callable[[], list[bytes]]) -> None:
        self._rules = rules
        self._find_words = find_words
        self._words: list[WordSearch] = []
        self._by_key: dict[str, list[RawRule]] = {}
        self._is_read = False
        self._attributes: frozenset[str] = frozenset()  # those that some rules must find

    def find(self, key: str) -> list[RawRule]:
        """The rules about elements that have a name, if they declare something that matters."""
        self._read()
        return [rule for rule in self._by_key.get(key, ()) if self._matters(rule.body)]

    def has_attributes(self) -> bool:
        """Whether some rules are found by attributes, and not by names."""
        self._read()
        return bool(self._attributes)

    def find_attributes(self, element: etree._Element) -> list[str]:
        """The attributes of an element that rules are found by, each behind its bracket as the
        keys of such rules are.
        """
        if not self.has_attributes():
            return []
        return [f"[{name!s}" for name in element.keys() if name in self._attributes]  # noqa: SIM118

    def _read(self) -> None:
        """Sort the rules, once one is asked for."""
        if self._is_read:
            return
        self._is_read = True
        words = [word.decode() for word in self._find_words()]
        for place in range(0, len(words), _MOST_WORDS):
            self._words.append(WordSearch(words[place : place + _MOST_WORDS]))
        self._by_key = _list_by_keys(self._rules)
        self._attributes = frozenset(key[1:] for key in self._by_key if key[0] == "[")

    def _matters(self, body: bytes) -> bool:
        """Whether the body of a rule may declare one of the properties."""
        if b"\\" in body or not body.islower():
            return True
        text = body.decode("latin-1")
        for words in self._words:  # noqa: SIM110 - a generator takes longer
            if words.is_any_in(text):
                return True
        return False


def _list_by_keys(rules: Iterable[RawRule]) -> dict[str, list[RawRule]]:
    """Rules by the names of the elements that they may mean."""
    by_key: dict[str, list[RawRule]] = {}
    for rule in rules:
        keys = last_keys_of(rule.selectors)
        if keys is None:
            keys = _find_keys(rule)
        if len(keys) == 1 and keys[0] == ANYTHING and rule.outer is None:
            keys = _find_other_keys(rule.selectors.strip().decode(errors="replace"))
        for key in dict.fromkeys(keys):
            by_key.setdefault(key, []).append(rule)
    return by_key


def _find_other_keys(selector: str) -> list[str]:
    """What an element must have that a selector without a name means: an attribute, one of the
    names in brackets; or that it may mean anything.
    """
    if selector == ":root":
        return ["html"]
    if selector.endswith(")"):
        return _find_keys_in_brackets(selector)
    if "]" in selector:
        attribute = _OF_ATTRIBUTE.fullmatch(selector)
        if attribute is not None:
            return [f"[{attribute[1].lower()}"]
    return [ANYTHING]


def _find_keys_in_brackets(selector: str, depth: int = 0) -> list[str]:
    """The names of the elements that a selector may mean which ends in `:where()` or `:is()`, as
    `:root :where(.a b, c.d)`.
    """
    place = 0
    while (found := _ANY_OF.search(selector, place)) is not None:
        end = find_closing(selector, found.end())
        if end == len(selector) - 1:
            break
        if end < 0:
            return [ANYTHING]
        place = end
    if found is None or depth >= _DEEPEST:
        return [ANYTHING]
    keys: list[str] = []
    for text in split_list(selector[found.end() : -1]):
        inner = find_rough_keys(text, ":")
        if inner == [ANYTHING]:
            inner = _find_keys_in_brackets(text.strip(), depth + 1)
        keys += inner
    if ANYTHING in keys:
        return [ANYTHING]
    return keys


def _find_keys(rule: RawRule) -> list[str]:
    """The names of the elements that a rule may mean."""
    if rule.selectors[:1] == b"&":
        return [ANYTHING]
    keys: list[str] = []
    for text in split_list(rule.selectors.decode(errors="replace")):
        keys += find_rough_keys(text, ":")
    if "&" in keys:
        return [ANYTHING]
    return keys
