"""Selectors and the elements of a page -> which selectors mean an element, as the bits of a number.

Everything that a selector asks of elements around and before one is told top down: a bit is set
where the part on the left has matched, and handed on to what stands inside, or behind. So an
ancestor or a sibling costs no search, however many there are of them and of rules. What must be
tried one by one, such as `:nth-child()` or an attribute, is counted; when the budget is spent, what
is left is undecided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from lxml import etree

from webquarry._read.css.selectors.attributes import read_names
from webquarry._read.css.selectors.model import (
    ANCESTOR,
    ANYTHING,
    BESIDE,
    EARLIER,
    PARENT,
    Compound,
    ElementNames,
    Selector,
    SelectorList,
)
from webquarry._read.css.selectors.relations import RelatedElements

# An object of Python: compiled, a number written here would be a word of the machine, and masks are
# wider than those.
_ONE = int("1")
_LARGEST_WORD = _ONE << 62  # a number that is a word of the machine, too

# Of 270 real pages, one takes 33 tests per element and the others at most 10.
_FIRST_TESTS = 2_000
_TESTS_PER_ELEMENT = 50
_Element = etree._Element
_Places = dict[_Element, tuple[int, int]]  # the number of each child, from both ends


class SelectorBudget:
    """How many more tests may be made on a page: some, and when these are spent, once so many as
    `count_more` says.
    """

    def __init__(
        self, tests: int = _FIRST_TESTS, count_more: Callable[[], int] | None = None
    ) -> None:
        self.left = tests
        self._count_more = count_more

    @property
    def is_spent(self) -> bool:
        return self.left < 0

    def spend(self, tests: int) -> bool:
        """Count some tests; whether they may still be made."""
        self.left -= tests
        if self.left < 0 and self._count_more is not None:
            self.left += self._count_more()
            self._count_more = None
        return self.left >= 0

    def give_up(self) -> None:
        """Allow no test any more."""
        self.left = -1
        self._count_more = None


class SelectorContext:
    """One page, as its selectors see it. With `folds`, case does not count in names."""

    def __init__(
        self,
        roots: Sequence[_Element],
        *,
        folds: bool = False,
        budget: SelectorBudget | None = None,
    ) -> None:
        self.roots = list(roots)
        self.folds = folds
        self.budget = budget or SelectorBudget(count_more=self._count_tests)
        self._names: dict[tuple[str, str | None, str | None], ElementNames] = {}
        self._names_by_element: dict[_Element, ElementNames] = {}
        self._matchers: dict[int, Matcher] = {}
        self._lists: list[SelectorList] = []  # kept, so that their identities stay theirs
        self._related: dict[int, RelatedElements] = {}
        self._positions: dict[tuple[_Element | None, bool, int], _Places] = {}
        self._body: _Element | None = None
        self._has_script: bool | None = None

    def close(self) -> None:
        """Let go of all that holds this page in turn; nothing may be asked afterwards."""
        self._matchers.clear()
        self._related.clear()
        self._names_by_element.clear()
        self.budget.give_up()

    @property
    def has_script(self) -> bool:
        """Whether some script runs on the page."""
        if self._has_script is None:
            scripts = (script for root in self.roots for script in root.iter("script"))
            self._has_script = any(_runs(script) for script in scripts)
        return self._has_script

    def _count_tests(self) -> int:
        """How many tests the size of the page allows: in proportion, so that many rules on many
        elements take no more time than their sum.
        """
        elements = sum(1 for root in self.roots for _ in root.iter(etree.Element))
        return _TESTS_PER_ELEMENT * elements

    def fold(self, name: str) -> str:
        """A name as it is compared on this page."""
        if self.folds:
            return name.lower()
        return name

    def names_of(self, element: _Element) -> ElementNames:
        """Tag, classes and id of an element."""
        names = self._names_by_element.get(element)
        if names is None:
            names = self._names_by_element[element] = self._read_names(element)
        return names

    def _read_names(self, element: _Element) -> ElementNames:
        """The same, read from the page; elements with the same names share one."""
        key = read_names(element)
        names = self._names.get(key)
        if names is None:
            classes = self.fold(key[1] or "").split()
            identity = self.fold(key[2] or "")
            names = ElementNames(key[0], frozenset(classes), identity)
            self._names[key] = names
        return names

    def parent_of(self, element: _Element) -> _Element | None:
        """What an element stands in. What follows the end of the page stands in its body."""
        parent = element.getparent()
        if parent is not None or len(self.roots) < 2 or element is self.roots[0]:
            return parent
        if self._body is None:
            self._body = self.roots[0].find("body")
        return self._body

    def children_of(self, parent: _Element | None) -> list[_Element]:
        """The elements in one."""
        if parent is None:
            return self.roots[:1]
        children = list(parent)
        if len(self.roots) > 1 and parent is self.parent_of(self.roots[1]):
            children += self.roots[1:]
        return children

    def is_in(self, element: _Element, selectors: SelectorList) -> bool:
        """Whether one of some selectors means an element."""
        if selectors.is_compound:
            self.budget.spend(len(selectors.selectors))
            return any(one.last.matches(element, self) for one in selectors.selectors)
        if not self.budget.spend(1):
            return False
        matcher = self._matchers.get(id(selectors))
        if matcher is None:
            matcher = self._matchers[id(selectors)] = Matcher(self, selectors.selectors)
            self._lists.append(selectors)
        return bool(matcher.match(element))

    def has_related(self, element: _Element, selectors: SelectorList) -> bool:
        """Whether something on the page is to an element what `:has()` asks for."""
        related = self._related.get(id(selectors))
        if related is None:
            related = self._related[id(selectors)] = RelatedElements(self, selectors)
            self._lists.append(selectors)
        return element in related.elements

    def position_of(
        self, element: _Element, of_type: bool, of: SelectorList | None
    ) -> tuple[int, int] | None:
        """The number of an element among the children of its parent, from the beginning and from
        the end; None for one that does not count.
        """
        parent = self.parent_of(element)
        key = (parent, of_type, id(of))
        places = self._positions.get(key)
        if places is None:
            places = self._positions[key] = self._count_children(parent, of_type, of)
            if of is not None:
                self._lists.append(of)
        return places.get(element)

    def _count_children(
        self, parent: _Element | None, of_type: bool, of: SelectorList | None
    ) -> _Places:
        counted: defaultdict[str, list[_Element]] = defaultdict(list)
        for child in self.children_of(parent):
            if of is not None and not self.is_in(child, of):
                continue
            kind = ""
            if of_type:
                kind = str(child.tag)
            counted[kind].append(child)
        places: _Places = {}
        for children in counted.values():
            self.budget.spend(len(children))
            size = len(children)
            for before, child in enumerate(children):
                places[child] = (before + 1, size - before)
        return places


def _runs(script: _Element) -> bool:
    """Whether a script is run by browsers, and is there at all."""
    kind = (script.get("type") or "").strip().lower()
    is_code = kind in ("", "module") or "javascript" in kind or "ecmascript" in kind
    return is_code and bool(script.get("src") or (script.text or "").strip())


# The bits that an element which has matched makes possible for others: for all elements in it, for
# its children, for the next one, for all that follow it in the same parent.
_Handed = tuple[int, int, int, int]
_NOTHING: _Handed = (0, 0, 0, 0)


class Matcher:
    """Some selectors on one page. Bit i says that the i-th means the element."""

    def __init__(self, context: SelectorContext, selectors: Sequence[Selector]) -> None:
        self._context = context
        # by the number of a state: the part of a selector up to one compound has matched
        self._compounds: list[Compound] = []
        self._relations: list[int] = []  # of each to the one on its left
        self._start = 0  # bits of states that need nothing on the left
        self._beside = 0  # bits of those that need something before them in the same parent
        self._linking = 0  # bits of those that others need
        self._links: dict[int, list[int]] = {}  # by the number of a state that others need
        self._sure: dict[str, int] = {}  # by a key: the names alone decide
        self._checked: dict[str, list[int]] = {}  # by a key: the others
        self._tested = 0  # bits that look at the element itself
        self._attributes: set[str] = set()  # those that are keys
        self._fits: dict[ElementNames, int] = {}
        self._handed: dict[int, _Handed] = {0: _NOTHING}
        self._inside: dict[_Element | None, tuple[int, int]] = {None: (0, 0)}
        self._siblings: dict[_Element, int] = {}
        self._counted: set[_Element | None] = set()
        self._all = (_ONE << len(selectors)) - 1
        self._add(selectors)
        self._linked = ~self._start  # bits of states that need something on the left

    def _add(self, selectors: Sequence[Selector]) -> None:
        """Number the selectors, and behind them the parts that they have on the left."""
        known: dict[tuple[int, int, str], int] = {}
        self._compounds = [one.last for one in selectors]
        self._relations = [one.steps[-1][0] for one in selectors]
        for number, one in enumerate(selectors):
            before = -1
            if one.is_compound:
                self._start |= _ONE << number
                continue
            for relation, compound in one.steps[:-1]:
                key = (before, relation, compound.text)
                state = known.get(key)
                if state is None:
                    state = known[key] = len(self._compounds)
                    self._compounds.append(compound)
                    self._relations.append(relation)
                    self._link(before, state)
                before = state
            self._link(before, number)
        for number, last in enumerate(self._compounds):
            self._index(number, last)

    def _link(self, before: int, number: int) -> None:
        """Note what a state needs on its left."""
        bit = _ONE << number
        if before < 0:
            self._start |= bit
            return
        relation = self._relations[number]
        self._linking |= _ONE << before
        self._links.setdefault(before, [0, 0, 0, 0])[relation] |= bit
        if relation not in (ANCESTOR, PARENT):
            self._beside |= bit

    def _index(self, number: int, compound: Compound) -> None:
        """Put a state where elements find it by their names."""
        bit = _ONE << number
        if not compound.is_by_names:
            self._tested |= bit
        names = len(compound.classes) + bool(compound.identity) + bool(compound.tag)
        is_sure = names <= 1 and not any(test.by_names for test in compound.tests)
        for key in compound.keys:
            if key[0] == "[":
                self._attributes.add(key[1:])
            if is_sure:
                self._sure[key] = self._sure.get(key, 0) | bit
            else:
                self._checked.setdefault(key, []).append(number)

    def match(self, element: _Element) -> int:
        """The selectors that mean an element."""
        return self._match(element, self._context.names_of(element)) & self._all

    def match_named(self, element: _Element, names: ElementNames) -> int:
        """The same, where its names are known already."""
        return self._match(element, names) & self._all

    def is_by_names(self, element: _Element) -> bool:
        """Whether all elements with the names of one are meant by the same selectors."""
        if self._attributes:
            return False
        fit = self._fit(element, self._context.names_of(element))
        return not fit & (self._tested | self._linked)

    def find_possible(self, element: _Element) -> int:
        """The selectors that may mean an element, told by one name that each must find."""
        possible = 0
        for key in self._find_keys(element):
            possible |= self._sure.get(key, 0)
            for number in self._checked.get(key, ()):
                possible |= _ONE << number
        return possible & self._all

    def _find_keys(self, element: _Element) -> Iterator[str]:
        names = self._context.names_of(element)
        yield from _keys_of(names)
        for attribute in element.keys():  # noqa: SIM118
            yield f"[{attribute!s}"

    def _match(self, element: _Element, names: ElementNames) -> int:
        """All the states that an element is in."""
        fit = self._fit(element, names)
        if not fit:
            return 0
        possible = self._start
        if fit & self._linked:
            inside, children = self._find_inside(self._context.parent_of(element))
            possible |= inside | children
            if fit & self._beside:
                possible |= self._find_beside(element)
        return self._test(element, fit & possible)

    def _fit(self, element: _Element, names: ElementNames) -> int:
        """The states whose names an element has."""
        fit = self._fits.get(names)
        if fit is None:
            fit = self._fits[names] = self._fit_names(names, _keys_of(names))
        if self._attributes:
            present = element.keys()
            keys = [f"[{name!s}" for name in present if name in self._attributes]
            if keys:
                fit |= self._fit_names(names, keys)
        return fit

    def _fit_names(self, names: ElementNames, keys: Sequence[str]) -> int:
        fit = 0
        for key in keys:
            sure = self._sure.get(key)
            if sure is not None:
                fit |= sure
            numbers = self._checked.get(key)
            if numbers is None or not self._context.budget.spend(len(numbers)):
                continue
            for number in numbers:
                compound = self._compounds[number]
                if compound.names_fit(names):
                    fit |= _ONE << number
        return fit

    def _test(self, element: _Element, fit: int) -> int:
        """Those of the states in which an element is by more than its names."""
        pending = fit & self._tested
        budget = self._context.budget
        if not pending or budget.left < 0:
            return fit
        for number in bits_of(pending):
            if not budget.spend(1):
                return fit
            compound = self._compounds[number]
            if not compound.tests_fit(element, self._context):
                fit ^= _ONE << number
        return fit

    def _find_inside(self, element: _Element | None) -> tuple[int, int]:
        """What is possible in an element, at any depth and for its children, by what it and those
        around it are.
        """
        known = self._inside.get(element)
        if known is not None:
            return known
        path: list[_Element] = []
        while element is not None and element not in self._inside:
            path.append(element)
            element = self._context.parent_of(element)
        known = self._inside[element]
        self._context.budget.spend(len(path) // 4)
        for inner in reversed(path):
            fit = self._fit(inner, self._context.names_of(inner))
            possible = self._start | known[0] | known[1]
            if fit & self._beside:
                possible |= self._find_beside(inner)
            handed = self._hand_on(self._test(inner, fit & possible))
            known = (known[0] | handed[0], handed[1])
            self._inside[inner] = known
        return known

    def _find_beside(self, element: _Element) -> int:
        """What is possible for an element by those before it in the same parent."""
        parent = self._context.parent_of(element)
        if parent in self._counted:
            return self._siblings.get(element, 0)
        self._counted.add(parent)
        inside, children = self._find_inside(parent)
        possible = self._start | inside | children
        following = later = 0
        siblings = self._context.children_of(parent)
        if not self._context.budget.spend(len(siblings) // 4):
            return 0
        for sibling in siblings:
            beside = following | later
            if beside:
                self._siblings[sibling] = beside
            fit = self._fit(sibling, self._context.names_of(sibling)) & (possible | beside)
            handed = self._hand_on(self._test(sibling, fit))
            following = handed[2]
            later |= handed[3]
        return self._siblings.get(element, 0)

    def _hand_on(self, states: int) -> _Handed:
        """What an element in some states makes possible."""
        states &= self._linking
        handed = self._handed.get(states)
        if handed is None and self._context.budget.left < 0:
            return _NOTHING
        if handed is None:
            masks = [0, 0, 0, 0]
            for number in bits_of(states):
                if not self._context.budget.spend(1):
                    return _NOTHING
                for relation, mask in enumerate(self._links[number]):
                    masks[relation] |= mask
            handed = (masks[ANCESTOR], masks[PARENT], masks[BESIDE], masks[EARLIER])
            self._handed[states] = handed
        return handed


def _keys_of(names: ElementNames) -> list[str]:
    """The keys under which an element finds its selectors."""
    keys = [names.tag, ANYTHING]
    for name in names.classes:
        keys.append(f".{name}")
    if names.identity:
        keys.append(f"#{names.identity}")
    return keys


def bits_of(number: int) -> list[int]:
    """The places of the bits that are set, from the lowest."""
    places: list[int] = []
    if number <= _LARGEST_WORD:
        word, position = number, 0
        while word:
            if not word & 0xFF:
                word >>= 8
                position += 8
                continue
            if word & 1:
                places.append(position)
            word >>= 1
            position += 1
        return places
    if number & (number - 1) == 0:  # a single one
        return [number.bit_length() - 1]
    digits = bin(number)[:1:-1]
    place = digits.find("1")
    while place >= 0:
        places.append(place)
        place = digits.find("1", place + 1)
    return places
