"""A style sheet -> its rules, and which of them hold certain words, without looking into the others.

Words are looked for in the whole sheet at once, which costs next to nothing; where they stand tells the rules.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Set
from typing import NamedTuple

from webquarry.read.css import plain_css
from webquarry.read.selectors import NAMES

ALWAYS, SOMETIMES, NEVER = 0, 1, 2  # when a rule applies to a screen
_LONGEST = 4_000_000  # characters; what follows is not read
_PLAIN_MEDIA = frozenset({"", "all", "screen", "only screen", "screen, projection", "screen,projection"})
_LETTER = re.compile(r"\\0{0,4}([46][1-9a-f]|[57][0-9a]) ?|\\([g-z])")  # an escape that hides a letter
_ODD = re.compile(r"[\\\[;@&]")  # in selectors: names may be hidden, or other things stand before them


class RuleText(NamedTuple):
    """One rule as it is written. Its place in the sheet is its order, too."""

    selectors: str
    body: str
    when: int
    place: int  # where the text of the selectors starts
    body_place: int


class Rules:
    """The rules of a sheet, in lower case, without comments and needless blanks."""

    def __init__(self, css: str, only: Set[str] | None = None) -> None:
        css = plain_css(css[:_LONGEST])
        if only is not None:
            css = _concerning(css, only)
        css = " ".join(css.split())
        if "\\" in css:
            css = _LETTER.sub(lambda found: found[2] or chr(int(found[1], 16)).lower(), css)
        self._css = css.replace(": ", ":").replace(" :", ":").replace("( ", "(")
        self._rules: list[RuleText] | None = None

    def all(self) -> list[RuleText]:
        if self._rules is None:
            self._rules = list(_rules_of(self._css))
        return self._rules

    def declaring(self, words: Iterable[str], patterns: Iterable[re.Pattern[str]]) -> Iterator[RuleText]:
        """The rules in whose bodies one of the words stands, or one of the patterns is found."""
        places = self._places_of(words)
        for pattern in patterns:
            places += [found.start() for found in pattern.finditer(self._css)]
        return self._at(sorted(places), in_body=True)

    def about(self, names: Collection[str]) -> Iterator[RuleText]:
        """The rules whose selectors may speak of one of these names."""
        return self._at(sorted(self._places_of(names)), in_body=False)

    def _places_of(self, words: Iterable[str]) -> list[int]:
        places: list[int] = []
        for word in words:
            place = self._css.find(word)
            while place >= 0:
                places.append(place)
                place = self._css.find(word, place + 1)
        return places

    def _at(self, places: list[int], *, in_body: bool) -> Iterator[RuleText]:
        """The rules in which the places lie, which are in order."""
        left = iter(places)
        place = next(left, None)
        for rule in self.all() if places else ():
            start, end = (
                (rule.body_place, rule.body_place + len(rule.body)) if in_body else (rule.place, rule.body_place)
            )
            while place is not None and place < start:
                place = next(left, None)
            if place is None:
                return
            if place < end:
                yield rule


def _concerning(css: str, names: Set[str]) -> str:
    """The sheet without the plain rules whose selectors have classes or ids, but none of these; for speed only."""
    return "}".join([part for part in css.split("}") if not _is_about_others(part, names)])


def _is_about_others(part: str, names: Set[str]) -> bool:
    selectors, brace, body = part.partition("{")
    if not brace or "{" in body or _ODD.search(selectors) is not None:
        return False
    found = NAMES.findall(selectors)
    return bool(found) and names.isdisjoint(found)


def _rules_of(css: str) -> Iterator[RuleText]:
    """Every style rule. One that holds others gives what stands before and behind them as rules of their own."""
    around: list[tuple[str, int, int]] = []  # open rules: selectors, when what is inside applies, place
    place = 0
    for part in css.split("}"):
        *preludes, body = part.split("{")
        for text in preludes:
            declared, _, prelude = text.rpartition(";")
            selectors, when, opened = around[-1] if around else ("", ALWAYS, 0)
            if selectors and declared:
                yield RuleText(selectors, declared, when, opened, place)
            prelude = prelude.strip()
            if prelude[:1] == "@":
                around.append(("", max(_condition(prelude), when), place))
            else:
                around.append((prelude, NEVER if selectors else when, place))
            place += len(text) + 1
        if around:
            selectors, when, opened = around.pop()
            if selectors and body:
                yield RuleText(selectors, body, when, opened, place)
        place += len(body) + 1


def _condition(prelude: str) -> int:
    name, _, query = prelude.replace("(", " (", 1).partition(" ")
    query = query.strip()
    if name == "@media":
        if query in _PLAIN_MEDIA:
            return ALWAYS
        return NEVER if "print" in query and "screen" not in query else SOMETIMES
    if name in ("@supports", "@layer", "@scope"):
        return ALWAYS
    return SOMETIMES if name == "@container" else NEVER
