"""The `<style>` elements of a page -> what they declare about an element, where that can hide it.

A small part of CSS, read in time that grows with the text and no faster: rules for a screen, selectors of `selectors.py`,
the cascade by importance, specificity and order. Style sheets that the page links to are never fetched. Most rules of a
page have nothing to do with hiding; they are passed over as early as possible.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lxml import etree

from webquarry.read.concealment import reason_to_skip
from webquarry.read.css import Declarations, parse_declarations, plain_css, unescape
from webquarry.read.selectors import NAMES, Selector, last_names, parse_selector

_MOST_CSS = 4_000_000  # characters; what follows is not read
_MOST_SELECTORS = 500  # in one rule
_MOST_TESTS = 500_000  # of selectors that look further than one element; then every one that hides is believed
# What hides, by a word that is quickly looked for: most rules have none of them.
_HIDES = [
    (hint, re.compile(pattern))
    for hint, pattern in (
        ("none", r"display\s*:\s*none"),
        ("visib", r"visibility\s*:\s*(?:hidden|collapse)|content-visibility"),
        ("opacity", r"opacity\s*[:(=]\s*0"),
        ("font", r"font(?:-size)?\s*:\s*(?:0|\.[01]|[12](?:\.\d+)?px)|font-size-adjust"),
        ("clip", r"clip(?:-path)?\s*:"),
        ("-", r"[:\s(,]-\d{3}"),
        ("height", r"height\s*:\s*[01](?:px|%)?\s*(?:;|!|$)"),
        ("width", r"width\s*:\s*[01](?:px|%)?\s*(?:;|!|$)"),
        ("-size", r"-size\s*:\s*[01](?:px|%)?\s*(?:;|!|$)"),
        ("scale", r"scale\w*\s*[:(]\s*-?0?\.?0"),
        ("zoom", r"zoom\s*:\s*0"),
        ("matrix", r"matrix\w*\(\s*0"),
        ("rotate", r"rotate[xy]\("),
        ("translate", r"translate\w*\s*[:(]"),
        ("indent", r"text-indent\s*:"),
        ("left", r"left\s*:\s*\d{4}"),
        ("security", r"text-security"),
        ("color", r"color\s*:\s*(?:transparent|[a-z]+\([^)]*[,/]\s*0?\.?0)"),
        ("\\", r"\\"),
    )
]
_SHOWS = re.compile(
    r"display\s*:\s*(?!none)|visibility\s*:\s*visible|opacity\s*:\s*(?:1|0?\.[1-9]|\d\d)|height\s*:\s*(?:[1-9]|none|auto|fit|max|var)"
)
_COLOUR = re.compile(r"(?<![\w-])color\s*:")
_GROUND = re.compile(r"(?<![\w-])background(?:-color)?\s*:")
# What children inherit is judged together with them; the rest either hides by itself or does not.
_RELEVANT = frozenset({"visibility", "font-size", "font", "color", "background", "background-color", "background-image"})
_ALWAYS, _SOMETIMES, _NEVER = 0, 1, 2
_PLAIN_MEDIA = frozenset({"", "all", "screen", "only screen", "screen, projection", "screen,projection"})
_SCRIPT_STATE = re.compile(
    r"\.(?:no-?js|js|no-?script|js-enabled|has-js|jsenabled|client-js|client-nojs|wf-|preload|loading)\b"
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
    """What a page's own rules say. `keys` are the `.class`, `#id` and tag names that some rule can hide.

    With `colours`, rules that merely paint something count too.
    """

    def __init__(self, css: str = "", *, colours: bool = False) -> None:
        self.keys: set[str] = set()
        self.seen: set[str] = set()  # the classes that the walk has come across, which those around an element are among
        self.revealed: set[str] = set()  # the classes and ids that some state of the page shows
        self.blind_to_background = False  # some background is set by a selector that is not understood
        self._rules: dict[str, list[Rule]] = defaultdict(list)
        self._known: dict[tuple[str, str, str], _Known] = {}
        self._tests = 0
        self._colours = colours
        rules = list(_rules_of(plain_css(css[:_MOST_CSS])))
        for order, (selectors, body, when) in enumerate(rules):
            if when == _ALWAYS and self._can_hide(body):
                self._take(selectors, body, order)
        self.keys.update(self._rules)
        self._unread = rules if self._rules else []  # for what shows things; read when something is to be hidden

    def style_of(self, element: etree._Element, own: tuple[Declarations, Declarations]) -> Declarations:
        """What counts for an element in the end, its own style attribute included."""
        if self._unread:
            self._read_shown()
        key = (str(element.tag), element.get("class") or "", element.get("id") or "")
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look_up(element, *key)
        rules = known.certain
        if known.depending:
            self._tests += len(known.depending)
            if self._tests > _MOST_TESTS:
                rules = [*rules, *known.worst]
            else:
                found = [rule for rule in known.depending if rule.around <= self.seen and rule.selector.matches(element)]
                if found:
                    rules = sorted([*rules, *found], key=_weight)
        if rules is known.certain and not own[0] and not own[1]:
            return known.style
        return _cascade(rules, own)

    def _look_up(self, element: etree._Element, tag: str, classes: str, identity: str) -> _Known:
        rules = self._rules
        found = [rule for name in classes.lower().split() for rule in rules.get(f".{name}", ())]
        found += rules.get(tag, ())
        found += rules.get(f"#{identity.lower()}", ()) if identity else ()
        found = [rule for rule in dict.fromkeys(found) if rule.selector.steps[0][0].matches(element)]
        certain = sorted((rule for rule in found if rule.selector.is_by_name), key=_weight)
        depending = [rule for rule in found if not rule.selector.is_by_name]
        worst = [rule for rule in depending if reason_to_skip(rule.ordinary | rule.important)][:1]
        return _Known(certain, depending, worst, _cascade(certain, ({}, {})))

    def _can_hide(self, body: str) -> bool:
        for hint, pattern in _HIDES:
            if hint in body and pattern.search(body):
                return True
        if "color" not in body and not (self._colours and "background" in body):
            return False
        colour, ground = _COLOUR.search(body), _GROUND.search(body)
        return bool(colour and ground) or (self._colours and bool(colour or ground))

    def _take(self, selectors: str, body: str, order: int, *, shown: bool = False) -> None:
        ordinary, important = parse_declarations(body)
        if not shown and not _RELEVANT & {*ordinary, *important} and reason_to_skip(ordinary | important) is None:
            return
        for text in selectors.split(",")[:_MOST_SELECTORS]:
            selector = None if _SCRIPT_STATE.search(text) else parse_selector(unescape(text))
            if selector is not None:
                rule = Rule(selector, ordinary, important, order, selector.outer_classes)
                self._rules[selector.key].append(rule)
            elif self._colours and _GROUND.search(body):
                self.blind_to_background = True

    def _read_shown(self) -> None:
        names = {key[1:] for key in self.keys}
        for order, (selectors, body, when) in enumerate(self._unread):
            if "display" in body or "visib" in body or "opacity" in body or "height" in body:
                if when != _NEVER and not names.isdisjoint(NAMES.findall(selectors)) and _SHOWS.search(body):
                    self._take_shown(selectors, body, when, order)
        self._unread = []

    def _take_shown(self, selectors: str, body: str, when: int, order: int) -> None:
        """Remember what shows something that other rules hide, always or under some condition."""
        for text in selectors.split(",")[:_MOST_SELECTORS]:
            names = last_names(text.partition("::")[0])
            if not any(f".{name}" in self.keys or f"#{name}" in self.keys for name in names):
                continue
            if when == _SOMETIMES or len(names) > 1 or ":" in text or "[" in text or len(text.split()) > 1:
                self.revealed.update(names)
            if when == _ALWAYS:
                self._take(text, body, order, shown=True)


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


def _rules_of(css: str) -> Iterator[tuple[str, str, int]]:
    """Selectors, body and condition of every style rule."""
    around: list[tuple[str, int]] = []  # open rules: their selectors, and when what is inside applies
    for part in css.split("}"):
        *preludes, body = part.split("{")
        for place, text in enumerate(preludes):
            before, _, prelude = text.rpartition(";")
            if around and around[-1][0] and before:
                yield around[-1][0], before, around[-1][1]  # declared in front of a rule inside a rule
            when = around[-1][1] if around else _ALWAYS
            prelude = prelude.strip()
            if prelude[:1] == "@":
                around.append(("", max(_condition(prelude), when)))
            else:
                nested = bool(around and around[-1][0]) or (place > 0 and prelude[:1] == "&")
                around.append((prelude, _NEVER if nested else when))
        if around:
            selectors, when = around.pop()
            if selectors and body:
                yield selectors, body, when


def _condition(prelude: str) -> int:
    name, _, query = prelude.replace("(", " (", 1).partition(" ")
    query = query.strip()
    if name == "@media":
        if query in _PLAIN_MEDIA:
            return _ALWAYS
        return _NEVER if "print" in query and "screen" not in query else _SOMETIMES
    if name in ("@supports", "@layer", "@scope"):
        return _ALWAYS
    return _SOMETIMES if name == "@container" else _NEVER
