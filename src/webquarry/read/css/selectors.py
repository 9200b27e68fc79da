"""CSS selectors -> which elements they mean, as far as the tree decides it: tags, classes, ids,
attributes, places.

Selectors with states (`:hover`) are not understood: `parse_selector` says None. Names are compared
in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from webquarry.read.css.declarations import unescape
from webquarry.read.css.pseudo import ElementTest, Negation, structural

_MOST_STEPS = 6
_MOST_ANCESTORS = 64
_MOST_BESIDE = 64  # elements before one in the same parent
_MOST_MEANT = 32  # selectors that one with `:is()` stands for
ANCESTOR, PARENT, BESIDE, EARLIER = range(4)  # what the next compound to the left is to one
_RELATIONS = {">": PARENT, "+": BESIDE, "~": EARLIER}
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
        if self.ids:
            ids = frozenset(((element.get("id") or "").lower(),))
        else:
            ids = _NO_NAMES
        if not self.names_fit(self.tag, frozenset(names.split()), ids):
            return False
        if not all(
            _attribute_matches(element.get(name), sign, value)
            for name, sign, value in self.attributes
        ):
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
        names = [
            *(f"#{one}" for one in sorted(last.ids)),
            *(f".{one}" for one in sorted(last.classes)),
        ]
        return [*names, last.tag or "["][0]

    @property
    def outer_classes(self) -> frozenset[str]:
        """The classes that some element around must have."""
        around = zip(self.steps, self.steps[1:], strict=False)
        return frozenset().union(
            *(outer.classes for (_, relation), (outer, _) in around if relation <= PARENT)
        )

    @property
    def is_by_name(self) -> bool:
        """Whether tag, classes and id of an element decide the matter alone."""
        return len(self.steps) == 1 and self.steps[0][0].is_by_name

    def matches(self, element: etree._Element) -> bool:
        """Whether an element that has the right names stands where the selector wants it."""
        if not self.steps[0][0].is_by_name and not self.steps[0][0].matches(element):
            return False
        place = element
        for (_, relation), (wanted, _) in zip(self.steps, self.steps[1:], strict=False):
            found = next((one for one in _related(place, relation) if wanted.matches(one)), None)
            if found is None:
                return False
            place = found
        return True


def _related(element: etree._Element, relation: int) -> Iterator[etree._Element]:
    """The elements that may be meant by what stands to the left of a sign, the nearest first."""
    if relation <= PARENT:
        return islice(element.iterancestors(), 1 if relation == PARENT else _MOST_ANCESTORS)
    return islice(element.itersiblings(preceding=True), 1 if relation == BESIDE else _MOST_BESIDE)


def meant_by(text: str) -> list[str]:
    """The selectors that one with `:is()` or `:where()` in it stands for; itself, if it has none."""
    meant = [text]
    while (found := _EITHER.search(meant[0])) is not None:
        starts = found.start() == 0 or meant[0][found.start() - 1] in " >+~"
        choices = [choice.strip() for choice in _COMMA.split(found[1][1:-1])]
        if not all(
            _CHOICE.fullmatch(choice) and (starts or choice[0] in ".#[:") for choice in choices
        ):
            return []
        meant = [one.replace(found[0], choice, 1) for one in meant for choice in choices]
        if len(meant) > _MOST_MEANT:
            return []
    return meant


def names_needed(text: str) -> list[str]:
    """The classes and ids that the elements of a selector must have: neither those of siblings nor
    those in brackets.
    """
    if "(" in text:
        text = _FUNCTIONS.sub("", text)
    if "+" in text or "~" in text:
        text = _SIBLINGS.sub("", text)
    return NAMES.findall(text)


def parse_selector(text: str) -> Selector | None:
    """A selector that can be decided from the tree alone, and cheaply, or None."""
    text = _shielded(text.strip())
    steps: list[tuple[Compound, int]] = []
    place, relation = 0, ANCESTOR
    while True:
        found = _COMPOUND.match(text, place)
        compound = None
        if found and found.end() > place:
            compound = _parse_compound(found[1] or "", found[2])
        if found is None or compound is None or len(steps) >= _MOST_STEPS:
            return None
        steps.append((compound, relation))
        if found.end() == len(text):
            break
        sign = _SIGN.match(text, found.end())
        if sign is None:
            return None
        place, relation = sign.end(), _RELATIONS.get(sign[1] or "", ANCESTOR)
    steps.reverse()
    if not _is_cheap(steps[0][0], len(steps)):
        return None
    compounds = [compound for compound, _ in steps]
    return Selector(
        tuple(steps),
        (
            sum(len(one.ids) for one in compounds),
            sum(len(one.classes) + len(one.attributes) + len(one.tests) for one in compounds),
            sum(bool(one.tag) for one in compounds),
        ),
    )


def _is_cheap(last: Compound, steps: int) -> bool:
    """Whether few elements are asked, or the page means all of a tag: one that may end in anything
    is too dear.
    """
    return bool(last.ids or last.classes or last.tag or (steps == 1 and last.attributes))


def last_names(text: str) -> list[str]:
    """The classes and ids of the element that a selector ends in, states and functions aside."""
    return NAMES.findall(re.split(r"[\s>+~]", text.strip())[-1])


def _parse_compound(tag: str, rest: str) -> Compound | None:
    ids: set[str] = set()
    classes: set[str] = set()
    attributes: list[tuple[str, str, str]] = []
    tests: list[ElementTest] = []
    for sign, name, attribute, operator, value, pseudo, argument in _SIMPLE.findall(rest):
        if sign:
            (ids if sign == "#" else classes).add(_unshielded(name))
        elif attribute:
            attributes.append((attribute, operator, _unshielded(value)))
        else:
            asked = _parse_pseudo(pseudo, argument[1:-1])
            if asked is None:
                return None
            tests += asked
    return Compound(
        tag.replace("*", ""), frozenset(ids), frozenset(classes), tuple(attributes), tuple(tests)
    )


def _parse_pseudo(name: str, argument: str) -> tuple[ElementTest, ...] | None:
    if name != "not":
        return structural(name, argument)
    refused: list[ElementTest] = []
    for text in _COMMA.split(argument):
        found = _COMPOUND.fullmatch(text.strip())
        compound = None
        if found and found[0]:
            compound = _parse_compound(found[1] or "", found[2])
        if compound is None:
            return None
        refused.append(compound)
    return (Negation(tuple(refused)),)


def _shielded(text: str) -> str:
    """A selector whose escaped signs, as in `.md\\:flex`, are letters of no alphabet, which stand
    in names.
    """
    if "\\" not in text:
        return text

    def shield(found: re.Match[str]) -> str:
        character = unescape(found[0])
        if ord(character) < 128:
            return chr(_SHIELD + ord(character))
        return character

    return _ESCAPED.sub(shield, text)


def _unshielded(name: str) -> str:
    return _SHIELDED.sub(lambda found: chr(ord(found[0]) - _SHIELD), name).lower()


def _attribute_matches(actual: str | None, sign: str, wanted: str) -> bool:
    if actual is None:
        return False
    actual = actual.lower()
    return {
        "": True,
        "=": actual == wanted,
        "~=": wanted in actual.split(),
        "^=": actual.startswith(wanted),
        "$=": actual.endswith(wanted),
        "*=": wanted in actual,
        "|=": actual == wanted or actual.startswith(wanted + "-"),
    }.get(sign, False)
