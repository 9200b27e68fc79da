"""The tests in a selector that look beyond names: attributes, `:nth-child(2 of p)`, `:is(.a b)`,
`:has(> img)`.

Each says of one element whether it fits while nobody touches the page: nothing is hovered over,
nothing has the focus. What a person has not filled in is as the attributes say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree

from webquarry._read.css.selectors.attributes import find_value
from webquarry._read.css.selectors.model import ElementNames, SelectorList, Specificity, TreeContext

_CLASS: Specificity = (0, 1, 0)
_MOST_BESIDE = 8  # elements that are passed by one after the other
_FORM_TAGS = frozenset({"button", "input", "select", "textarea", "optgroup", "option", "fieldset"})
_FIELD_TAGS = frozenset({"input", "select", "textarea"})
# Of these attributes HTML compares the values without regard to case.
_CASELESS = frozenset(
    """
    accept accept-charset align alink axis bgcolor charset checked clear codetype color compact
    declare defer dir direction disabled enctype face frame hreflang http-equiv lang language link
    media method multiple nohref noresize noshade nowrap readonly rel rev rules scope scrolling
    selected shape target text type valign valuetype vlink
    """.split()  # noqa: SIM905
)


class _FromElement:
    """A test that takes a look at the element, and weighs as much as a class."""

    __slots__ = ()
    by_names = False
    specificity = _CLASS

    def fits_names(self, names: ElementNames) -> bool:
        """Never asked."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Constant:
    """The same for every element: a state in which nothing is before somebody touches it."""

    value: bool
    by_names = True
    specificity = _CLASS

    def fits_names(self, names: ElementNames) -> bool:
        return self.value

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        return self.value


@dataclass(frozen=True, slots=True)
class AttributeTest(_FromElement):
    """`[lang|=en]`; `flag` is `i` or `s` where the selector says whether case counts."""

    name: str
    sign: str = ""
    value: str = ""
    flag: str = ""

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        actual = find_value(element, self.name)
        if actual is None or not self.sign:
            return actual is not None
        wanted = self.value
        if self.flag == "i" or (not self.flag and self.name in _CASELESS):
            actual, wanted = actual.lower(), wanted.lower()
        elif self.name in ("class", "id") and not self.flag:
            actual, wanted = context.fold(actual), context.fold(wanted)
        if self.sign == "=":
            return actual == wanted
        if self.sign == "|=":
            return actual == wanted or actual.startswith(wanted + "-")
        if not wanted:
            return False  # nothing is found by an empty value
        if self.sign == "~=":
            return wanted in actual.split()
        if self.sign == "^=":
            return actual.startswith(wanted)
        if self.sign == "$=":
            return actual.endswith(wanted)
        return wanted in actual


@dataclass(frozen=True, slots=True)
class SiblingPosition(_FromElement):
    """Which of the children of its parent an element is: every `step`-th, from `offset` on.

    Counted are all of them, those of the same tag, or those that `of` means.
    """

    step: int
    offset: int
    of_type: bool = False
    from_end: bool = False
    of: SelectorList | None = None

    @property
    def specificity(self) -> Specificity:  # type: ignore[override]
        if self.of is None:
            return _CLASS
        ids, classes, tags = self.of.specificity
        return ids, classes + 1, tags

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        is_at_end = self.step == 0 and self.offset == 1 and self.of is None
        if is_at_end and len(context.roots) == 1:  # as most are
            is_first = self._is_first_of_few(element)
            if is_first is not None:
                return is_first or element is context.roots[0]
        places = context.position_of(element, self.of_type, self.of)
        if places is None:
            return False
        beyond = places[self.from_end] - self.offset
        if self.step == 0:
            return beyond == 0
        steps, rest = divmod(beyond, self.step)
        return rest == 0 and steps >= 0

    def _is_first_of_few(self, element: etree._Element) -> bool | None:
        """Whether nothing that counts stands before an element, or behind it; None where that takes
        a longer look.
        """
        beside = element
        for _ in range(_MOST_BESIDE):
            following = beside.getnext() if self.from_end else beside.getprevious()
            if following is None:
                return True
            if not self.of_type or following.tag == element.tag:
                return False
            beside = following
        return None


@dataclass(frozen=True, slots=True)
class AnyOf:
    """`:is()`, `:where()` and `&`; with `refused`, `:not()`."""

    selectors: SelectorList
    refused: bool = False
    specificity: Specificity = (0, 0, 0)
    by_names: bool = False

    def fits_names(self, names: ElementNames) -> bool:
        for one in self.selectors.selectors:
            if one.last.names_fit(names):
                return not self.refused
        return self.refused

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        return context.is_in(element, self.selectors) is not self.refused


@dataclass(frozen=True, slots=True)
class Has(_FromElement):
    """`:has(> img)`: something that stands in this relation to the element is on the page."""

    selectors: SelectorList

    @property
    def specificity(self) -> Specificity:  # type: ignore[override]
        return self.selectors.specificity

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        return context.has_related(element, self.selectors)


@dataclass(frozen=True, slots=True)
class Language(_FromElement):
    """`:lang(de)`: by the nearest `lang` around it."""

    ranges: tuple[str, ...]

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        language = _find_around(element, context, "lang")
        for wanted in self.ranges:
            if wanted == "*" and language:
                return True
            if wanted and (language == wanted or language.startswith(wanted + "-")):
                return True
        return False


@dataclass(frozen=True, slots=True)
class Direction(_FromElement):
    """`:dir(rtl)`: by the nearest `dir` around it."""

    wanted: str

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        return (_find_around(element, context, "dir") or "ltr") == self.wanted


