"""`:has()` -> the elements that it is true of, found from what it looks for back to them.

Each step is one pass over elements of the page: those that the last compound means, then those that
are to one of them what the relation says, and so on to the left.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from lxml import etree

from webquarry._read.css.selectors.model import (
    ANCESTOR,
    BESIDE,
    PARENT,
    Compound,
    ElementNames,
    Selector,
    SelectorList,
    TreeContext,
)

_Element = etree._Element


class _SpendableBudget(Protocol):
    def spend(self, tests: int) -> bool: ...


class CountedContext(TreeContext, Protocol):
    """A page on which tests are counted."""

    @property
    def budget(self) -> _SpendableBudget: ...


class RelatedElements:
    """The elements that have what some relative selectors look for."""

    def __init__(self, context: CountedContext, selectors: SelectorList) -> None:
        self._context = context
        self.elements: set[_Element] = set()
        for one in selectors.selectors:
            self.elements |= self._find_having(one)

    def _find_having(self, selector: Selector) -> set[_Element]:
        """The elements that have what one relative selector looks for."""
        steps = list(reversed(selector.steps))
        relation, last = steps[0]
        found = self._filter(last, self._list_elements(last))
        for outer_relation, compound in steps[1:]:
            found = self._filter(compound, self._step_back(relation, found))
            relation = outer_relation
        return self._step_back(relation, found)

    def _list_elements(self, compound: Compound) -> Iterable[_Element]:
        """The elements of the page that may be what a compound means."""
        tags = [compound.tag] if compound.tag else [etree.Element]
        for root in self._context.roots:
            yield from root.iter(*tags)

    def _filter(self, compound: Compound, elements: Iterable[_Element]) -> set[_Element]:
        """Those of the elements that a compound means."""
        context = self._context
        fitting: dict[ElementNames, bool] = {}
        found: set[_Element] = set()
        for element in elements:
            names = context.names_of(element)
            fits = fitting.get(names)
            if fits is None:
                fits = fitting[names] = compound.names_fit(names)
            if not fits:
                continue
            if not compound.is_by_names:
                if not context.budget.spend(1):
                    break
                if not compound.tests_fit(element, context):
                    continue
            found.add(element)
        context.budget.spend(len(found) + len(fitting))
        return found

    def _step_back(self, relation: int, elements: set[_Element]) -> set[_Element]:
        """The elements to which one of these is a descendant, a child, the next or a later one."""
        context = self._context
        before: set[_Element] = set()
        if relation in (ANCESTOR, PARENT):
            for element in elements:
                around = context.parent_of(element)
                while around is not None and around not in before:
                    before.add(around)
                    if relation == PARENT:
                        break
                    around = context.parent_of(around)
            return before
        for element in elements:
            earlier = element.getprevious()
            while earlier is not None and earlier not in before:
                before.add(earlier)
                if relation == BESIDE:
                    break
                earlier = earlier.getprevious()
        return before
