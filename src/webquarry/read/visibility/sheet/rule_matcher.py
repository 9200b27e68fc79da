"""Rules with their selectors -> those that mean an element, and what they declare together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webquarry.read.css.cascade import merge
from webquarry.read.css.declarations import Declarations
from webquarry.read.css.selectors.matching import Matcher, SelectorContext, bits_of
from webquarry.read.css.selectors.model import Selector
from webquarry.read.css.shorthands import apply_declarations


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


MergedRules = tuple[Declarations, Declarations, Declarations]
NOTHING_MERGED: MergedRules = ({}, {}, {})


class RuleMatcher:
    """Rules, and which of them mean an element."""

    def __init__(self, context: SelectorContext, rules: list[Rule]) -> None:
        self._rules = rules
        self._matcher = Matcher(context, [rule.selector for rule in rules])
        self.match = self._matcher.match
        self.find_possible = self._matcher.find_possible
        self.is_by_names = self._matcher.is_by_names
        self.has_rules = bool(rules)
        self.hiding = _set_bits(number for number, rule in enumerate(rules) if rule.hides)
        self.unsure = _set_bits(number for number, rule in enumerate(rules) if not rule.is_sure)

    def rules_of(self, bits: int) -> list[Rule]:
        """The rules of the bits that are set."""
        return [self._rules[number] for number in bits_of(bits)]


def merge_rules(rules: list[Rule]) -> MergedRules:
    """The ordinary and the important declarations of some rules, and all of them together."""
    rules.sort(key=lambda rule: rule.weight)
    ordinary = merge((rule.layer, rule.ordinary) for rule in rules)
    heavy = [rule for rule in rules if rule.important]
    heavy.sort(key=lambda rule: rule.important_weight)
    important = merge((-rule.layer, rule.important) for rule in heavy)
    both = dict(ordinary)
    apply_declarations(both, important)
    return ordinary, important, both


def _set_bits(numbers: Iterable[int]) -> int:
    bits = bytearray()
    for number in numbers:
        place = number >> 3
        if place >= len(bits):
            bits.extend(bytes(place + 1 - len(bits)))
        bits[place] |= 1 << (number & 7)
    return int.from_bytes(bits, "little")
