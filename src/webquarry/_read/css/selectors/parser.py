"""The text of CSS selectors -> selectors, in one pass, whatever they are made of.

A selector that browsers do not know makes the whole rule count for nothing (`InvalidSelector`), as
it does there. One that goes beyond our bounds is `UndecidedSelector`: whether it means an element
is not known.
"""

from __future__ import annotations

import re

from webquarry._read.css.declarations import unescape
from webquarry._read.css.scan import find_closing, find_string_end, split_list
from webquarry._read.css.selectors.compound import (
    NEVER,
    CompoundParts,
    build_compound,
    name_parent,
)
from webquarry._read.css.selectors.model import (
    ANCESTOR,
    RELATIONS,
    Compound,
    Selector,
    SelectorList,
    Specificity,
)
from webquarry._read.css.selectors.plain import (
    MOST_STEPS,
    find_name_end,
    parse_plain,
    skip_blanks,
)
from webquarry._read.css.selectors.pseudo import (
    AT_REST,
    CALLED_AT_REST,
    STATES,
    AnyOf,
    AttributeTest,
    Direction,
    ElementState,
    Has,
    Language,
    SiblingPosition,
)

_DEEPEST = 12  # functions inside functions
_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n]?|[^\n0-9a-fA-F])"
_IDENT = (
    rf"(?:--|-?+(?:[A-Za-z_\u0080-\U0010ffff]|{_ESCAPE}))(?:[\w\u0080-\U0010ffff-]|{_ESCAPE})*+"
)
_NAME = re.compile(_IDENT)
_TYPE = re.compile(rf"(?:\*?\|)?+({_IDENT}|\*)")
_SIGN = re.compile(r"\s*+([>+~])\s*+|\s++")
_PSEUDO = re.compile(r"(::?)(-?[A-Za-z][\w-]*+)")
_FLAG = re.compile(r"\s*+([isIS]?)\s*+")
_FORMULA = re.compile(
    r"\s*+(?:(odd|even)|([+-]?\d{0,9})n(?:\s*+([+-])\s*+(\d{1,9}))?+|([+-]?\d{1,9}))"
    r"(?:\s++of\s++(.+)|\s*+)",
    re.IGNORECASE | re.DOTALL,
)
_NO_NUMBER = {"": 1, "+": 1, "-": -1}  # what the sign alone before an n stands for
_NAMED_FORMULAS = {"odd": (2, 1), "even": (2, 0)}
# Whether only siblings of the same tag count, and whether they are counted from the end.
_ENDS = {
    "first-child": (False, False),
    "first-of-type": (True, False),
    "last-child": (False, True),
    "last-of-type": (True, True),
}
_COUNTED = {
    "nth-child": (False, False),
    "nth-of-type": (True, False),
    "nth-last-child": (False, True),
    "nth-last-of-type": (True, True),
}
_EITHER = frozenset({"is", "where", "matches", "-webkit-any", "-moz-any"})
# Old pseudo-elements, which may be written with one colon.
_PARTS = frozenset({"before", "after", "first-line", "first-letter"})
_KNOWN_PARTS = frozenset(
    """
    before after first-line first-letter marker selection placeholder backdrop cue cue-region
    file-selector-button part slotted highlight details-content grammar-error spelling-error
    target-text view-transition view-transition-group view-transition-image-pair view-transition-new
    view-transition-old scroll-marker scroll-marker-group scroll-button column checkmark picker
    picker-icon search-text
    """.split()  # noqa: SIM905
)
# What begins with a colon and is known, for those who need not know more.
KNOWN_PSEUDO = frozenset(
    {*STATES, *AT_REST, *CALLED_AT_REST, *_ENDS, *_COUNTED, *_EITHER, *_KNOWN_PARTS}
) | {"not", "has", "lang", "dir", "only-child", "only-of-type"}


# The tests that ask for nothing but a state.
_STATES = {name: ElementState(judge) for name, judge in STATES.items()}


class InvalidSelector(Exception):
    """Browsers would not take it, nor the rule that it stands in."""


class UndecidedSelector(Exception):
    """It is larger than we look into."""


class _NoElement(Exception):
    """It is about a part of an element, such as `::before`, and not about any element."""


