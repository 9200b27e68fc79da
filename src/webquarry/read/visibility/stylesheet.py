"""The `<style>` elements of a page -> what they declare about an element, where that can hide it.

A small part of CSS, read in time that grows with the text and no faster: rules for a screen,
selectors of `selectors.py`, the cascade by importance, specificity and order. Style sheets that the
page links to are never fetched. Most rules of a page have nothing to do with hiding; they are
passed over as early as possible.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
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
from webquarry.read.text.search import WordSearch
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
# two patterns, because one that begins with a plain sign is searched for several times as fast
_FAR_OUT = re.compile(r"-\d{3}")
_FAR_RIGHT = re.compile(r"left:\d{4}")
_PALE_OR_DARK = (
    "color:#fff", "color:white", "color:#000", "color:black", "color:rgb", "color:hsl",
    "color:hwb", "color:ok", "color:la", "color:lc", "color:color(",
)  # fmt: skip
_HIDING_OR_PALE = WordSearch(_HIDING_WORDS + _PALE_OR_DARK)
_HIDING_OR_PAINTING = WordSearch((*_HIDING_WORDS, "color:", "background"))
_SHOWING_WORDS = ("display:", "visibility:v", "opacity:", "height:")
_SHOWS = re.compile(
    r"display:(?!none)|visibility:visible|opacity:(?:1|0?\.[1-9]|\d\d)"
    r"|height:(?:[1-9]|none|auto|fit|max|var)"
)
_FAINT_COLOUR = 0.1  # opacity of a colour; below it nothing can be read
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
        # the classes that the walk has come across; those around an element are among them
        self.seen: set[str] = set()
        self.revealed: set[str] = set()  # the classes and ids that some state of the page shows
        self.shown_by_width: set[str] = set()  # those among them that windows of some width show
        parts = parts_of(css)
        # whether some background is set by a selector that is not understood
        self.blind_to_background = False
        if colours and only is not None:
            self.blind_to_background = _has_unknown_background(parts)
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        self._known: dict[tuple[str, str, str], _Known] = {}
        self._tests = 0
        self._colours = colours
        self._only = only
        self._variables = Variables(css)
        if colours and not self.blind_to_background:
            self._texts = Rules(parts)
        else:
            self._texts = Rules(parts, only)
        words = _HIDING_OR_PALE
        if colours:
            words = _HIDING_OR_PAINTING
        for rule in self._texts.find_exact(lambda body: "var(" in body or _may_hide(body, words)):
            if "var(" in rule.body:
                rule = self._resolve_rule(rule)
                if not _may_hide(rule.body, words):
                    continue
            self._add_rule(rule)
        self.keys = set(self._rules)
        # those that some rule without any other name is about
        self.attributes = frozenset(self._find_bare_attributes())
        self._unread = bool(self.keys)  # what shows things is read once something is to be hidden

    def resolve(self, declarations: str) -> str:
        """Declarations with the values of variables, where those decide whether something is
        seen.
        """
        return self._variables.resolve(declarations)

    def _resolve_rule(self, rule: RuleText) -> RuleText:
        """A rule with variables -> the same with their values, where those decide."""
        if not may_decide(rule.body):
            return rule
        body = self._variables.resolve(rule.body)
        return rule._replace(body=body)

    def _find_bare_attributes(self) -> Iterator[str]:
        """The attributes of rules that name neither tag nor class nor id."""
        for rule in self._rules.get("[", ()):
            compound, _ = rule.selector.steps[0]
            for name, _, _ in compound.attributes:
                yield name

    def style_of(
        self, element: etree._Element, own: tuple[Declarations, Declarations]
    ) -> Declarations:
        """What counts for an element in the end, its own style attribute included."""
        if self._unread:
            self._read_showing_rules()
        key = (str(element.tag), element.get("class") or "", element.get("id") or "")
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look_up(*key)
        rules = known.certain
        if known.depending:
            rules = self._find_rules_for(element, known)
        if rules is known.certain and not own[0] and not own[1]:
            return known.style
        return _cascade(rules, own)

    def _look_up(self, tag: str, classes: str, identity: str) -> _Known:
        """What the rules say about all elements of these names."""
        rules = self._rules
        identity = identity.lower()
        names = frozenset(classes.lower().split())
        candidates: list[Rule] = []
        for name in names:
            candidates += rules.get(f".{name}", ())
        candidates += rules.get(tag, ())
        candidates += rules.get("[", ())
        if identity:
            candidates += rules.get(f"#{identity}", ())

        ids = frozenset((identity,))
        certain: list[Rule] = []
        depending: list[Rule] = []
        for rule in dict.fromkeys(candidates):
            compound, _ = rule.selector.steps[0]
            if not compound.names_fit(tag, names, ids):
                continue
            if rule.selector.is_by_name:
                certain.append(rule)
            else:
                depending.append(rule)
        certain.sort(key=_weight)

        worst: list[Rule] = []
        for rule in depending:
            if reason_to_skip(rule.ordinary | rule.important):
                worst = [rule]
                break
        return _Known(certain, depending, worst, _cascade(certain, ({}, {})))

    def _find_rules_for(self, element: etree._Element, known: _Known) -> list[Rule]:
        """The certain rules with those of the others that this element fulfils, in the order of
        their weight.

        Once too many have been tried on the page, one that hides is believed without a look.
        """
        self._tests += len(known.depending)
        if self._tests > _MOST_TESTS:
            return known.certain + known.worst
        matching: list[Rule] = []
        for rule in known.depending:
            if rule.around <= self.seen and rule.selector.matches(element):
                matching.append(rule)
        if not matching:
            return known.certain
        return sorted(known.certain + matching, key=_weight)

    def _add_rule(self, rule: RuleText, *, shows: bool = False) -> None:
        """Remember a rule that may hide something, or one that shows what others hide."""
        selectors = _split_selectors(rule.selectors)
        sets_background = self._colours and "background" in rule.body
        counts_for_all = sets_background and not self.blind_to_background
        if self._only is not None and not counts_for_all:
            selectors = [text for text in selectors if self._concerns(text)]
            if not selectors:
                return
        ordinary, important = parse_declarations(rule.body)
        if not shows and not self._matters(ordinary | important):
            return
        for text in selectors:
            parsed: list[Selector | None] = []
            if not _SCRIPT_STATE.search(text):
                parsed = [parse_selector(one) for one in expand_alternatives(text)]
            for selector in parsed or [None]:  # None is what is not understood
                if selector is not None:
                    outer_classes = selector.outer_classes
                    found = Rule(selector, ordinary, important, rule.order, outer_classes)
                    self._rules[selector.key].append(found)
                elif sets_background:
                    self.blind_to_background = True
            if ":not(" in text:
                self._reveal_without_state(text)

    def _reveal_without_state(self, selector: str) -> None:
        """Elements that are hidden as long as they lack a class, `:not(.open)`, get it from the
        page's script.
        """
        last = selector.rpartition(" ")[2]
        if ":not(." in last:
            compound = last.partition(":not(")[0]
            self.revealed.update(find_last_names(compound))

    def _concerns(self, selector: str) -> bool:
        """Whether a selector may mean one of the elements that will be asked about, told by the
        names in it.
        """
        if self._only is None or "\\" in selector or "[" in selector:
            return True
        return self._only.issuperset(find_needed_names(selector))

    def _matters(self, style: Declarations) -> bool:
        """Whether declarations hide something, or may do so together with others."""
        if not _INHERITED.isdisjoint(style) or reason_to_skip(style) is not None:
            return True
        if self._colours:
            return not _PAINTED.isdisjoint(style)

        # The page links to sheets that are not read: only what one rule says of both counts.
        colour = parse_colour(style.get("color", ""))
        if colour is None:
            return False
        if colour.alpha < _FAINT_COLOUR:
            return True
        ground = parse_colour(first_value(style, "background-color", "background"))
        return ground is not None and alike(colour, ground)

    def _read_showing_rules(self) -> None:
        """Find the rules that show something which others hide."""
        self._unread = False
        names = {key[1:] for key in self.keys if key[0] in ".#"}
        for rule in self._texts.showing():
            if "var(" in rule.body:
                rule = self._resolve_rule(rule)
            is_hinted = any(word in rule.body for word in _SHOWING_WORDS)
            if not is_hinted or not _SHOWS.search(rule.body):
                continue
            if not names.isdisjoint(NAMES.findall(rule.selectors)):
                self._add_showing_rule(rule)

    def _add_showing_rule(self, rule: RuleText) -> None:
        """Remember what shows something that other rules hide, always or under some condition."""
        for text in _split_selectors(rule.selectors):
            names = find_last_names(text.partition("::")[0])
            hides_one = any(f".{name}" in self.keys or f"#{name}" in self.keys for name in names)
            if not hides_one:
                continue
            if (
                rule.when == SOMETIMES
                or len(names) > 1
                or ":" in text
                or "[" in text
                or len(text.split()) > 1
            ):
                self.revealed.update(names)
            if rule.when == SOMETIMES:
                self.shown_by_width.update(names)
            if rule.when == ALWAYS:
                self._add_rule(rule._replace(selectors=text), shows=True)


def _may_hide(body: str, words: WordSearch) -> bool:
    """Whether the body of a rule holds one of the words, or a large number that moves something
    away.
    """
    if words.is_any_in(body) or _FAR_OUT.search(body) is not None:
        return True
    return "left:" in body and _FAR_RIGHT.search(body) is not None


def _has_unknown_background(parts: list[bytes]) -> bool:
    """Whether some background is plainly set by a selector that is not understood; told early, it
    spares most rules.
    """
    for selectors, body in find_state_backgrounds(parts):
        if ";" in selectors or "\\" in selectors:
            continue
        ordinary, _ = parse_declarations(body)
        if _PAINTED.isdisjoint(ordinary):
            continue
        for text in _split_selectors(selectors.lower()):
            if parse_selector(text) is None:
                return True
    return False


def _split_selectors(selectors: str) -> list[str]:
    """The selectors of a list, each short enough to be looked at."""
    if "(" in selectors and len(selectors) <= _LONGEST_LIST:
        texts = _COMMA.split(selectors)
    else:
        texts = selectors.split(",")
    return [text for text in texts[:_MOST_SELECTORS] if len(text) <= _LONGEST_SELECTOR]


def _weight(rule: Rule) -> tuple[tuple[int, int, int], int]:
    """By what rules are sorted: the heavier one counts."""
    return rule.selector.specificity, rule.order


def _cascade(rules: list[Rule], own: tuple[Declarations, Declarations]) -> Declarations:
    """What counts of rules in the order of their weight and of a style attribute: important
    declarations after all ordinary ones.
    """
    own_ordinary, own_important = own
    style: Declarations = {}
    for rule in rules:
        style.update(rule.ordinary)
    style.update(own_ordinary)
    for rule in rules:
        style.update(rule.important)
    style.update(own_important)
    return style
