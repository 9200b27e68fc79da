"""CSS selectors -> which elements they mean, as far as the tree decides it: tags, classes, ids,
attributes, places.

Selectors with states (`:hover`) are not understood: `parse_selector` says None. Names are compared
in lower case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from webquarry.read.css.declarations import unescape
from webquarry.read.css.pseudo import ElementTest, Negation, parse_structural

_MOST_STEPS = 6
_MOST_ANCESTORS = 64
_MOST_BESIDE = 64  # elements before one in the same parent
_MOST_ALTERNATIVES = 32  # selectors that one with `:is()` stands for
ANCESTOR, PARENT, BESIDE, EARLIER = range(4)  # what the next compound to the left is to one
_RELATIONS = {">": PARENT, "+": BESIDE, "~": EARLIER}
# How many elements may be meant by what stands to the left of a sign.
_MOST_RELATED = {ANCESTOR: _MOST_ANCESTORS, PARENT: 1, BESIDE: 1, EARLIER: _MOST_BESIDE}
_SIGN = re.compile(r"\s*([>+~])\s*|\s+")
_IN_BRACKETS = r"\((?:[^()]|\([^()]*\))*\)"
_COMPOUND = re.compile(
    rf"(\*|[a-z][\w-]*)?((?:[.#][\w\u0080-\uffff-]+|\[[^\[\]]{{1,100}}\]"
    rf"|:[a-z-]+(?:{_IN_BRACKETS})?)*)"
)
_SIMPLE = re.compile(
    r"([.#])([\w\u0080-\uffff-]+)"
    r"|\[\s*([\w:-]+)\s*(?:([~^$*|]?=)\s*[\"']?([^\"'\]]*)[\"']?\s*)?\]"
    rf"|:([a-z-]+)({_IN_BRACKETS})?"
)
_EITHER = re.compile(rf":(?:is|where|matches|-webkit-any|-moz-any)({_IN_BRACKETS})")
_CHOICE = re.compile(r"[^\s>+~]+")  # one compound
_COMMA = re.compile(r",(?![^()]*\))")
_BETWEEN_COMPOUNDS = re.compile(r"[\s>+~]")
_FUNCTIONS = re.compile(rf":[a-z-]+{_IN_BRACKETS}")
_SIBLINGS = re.compile(r"[^\s>+~]+\s*[+~]\s*")
_ESCAPED = re.compile(r"\\(?:[0-9a-f]{1,6}[ \t\n]?|.)", re.DOTALL)
_SHIELD = 0xE000  # private use
_SHIELDED = re.compile(r"[\ue000-\ue07f]")
NAMES = re.compile(r"[.#]([\w\u0080-\uffff-]+)")


_NO_NAMES: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Compound:
    """`p.note#first[lang]`: everything that one element must be."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[tuple[str, str, str], ...]
    tests: tuple[ElementTest, ...] = ()

    @property
    def is_by_name(self) -> bool:
        """Whether tag, classes and id decide the matter alone."""
        return not self.attributes and not self.tests

    def matches(self, element: etree._Element) -> bool:
        """Whether an element is all of it."""
        if self.tag and element.tag != self.tag:
            return False
        names = ""
        if self.classes:
            names = (element.get("class") or "").lower()
        for name in self.classes:
            if name not in names:
                return False
        ids = _NO_NAMES
        if self.ids:
            ids = frozenset(((element.get("id") or "").lower(),))
        if not self.names_fit(self.tag, frozenset(names.split()), ids):
            return False
        for name, sign, value in self.attributes:
            if not _attribute_matches(element.get(name), sign, value):
                return False
        return all(test.matches(element) for test in self.tests)

    def names_fit(self, tag: str, classes: frozenset[str], ids: frozenset[str]) -> bool:
        """Whether an element with this tag, these classes and this id, all in lower case, has the
        right names.
        """
        return (
            (not self.tag or self.tag == tag)
            and self.classes <= classes
            and (not self.ids or self.ids == ids)
        )


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from right to left, each with what the next one must be to it."""

    steps: tuple[tuple[Compound, int], ...]
    specificity: tuple[int, int, int]

    @property
    def key(self) -> str:
        """The name under which elements find this selector: `#id`, `.class`, a tag, or `[` for any
        with an attribute.
        """
        last = self.steps[0][0]
        if last.ids:
            return f"#{min(last.ids)}"
        if last.classes:
            return f".{min(last.classes)}"
        return last.tag or "["

    @property
    def outer_classes(self) -> frozenset[str]:
        """The classes that some element around must have."""
        classes: set[str] = set()
        for (_, relation), (outer, _) in zip(self.steps, self.steps[1:], strict=False):
            if relation <= PARENT:
                classes |= outer.classes
        return frozenset(classes)

    @property
    def is_by_name(self) -> bool:
        """Whether tag, classes and id of an element decide the matter alone."""
        if len(self.steps) > 1:
            return False
        return self.steps[0][0].is_by_name

    def matches(self, element: etree._Element) -> bool:
        """Whether an element that has the right names stands where the selector wants it.

        Each step looks on from the nearest element that the one before found; no other is tried.
        """
        last = self.steps[0][0]
        if not last.is_by_name and not last.matches(element):
            return False
        for (_, relation), (wanted, _) in zip(self.steps, self.steps[1:], strict=False):
            if relation in (PARENT, ANCESTOR):
                nearest_first = element.iterancestors()
            else:
                nearest_first = element.itersiblings(preceding=True)
            for candidate in islice(nearest_first, _MOST_RELATED[relation]):
                if wanted.matches(candidate):
                    element = candidate
                    break
            else:
                return False
        return True


def expand_alternatives(text: str) -> list[str]:
    """The selectors that one with `:is()` or `:where()` in it stands for; itself, if it has
    none. Nothing, if it is not understood.
    """
    expanded = [text]
    while (found := _EITHER.search(expanded[0])) is not None:
        start = found.start()
        starts_compound = start == 0 or expanded[0][start - 1] in " >+~"
        choices = [choice.strip() for choice in _COMMA.split(found[1][1:-1])]
        for choice in choices:
            if not _CHOICE.fullmatch(choice):
                return []
            if not starts_compound and choice[0] not in ".#[:":
                return []
        expanded = [one.replace(found[0], choice, 1) for one in expanded for choice in choices]
        if len(expanded) > _MOST_ALTERNATIVES:
            return []
    return expanded


def find_needed_names(text: str) -> list[str]:
    """The classes and ids that the elements of a selector must have: neither those of siblings nor
    those in brackets.
    """
    if "(" in text:
        text = _FUNCTIONS.sub("", text)
    if "+" in text or "~" in text:
        text = _SIBLINGS.sub("", text)
    return NAMES.findall(text)


def find_last_names(text: str) -> list[str]:
    """The classes and ids of the element that a selector ends in, states and functions aside."""
    compounds = _BETWEEN_COMPOUNDS.split(text.strip())
    return NAMES.findall(compounds[-1])


def parse_selector(text: str) -> Selector | None:
    """A selector that can be decided from the tree alone, and cheaply, or None."""
    text = _shield_signs(text.strip())
    steps: list[tuple[Compound, int]] = []
    place = 0
    relation = ANCESTOR
    while True:
        found = _COMPOUND.match(text, place)
        if found is None or found.end() == place or len(steps) >= _MOST_STEPS:
            return None
        compound = _parse_compound(found[1] or "", found[2])
        if compound is None:
            return None
        steps.append((compound, relation))
        if found.end() == len(text):
            break
        sign = _SIGN.match(text, found.end())
        if sign is None:
            return None
        place = sign.end()
        relation = _RELATIONS.get(sign[1] or "", ANCESTOR)
    steps.reverse()

    # Few elements are asked, or the page means all of a tag: one that may end in anything is too
    # dear.
    last = steps[0][0]
    is_cheap = last.ids or last.classes or last.tag or (len(steps) == 1 and last.attributes)
    if not is_cheap:
        return None
    ids = classes = tags = 0
    for compound, _ in steps:
        ids += len(compound.ids)
        classes += len(compound.classes) + len(compound.attributes) + len(compound.tests)
        tags += bool(compound.tag)
    specificity = (ids, classes, tags)
    return Selector(tuple(steps), specificity)


def _parse_compound(tag: str, rest: str) -> Compound | None:
    """The tag of a compound and all that follows it -> what one element must be, or None."""
    ids: set[str] = set()
    classes: set[str] = set()
    attributes: list[tuple[str, str, str]] = []
    tests: list[ElementTest] = []
    for sign, name, attribute, operator, value, pseudo, argument in _SIMPLE.findall(rest):
        if sign == "#":
            ids.add(_restore_signs(name))
        elif sign:
            classes.add(_restore_signs(name))
        elif attribute:
            attributes.append((attribute, operator, _restore_signs(value)))
        else:
            pseudo_tests = _parse_pseudo(pseudo, argument[1:-1])
            if pseudo_tests is None:
                return None
            tests += pseudo_tests
    return Compound(
        tag=tag.replace("*", ""),
        ids=frozenset(ids),
        classes=frozenset(classes),
        attributes=tuple(attributes),
        tests=tuple(tests),
    )


def _parse_pseudo(name: str, argument: str) -> tuple[ElementTest, ...] | None:
    """What a pseudo-class asks of an element, or None for one that is not understood."""
    if name != "not":
        return parse_structural(name, argument)
    refused: list[ElementTest] = []
    for text in _COMMA.split(argument):
        found = _COMPOUND.fullmatch(text.strip())
        if not found or not found[0]:
            return None
        compound = _parse_compound(found[1] or "", found[2])
        if compound is None:
            return None
        refused.append(compound)
    return (Negation(tuple(refused)),)


def _shield_signs(text: str) -> str:
    """A selector whose escaped signs, as in `.md\\:flex`, are letters of no alphabet, which stand
    in names.
    """
    if "\\" not in text:
        return text

    def shield(found: re.Match[str]) -> str:
        """An escaped sign as a letter of the private use area."""
        character = unescape(found[0])
        number = ord(character)
        if number < 128:
            return chr(_SHIELD + number)
        return character

    return _ESCAPED.sub(shield, text)


def _restore_signs(name: str) -> str:
    """A name with its own signs again, in lower case."""
    restored = _SHIELDED.sub(lambda found: chr(ord(found[0]) - _SHIELD), name)
    return restored.lower()


def _attribute_matches(actual: str | None, sign: str, wanted: str) -> bool:
    """Whether the value of an attribute is what a selector wants: `[lang|=en]`."""
    if actual is None:
        return False
    actual = actual.lower()
    if sign == "":
        return True
    if sign == "=":
        return actual == wanted
    if sign == "~=":
        return wanted in actual.split()
    if sign == "^=":
        return actual.startswith(wanted)
    if sign == "$=":
        return actual.endswith(wanted)
    if sign == "*=":
        return wanted in actual
    return actual == wanted or actual.startswith(wanted + "-")