@dataclass(frozen=True, slots=True)
class ElementState(_FromElement):
    """What its tag, attributes and place say of an element: `:checked`, `:empty`, `:root`."""

    judge: Callable[[etree._Element, TreeContext], bool]

    def matches(self, element: etree._Element, context: TreeContext) -> bool:
        return self.judge(element, context)


def _find_around(element: etree._Element, context: TreeContext, name: str) -> str:
    """The value of an attribute on the nearest element around one, itself included."""
    around: etree._Element | None = element
    while around is not None:
        value = around.get(name)
        if value is not None:
            return value.strip().lower()
        around = context.parent_of(around)
    return ""


def _is_root(element: etree._Element, context: TreeContext) -> bool:
    return bool(context.roots) and element is context.roots[0]


def _is_empty(element: etree._Element, context: TreeContext) -> bool:
    return len(element) == 0 and not element.text


def _is_link(element: etree._Element, context: TreeContext) -> bool:
    return element.tag in ("a", "area") and element.get("href") is not None


def _is_checked(element: etree._Element, context: TreeContext) -> bool:
    if element.tag == "option":
        return element.get("selected") is not None
    kind = (element.get("type") or "").lower()
    is_box = element.tag == "input" and kind in ("checkbox", "radio")
    return is_box and element.get("checked") is not None


def _is_disabled(element: etree._Element, context: TreeContext) -> bool:
    if element.tag not in _FORM_TAGS:
        return False
    if element.get("disabled") is not None:
        return True
    fieldsets = element.iterancestors("fieldset")
    return any(around.get("disabled") is not None for around in fieldsets)


def _is_enabled(element: etree._Element, context: TreeContext) -> bool:
    return element.tag in _FORM_TAGS and not _is_disabled(element, context)


def _is_required(element: etree._Element, context: TreeContext) -> bool:
    return element.tag in _FIELD_TAGS and element.get("required") is not None


def _is_optional(element: etree._Element, context: TreeContext) -> bool:
    return element.tag in _FIELD_TAGS and element.get("required") is None


def _is_writable(element: etree._Element, context: TreeContext) -> bool:
    editable = element.get("contenteditable")
    if editable is not None:
        return editable.strip().lower() in ("", "true", "plaintext-only")
    if element.tag not in ("input", "textarea"):
        return False
    return element.get("readonly") is None and not _is_disabled(element, context)


def _is_read_only(element: etree._Element, context: TreeContext) -> bool:
    return not _is_writable(element, context)


def _shows_placeholder(element: etree._Element, context: TreeContext) -> bool:
    if element.tag not in ("input", "textarea") or not element.get("placeholder"):
        return False
    return not element.get("value") and not element.text


def _is_missing(field: etree._Element) -> bool:
    """Whether a field must be filled in and is not."""
    is_filled = bool(field.get("value") or field.text or field.get("checked") is not None)
    return field.get("required") is not None and not is_filled


def _is_invalid(element: etree._Element, context: TreeContext) -> bool:
    if element.tag in ("form", "fieldset"):
        return any(_is_missing(field) for field in element.iter(*_FIELD_TAGS))
    return element.tag in _FIELD_TAGS and _is_missing(element)


def _is_valid(element: etree._Element, context: TreeContext) -> bool:
    can_be = element.tag in ("form", "fieldset", "button") or element.tag in _FIELD_TAGS
    return can_be and not _is_invalid(element, context)


def _is_in_range(element: etree._Element, context: TreeContext) -> bool:
    has_range = element.get("min") is not None or element.get("max") is not None
    return element.tag == "input" and has_range


def _is_open(element: etree._Element, context: TreeContext) -> bool:
    return element.tag in ("details", "dialog") and element.get("open") is not None


def _is_indeterminate(element: etree._Element, context: TreeContext) -> bool:
    return element.tag == "progress" and element.get("value") is None


def _is_defined(element: etree._Element, context: TreeContext) -> bool:
    """Elements of a page's own making are defined by its script."""
    return context.has_script or "-" not in str(element.tag)


# What the page itself decides.
STATES: dict[str, Callable[[etree._Element, TreeContext], bool]] = {
    "root": _is_root,
    "scope": _is_root,
    "empty": _is_empty,
    "link": _is_link,
    "any-link": _is_link,
    "-webkit-any-link": _is_link,
    "checked": _is_checked,
    "default": _is_checked,
    "disabled": _is_disabled,
    "enabled": _is_enabled,
    "required": _is_required,
    "optional": _is_optional,
    "read-write": _is_writable,
    "-moz-read-write": _is_writable,
    "read-only": _is_read_only,
    "-moz-read-only": _is_read_only,
    "placeholder-shown": _shows_placeholder,
    "invalid": _is_invalid,
    "valid": _is_valid,
    "in-range": _is_in_range,
    "open": _is_open,
    "indeterminate": _is_indeterminate,
    "defined": _is_defined,
}
# In these no element is while nobody touches the page, or not in a document of its own.
AT_REST = frozenset(
    """
    hover active focus focus-visible focus-within visited target target-within target-current
    current past future playing paused seeking buffering stalled muted volume-locked fullscreen
    -webkit-full-screen modal picture-in-picture popover-open user-valid user-invalid autofill
    -webkit-autofill out-of-range host has-slotted active-view-transition window-inactive
    -webkit-drag local-link
    """.split()  # noqa: SIM905
)
# These take an argument and are never true of an element in the page itself.
CALLED_AT_REST = frozenset(
    {"host", "host-context", "state", "active-view-transition-type", "current"}
)
