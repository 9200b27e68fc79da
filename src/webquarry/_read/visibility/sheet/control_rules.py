"""The controls of a page -> whether a person sees one of them, by the rules of style about it,
wherever it stands.

A page has thousands of rules. For the first controls only those about them and what is around them
are read, which are few; for more, all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Protocol

from lxml import etree

from webquarry._read.css.declarations import Declarations
from webquarry._read.css.rules import find_names
from webquarry._read.css.selectors.attributes import read_names
from webquarry._read.html.tree import collect_names
from webquarry._read.visibility.covers import MOST_CHILDREN
from webquarry._read.visibility.lookup import MOST_LOOKED_INTO

_MOST_NEAR = 2  # times that only the rules around some controls are read
_MOST_LOOKED_AT = 40  # controls around which names are looked for
_DEEPEST = 100  # elements around one; for what lies deeper all rules are read


class SeesElements(Protocol):
    """Knows the rules about some elements."""

    def sees(self, element: etree._Element) -> bool: ...

    def close(self) -> None: ...

    def find_layout(self, element: etree._Element) -> Declarations: ...


class ControlRules:
    """Reads the rules about controls when one is asked about. `read_rules` gives what knows those
    for some names; it is also told whether these are all the names of the page.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        css: bytes,
        read_rules: Callable[[frozenset[str], bool], SeesElements],
    ) -> None:
        self._roots = roots
        self._css = css
        self._read_rules = read_rules
        self._all: SeesElements | None = None
        self._near: SeesElements | None = None
        self._names: frozenset[str] = frozenset()  # those that `_near` knows
        self._asked: set[bytes] = set()  # the words that were looked for in all rules
        self._words: set[bytes] = set()  # those that are there
        self._looked_at = 0
        self._times_read = 0
        self._is_asking = False

    def close(self) -> None:
        """Let go of the rules that were read."""
        readers = [one for one in (self._near, self._all) if one is not None]
        self._near = self._all = None
        for reader in readers:
            reader.close()

    def is_seen(self, control: etree._Element) -> bool:
        """Whether a person sees something of a control."""
        # whether it is seen may depend on other controls, about which it is not asked twice
        names = None
        if self._all is None and not self._is_asking and self._looked_at < _MOST_LOOKED_AT:
            self._looked_at += 1
            names = self._find_names_around(control)
        if names is not None:
            is_known = self._near is not None and names <= self._names
            if not is_known and self._times_read < _MOST_NEAR:
                self._times_read += 1
                self._names |= names
                self._near = self._read_rules(self._names, False)
                is_known = True
            if is_known and self._near is not None:
                self._is_asking = True
                is_seen = self._near.sees(control)
                self._is_asking = False
                return is_seen
        return self.find_all().sees(control)

    def find_all(self) -> SeesElements:
        """What knows the rules for all elements of the page."""
        if self._all is None:
            self._all = self._read_rules(collect_names(self._roots), True)
        return self._all

    def _find_names_around(self, element: etree._Element) -> frozenset[str] | None:
        """The classes and ids, in lower case, of all elements by which it is decided whether
        something of one is seen: those in it, those around it, and the first children of each.
        Names that no rule speaks of are left out; None where there are too many of them.
        """
        values: set[str] = set()
        inside = islice(element.iter(etree.Element), MOST_LOOKED_INTO)
        around = list(islice(element.iterancestors(), _DEEPEST + 1))
        if len(around) > _DEEPEST:
            return None
        for box in (*inside, *around):
            for one in (box, *islice(box, MOST_CHILDREN)):
                _, classes, identity = read_names(one)
                values.add(classes or "")
                values.add(identity or "")
        names = frozenset(" ".join(values).lower().split())
        asked = {name.encode() for name in names if name.isascii()} - self._asked
        if asked:
            self._asked |= asked
            self._words |= find_names(self._css, asked)
        words = self._words
        return frozenset(name for name in names if not name.isascii() or name.encode() in words)
