"""Rules with their selectors -> those that mean an element, and what they declare together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from webquarry.read.css.cascade import merge
from webquarry.read.css.declarations import Declarations
from webquarry.read.css.selectors.matching import Matcher, SelectorContext, bits_of
from webquarry.read.css.selectors.model import ElementNames, Selector
from webquarry.read.css.shorthands import apply_declarations
from webquarry.read.css.variables import has_calls


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What one selector declares."""

    selector: Selector
    ordinary: Declarations
    important: Declarations
    order: int
    layer: int  # the rank of its layer
    hides: bool  # by itself
    is_sure: bool = True  # that it applies to the page

    @property
    def weight(self) -> tuple[int, tuple[int, int, int], int]:
        """By what rules are sorted: the heavier one counts."""
        return self.layer, self.selector.specificity, self.order

    @property
    def important_weight(self) -> tuple[int, tuple[int, int, int], int]:
        """The same among important declarations, where the first layers count most."""
        return -self.layer, self.selector.specificity, self.order


class MergedRules(NamedTuple):
    """What some rules declare together."""

    ordinary: Declarations
    important: Declarations
    both: Declarations
    has_calls: bool  # some value in both depends on the element, by a variable or an attribute


NOTHING_MERGED = MergedRules({}, {}, {}, False)


class RuleMatcher:
    """Rules, and which of them mean an element."""

    def __init__(self, context: SelectorContext, rules: list[Rule]) -> None:
        self._rules = rules
        self.matcher = Matcher(context, [rule.selector for rule in rules])
        self.has_rules = bool(rules)
        self.hiding = _set_bits(number for number, rule in enumerate(rules) if rule.hides)
        self.unsure = _set_bits(number for number, rule in enumerate(rules) if not rule.is_sure)

    def match(self, element: etree._Element, names: ElementNames) -> int:
        """The rules that mean an element of some names, as bits."""
        return self.matcher.match_named(element, names)

    def rules_of(self, bits: int) -> list[Rule]:
        """The rules of the bits that are set."""
        return [self._rules[number] for number in bits_of(bits)]


def merge_rules(rules: list[Rule]) -> MergedRules:
    """What some rules declare together; they are put into the order in which they count."""
    rules.sort(key=lambda rule: rule.weight)
    ordinary = merge((rule.layer, rule.ordinary) for rule in rules)
    heavy = [rule for rule in rules if rule.important]
    heavy.sort(key=lambda rule: rule.important_weight)
    important = merge((-rule.layer, rule.important) for rule in heavy)
    both = dict(ordinary)
    apply_declarations(both, important)
    return MergedRules(ordinary, important, both, any(map(has_calls, both.values())))


def _set_bits(numbers: Iterable[int]) -> int:
    bits = bytearray()
    for number in numbers:
        place = number >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")
