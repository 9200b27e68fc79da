"""Rules with their selectors -> those that mean an element, and what they declare together."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from lxml import etree

from webquarry._read.css.cascade import merge
from webquarry._read.css.declarations import Declarations
from webquarry._read.css.selectors.matching import Matcher, SelectorContext, bits_of
from webquarry._read.css.selectors.model import ElementNames, Selector
from webquarry._read.css.shorthands import apply_declarations
from webquarry._read.css.variables import has_calls
from webquarry._read.visibility.sheet.rule_judge import may_hide


class Rule:
    """What one selector declares. Not to be changed."""

    def __init__(
        self,
        selector: Selector,
        ordinary: Declarations,
        important: Declarations,
        order: int,
        layer: int,
        is_sure: bool = True,
    ) -> None:
        """`layer` is the rank of its layer; `is_sure` is False if its media condition could not be
        decided.
        """
        self.selector = selector
        self.ordinary = ordinary
        self.important = important
        self.order = order
        self.layer = layer
        self.is_sure = is_sure

    @property
    def weight(self) -> tuple[int, tuple[int, int, int], int]:
        """By what rules are sorted: the heavier one counts."""
        return self.layer, self.selector.specificity, self.order

    @property
    def important_weight(self) -> tuple[int, tuple[int, int, int], int]:
        """The same among important declarations, where the first layers count most."""
        return -self.layer, self.selector.specificity, self.order


class MergedRules:
    """What some rules declare together; `both` is all of it. Not to be changed."""

    def __init__(self, ordinary: Declarations, important: Declarations, both: Declarations) -> None:
        self.ordinary = ordinary
        self.important = important
        self.both = both
        # some value depends on the element, by a variable or an attribute
        self.has_calls = any(map(has_calls, both.values()))


class RuleMatcher:
    """Rules, and which of them mean an element."""

    def __init__(self, context: SelectorContext, rules: list[Rule]) -> None:
        self._rules = rules
        self.matcher = Matcher(context, [rule.selector for rule in rules])
        self._hiding: int | None = None  # once asked for
        self.unsure = _set_bits(number for number, rule in enumerate(rules) if not rule.is_sure)

    def match(self, element: etree._Element, names: ElementNames) -> int:
        """The rules that mean an element of some names, as bits."""
        return self.matcher.match_named(element, names)

    def find_hiding(self) -> int:
        """Return the rules that may hide an element, as bits."""
        if self._hiding is None:
            rules = enumerate(self._rules)
            self._hiding = _set_bits(
                number for number, rule in rules if may_hide(rule.ordinary | rule.important)
            )
        return self._hiding

    def rules_of(self, bits: int) -> list[Rule]:
        """The rules of the bits that are set."""
        return [self._rules[number] for number in bits_of(bits)]


def merge_rules(rules: list[Rule]) -> MergedRules:
    """What some rules declare together; they are put into the order in which they count."""
    rules.sort(key=attrgetter("weight"))
    ordinary = merge([(rule.layer, rule.ordinary) for rule in rules])
    heavy = [rule for rule in rules if rule.important]
    heavy.sort(key=attrgetter("important_weight"))
    important = merge([(-rule.layer, rule.important) for rule in heavy])
    both = dict(ordinary)
    apply_declarations(both, important)
    return MergedRules(ordinary, important, both)


class NamedElements:
    """What the rules of a page say of all elements with the same names."""

    def __init__(self, names: ElementNames, *, is_steady: bool, is_unknown: bool) -> None:
        """`is_steady` says that the same rules which may hide them mean all of them, `is_unknown`
        that a rule may do so which was not looked into.
        """
        self.names = names
        self.is_steady = is_steady
        self.is_unknown = is_unknown
        self.style: Declarations | None = None  # that of all of them, if that is known


def _set_bits(numbers: Iterable[int]) -> int:
    bits = bytearray()
    for number in numbers:
        place = number >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")