class SelectorParser:
    """Parses for one page. In one with `folds`, case does not count in names."""

    def __init__(self, *, folds: bool = False) -> None:
        self._folds = folds

    def parse_list(
        self, text: str, parent: SelectorList | None = None, *, nests: bool = False
    ) -> SelectorList:
        """The selectors of a rule. `parent` is what `&` stands for; a selector of a rule that
        `nests` in another one begins there, if it does not say so itself.
        """
        return self.parse_each(split_list(text), parent, nests=nests)

    def parse_each(
        self, texts: list[str], parent: SelectorList | None = None, *, nests: bool = False
    ) -> SelectorList:
        """The same for selectors that are no list any more."""
        selectors: list[Selector] = []
        for one in texts:
            try:
                selectors.append(self._parse(one, parent, 0, nests))
            except _NoElement:
                continue
        return SelectorList(tuple(selectors))

    def parse_tolerantly(self, text: str, parent: SelectorList | None = None) -> SelectorList:
        """Those of the selectors in a list that browsers know."""
        return self._parse_forgiving(text, parent, 0)

    def _parse_forgiving(self, text: str, parent: SelectorList | None, depth: int) -> SelectorList:
        selectors: list[Selector] = []
        for one in split_list(text):
            try:
                selectors.append(self._parse(one, parent, depth))
            except (InvalidSelector, _NoElement):
                continue
        return SelectorList(tuple(selectors))

    def _parse_strict(self, text: str, parent: SelectorList | None, depth: int) -> SelectorList:
        selectors: list[Selector] = []
        for one in split_list(text):
            try:
                selectors.append(self._parse(one, parent, depth))
            except _NoElement as error:
                raise InvalidSelector(one) from error
        return SelectorList(tuple(selectors))

    def _parse(
        self, text: str, parent: SelectorList | None, depth: int, nests: bool = False
    ) -> Selector:
        """One selector. In one that nests and never names its parent, the parent comes first."""
        if depth > _DEEPEST:
            raise UndecidedSelector(text)
        text = text.strip()
        if not nests:
            plain = parse_plain(text, self._folds)
            if plain is not None:
                return plain
        steps: list[tuple[int, Compound]] = []
        relation, place = ANCESTOR, 0
        if nests and parent is not None:
            leading = RELATIONS.get(text[:1])
            if leading is not None or "&" not in text:
                steps.append((ANCESTOR, name_parent(parent)))
                relation, place = self._read_relation(text, 0)
        while True:
            compound, place = self._read_compound(text, place, parent, depth)
            steps.append((relation, compound))
            if place == len(text):
                break
            if len(steps) >= MOST_STEPS:
                raise UndecidedSelector(text)
            end = place
            relation, place = self._read_relation(text, end)
            if place == end:
                raise InvalidSelector(text)
        weight = (0, 0, 0)
        for _, compound in steps:
            weight = _add_weights(weight, compound.specificity)
        return Selector(tuple(steps), weight)

    def _read_relation(self, text: str, place: int) -> tuple[int, int]:
        """The relation that a selector begins with, as `> img` does, and where that ends; the place
        itself where there is none.
        """
        relation = ANCESTOR
        end = skip_blanks(text, place)
        if end < len(text) and text[end] in ">+~":
            relation = RELATIONS[text[end : end + 1]]
            end = skip_blanks(text, end + 1)
        if end == len(text) or " " <= text[end] <= "~":
            return relation, end
        sign = _SIGN.match(text, place)  # there are other blanks
        if sign is None:
            return ANCESTOR, place
        return RELATIONS.get(sign[1] or "", ANCESTOR), sign.end()

    def _read_compound(
        self, text: str, place: int, parent: SelectorList | None, depth: int
    ) -> tuple[Compound, int]:
        """The compound that begins at a place, and where it ends."""
        start = place
        parts = CompoundParts()
        if place < len(text) and text[place] not in ".#[:&":
            place = self._read_tag(text, place, parts)
        while place < len(text):
            sign = text[place]
            if sign == "." or sign == "#":
                place = self._read_name(text, place, parts)
            elif sign == "[":
                place = self._read_attribute(text, place, parts)
            elif sign == ":":
                place = self._read_pseudo(text, place, parts, parent, depth)
            elif sign == "&":
                place += 1
                self._add_parent(parts, parent)
            else:
                break
        if place == start:
            raise InvalidSelector(text)
        written = text[start:place]
        if parent is not None and ("&" in written or ":scope" in written):
            written = f"{written}{id(parent)}"
        return build_compound(written, parts), place

    def _read_tag(self, text: str, place: int, parts: CompoundParts) -> int:
        """Read the tag that a compound may begin with; where it ends."""
        end = find_plain_end(text, place)
        if end >= 0:
            parts.tag = text[place:end].lower()
            parts.of_tags += 1
            return end
        tag = _TYPE.match(text, place)
        if tag is None:
            return place
        if tag[1] != "*":
            parts.tag = unescape(tag[1]).lower()
            parts.of_tags += 1
        return tag.end()

    def _add_parent(self, parts: CompoundParts, parent: SelectorList | None) -> None:
        """`&`: the elements of the rule around; outside of any, the outermost element."""
        if parent is None:
            parts.tests.append(_STATES["root"])
        else:
            self._add_either(parts, parent, parent.specificity)

    def _add_either(
        self, parts: CompoundParts, selectors: SelectorList, weight: Specificity
    ) -> None:
        """`:is()`; where it holds one compound, that is as if it were written out."""
        parts.add_weight(weight)
        if len(selectors.selectors) == 1 and selectors.is_compound:
            only = selectors.selectors[0].last
            if not (only.tag and parts.tag and only.tag != parts.tag):
                parts.tag = parts.tag or only.tag
                parts.classes |= only.classes
                if only.identity:
                    parts.identities.append(only.identity)
                parts.tests += only.tests
                return
        parts.tests.append(AnyOf(selectors, False, weight, selectors.is_by_names))

    def _read_name(self, text: str, place: int, parts: CompoundParts) -> int:
        end = find_plain_end(text, place + 1)
        name = text[place + 1 : end]
        if end < 0:
            found = _NAME.match(text, place + 1)
            if found is None:
                raise InvalidSelector(text)
            end = found.end()
            name = unescape(found[0])
        if self._folds:
            name = name.lower()
        if text[place] == ".":
            parts.classes.add(name)
            parts.of_classes += 1
        else:
            parts.identities.append(name)
            parts.of_ids += 1
        return end

    def _read_attribute(self, text: str, place: int, parts: CompoundParts) -> int:
        end = find_closing(text, place + 1)
        if end < 0:
            raise InvalidSelector(text)
        parts.add_test(_parse_attribute(text[place + 1 : end].strip()))
        return end + 1

    def _read_pseudo(
        self, text: str, place: int, parts: CompoundParts, parent: SelectorList | None, depth: int
    ) -> int:
        start = place + 1
        is_part = start < len(text) and text[start] == ":"
        if is_part:
            start += 1
        end = find_plain_end(text, start)
        if end < 0 or text[start] == "_":
            found = _PSEUDO.match(text, place)
            if found is None:
                raise InvalidSelector(text)
            end = found.end(2)
        name = text[start:end].lower()
        argument: str | None = None
        place = end
        if end < len(text) and text[end] == "(":
            closing = find_closing(text, end + 1)
            if closing < 0:
                raise InvalidSelector(text)
            argument = text[end + 1 : closing]
            place = closing + 1
        if is_part or name in _PARTS:
            if name in _KNOWN_PARTS or name.startswith("-webkit-"):
                raise _NoElement(text)
            raise InvalidSelector(text)
        if argument is None:
            self._add_bare(name, parts, parent)
        else:
            self._add_called(name, argument, parts, parent, depth)
        return place

    def _add_bare(self, name: str, parts: CompoundParts, parent: SelectorList | None) -> None:
        """A pseudo-class without brackets."""
        if name == "scope" and parent is not None:
            self._add_either(parts, parent, (0, 1, 0))
        elif name in _STATES:
            parts.add_test(_STATES[name])
        elif name in AT_REST:
            parts.add_test(NEVER)
        elif name in _ENDS:
            of_type, from_end = _ENDS[name]
            parts.add_test(SiblingPosition(0, 1, of_type, from_end))
        elif name in ("only-child", "only-of-type"):
            of_type = name == "only-of-type"
            parts.add_test(SiblingPosition(0, 1, of_type))
            parts.tests.append(SiblingPosition(0, 1, of_type, from_end=True))
        else:
            raise InvalidSelector(name)

    def _add_called(
        self,
        name: str,
        argument: str,
        parts: CompoundParts,
        parent: SelectorList | None,
        depth: int,
    ) -> None:
        """A pseudo-class with brackets."""
        if name in _EITHER:
            selectors = self._parse_forgiving(argument, parent, depth + 1)
            weight = selectors.specificity
            if name == "where":
                weight = (0, 0, 0)
            self._add_either(parts, selectors, weight)
        elif name == "not":
            selectors = self._parse_strict(argument, parent, depth + 1)
            weight = selectors.specificity
            parts.add_test(AnyOf(selectors, True, weight, selectors.is_by_names))
        elif name == "has":
            parts.add_test(Has(self._parse_relative(argument, parent, depth + 1)))
        elif name in _COUNTED:
            parts.add_test(self._parse_position(name, argument, parent, depth))
        elif name == "lang":
            ranges = [one.strip().strip("\"'").lower() for one in argument.split(",")]
            parts.add_test(Language(tuple(ranges)))
        elif name == "dir":
            parts.add_test(Direction(argument.strip().lower()))
        elif name in CALLED_AT_REST:
            parts.add_test(NEVER)
        else:
            raise InvalidSelector(name)

    def _parse_relative(self, text: str, parent: SelectorList | None, depth: int) -> SelectorList:
        """What `:has()` looks for: the relation of its first compound is that to the element."""
        selectors: list[Selector] = []
        for one in split_list(text):
            one = one.strip()
            relation, place = self._read_relation(one, 0)
            try:
                found = self._parse(one[place:], parent, depth)
            except _NoElement as error:
                raise InvalidSelector(one) from error
            first = (relation, found.steps[0][1])
            selectors.append(Selector((first, *found.steps[1:]), found.specificity))
        return SelectorList(tuple(selectors))

    def _parse_position(
        self, name: str, argument: str, parent: SelectorList | None, depth: int
    ) -> SiblingPosition:
        """`2n+1` has step and offset; a bare number has no step."""
        found = _FORMULA.fullmatch(argument)
        if found is None:
            raise InvalidSelector(argument)
        word, factor, sign, distance, number, listed = found.groups()
        offset = 0
        if word:
            step, offset = _NAMED_FORMULAS[word.lower()]
        elif number is not None:
            step = 0
            offset = int(number)
        else:
            step = _NO_NUMBER.get(factor) or int(factor)
            if sign:
                offset = int(sign + distance)
        of_type, from_end = _COUNTED[name]
        of: SelectorList | None = None
        if listed is not None:
            if of_type:
                raise InvalidSelector(argument)
            of = self._parse_strict(listed, parent, depth + 1)
        return SiblingPosition(step, offset, of_type, from_end, of)


