"""What a parsed CSS selector is: compounds of names and tests, joined by relations.

`parser.py` makes them, `matching.py` tells which elements they mean. Names keep their
case; whether it counts is for the page to say.
"""

from __future__ import annotations

from typing import Protocol

from lxml import etree

# What the compound on the left is to the one on the right.
ANCESTOR, PARENT, BESIDE, EARLIER = range(4)
RELATIONS = {">": PARENT, "+": BESIDE, "~": EARLIER}  # by their signs; a blank is the first
ANYTHING = "*"  # the key of what has no name of its own

Specificity = tuple[int, int, int]


class ElementNames:
    """Tag, classes and id of an element, as selectors compare them. A page has one of these for
    all elements with the same.
    """

    def __init__(self, tag: str, classes: frozenset[str], identity: str) -> None:
        self.tag = tag
        self.classes = classes
        self.identity = identity


class TreeContext(Protocol):
    """What a test may ask about the page that an element stands in."""

    roots: list[etree._Element]

    @property
    def has_script(self) -> bool: ...

    def names_of(self, element: etree._Element) -> ElementNames: ...

    def parent_of(self, element: etree._Element) -> etree._Element | None: ...

    def children_of(self, parent: etree._Element | None) -> list[etree._Element]: ...

    def is_in(self, element: etree._Element, selectors: SelectorList) -> bool: ...

    def has_related(self, element: etree._Element, selectors: SelectorList) -> bool: ...

    def position_of(
        self, element: etree._Element, of_type: bool, of: SelectorList | None
    ) -> tuple[int, int] | None: ...

    def fold(self, name: str) -> str: ...


class ElementTest(Protocol):
    """Something that is asked about one element, beyond its names."""

    @property
    def by_names(self) -> bool:
        """Whether the names of the element decide it."""

    @property
    def specificity(self) -> Specificity: ...

    def fits_names(self, names: ElementNames) -> bool:
        """The answer, where the names decide it."""

    def matches(self, element: etree._Element, context: TreeContext) -> bool: ...


class Compound:
    """`p.note#first[lang]`: everything that one element must be. Not to be changed.

    `text` is as it was written: the same text in the same place means the same. An element that it
    means has one of the names in `keys`.
    """

    def __init__(
        self,
        text: str,
        tag: str = "",
        identity: str = "",
        classes: frozenset[str] = frozenset(),
        tests: tuple[ElementTest, ...] = (),
        keys: tuple[str, ...] = (ANYTHING,),
        specificity: Specificity = (0, 0, 0),
    ) -> None:
        """Those of the tests that the names decide come first."""
        self.text = text
        self.tag = tag
        self.identity = identity
        self.classes = classes
        self.tests = tests
        self.keys = keys
        self.specificity = specificity
        # whether tag, classes and id decide the matter alone
        self.is_by_names = not tests or tests[-1].by_names

    def names_fit(self, names: ElementNames) -> bool:
        """Whether the names are right, and all that they decide."""
        if self.tag and self.tag != names.tag:
            return False
        if self.identity and self.identity != names.identity:
            return False
        if not self.classes <= names.classes:
            return False
        for test in self.tests:  # noqa: SIM110 - a generator takes longer
            if test.by_names and not test.fits_names(names):
                return False
        return True

    def tests_fit(self, element: etree._Element, context: TreeContext) -> bool:
        """Whether an element with the right names is all the rest."""
        for test in self.tests:
            if not test.by_names and not test.matches(element, context):
                return False
        return True

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        """Whether an element is all of it."""
        return self.names_fit(context.names_of(element)) and self.tests_fit(element, context)


class Selector:
    """Compounds from left to right, each with what the one before must be to it. Not to be
    changed.
    """

    def __init__(self, steps: tuple[tuple[int, Compound], ...], specificity: Specificity) -> None:
        self.steps = steps
        self.specificity = specificity
        self.last: Compound = steps[-1][1]  # what the element itself must be
        self.is_compound = len(steps) == 1  # it asks about one element only


class SelectorList:
    """Selectors of which one is enough. Not to be changed."""

    def __init__(self, selectors: tuple[Selector, ...]) -> None:
        self.selectors = selectors

    @property
    def specificity(self) -> Specificity:
        """That of the heaviest one."""
        return max((one.specificity for one in self.selectors), default=(0, 0, 0))

    @property
    def is_compound(self) -> bool:
        """Whether each asks about one element only."""
        return all(one.is_compound for one in self.selectors)

    @property
    def is_by_names(self) -> bool:
        """Whether tag, classes and id of one element decide it."""
        return all(one.is_compound and one.last.is_by_names for one in self.selectors)

    @property
    def keys(self) -> tuple[str, ...]:
        """One of these names has every element that it means."""
        keys: dict[str, None] = {}
        for one in self.selectors:
            keys.update(dict.fromkeys(one.last.keys))
        if ANYTHING in keys:
            return (ANYTHING,)
        return tuple(keys)
