"""The cascade: the declarations of all rules that match an element, by layer, specificity,
importance and order, with the values of custom properties.

Rules are matched on demand within a budget of selector tests. When it is spent, elements that a
rule may hide are left out and counted in `undecided`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from lxml import etree

from webquarry._native import (
    ANYTHING,
    Matcher,
    NameSet,
    Selector,
    Tree,
    bits_of,
    find_value,
)
from webquarry._read.html.tree import collect_names
from webquarry._read.style.conditions import SOMETIMES, UNSURE
from webquarry._read.style.declarations import (
    NAME_CHARACTER,
    Declarations,
    apply_declarations,
    declare,
    has_calls,
    normalize,
    parse_attribute,
    parse_body,
    parse_variables,
)
from webquarry._read.style.judge import TEXT_PROPERTIES, find_reason, may_hide
from webquarry._read.style.selectors import (
    AT_REST,
    InvalidSelector,
    Selectors,
    UndecidedSelector,
    is_plausible,
    parse_selector,
)
from webquarry._read.style.sheet import SheetRule, Sheets, read_rules
from webquarry._read.text.brackets import find_closing, split_top

_Element = etree._Element
_MOST_RULES = 10_000  # selectors; of more, the last name decides
_DEEPEST_NESTING = 32
_DEEPEST_VALUE = 24  # variables in variables
_LONGEST_VALUE = 1_000  # characters
_NAMES = re.compile(rf"[.#]{NAME_CHARACTER}+")
_VARIABLE = re.compile(rf"var\(\s*+(--{NAME_CHARACTER}++)\s*+", re.IGNORECASE)
_STATE = re.compile(r":(-?[a-zA-Z][\w-]*)")
_CHANGING = TEXT_PROPERTIES | {"animation", "animation-name"}
_BACKGROUNDS = frozenset({"background", "background-color", "background-image"})
_SHOWING = re.compile(
    r"display:(?!none)|visibility:visible|opacity:(?:1|0?\.[1-9]|\d\d)"
    r"|height:(?:[1-9]|none|auto|fit|max|var)"
)
# Classes of the page or its body that a script removes when it runs.
_UNTIL_SCRIPT = re.compile(r"\.(no-?js|no-?script|client-nojs|wf-loading|preload|loading)(?![\w-])")


@dataclass(slots=True, eq=False)
class _Rule:
    """The declarations of one selector."""

    selector: Selector
    ordinary: Declarations
    important: Declarations
    rule: SheetRule
    hides: bool  # alone or with others

    def weigh(self) -> tuple[int, tuple[int, int, int], int]:
        return self.rule.layer.rank, self.selector.weight, self.rule.order

    def weigh_important(self) -> tuple[int, tuple[int, int, int], int]:
        """The first layers win among important declarations."""
        return -self.rule.layer.rank, self.selector.weight, self.rule.order


_Merged = tuple[Declarations, Declarations]  # ordinary and important


class Style:
    """The declarations that apply to some elements, and why a box with them cannot be seen."""

    def __init__(self, declared: Declarations, *, is_undecided: bool = False) -> None:
        self.declared = declared
        self.reason = find_reason(declared)
        self.is_undecided = is_undecided


NO_STYLE = Style({})
_LEFT_OUT = Style({"display": "none"}, is_undecided=True)


class Cascade:
    """Rules of a page about its elements.

    `keys` are the `.class`, `#id`, `[attribute` and tag names of the rules that may change
    visibility, in lower case.
    """

    def __init__(
        self,
        roots: Sequence[_Element],
        sheets: Sheets,
        *,
        names: AbstractSet[str] | None = None,
        has_scripts: Callable[[], bool],
    ) -> None:
        """`names` are the classes, ids and tags of the elements that are asked for and of those
        around them, None for all of the page.
        """
        self.tree = Tree(roots, folds=_is_quirky(roots))
        self.has_state_background = False  # a background depends on what a person does
        self.keys: set[str] = set()
        self._sheets = sheets
        self._has_scripts = has_scripts
        self._rules: list[_Rule] = []
        self._unknown: set[str] = set()  # keys of rules that may hide and were not parsed
        self._parents: dict[tuple[str, ...], Selectors] = {}
        self._own: dict[str, _Merged] = {}  # by the text of a style attribute
        self._merged: dict[int, _Merged] = {}
        # by rules, style attribute, and variables if it depends on them
        self._styles: dict[tuple[int, str, _Scope | None], Style | None] = {(0, "", None): NO_STYLE}
        self._scopes: dict[_Element | None, _Scope] = {None: _Scope({}, None)}
        # by the scope around them, rules and style attribute
        self._inner_scopes: dict[tuple[_Scope, int, str], _Scope] = {}
        self._variables: dict[bytes, _Merged] = {}  # by the text of the declarations
        self._names = NameSet(())
        self._shown: tuple[set[str], set[str]] | None = None
        rules: list[SheetRule] = []
        if sheets.sheets:
            self._names = NameSet(collect_names(roots) if names is None else names)
            rules = [rule for rule in read_rules(sheets, self._names) if rule.when != SOMETIMES]
        for rule in rules:
            self._add(rule)
        self.keys.update(self._unknown)
        self._matcher = Matcher(self.tree, [rule.selector for rule in self._rules])
        self._unsure = _set_bits(self._rules, lambda rule: rule.rule.when == UNSURE)
        self._hiding: int | None = None

    def close(self) -> None:
        """Drop all references to the page."""
        self.tree.close()
        self._scopes.clear()

    def may_change(self, text: str) -> bool:
        """Whether a style attribute may change the visibility of its element."""
        ordinary, important = self._parse_own(text)
        declared = ordinary | important
        return not _CHANGING.isdisjoint(declared) or may_hide(declared)

    def _add(self, rule: SheetRule) -> None:
        ordinary, important = parse_body(rule.body)
        declared = ordinary | important if important else ordinary
        if not declared and b"--" not in rule.body:
            return
        hides = may_hide(declared)
        texts = split_top(rule.selectors, ",")
        if not _BACKGROUNDS.isdisjoint(declared) and _depends_on_person(rule.selectors):
            self.has_state_background = True
        try:
            selectors = self._parse(rule, texts)
        except InvalidSelector:
            return
        except UndecidedSelector:
            if hides:
                for text in texts:
                    self._unknown.update(_find_last_keys(text))
            return
        if not selectors:
            return
        self._rules += [_Rule(selector, ordinary, important, rule, hides) for selector in selectors]
        if hides or not _CHANGING.isdisjoint(declared):
            for selector in selectors:
                self.keys.update(key.lower() for key in selector.last.keys)

    def _parse(self, rule: SheetRule, texts: list[str]) -> list[Selector]:
        """Parse the selectors of a rule. One that is invalid makes the whole rule invalid."""
        if len(self._rules) + len(texts) > _MOST_RULES or len(rule.outer) > _DEEPEST_NESTING:
            raise UndecidedSelector(rule.selectors)
        parent = self._parse_parent(rule.outer) if rule.outer else None
        selectors: list[Selector] = []
        for text in texts:
            if not self._names.concerns(text):
                if not is_plausible(text):
                    raise InvalidSelector(text)
                continue
            selector = parse_selector(
                text, folds=self.tree.folds, parent=parent, nests=parent is not None
            )
            if selector is not None and not self._waits_for_script(text):
                selectors.append(selector)
        return selectors

    def _parse_parent(self, outer: tuple[str, ...]) -> Selectors:
        """Return the meaning of `&` inside of some rules."""
        known = self._parents.get(outer)
        if known is not None:
            return known
        parent: Selectors | None = None
        for depth, text in enumerate(outer, 1):
            chain = outer[:depth]
            if chain not in self._parents:
                found: list[Selector] = []
                for one in split_top(text, ","):
                    try:
                        selector = parse_selector(
                            one, folds=self.tree.folds, parent=parent, nests=parent is not None
                        )
                    except InvalidSelector:
                        continue
                    if selector is not None:
                        found.append(selector)
                self._parents[chain] = tuple(found)
            parent = self._parents[chain]
        return self._parents[outer]

    def _waits_for_script(self, text: str) -> bool:
        """Whether a selector needs a class that the page has only until its script runs."""
        found = _UNTIL_SCRIPT.search(text)
        if found is None or not self.tree.roots or not self._has_scripts():
            return False
        root = self.tree.roots[0]
        body = root.find("body")
        classes = f"{root.get('class')} {None if body is None else body.get('class')}"
        return found[1].lower() in classes.lower().split()

    def find_own(self, element: _Element) -> Declarations:
        """Return the declarations of a style attribute."""
        ordinary, important = self._parse_own(find_value(element, "style") or "")
        return ordinary | important

    def _parse_own(self, text: str) -> _Merged:
        own = self._own.get(text)
        if own is None:
            own = self._own[text] = parse_attribute(text)
        return own

    def find_style(self, element: _Element) -> Style:
        """Return the declarations that apply to an element."""
        if self._unknown and not self._unknown.isdisjoint(self._list_keys(element)):
            return _LEFT_OUT
        style = None
        if self.tree.left >= 0:
            bits = self._matcher.match(element) if self._rules else 0
            text = find_value(element, "style") or ""
            style = self._resolve(bits, text, None) or self._resolve(
                bits, text, self._find_scope(element)
            )
        return style if style and self.tree.left >= 0 else self._decide_by_names(element)

    def _resolve(self, bits: int, text: str, scope: _Scope | None) -> Style | None:
        """Return the style of some rules and a style attribute with the variables of a scope; None
        without a scope if it depends on variables.
        """
        key = (bits, text, scope)
        if key not in self._styles:
            self._styles[key] = self._find_resolved(bits, text, scope)
        return self._styles[key]

    def _find_resolved(self, bits: int, text: str, scope: _Scope | None) -> Style | None:
        unsure = bits & self._unsure
        declared = self._apply(bits, text, scope)
        alone = self._apply(unsure, "", scope) if unsure else {}
        if declared is None or alone is None:
            return None if scope is None else _LEFT_OUT
        if not unsure:
            return Style(declared)
        if may_hide(alone) or may_hide(declared):
            return _LEFT_OUT
        return Style(self._apply(bits ^ unsure, text, scope) or {})

    def _apply(self, bits: int, text: str, scope: _Scope | None) -> Declarations | None:
        """Merge some rules with a style attribute; None if a value depends on something that is
        not known.
        """
        ordinary, important = self._merge(bits)
        own, own_important = self._parse_own(text)
        style = dict(ordinary)
        for later in (own, important, own_important):
            apply_declarations(style, later)
        if not any(map(has_calls, style.values())):
            return style
        return None if scope is None else _fill_all(style, scope)

    def _merge(self, bits: int) -> _Merged:
        """Merge the declarations of some rules."""
        merged = self._merged.get(bits)
        if merged is None:
            rules = self._list_rules(bits)
            self.tree.spend(len(rules))
            ordinary = [one.ordinary for one in sorted(rules, key=_Rule.weigh)]
            important = [one.important for one in sorted(rules, key=_Rule.weigh_important)]
            merged = self._merged[bits] = (_apply_all(ordinary), _apply_all(important))
        return merged

    def _list_rules(self, bits: int) -> list[_Rule]:
        return [self._rules[number] for number in bits_of(bits)]

    def _decide_by_names(self, element: _Element) -> Style:
        """Return the style when the budget is spent: left out if a rule that may hide the element
        ends in one of its names.
        """
        if self._hiding is None:
            self._hiding = _set_bits(self._rules, lambda rule: rule.hides)
        style = self.find_own(element)
        is_possible = self._matcher.find_possible(element) & self._hiding
        if is_possible or any(map(has_calls, style.values())):
            return _LEFT_OUT
        return Style(style)

    def _list_keys(self, element: _Element) -> list[str]:
        names = self.tree.names_of(element)
        classes = [f".{name.lower()}" for name in names.classes]
        return [ANYTHING, names.tag, f"#{names.identity.lower()}", *classes]

    def _find_scope(self, element: _Element) -> _Scope:
        """Return the custom properties of an element."""
        path: list[_Element] = []
        around: _Element | None = element
        while around not in self._scopes:
            assert around is not None
            path.append(around)
            around = self.tree.parent_of(around)
        scope = self._scopes[around]
        for inner in reversed(path):
            text = find_value(inner, "style") or ""
            key = (scope, self._matcher.match(inner), text if "--" in text else "")
            known = self._inner_scopes.get(key)
            if known is None:
                known = self._inner_scopes[key] = self._open_scope(*key)
            scope = self._scopes[inner] = known
        return scope

    def _open_scope(self, around: _Scope, bits: int, text: str) -> _Scope:
        """Return the custom properties of an element with some rules and a style attribute."""
        rules = sorted(self._list_rules(bits), key=_Rule.weigh)
        bodies = [rule.rule.body for rule in rules if b"--" in rule.rule.body]
        if text:
            bodies.append(text.encode("utf-8", "replace"))
        self.tree.spend(len(bodies))
        for body in bodies:
            if body not in self._variables:
                self._variables[body] = parse_variables(body)
        own: Declarations = {}
        for body in bodies:
            own.update(self._variables[body][0])
        for body in bodies:
            own.update(self._variables[body][1])
        return _Scope(own, around) if own else around

    def find_shown(self) -> tuple[set[str], set[str]]:
        """Return the classes and ids that a state of the page shows, and those among them that
        windows of some width show.
        """
        if self._shown is not None:
            return self._shown
        shown: set[str] = set()
        by_width: set[str] = set()
        hiding = [rule for rule in self._rules if rule.hides]
        keys = self._unknown.union(*(rule.selector.last.keys for rule in hiding))
        names = {key.lower() for key in keys if key[0] in ".#"}
        plain_names = NameSet({name[1:] for name in names})
        rules = read_rules(self._sheets, plain_names, related=True) if names else ()
        for rule in rules:
            if rule.when != UNSURE and _may_show(rule.body):
                for text in split_top(rule.selectors.lower(), ","):
                    last = _find_last_keys(text)
                    is_state = len(last) > 1 or any(sign in text.strip() for sign in ":[ ")
                    if names.isdisjoint(last):
                        continue
                    if rule.when == SOMETIMES:
                        by_width.update(last)
                    elif is_state:
                        shown.update(last)
        for one in hiding:
            text = one.rule.selectors.rpartition(" ")[2]
            if ":not(." in text:  # a script gives the class to the element
                shown.update(_find_last_keys(text.partition(":not(")[0]))
        self._shown = shown | by_width, by_width
        return self._shown


def _may_show(body: bytes) -> bool:
    """Whether declarations may undo others that hide an element."""
    ordinary, important = parse_body(body)
    text = ";".join(f"{name}:{value}" for name, value in (ordinary | important).items())
    return _SHOWING.search(text) is not None


class _Scope:
    """Custom properties of an element and of those around it."""

    def __init__(self, own: Declarations, around: _Scope | None) -> None:
        self._own = own
        self._around = around
        self._known: dict[str, str | None] = {}

    def find(self, name: str, depth: int = 0) -> str | None:
        """Return the value of a variable, or None; a circular one has none."""
        scope: _Scope | None = self
        while scope is not None and name not in scope._own:
            scope = scope._around
        if scope is None:
            return None
        if name not in scope._known:
            scope._known[name] = None  # while it is computed
            value = scope._own[name].strip()
            if value.lower() in ("inherit", "unset", "revert", "revert-layer"):
                found = scope._around.find(name, depth) if scope._around is not None else None
            elif value.lower() == "initial":
                found = None
            else:
                found = _fill(value, scope.find, depth + 1)
            scope._known[name] = found
        return scope._known[name]


def _fill_all(style: Declarations, scope: _Scope) -> Declarations | None:
    """Replace variables by their values; None if the style has other functions that depend on the
    element. A declaration without a value is dropped.
    """
    resolved: Declarations = {}
    for name, value in style.items():
        if "var(" in value:
            filled = _fill(value, scope.find)
            if not filled:
                continue
            value = normalize(filled)
        if name != "content" and has_calls(value):
            return None
        declare(resolved, name, value)
    return resolved


def _fill(text: str, find: Callable[[str, int], str | None], depth: int = 0) -> str | None:
    """Replace variables by their values; None if one has neither value nor fallback."""
    if depth > _DEEPEST_VALUE:
        return None
    pieces: list[str] = []
    place = length = 0
    while (found := _VARIABLE.search(text, place)) is not None:
        end = find_closing(text, text.index("(", found.start()) + 1)
        value = find(found[1], depth)
        if value is None:
            fallback = text[found.end() : end]
            if not fallback.startswith(","):
                return None
            value = _fill(fallback[1:].strip(), find, depth + 1)
            if value is None:
                return None
        pieces += [text[place : found.start()], value]
        length += len(value) + found.start() - place
        if length > _LONGEST_VALUE:
            return None
        place = end + 1
    pieces.append(text[place:])
    return "".join(pieces)


def _apply_all(declared: Iterable[Declarations]) -> Declarations:
    """Apply declarations in order."""
    style: Declarations = {}
    for later in declared:
        apply_declarations(style, later)
    return style


def _set_bits(rules: Sequence[_Rule], judge: Callable[[_Rule], bool]) -> int:
    digits = "".join("1" if judge(rule) else "0" for rule in reversed(rules))
    return int(digits or "0", 2)


def _depends_on_person(selectors: str) -> bool:
    """Whether selectors have a state that a person causes, or a pseudo-element."""
    if "::" in selectors:
        return True
    return any(name.lower() in AT_REST or name == "checked" for name in _STATE.findall(selectors))


def _find_last_keys(text: str) -> list[str]:
    """List the `.class` and `#id` of the last compound of a selector in lower case, or its tag."""
    text = text.strip().lower().partition("::")[0]
    compounds = split_top(re.sub(r"[>+~]", " ", text), " ")
    compound = re.sub(r"[(\[].*", "", compounds[-1]) if compounds else ""
    return _NAMES.findall(compound) or [re.match(r"[\w-]*", compound)[0] or ANYTHING]  # type: ignore[index]


def _is_quirky(roots: Sequence[_Element]) -> bool:
    """Whether browsers read a page in quirks mode, in which case does not count in names."""
    if not roots:
        return True
    public = roots[0].getroottree().docinfo.public_id
    if public is None:
        return False
    return "XHTML 1.0 Strict" not in public and "HTML 4.01//" not in public