def find_plain_end(text: str, place: int) -> int:
    """Where a name without escapes and foreign letters ends; -1 where a closer look is needed."""
    end = find_name_end(text, place)
    if end == place:
        return -1
    if end < len(text) and (text[end] == "\\" or text[end] >= "\x80"):
        return -1
    return end


def _add_weights(one: Specificity, other: Specificity) -> Specificity:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _parse_attribute(inside: str) -> AttributeTest:
    """What stands in the brackets of an attribute."""
    found = _TYPE.match(inside)
    if found is None or found[1] == "*":
        raise InvalidSelector(inside)
    name = unescape(found[1]).lower()
    rest = inside[found.end() :].lstrip()
    if not rest:
        return AttributeTest(name)
    sign, equals, rest = rest.partition("=")
    if not equals or sign not in ("", "~", "^", "$", "*", "|"):
        raise InvalidSelector(inside)
    rest = rest.lstrip()
    if rest[:1] in ('"', "'"):
        end = find_string_end(rest, 1, rest[0])
        if end < 2 or rest[end - 1] != rest[0]:
            raise InvalidSelector(inside)
        value = rest[1 : end - 1]
    else:
        word = _NAME.match(rest)
        if word is None:
            raise InvalidSelector(inside)
        end = word.end()
        value = word[0]
    flag = _FLAG.fullmatch(rest, end)
    if flag is None:
        raise InvalidSelector(inside)
    return AttributeTest(name, f"{sign}=", unescape(value), flag[1].lower())
