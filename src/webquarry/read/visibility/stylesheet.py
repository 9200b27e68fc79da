"""The `<style>` elements of a page -> what they declare about an element, where that can hide it.

A small part of CSS, read in time that grows with the text and no faster: rules for a screen,
selectors of `selectors.py`, the cascade by importance, specificity and order. Style sheets that the
page links to are never fetched. Most rules of a page have nothing to do with hiding; they are
passed over as early as possible.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from webquarry.read.css.colours import alike, parse_colour
from webquarry.read.css.declarations import Declarations, first_value, parse_declarations
from webquarry.read.css.rules import (
    ALWAYS,
    SOMETIMES,
    Rules,
    RuleText,
    find_state_backgrounds,
    parts_of,
)
from webquarry.read.css.selectors import (
    NAMES,
    Selector,
    expand_alternatives,
    find_last_names,
    find_needed_names,
    parse_selector,
)
from webquarry.read.css.variables import Variables, may_decide
from webquarry.read.visibility.concealment import reason_to_skip

_MOST_SELECTORS = 500  # in one rule
_LONGEST_SELECTOR = 500  # characters
_LONGEST_LIST = 5_000
# of selectors that look further than one element; then every one that hides is believed
_MOST_TESTS = 500_000
# Nothing hides without one of these words, and most rules have none.
_HIDING_WORDS = (
    "display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.",
    "opacity(0", "opacity=0", "font-size:.", "font-size:1px", "font-size:2px", "font:0",
    "size-adjust:0", "clip:rect", "clip-path:", "height:0", "height:1px", "width:0", "width:1px",
    "-size:0", "scale:0", "scale(0", "scalex(0", "scaley(0", "scale3d(0", "zoom:0", "matrix(0",
    "rotatex(", "rotatey(", "indent:1", "text-security", "color:transparent",
)  # fmt: skip
_HIDING_PATTERN = re.compile(r"-\d{3}|left:\d{4}")
_PALE_OR_DARK = (
    "color:#fff", "color:white", "color:#000", "color:black", "color:rgb", "color:hsl",
    "color:hwb", "color:ok", "color:la", "color:lc", "color:color(",
)  # fmt: skip
_PAINTING_WORDS = ("color:", "background")
_SHOWING_WORDS = ("display:", "visibility:v", "opacity:", "height:")
_SHOWS = re.compile(
    r"display:(?!none)|visibility:visible|opacity:(?:1|0?\.[1-9]|\d\d)"
    r"|height:(?:[1-9]|none|auto|fit|max|var)"
)
_COMMA = re.compile(r",(?![^()]*\))")  # one between selectors, not one inside `:not(a, b)`
# What children inherit, or adds up around them, is judged together with them; the rest hides by
# itself or does not.
_INHERITED = frozenset({"visibility", "font-size", "font", "opacity"})
_PAINTED = frozenset({"color", "background", "background-color", "background-image"})
_SCRIPT_STATE = re.compile(
    r"\.(?:no-?js|js|no-?script|js-enabled|has-js|jsenabled|client-js|client-nojs|wf-|preload"
    r"|loading)\b"
)


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """What one selector declares."""

    selector: Selector
    ordinary: Declarations
    important: Declarations
    order: int
    around: frozenset[str]  # classes that elements around it must have


class _Known(NamedTuple):
    """What is known about all elements of one tag, class and id."""

    certain: list[Rule]  # by these names alone
    depending: list[Rule]  # on other elements or other attributes
    worst: list[Rule]  # one of those that hides, for pages that make us ask too often
    style: Declarations  # of the certain ones


class Stylesheet:
    """What a page's own rules say. `keys` are the `.class`, `#id` and tag names that some rule can
    hide.

    With `colours`, rules that merely paint something count too. `only` are the classes and ids, in
    lower case, of all the elements that will be asked about and of those around them; rules for
    others are passed over.
    """

    def __init__(
        self, css: bytes = b"", *, colours: bool = False, only: frozenset[str] | None = None
    ) -> None:
        self.seen: set[str] = (
            set()
        )  # the classes that the walk has come across; those around an element are among them
        self.revealed: set[str] = set()  # the classes and ids that some state of the page shows
        parts = parts_of(css)
        self.blind_to_background = (
            colours and only is not None and _is_blind(parts)
        )  # set by selectors not understood
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        self._known: dict[tuple[str, str, str], _Known] = {}
        self._tests = 0
        self._colours = colours
        self._only = only
        self._variables = Variables(css)
        self._texts = Rules(parts, None if colours and not self.blind_to_background else only)
        words = (*_HIDING_WORDS, *(_PAINTING_WORDS if colours else _PALE_OR_DARK))
        for rule in self._texts.exact:
            if "var(" in rule.body and may_decide(rule.body):
                rule = rule._replace(body=self.resolved(rule.body))
            if _may_hide(rule.body, words):
                self._take(rule)
        self.keys = set(self._rules)
        self.attributes = frozenset(  # those that some rule without any other name is about
            name
            for rule in self._rules.get("[", ())
            for name, _, _ in rule.selector.steps[0][0].attributes
        )
        self._unread = bool(self.keys)  # what shows things is read once something is to be hidden

    def resolved(self, declarations: str) -> str:
        """Declarations with the values of variables, where those decide whether something is seen."""
        return self._variables.resolve(declarations)

    def style_of(
        self, element: etree._Element, own: tuple[Declarations, Declarations]
    ) -> Declarations:
        """What counts for an element in the end, its own style attribute included."""
        if self._unread:
            self._read_shown()
        key = (str(element.tag), element.get("class") or "", element.get("id") or "")
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look_up(*key)
        rules = known.certain
        if known.depending:
            self._tests += len(known.depending)
            if self._tests > _MOST_TESTS:
                rules = [*rules, *known.worst]
            else:
                found = [
                    rule
                    for rule in known.depending
                    if rule.around <= self.seen and rule.selector.matches(element)
                ]
                if found:
                    rules = sorted([*rules, *found], key=_weight)
        if rules is known.certain and not own[0] and not own[1]:
            return known.style
        return _cascade(rules, own)

    def _look_up(self, tag: str, classes: str, identity: str) -> _Known:
        rules = self._rules
        names = frozenset(classes.lower().split())
        found = [rule for name in names for rule in rules.get(f".{name}", ())]
        found += [*rules.get(tag, ()), *rules.get("[", ())]
        ids = frozenset((identity.lower(),))
        found += rules.get(f"#{identity.lower()}", ()) if identity else ()
        found = [
            rule
            for rule in dict.fromkeys(found)
            if rule.selector.steps[0][0].names_fit(tag, names, ids)
        ]
        certain = sorted((rule for rule in found if rule.selector.is_by_name), key=_weight)
        depending = [rule for rule in found if not rule.selector.is_by_name]
        worst = [rule for rule in depending if reason_to_skip(rule.ordinary | rule.important)][:1]
        return _Known(certain, depending, worst, _cascade(certain, ({}, {})))

    def _take(self, rule: RuleText, *, shown: bool = False) -> None:
        selectors = _each(rule.selectors)
        paints = self._colours and not self.blind_to_background and "background" in rule.body
        if self._only is not None and not paints:
            selectors = [text for text in selectors if self._concerns(text)]
            if not selectors:
                return
        ordinary, important = parse_declarations(rule.body)
        if not shown and not self._matters(ordinary | important):
            return
        for text in selectors:
            meant = (
                [None]
                if _SCRIPT_STATE.search(text)
                else [parse_selector(one) for one in expand_alternatives(text)] or [None]
            )
            for selector in meant:
                if selector is not None:
                    found = Rule(selector, ordinary, important, rule.order, selector.outer_classes)
                    self._rules[selector.key].append(found)
                elif self._colours and "background" in rule.body:
                    self.blind_to_background = True
            if ":not(" in text:
                self.revealed.update(_without_state(text))

    def _concerns(self, selector: str) -> bool:
        """Whether a selector may mean one of the elements that will be asked about, told by the
        names in it.
        """
        if "\\" in selector or "[" in selector:
            return True
        return self._only is None or self._only.issuperset(find_needed_names(selector))

    def _matters(self, style: Declarations) -> bool:
        """Whether declarations hide something, or may do so together with others."""
        if not _INHERITED.isdisjoint(style) or reason_to_skip(style) is not None:
            return True
        if self._colours:
            return not _PAINTED.isdisjoint(style)
        colour, ground = (
            parse_colour(style.get("color", "")),
            parse_colour(first_value(style, "background-color", "background")),
        )
        return colour is not None and (
            colour.alpha < 0.1 or (ground is not None and alike(colour, ground))
        )

    def _read_shown(self) -> None:
        self._unread = False
        names = {key[1:] for key in self.keys if key[0] in ".#"}
        for rule in self._texts.showing():
            if "var(" in rule.body and may_decide(rule.body):
                rule = rule._replace(body=self.resolved(rule.body))
            hinted = any(word in rule.body for word in _SHOWING_WORDS)
            if (
                hinted
                and _SHOWS.search(rule.body)
                and not names.isdisjoint(NAMES.findall(rule.selectors))
            ):
                self._take_shown(rule)

    def _take_shown(self, rule: RuleText) -> None:
        """Remember what shows something that other rules hide, always or under some condition."""
        for text in _each(rule.selectors):
            names = find_last_names(text.partition("::")[0])
            if not any(f".{name}" in self.keys or f"#{name}" in self.keys for name in names):
                continue
            if (
                rule.when == SOMETIMES
                or len(names) > 1
                or ":" in text
                or "[" in text
                or len(text.split()) > 1
            ):
                self.revealed.update(names)
            if rule.when == ALWAYS:
                self._take(rule._replace(selectors=text), shown=True)


def _may_hide(body: str, words: tuple[str, ...]) -> bool:
    """Whether the body of a rule holds one of the words, or a large number that moves something
    away.
    """
    if (
        "none" in body or "color" in body or "height:" in body or "width:" in body or "opacity" in body or "size" in body
        or "hidden" in body or "background" in body or "font:" in body or "clip" in body or "scale" in body
        or "collapse" in body or "indent" in body or "zoom" in body or "matrix" in body or "rotate" in body
        or "security" in body
    ):  # fmt: skip
        for word in words:
            if word in body:
                return True
    return _HIDING_PATTERN.search(body) is not None


def _is_blind(parts: list[bytes]) -> bool:
    """Whether some background is plainly set by a selector that is not understood; told early, it
    spares most rules.
    """
    for selectors, body in find_state_backgrounds(parts):
        if ";" not in selectors and "\\" not in selectors:
            painted = not _PAINTED.isdisjoint(parse_declarations(body)[0])
            if painted and any(parse_selector(text) is None for text in _each(selectors.lower())):
                return True
    return False


def _each(selectors: str) -> list[str]:
    """The selectors of a list, each short enough to be looked at."""
    split = (
        _COMMA.split(selectors)
        if "(" in selectors and len(selectors) <= _LONGEST_LIST
        else selectors.split(",")
    )
    return [text for text in split[:_MOST_SELECTORS] if len(text) <= _LONGEST_SELECTOR]


def _without_state(selector: str) -> list[str]:
    """The names of elements that are hidden as long as they lack a class, which the page's script
    gives them: `:not(.open)`.
    """
    last = selector.rpartition(" ")[2]
    return find_last_names(last.partition(":not(")[0]) if ":not(." in last else []


def _weight(rule: Rule) -> tuple[tuple[int, int, int], int]:
    return rule.selector.specificity, rule.order


def _cascade(rules: list[Rule], own: tuple[Declarations, Declarations]) -> Declarations:
    """What counts of rules in the order of their weight and of a style attribute."""
    style: Declarations = {}
    for rule in rules:
        style.update(rule.ordinary)
    style.update(own[0])
    for rule in rules:
        style.update(rule.important)
    style.update(own[1])
    return style
