"""The parts of a compound, while they are read -> the compound."""

from __future__ import annotations

from webquarry._read.css.selectors.model import (
    ANYTHING,
    Compound,
    ElementTest,
    SelectorList,
    Specificity,
)
from webquarry._read.css.selectors.pseudo import (
    STATES,
    AnyOf,
    AttributeTest,
    Constant,
    ElementState,
)

NEVER = Constant(False)


class CompoundParts:
    """A compound while it is read."""

    def __init__(self) -> None:
        self.tag = ""
        self.identities: list[str] = []
        self.classes: set[str] = set()
        self.tests: list[ElementTest] = []
        # how many ids, classes and tags it weighs
        self.of_ids = self.of_classes = self.of_tags = 0

    def add_weight(self, specificity: Specificity) -> None:
        ids, classes, tags = specificity
        self.of_ids += ids
        self.of_classes += classes
        self.of_tags += tags

    def add_test(self, test: ElementTest) -> None:
        self.tests.append(test)
        self.add_weight(test.specificity)


def name_parent(parent: SelectorList) -> Compound:
    """What a rule around another one means, as the first compound of the inner one."""
    if len(parent.selectors) == 1 and parent.is_compound:
        return parent.selectors[0].last
    parts = CompoundParts()
    parts.add_test(AnyOf(parent, False, parent.specificity, parent.is_by_names))
    return build_compound(f"&{id(parent)}", parts)


def build_compound(text: str, parts: CompoundParts) -> Compound:
    """The compound of some parts; `text` is as it was written."""
    identity = ""
    tests = parts.tests
    if parts.identities:
        identity = parts.identities[0]
        if len(set(parts.identities)) > 1:
            tests = [NEVER]  # no element has two
    if len(tests) > 1:
        tests = sorted(tests, key=_asks_element)
    weight = (parts.of_ids, parts.of_classes, parts.of_tags)
    keys = _find_keys(parts, identity, tests)
    classes = frozenset(parts.classes)
    return Compound(text, parts.tag, identity, classes, tuple(tests), keys, weight)


def _asks_element(test: ElementTest) -> bool:
    """Whether the names of an element do not decide a test."""
    return not test.by_names


def _find_keys(parts: CompoundParts, identity: str, tests: list[ElementTest]) -> tuple[str, ...]:
    """The names by which elements find a compound: `#id`, `.class`, a tag, `[` and an attribute, or
    that it may mean anything.
    """
    if identity:
        return (f"#{identity}",)
    if parts.classes:
        return (f".{min(parts.classes)}",)
    if parts.tag:
        return (parts.tag,)
    for test in tests:
        if isinstance(test, AnyOf) and not test.refused:
            keys = test.selectors.keys
            if ANYTHING not in keys:
                return keys
    for test in tests:
        if isinstance(test, AttributeTest):
            return (f"[{test.name}",)
        if isinstance(test, ElementState) and test.judge is STATES["root"]:
            return ("html",)
    return (ANYTHING,)
