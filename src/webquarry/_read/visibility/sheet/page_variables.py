"""The variables of a page, by element: from its rules, its style attributes and what stands
around.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree

from webquarry._read.css.declarations import Declarations
from webquarry._read.css.rules import ALWAYS, Rules, decode_rule
from webquarry._read.css.scan import split_list
from webquarry._read.css.selectors.matching import Matcher, bits_of
from webquarry._read.css.selectors.model import Selector
from webquarry._read.css.selectors.parser import InvalidSelector, UndecidedSelector
from webquarry._read.css.variables import (
    Definitions,
    VariableScope,
    find_definitions,
    find_registered,
    find_used,
    has_calls,
    resolve_style,
)
from webquarry._read.html.tree import holding_text
from webquarry._read.visibility.sheet.page_selectors import PageSelectors

_Element = etree._Element
_Defining = tuple[tuple[int, tuple[int, int, int], int], Selector, Definitions, Definitions]
_Declared = tuple[tuple[str, str], ...]
_MOST_RULES = 10_000
_MOST_REQUESTS = 4  # for more variables; after that, all are looked up at once


def _find_nothing(name: str) -> None:
    """No variable has a value."""


class _UsedNames:
    """What some declarations call for. `is_any` says that it is something that may hide the
    element, `asks_element` that some value is that of an attribute of the element.
    """

    def __init__(self, variables: frozenset[str], is_any: bool, asks_element: bool) -> None:
        self.variables = variables
        self.is_any = is_any
        self.asks_element = asks_element
        self.resolved: dict[VariableScope, Declarations] = {}


_NOTHING_USED = _UsedNames(frozenset(), False, False)


class PageVariables:
    """Looked up once some rule that may hide something uses one."""

    def __init__(
        self,
        css: bytes,
        rules: Rules,
        selectors: PageSelectors,
        *,
        has_inline: bool = True,
    ) -> None:
        self._css = css
        self._rules = rules
        self._context = selectors.context
        self._has_inline = has_inline  # some style attribute of the page may define a variable
        self._registered: Definitions = {}
        self._selectors = selectors
        self._defined: list[tuple[int, Definitions, Definitions]] = []  # by the exact rules
        self._inline: dict[_Element, Definitions] = {}
        self._values: dict[str, list[str]] | None = None  # all values of each variable
        self._asked: set[str] = set()
        self._needed: set[str] = set()  # what has been asked for, with all that it needs
        self._parsed: dict[int, Sequence[Selector]] = {}  # by the numbers of the exact rules
        self._requests = 0
        self._matcher: Matcher | None = None
        self._defining: list[_Defining] = []
        self._scopes: dict[_Element | None, VariableScope] = {}
        # by the rules that define some, and what stands around
        self._same: dict[tuple[int, VariableScope], VariableScope] = {}
        self._used: dict[_Declared, _UsedNames] = {}
        # by identity, which is told at once; the declarations are kept, so that it stays theirs
        self._used_by: dict[int, tuple[Declarations, _UsedNames]] = {}

    def resolve(self, style: Declarations, element: _Element) -> Declarations:
        """A style with the values that its variables have on an element."""
        known = self._used_by.get(id(style))
        if known is None:
            known = self._used_by[id(style)] = (style, self._find_names(style))
        names = known[1]
        if not names.is_any:
            return style
        if not names.variables:
            return resolve_style(style, _find_nothing, element.get)
        if not names.variables <= self._asked:
            self._asked |= names.variables
            self._require(self._find_needed(names.variables))
        scope = self._find_scope(element)
        if names.asks_element:
            return resolve_style(style, scope.find, element.get)
        # elements with the same declarations and the same variables have the same style
        resolved = names.resolved.get(scope)
        if resolved is None:
            resolved = names.resolved[scope] = resolve_style(style, scope.find, element.get)
        return resolved

    def _find_names(self, style: Declarations) -> _UsedNames:
        """What a style calls for; the same for those that declare the same."""
        if not any(map(has_calls, style.values())):
            return _NOTHING_USED
        declared = tuple(style.items())
        names = self._used.get(declared)
        if names is None:
            names = self._used[declared] = self._find_used(style)
        return names

    def _find_used(self, style: Declarations) -> _UsedNames:
        """What a style calls for."""
        variables: set[str] = set()
        is_any = asks_element = False
        for value in style.values():
            asks_element = asks_element or "attr(" in value
            if has_calls(value):
                variables.update(find_used(value))
                is_any = True
        return _UsedNames(frozenset(variables), is_any, asks_element)

    def _find_needed(self, names: Iterable[str]) -> set[str]:
        """Return some variables with all those that their values use."""
        values = self._find_values()
        needed: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in needed:
                continue
            needed.add(name)
            for value in values.get(name, ()):
                waiting += find_used(value)
        return needed

    def _find_values(self) -> dict[str, list[str]]:
        """Return the values that the page defines for each variable."""
        if self._values is not None:
            return self._values
        self._registered = find_registered(self._css)
        found: list[Definitions] = [self._registered]
        for number, raw in enumerate(self._rules.exact):
            if raw.when != ALWAYS or raw.body.find(b"--") < 0:
                continue
            ordinary, important = find_definitions(raw.body.decode(errors="replace"))
            if ordinary or important:
                self._defined.append((number, ordinary, important))
                found += [ordinary, important]
        inline_roots: Sequence[_Element] = ()
        if self._has_inline:
            inline_roots = self._context.roots[:1]
        for root in inline_roots:
            for element in holding_text(root, "style", "--"):
                ordinary, important = find_definitions(element.get("style") or "")
                self._inline[element] = ordinary | important
                found.append(self._inline[element])
        self._values = {}
        for definitions in found:
            for name, value in definitions.items():
                values = self._values.setdefault(name, [])
                if not values or value != values[-1]:
                    values.append(value)
        return self._values

    def _require(self, names: set[str]) -> None:
        """Make sure that the rules which define some variables are known."""
        if self._requests > _MOST_REQUESTS or (names <= self._needed and self._requests):
            return
        self._needed |= names
        self._requests += 1
        if self._requests > _MOST_REQUESTS:
            for _, ordinary, important in self._defined:
                self._needed.update(ordinary)
                self._needed.update(important)
        self._defining = []
        for number, ordinary, important in self._defined:
            is_needed = not self._needed.isdisjoint(ordinary)
            if is_needed or not self._needed.isdisjoint(important):
                self._add_defining(number, ordinary, important)
        self._defining.sort(key=lambda one: one[0])
        self._matcher = Matcher(self._context, [one[1] for one in self._defining])
        spend = self._context.budget.spend
        self._scopes = {None: VariableScope(self._registered, None, spend)}
        self._same.clear()

    def _add_defining(self, number: int, ordinary: Definitions, important: Definitions) -> None:
        raw = self._rules.exact[number]
        if len(self._defining) >= _MOST_RULES:
            self._context.budget.give_up()  # nothing is known any more
            return
        rule = decode_rule(raw, "")
        selectors = self._parsed.get(number)
        if selectors is None:
            texts = split_list(rule.selectors)
            try:
                selectors = self._selectors.parse(rule, texts, texts)
            except (InvalidSelector, UndecidedSelector):
                selectors = ()
            self._parsed[number] = selectors
        rank = self._rules.layers.rank_of(rule.layer)
        for selector in selectors:
            weight = (rank, selector.specificity, rule.order)
            self._defining.append((weight, selector, ordinary, important))

    def _find_scope(self, element: _Element) -> VariableScope:
        """The variables of an element."""
        path: list[_Element] = []
        around: _Element | None = element
        while around is not None and around not in self._scopes:
            path.append(around)
            around = self._context.parent_of(around)
        scope = self._scopes[around]
        for inner in reversed(path):
            scope = self._scopes[inner] = self._open_scope(inner, scope)
        return scope

    def _open_scope(self, element: _Element, around: VariableScope) -> VariableScope:
        """The variables of an element in another one; those of elements that are given the same are
        the same.
        """
        assert self._matcher is not None
        bits = self._matcher.match(element)
        inline = self._inline.get(element)
        if not bits and not inline:
            return around
        if inline:
            return VariableScope(self._find_own(bits, inline), around, self._context.budget.spend)
        scope = self._same.get((bits, around))
        if scope is None:
            own = self._find_own(bits, {})
            scope = VariableScope(own, around, self._context.budget.spend)
            self._same[bits, around] = scope
        return scope

    def _find_own(self, bits: int, inline: Definitions) -> Definitions:
        """The variables that an element is given, by rules and by its style attribute."""
        own: Definitions = {}
        important: Definitions = {}
        for number in bits_of(bits):
            _, _, ordinary, heavy = self._defining[number]
            self._context.budget.spend(1 + (len(ordinary) + len(heavy)) // 16)
            own.update(ordinary)
            important.update(heavy)
        own.update(inline)
        own.update(important)
        return own
