"""The rules of a page that may say something else than those that hide an element, by its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from lxml import etree

from webquarry.read.css.nesting import RawRule
from webquarry.read.css.scan import split_list
from webquarry.read.css.selectors.model import ANYTHING
from webquarry.read.css.selectors.names import find_rough_keys

try:
    from webquarry.read.css._rule_text import last_keys_of
except ImportError:  # not built: all selectors are read here, which takes longer

    def last_keys_of(selectors: bytes) -> list[str] | None:
        """None, as for selectors that need a closer look."""


# A selector of one compound that begins with an attribute, as `[data-layout="a"]::after`.
_OF_ATTRIBUTE = re.compile(
    rb"\[([a-zA-Z][\w-]*+)(?:[~|^$*]?=(?:\"[^\"\\]*+\"|'[^'\\]*+'|[\w-]++))?\](?:::?[\w-]++)?+",
    re.ASCII,
)
# One that asks for nothing but the names in brackets, as `:where(.a.b)`.
_OF_NAMES = re.compile(
    rb"(?::root )?+:(?:where|is)\(([.#][a-zA-Z_][\w-]*+)(?:[.#][a-zA-Z_][\w-]*+)*+\)", re.ASCII
)


class Contenders:
    """Rules that were not read yet. `find_words` names the properties that matter."""

    def __init__(self, rules: Sequence[RawRule], find_words: Callable[[], list[bytes]]) -> None:
        self._rules = rules
        self._find_words = find_words
        self._words: list[bytes] = []
        self._by_key: dict[str, list[RawRule]] = {}
        self._is_read = False
        self._attributes: frozenset[str] = frozenset()  # those that some rules must find

    def find(self, key: str) -> list[RawRule]:
        """The rules about elements that have a name, if they declare something that matters."""
        self._read()
        return [rule for rule in self._by_key.get(key, ()) if self._matters(rule.body)]

    @property
    def has_attributes(self) -> bool:
        """Whether some rules are found by attributes, and not by names."""
        self._read()
        return bool(self._attributes)

    def find_attributes(self, element: etree._Element) -> list[str]:
        """The attributes of an element that rules are found by, each behind its bracket as the
        keys of such rules are.
        """
        return [f"[{name!s}" for name in element.keys() if name in self._attributes]  # noqa: SIM118

    def _read(self) -> None:
        """Sort the rules, once one is asked for."""
        if self._is_read:
            return
        self._is_read = True
        self._words = self._find_words()
        self._by_key = _list_by_keys(self._rules)
        self._attributes = frozenset(key[1:] for key in self._by_key if key[0] == "[")

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
        if len(keys) == 1 and keys[0] == ANYTHING and rule.outer is None:
            keys = [_find_other_key(rule.selectors.strip())]
        for key in dict.fromkeys(keys):
            by_key.setdefault(key, []).append(rule)
    return by_key


def _find_other_key(selector: bytes) -> str:
    """What an element must have that a selector without a name means: an attribute, a name in
    brackets; or that it may mean anything.
    """
    if selector == b":root":
        return "html"
    attribute = _OF_ATTRIBUTE.fullmatch(selector)
    if attribute is not None:
        return f"[{attribute[1].decode().lower()}"
    names = _OF_NAMES.fullmatch(selector)
    if names is not None:
        return names[1].decode().lower()
    return ANYTHING


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
