"""CSS selectors -> which elements they mean, as far as tags, classes, ids, attributes and ancestors decide it.

Selectors with states (`:hover`), siblings (`+`, `~`) or functions (`:not()`) are not understood: `parse_selector` says
None. Names are compared in lower case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from lxml import etree

from webquarry.read.css import unescape

_MOST_STEPS = 6
_TEXT_TAGS = frozenset({"p", "div", "span", "section", "blockquote", "td"})  # where a page would hide what it says
_MOST_ANCESTORS = 64
_SPLIT = re.compile(r"\s*(>)\s*|\s+")
_COMPOUND = re.compile(r"(\*|[a-z][\w-]*)?((?:[.#][\w\u0080-\uffff-]+|\[[^\[\]]{1,100}\])*)")
_SIMPLE = re.compile(r"([.#])([\w\u0080-\uffff-]+)|\[\s*([\w:-]+)\s*(?:([~^$*|]?=)\s*[\"']?([^\"'\]]*)[\"']?\s*)?\]")
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

    def matches(self, element: etree._Element) -> bool:
        """Whether an element is all of it."""
        if self.tag and element.tag != self.tag:
            return False
        names = (element.get("class") or "").lower() if self.classes else ""
        for name in self.classes:
            if name not in names:
                return False
        ids = frozenset(((element.get("id") or "").lower(),)) if self.ids else _NO_NAMES
        return self.names_fit(self.tag, frozenset(names.split()), ids) and all(
            _attribute_matches(element.get(name), sign, value) for name, sign, value in self.attributes
        )

    def names_fit(self, tag: str, classes: frozenset[str], ids: frozenset[str]) -> bool:
        """Whether an element with this tag, these classes and this id, all in lower case, has the right names."""
        return (not self.tag or self.tag == tag) and self.classes <= classes and (not self.ids or self.ids == ids)


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from right to left, each with whether the next one must be its parent."""

    steps: tuple[tuple[Compound, bool], ...]
    specificity: tuple[int, int, int]

    @property
    def key(self) -> str:
        """The name under which elements find this selector: `#id`, `.class`, a tag, or `[` for any with an attribute."""
        last = self.steps[0][0]
        names = [*(f"#{one}" for one in sorted(last.ids)), *(f".{one}" for one in sorted(last.classes))]
        return [*names, last.tag or "["][0]

    @property
    def outer_classes(self) -> frozenset[str]:
        """The classes that some element around must have."""
        return frozenset().union(*(compound.classes for compound, _ in self.steps[1:]))

    @property
    def is_by_name(self) -> bool:
        """Whether tag, classes and id of an element decide the matter alone."""
        return len(self.steps) == 1 and not self.steps[0][0].attributes

    def matches(self, element: etree._Element) -> bool:
        """Whether an element that has the right names stands where the selector wants it."""
        if self.steps[0][0].attributes and not self.steps[0][0].matches(element):
            return False
        place = element
        for (_, parent_only), (wanted, _) in zip(self.steps, self.steps[1:], strict=False):
            ancestors = islice(place.iterancestors(), 1 if parent_only else _MOST_ANCESTORS)
            found = next((ancestor for ancestor in ancestors if wanted.matches(ancestor)), None)
            if found is None:
                return False
            place = found
        return True


def parse_selector(text: str) -> Selector | None:
    """A selector that can be decided from the tree alone, and cheaply, or None."""
    parts = [part for part in _SPLIT.split(_shielded(text.strip())) if part]
    steps: list[tuple[Compound, bool]] = []
    for part in reversed(parts):
        if part == ">":
            if steps:
                steps[-1] = (steps[-1][0], True)
            continue
        compound = _parse_compound(part)
        if compound is None or len(steps) >= _MOST_STEPS:
            return None
        steps.append((compound, False))
    if not steps or not _is_cheap(steps[0][0], len(steps)):
        return None
    compounds = [compound for compound, _ in steps]
    return Selector(
        tuple(steps),
        (
            sum(len(one.ids) for one in compounds),
            sum(len(one.classes) + len(one.attributes) for one in compounds),
            sum(bool(one.tag) for one in compounds),
        ),
    )


def _is_cheap(last: Compound, steps: int) -> bool:
    """Whether few elements are asked: one that ends in a bare tag, `.menu li`, would be about everything in a list."""
    return bool(last.ids or last.classes or last.tag in _TEXT_TAGS or (steps == 1 and (last.tag or last.attributes)))


def last_names(text: str) -> list[str]:
    """The classes and ids of the element that a selector ends in, states and functions aside."""
    return NAMES.findall(re.split(r"[\s>+~]", text.strip())[-1])


def _parse_compound(text: str) -> Compound | None:
    found = _COMPOUND.fullmatch(text)
    if found is None:
        return None
    ids: set[str] = set()
    classes: set[str] = set()
    attributes: list[tuple[str, str, str]] = []
    for sign, name, attribute, operator, value in _SIMPLE.findall(found[2]):
        if sign:
            (ids if sign == "#" else classes).add(_unshielded(name))
        else:
            attributes.append((attribute, operator, _unshielded(value)))
    tag = (found[1] or "").replace("*", "")
    return Compound(tag, frozenset(ids), frozenset(classes), tuple(attributes))


def _shielded(text: str) -> str:
    """A selector whose escaped signs, as in `.md\\:flex`, are letters of no alphabet, which stand in names."""
    if "\\" not in text:
        return text

    def shield(found: re.Match[str]) -> str:
        character = unescape(found[0])
        return chr(_SHIELD + ord(character)) if ord(character) < 128 else character

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
