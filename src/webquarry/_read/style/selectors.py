"""Parse selectors: attributes, pseudo-classes and nesting. Matching is in `native/match.pxi`.

A selector that browsers do not know is `InvalidSelector`. One beyond the limits here is
`UndecidedSelector`: whether it matches an element is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from lxml import etree

from webquarry._native import (
    ANCESTOR,
    ANYTHING,
    BESIDE,
    EARLIER,
    PARENT,
    Compound,
    Selector,
    Tree,
    find_value,
    parse_plain,
)
from webquarry._read.style.declarations import NAME_CHARACTER, NAME_START, unescape
from webquarry._read.text.brackets import find_closing, find_string_end, split_top

_Element = etree._Element
Selectors = tuple[Selector, ...]
Weight = tuple[int, int, int]  # ids, classes, tags
_CLASS: Weight = (0, 1, 0)
_NONE: Weight = (0, 0, 0)
_DEEPEST = 12  # functions in functions
_MOST_STEPS = 64
_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n]?|[^\n0-9a-fA-F])"
_IDENT = rf"(?:--|-?+(?:{NAME_START}|{_ESCAPE}))(?:{NAME_CHARACTER}|{_ESCAPE})*+"
_NAME = re.compile(_IDENT)
_TYPE = re.compile(rf"(?:\*?\|)?+({_IDENT}|\*)")
_COMBINATOR = re.compile(r"\s*+([>+~])\s*+|\s++")
_PSEUDO = re.compile(r"(::?)(-?[A-Za-z][\w-]*+)")
_FORMULA = re.compile(
    r"\s*+(?:(odd|even)|([+-]?\d{0,9})n(?:\s*+([+-])\s*+(\d{1,9}))?+|([+-]?\d{1,9}))"
    r"\s*+",
    re.IGNORECASE,
)
_INVALID = re.compile(rf"[.#](?![-\\]|{NAME_START})|[.#]-?\d|[!;{{}}]|[>+~]\s*(?:$|[>+~])|^\s*$")
_RELATIONS = {">": PARENT, "+": BESIDE, "~": EARLIER}
# Whether siblings of the same tag are counted, and whether from the end.
_POSITIONS = {
    "child": (False, False), "of-type": (True, False), "last-child": (False, True),
    "last-of-type": (True, True),
}  # fmt: skip
_EITHER = frozenset({"is", "where", "matches", "-webkit-any", "-moz-any"})
_OLD_PARTS = frozenset({"before", "after", "first-line", "first-letter"})
_PARTS = _OLD_PARTS | frozenset(
    """
    marker selection placeholder backdrop cue file-selector-button slotted highlight
    details-content grammar-error spelling-error target-text view-transition scroll-marker
    scroll-button column checkmark part picker picker-icon search-text
    """.split()  # noqa: SIM905
)
# States that no element has until a person does something.
AT_REST = frozenset(
    """
    hover active focus focus-visible focus-within visited target target-within target-current
    current past future playing paused seeking buffering stalled muted volume-locked fullscreen
    -webkit-full-screen modal picture-in-picture popover-open user-valid user-invalid autofill
    -webkit-autofill out-of-range host has-slotted active-view-transition window-inactive
    -webkit-drag local-link host-context state active-view-transition-type
    """.split()  # noqa: SIM905
)
# Whether an element matches these is not known.
_UNDECIDED = frozenset(
    """
    lang dir default required optional read-write read-only placeholder-shown invalid valid
    in-range indeterminate
    """.split()  # noqa: SIM905
)
# HTML compares the values of these attributes without regard to case.
_CASELESS = frozenset(
    """
    accept align charset checked color compact defer dir disabled enctype face hreflang http-equiv
    lang language media method multiple nowrap readonly rel rev scope selected shape target text
    type valign
    """.split()  # noqa: SIM905
)


class InvalidSelector(Exception):
    """Browsers ignore the rule."""


class UndecidedSelector(Exception):
    """The selector is not parsed: too large, or of a kind that is not supported."""


class _NoElement(Exception):
    """The selector is about a pseudo-element, or a state that no element has at first."""


_Test = Callable[[_Element, Tree], bool]


def _test_attribute(name: str, sign: str, value: str, flag: str) -> _Test:
    """`[lang|=en]`; `flag` is `i` or `s`."""
    folds = flag == "i" or (not flag and name in _CASELESS)
    compare = _COMPARISONS[sign]

    def matches(element: _Element, tree: Tree) -> bool:
        actual, wanted = find_value(element, name), value
        if actual is None or not sign:
            return actual is not None
        if folds:
            actual, wanted = actual.lower(), wanted.lower()
        elif name in ("class", "id") and not flag:
            actual, wanted = tree.fold(actual), tree.fold(wanted)
        return compare(actual, wanted)

    return matches


_COMPARISONS: dict[str, Callable[[str, str], bool]] = {
    "": lambda actual, wanted: True,
    "=": lambda actual, wanted: actual == wanted,
    "|=": lambda actual, wanted: actual == wanted or actual.startswith(f"{wanted}-"),
    "~=": lambda actual, wanted: bool(wanted) and wanted in actual.split(),
    "^=": lambda actual, wanted: bool(wanted) and actual.startswith(wanted),
    "$=": lambda actual, wanted: bool(wanted) and actual.endswith(wanted),
    "*=": lambda actual, wanted: bool(wanted) and wanted in actual,
}


def _test_position(step: int, offset: int, of_type: bool, from_end: bool) -> _Test:
    """`:nth-child(2n+1)`: every `step`-th sibling from `offset` on."""
    is_end = offset == 1 and not step and not of_type

    def matches(element: _Element, tree: Tree) -> bool:
        if is_end and len(tree.roots) == 1:
            return (element.getnext() if from_end else element.getprevious()) is None
        beyond = tree.position_of(element, of_type)[from_end] - offset
        return beyond == 0 if step == 0 else beyond % step == 0 and beyond // step >= 0

    return matches


def _test_any(selectors: Selectors, *, refused: bool = False) -> _Test:
    """`:is()`, `:where()` and `&`; with `refused`, `:not()`."""
    return lambda element, tree: tree.matches_any(element, selectors) is not refused


def _test_has(selectors: Selectors) -> _Test:
    """`:has(> img)`. The elements are found once, from the last compound backwards."""
    known: dict[int, set[_Element]] = {}

    def matches(element: _Element, tree: Tree) -> bool:
        if id(tree) not in known:
            having = known[id(tree)] = set()
            for selector in selectors:
                elements: Iterable[_Element] = tree.find_possible(selector.last)
                for relation, compound in reversed(selector.steps):
                    matching = [one for one in elements if _matches_compound(one, compound, tree)]
                    elements = _step_back(relation, matching, tree)
                having.update(elements)
        return element in known[id(tree)]

    return matches


def _matches_compound(element: _Element, compound: Compound, tree: Tree) -> bool:
    if not compound.fits(tree.names_of(element)) or not tree.spend(1):
        return False
    return compound.passes(element, tree)


def _step_back(relation: int, elements: Iterable[_Element], tree: Tree) -> set[_Element]:
    """Return the elements to which one of these is a descendant, a child or a later sibling."""
    before: set[_Element] = set()
    is_inside = relation in (ANCESTOR, PARENT)
    for element in elements:
        other = tree.parent_of(element) if is_inside else element.getprevious()
        while other is not None and other not in before:
            before.add(other)
            if relation in (PARENT, BESIDE):
                break
            other = tree.parent_of(other) if is_inside else other.getprevious()
    return before


_FORM_TAGS = frozenset({"button", "input", "select", "textarea", "optgroup", "option", "fieldset"})


def _is_disabled(element: _Element, tree: Tree) -> bool:
    around = (element, *element.iterancestors("fieldset"))
    return element.tag in _FORM_TAGS and any(one.get("disabled") is not None for one in around)


def _is_checked(element: _Element, tree: Tree) -> bool:
    if element.tag == "option":
        return element.get("selected") is not None
    kind = (element.get("type") or "").lower()
    return kind in ("checkbox", "radio") and element.get("checked") is not None


def _is_root(element: _Element, tree: Tree) -> bool:
    return bool(tree.roots) and element is tree.roots[0]


def _is_link(element: _Element, tree: Tree) -> bool:
    return element.tag in ("a", "area") and element.get("href") is not None


def _is_defined(element: _Element, tree: Tree) -> bool:
    """Whether an element is known to browsers, or a script may define it."""
    if "-" not in str(element.tag):
        return True
    return any(next(root.iter("script"), None) is not None for root in tree.roots)


_STATES: dict[str, _Test] = {
    "root": _is_root,
    "scope": _is_root,
    "empty": lambda one, tree: len(one) == 0 and not one.text,
    "link": _is_link,
    "any-link": _is_link,
    "-webkit-any-link": _is_link,
    "checked": _is_checked,
    "disabled": _is_disabled,
    "enabled": lambda one, tree: one.tag in _FORM_TAGS and not _is_disabled(one, tree),
    "open": lambda one, tree: one.tag in ("details", "dialog") and one.get("open") is not None,
    "defined": _is_defined,
}
_PSEUDO_CLASSES = frozenset(
    {
        *_STATES, *AT_REST, *_OLD_PARTS, *_EITHER, *_UNDECIDED, "not", "has", "first-child",
        "first-of-type", "last-child", "last-of-type", "only-child", "only-of-type", "nth-child",
        "nth-of-type", "nth-last-child", "nth-last-of-type",
    }
)  # fmt: skip


def _matches_nothing(element: _Element, tree: Tree) -> bool:
    return False


@dataclass(slots=True)
class _Parts:
    """A compound while it is parsed."""

    tag: str = ""
    identities: list[str] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    tests: list[_Test] = field(default_factory=list)
    keys: tuple[str, ...] = (ANYTHING,)  # of its tests
    weight: Weight = _NONE

    def add_test(self, test: _Test, weight: Weight = _CLASS) -> None:
        self.tests.append(test)
        self.weight = _add(self.weight, weight)

    def build(self, text: str) -> Compound:
        tests: Sequence[_Test] = self.tests
        if len(set(self.identities)) > 1:
            tests = [_matches_nothing]
        identity = self.identities[0] if self.identities else ""
        keys = self.keys
        if identity:
            keys = (f"#{identity}",)
        elif self.classes:
            keys = (f".{min(self.classes)}",)
        elif self.tag:
            keys = (self.tag,)
        classes = frozenset(self.classes)
        return Compound(text, self.tag, identity, classes, tuple(tests), keys, self.weight)


def _add(one: Weight, other: Weight) -> Weight:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def find_weight(selectors: Selectors) -> Weight:
    """Return the specificity of the heaviest selector."""
    return max((one.weight for one in selectors), default=_NONE)


def parse_selector(
    text: str, *, folds: bool = False, parent: Selectors | None = None, nests: bool = False
) -> Selector | None:
    """Parse one selector; None if it matches no element until a person does something.

    `parent` is the meaning of `&`. A selector that `nests` and has no `&` is inside the parent.
    """
    try:
        return _Parser(folds, parent).parse(text, 0, nests)
    except _NoElement:
        return None


def is_plausible(text: str) -> bool:
    """Whether browsers accept a selector, decided by its signs and pseudo-classes only."""
    if _INVALID.search(text) is not None:
        return False
    if ":" in text:
        for colons, name in _PSEUDO.findall(text):
            known = _PARTS if colons == "::" else _PSEUDO_CLASSES
            if name.lower() not in known and not name.startswith(("-webkit-", "part")):
                return False
    return True


class _Parser:
    def __init__(self, folds: bool, parent: Selectors | None) -> None:
        self._folds = folds
        self._parent = parent

    def parse(self, text: str, depth: int, nests: bool = False) -> Selector:
        if depth > _DEEPEST:
            raise UndecidedSelector(text)
        text = text.strip()
        if not nests:
            plain = parse_plain(text, self._folds)
            if plain is not None:
                return plain
        steps: list[tuple[int, Compound]] = []
        relation, place = ANCESTOR, 0
        if nests and self._parent is not None and (text[:1] in _RELATIONS or "&" not in text):
            parts = _Parts()
            self._add_parent(parts)
            steps.append((ANCESTOR, parts.build(f"&{id(self._parent)}")))
            relation, place = self._read_relation(text, 0)
        while True:
            compound, end = self._read_compound(text, place, depth)
            steps.append((relation, compound))
            if end == len(text):
                return Selector(tuple(steps))
            if len(steps) >= _MOST_STEPS:
                raise UndecidedSelector(text)
            relation, place = self._read_relation(text, end)
            if place == end:
                raise InvalidSelector(text)

    def _parse_list(self, text: str, depth: int, *, forgiving: bool) -> Selectors:
        selectors: list[Selector] = []
        for one in split_top(text, ","):
            try:
                selectors.append(self.parse(one, depth))
            except (InvalidSelector, _NoElement) as error:
                if not forgiving:
                    raise InvalidSelector(one) from error
        return tuple(selectors)

    def _read_relation(self, text: str, place: int) -> tuple[int, int]:
        """Return the relation at a place and where it ends; the place itself without one."""
        found = _COMBINATOR.match(text, place)
        if found is None:
            return ANCESTOR, place
        return _RELATIONS.get(found[1] or "", ANCESTOR), found.end()

    def _read_compound(self, text: str, place: int, depth: int) -> tuple[Compound, int]:
        start = place
        parts = _Parts()
        tag = _TYPE.match(text, place)
        if tag is not None:
            place = tag.end()
            if tag[1] != "*":
                parts.tag = unescape(tag[1]).lower()
                parts.weight = (0, 0, 1)
        while place < len(text):
            sign = text[place]
            if sign in ".#":
                name = _NAME.match(text, place + 1)
                if name is None:
                    raise InvalidSelector(text)
                self._add_name(sign, unescape(name[0]), parts)
                place = name.end()
            elif sign == "[":
                end = find_closing(text, place + 1)
                self._add_attribute(text[place + 1 : end].strip(), parts)
                place = end + 1
            elif sign == ":":
                place = self._read_pseudo(text, place, parts, depth)
            elif sign == "&":
                place += 1
                self._add_parent(parts)
            else:
                break
        if place == start:
            raise InvalidSelector(text)
        written = text[start:place]
        if self._parent is not None and ("&" in written or ":scope" in written):
            written = f"{written}{id(self._parent)}"
        return parts.build(written), place

    def _add_name(self, sign: str, name: str, parts: _Parts) -> None:
        if self._folds:
            name = name.lower()
        if sign == ".":
            parts.classes.add(name)
            parts.weight = _add(parts.weight, _CLASS)
        else:
            parts.identities.append(name)
            parts.weight = _add(parts.weight, (1, 0, 0))

    def _add_parent(self, parts: _Parts) -> None:
        if self._parent is None:
            parts.add_test(_is_root, _NONE)
        else:
            self._add_any(parts, self._parent, find_weight(self._parent))

    def _add_any(self, parts: _Parts, selectors: Selectors, weight: Weight) -> None:
        parts.add_test(_test_any(selectors), weight)
        keys = {key for one in selectors for key in one.last.keys}
        if ANYTHING not in keys:
            parts.keys = tuple(keys)

    def _add_attribute(self, inside: str, parts: _Parts) -> None:
        name, test = _parse_attribute(inside)
        parts.add_test(test)
        if parts.keys == (ANYTHING,):
            parts.keys = (f"[{name}",)

    def _read_pseudo(self, text: str, place: int, parts: _Parts, depth: int) -> int:
        found = _PSEUDO.match(text, place)
        if found is None:
            raise InvalidSelector(text)
        name = found[2].lower()
        place = found.end()
        argument: str | None = None
        if text[place : place + 1] == "(":
            end = find_closing(text, place + 1)
            argument = text[place + 1 : end]
            place = end + 1
        if found[1] == "::" or name in _OLD_PARTS:
            if name in _PARTS or name.startswith("-webkit-"):
                raise _NoElement(text)
            raise InvalidSelector(text)
        if name in _UNDECIDED:
            raise UndecidedSelector(text)
        if argument is None:
            if name in AT_REST and not depth:
                raise _NoElement(text)
            self._add_state(name, parts)
        else:
            self._add_function(name, argument, parts, depth)
        return place

    def _add_state(self, name: str, parts: _Parts) -> None:
        kind, _, position = name.partition("-")
        if name == "scope" and self._parent is not None:
            self._add_any(parts, self._parent, _CLASS)
        elif name in _STATES:
            parts.add_test(_STATES[name])
            if name == "root":
                parts.keys = ("html",)
        elif name in AT_REST:
            parts.add_test(_matches_nothing)
        elif kind in ("first", "only") and position in ("child", "of-type"):
            parts.add_test(_test_position(0, 1, position == "of-type", False))
            if kind == "only":
                parts.add_test(_test_position(0, 1, position == "of-type", True), _NONE)
        elif kind == "last" and name in _POSITIONS:
            parts.add_test(_test_position(0, 1, *_POSITIONS[name]))
        else:
            raise InvalidSelector(name)

    def _add_function(self, name: str, argument: str, parts: _Parts, depth: int) -> None:
        if name in _EITHER:
            selectors = self._parse_list(argument, depth + 1, forgiving=True)
            weight = _NONE if name == "where" else find_weight(selectors)
            self._add_any(parts, selectors, weight)
        elif name == "not":
            selectors = self._parse_list(argument, depth + 1, forgiving=False)
            parts.add_test(_test_any(selectors, refused=True), find_weight(selectors))
        elif name == "has":
            selectors = self._parse_relative(argument, depth + 1)
            parts.add_test(_test_has(selectors), find_weight(selectors))
        elif name.startswith("nth-") and name[4:] in _POSITIONS:
            self._add_position(_POSITIONS[name[4:]], argument, parts)
        elif name in AT_REST:
            parts.add_test(_matches_nothing)
        else:
            raise InvalidSelector(name)

    def _parse_relative(self, text: str, depth: int) -> Selectors:
        """Parse the argument of `:has()`: the first relation is that to the element."""
        selectors: list[Selector] = []
        for one in split_top(text, ","):
            relation, place = self._read_relation(one, 0)
            try:
                found = self.parse(one[place:], depth)
            except _NoElement as error:
                raise InvalidSelector(one) from error
            selectors.append(Selector(((relation, found.steps[0][1]), *found.steps[1:])))
        return tuple(selectors)

    def _add_position(self, kind: tuple[bool, bool], argument: str, parts: _Parts) -> None:
        """`2n+1` has a step and an offset; a number has no step."""
        found = _FORMULA.fullmatch(argument)
        if found is None:
            if " of " in argument:
                raise UndecidedSelector(argument)
            raise InvalidSelector(argument)
        word, factor, sign, distance, number = found.groups()
        step, offset = 2, 1 if (word or "").lower() == "odd" else 0
        if number is not None:
            step, offset = 0, int(number)
        elif not word:
            step = int(factor) if factor not in ("", "+", "-") else int(f"{factor}1")
            offset = int(sign + distance) if sign else 0
        parts.add_test(_test_position(step, offset, *kind))


def _parse_attribute(inside: str) -> tuple[str, _Test]:
    found = _TYPE.match(inside)
    if found is None or found[1] == "*":
        raise InvalidSelector(inside)
    name = unescape(found[1]).lower()
    rest = inside[found.end() :].lstrip()
    if not rest:
        return name, _test_attribute(name, "", "", "")
    sign, equals, rest = rest.partition("=")
    rest = rest.lstrip()
    if not equals or sign not in ("", "~", "^", "$", "*", "|"):
        raise InvalidSelector(inside)
    if rest[:1] in ('"', "'"):
        end = find_string_end(rest, 1, rest[0])
        value = rest[1 : end - 1]
    else:
        word = _NAME.match(rest)
        if word is None:
            raise InvalidSelector(inside)
        end, value = word.end(), word[0]
    flag = rest[end:].strip().lower()
    if flag not in ("", "i", "s"):
        raise InvalidSelector(inside)
    return name, _test_attribute(name, f"{sign}=", unescape(value), flag)
