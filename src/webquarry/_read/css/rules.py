"""A style sheet -> its rules that may be about certain elements, without looking into the others.

A sheet has thousands of rules, a page uses some dozens. The sheet is read as bytes, which are
quickly cut and compared; only a rule whose names occur on the page is decoded and freed of needless
blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from typing import NamedTuple

from webquarry._read.css.cascade import Layer, Layers
from webquarry._read.css.declarations import lower_text
from webquarry._read.css.media import ALWAYS, NEVER, SOMETIMES, UNSURE
from webquarry._read.css.nesting import Enclosing, RawRule, RuleStack
from webquarry._read.css.parts import SHEET_MARK, split_parts
from webquarry._read.css.values.functions import resolve_env
from webquarry._read.text.remember import remember_short

__all__ = [
    "ALWAYS",
    "FOREIGN",
    "NEVER",
    "SOMETIMES",
    "UNSURE",
    "KnownNames",
    "RuleText",
    "Rules",
    "UnknownNames",
    "decode_body",
    "decode_odd",
    "find_state_backgrounds",
    "judge_fit",
    "may_show",
    "parts_of",
    "search_state_backgrounds",
]

# An escape that hides a letter.
_LETTER = re.compile(r"\\0{0,4}([46][1-9a-f]|[57][0-9a]) ?|\\([g-z])")
_NAMES = re.compile(rb"[.#]([\w-]+)")
_BRACKETS = re.compile(rb"\[[^\[\]]*\]")
_FUNCTION_START = re.compile(rb":[a-zA-Z-]+\(")
_PARENTHESES = re.compile(rb"[()]")
_SIBLINGS = re.compile(rb"[^\s>+~,]++\s*+[+~]\s*+|[^\s>+~,]++")
# Letters of names, in lower case; everything else is a blank. Bytes beyond ASCII stay and make a
# selector odd.
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_IN_NAMES = b"-_0123456789abcdefghijklmnopqrstuvwxyz"
_BETWEEN_NAMES = bytes(range(128)).translate(None, _CAPITALS + _IN_NAMES)
_WORDS = bytes.maketrans(_BETWEEN_NAMES + _CAPITALS, b" " * len(_BETWEEN_NAMES) + _CAPITALS.lower())
# To ask for a byte by its number is several times as fast as by a text of one byte.
_DOT, _HASH, _COMMA, _BACKSLASH, _AND, _BRACKET, _BRACE, _AT, _SEMICOLON, _COLON = b".#,\\&[{@;:"
_PARENTHESIS, _PLUS, _TILDE = b"(+~"
_SHOWING_WORDS = (b"display", b"visib", b"opacity", b"height")
_ASK, FOREIGN, _RELATED, _EXACT = range(-1, 3)

# The number of a part, how its names fit to others, and its selectors and body if it holds nothing
# but a rule.
_Fit = tuple[int, int, bytes | None, bytes | None]


class UnknownNames:
    """Names of elements that nobody looks for yet: nothing is known about what fits to them."""

    def __init__(self, names: Set[bytes] | None) -> None:
        """None stands for all names that there are."""

    def judge(self, selectors: bytes) -> int:
        """How selectors fit: a closer look is needed."""
        return _ASK

    def list_fits(self, parts: list[bytes]) -> list[_Fit]:
        """Every part, and that nothing is known about how it fits."""
        found: list[_Fit] = []
        for number, part in enumerate(parts):
            prelude, brace, body = part.partition(b"{")
            is_plain = brace and part[0] and _BRACE not in body
            if is_plain and _AT not in prelude and _SEMICOLON not in prelude:
                found.append((number, _ASK, prelude, body))
            else:
                found.append((number, _ASK, None, None))
        return found


def search_state_backgrounds(parts: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Selectors and body of the plain rules that stand in no other one, have a colon in their
    selectors and set a background.
    """
    depth = 0
    for part in parts:
        if part[:1] == SHEET_MARK:
            depth = 0
            continue
        selectors, brace, body = part.partition(b"{")
        braces = len(brace) + body.count(b"{")
        is_plain = braces == 1 and not depth
        if is_plain and _COLON in selectors and body.find(b"background") >= 0:
            yield selectors, body
        depth = max(depth + braces - 1, 0)


try:
    from webquarry._read.css._css_filter import KnownNames, find_state_backgrounds, parts_of
except ImportError:  # not built: all of it is done here, which takes longer
    KnownNames, parts_of = UnknownNames, split_parts  # type: ignore[assignment,misc]
    find_state_backgrounds = search_state_backgrounds

try:
    from webquarry._read.css._rule_text import decode_plain, may_show
except ImportError:  # not built

    def decode_plain(body: bytes) -> str | None:
        """None, as for bodies that need a closer look."""

    def may_show(body: bytes) -> bool:
        """Whether a body may speak of what shows or hides an element."""
        if b"\\" in body or not body.islower():
            return True
        return any(map(body.__contains__, _SHOWING_WORDS))


class RuleText(NamedTuple):
    """One rule as text, without needless blanks; its body is in lower case."""

    selectors: str
    body: str
    when: int
    order: int  # among the rules of the sheet
    outer: Enclosing | None = None
    layer: Layer | None = None


class Rules:
    """The rules of a sheet that apply to screens.

    `only` are the names of all elements that will be asked about and of those around them.
    Found are the rules that may be about one of them, and those as well that would be if one of
    them were given more names.
    """

    def __init__(self, parts: list[bytes], only: Set[str] | None = None) -> None:
        names = None
        if only is not None:
            names = frozenset(name.encode() for name in only)
        self._names = names
        self._known = KnownNames(names)
        self.exact: list[RawRule] = []
        self.related: list[RawRule] = []
        stack = RuleStack()
        self._read(parts, stack)
        self.layers: Layers = stack.layers
        self.layers.number()

    def _read(self, parts: list[bytes], stack: RuleStack) -> None:
        """Find every style rule that may be about elements of these names. One that holds others
        gives what stands before and behind them as rules, too.
        """
        last = len(parts) - 1
        for number, fit, prelude, body in self._known.list_fits(parts):
            if prelude is None or body is None or number == stack.spoiled:
                part = parts[number]
                if part.startswith(SHEET_MARK):
                    stack.start_sheet(part[1:])
                    continue
                following = parts[number + 1] if number < last else SHEET_MARK
                is_last = following.startswith(SHEET_MARK)
                for rule in stack.split(part, number, is_last=is_last):
                    self._add(rule, fit)
            elif not stack.is_empty:
                in_group = stack.make_rule(prelude, body, number)
                if in_group is not None:
                    self._add(in_group, fit)
            elif prelude and body:  # as most are
                self._add(RawRule(prelude, body, ALWAYS, number), fit)

    def _add(self, rule: RawRule, fit: int) -> None:
        """Keep a rule, if its names fit; how well, may be known from its part, which holds no other
        selectors then.
        """
        if fit == _ASK:
            fit = self._known.judge(rule.selectors)
        if fit == _ASK:
            fit = judge_fit(rule.selectors, self._names)
        if fit == FOREIGN:
            return
        self.related.append(rule)
        if fit == _EXACT and rule.when <= UNSURE:
            self.exact.append(rule)

    def find_exact(self) -> Iterator[RuleText]:
        """List the rules that may match one of the elements."""
        for raw in self.exact:
            yield decode_rule(raw, decode_body(raw.body))

    def showing(self, names: Set[str]) -> Iterator[RuleText]:
        """The related rules that may show something with one of some names, in lower case."""
        known = frozenset(name.encode() for name in names)
        for rule in self.related:
            body, selectors = rule.body, rule.selectors
            if rule.when == UNSURE:
                continue
            if not may_show(body):
                continue
            if selectors.isascii() and known.isdisjoint(_NAMES.findall(selectors.lower())):
                continue
            yield decode_rule(rule, decode_body(body))


try:
    from webquarry._read.css._css_words import find_words
except ImportError:  # not built

    def find_words(css: bytes, table: bytes, words: Set[bytes]) -> set[bytes]:
        """Those of some words that a sheet holds as whole ones. `table` turns each of its bytes
        into what is compared, and what stands between words into blanks.
        """
        return {*css.translate(table).split(b" ")} & words


def find_names(css: bytes, names: Set[bytes]) -> set[bytes]:
    """Those of some names, in lower case, that stand in a sheet; not those with an escape."""
    words = {name for name in names if b" " not in name.translate(_WORDS)}
    if not words:
        return words
    return find_words(css, _WORDS, words)


def decode_rule(rule: RawRule, body: str) -> RuleText:
    """A rule as bytes and its decoded body -> the same as text."""
    return RuleText(
        _decode_selectors(rule.selectors), body, rule.when, rule.order, rule.outer, rule.layer
    )


def _decode_selectors(selectors: bytes) -> str:
    """Selectors as text; blanks in strings stay as they are."""
    text = selectors.decode(errors="replace")
    if '"' in text or "'" in text:
        return text.strip()
    return " ".join(text.split())


def decode_body(body: bytes) -> str:
    """Declarations as text, in lower case but for the names of variables, without needless blanks
    and hidden letters.
    """
    plain = decode_plain(body)
    if plain is None:
        plain = decode_odd(body)
    return plain


@remember_short
def decode_odd(body: bytes) -> str:
    """The same, whatever is in the declarations."""
    text = lower_text(body.decode(errors="replace"))
    plain = " ".join(text.split())
    if "\\" in plain:
        plain = _LETTER.sub(lambda found: found[2] or chr(int(found[1], 16)).lower(), plain)
    if "env(" in plain:
        plain = resolve_env(plain)
    return plain.replace(": ", ":").replace(" :", ":").replace("( ", "(")


def judge_fit(selectors: bytes, names: frozenset[bytes] | None) -> int:
    """How the names in selectors fit to others: all in one of the selectors are among them, some
    are, none is.
    """
    if names is None or (_DOT not in selectors and _HASH not in selectors):
        return _EXACT
    if _BACKSLASH in selectors or _AND in selectors or not selectors.isascii():
        return _EXACT  # names may be hidden
    if _BRACKET in selectors:
        selectors = _BRACKETS.sub(b"[]", selectors)  # what stands in there are no names
    if _PARENTHESIS in selectors:
        selectors = _drop_functions(selectors)  # and these are none that anything must have
    if _PLUS in selectors or _TILDE in selectors:
        # nothing is known of the names of siblings
        selectors = _SIBLINGS.sub(_drop_sibling, selectors)
    each = [selectors]
    if _COMMA in selectors:
        each = selectors.split(b",")

    # Most rules are about other elements, which is seen without looking at each selector.
    if names.isdisjoint(selectors.translate(_WORDS).split()):
        for selector in each:
            if _DOT not in selector and _HASH not in selector:
                return _EXACT
        return FOREIGN
    for selector in each:
        if names.issuperset(_NAMES.findall(selector.lower())):
            return _EXACT
    return _RELATED


def _drop_sibling(found: re.Match[bytes]) -> bytes:
    """A compound, unless another one follows it in the same parent."""
    text = found[0]
    if text.rstrip()[-1:] in (b"+", b"~"):
        return b""
    return text


def _drop_functions(selectors: bytes) -> bytes:
    """Selectors without `:not(...)` and the like, whatever brackets there are in them."""
    pieces: list[bytes] = []
    place = 0
    while (start := _FUNCTION_START.search(selectors, place)) is not None:
        end = start.end()
        depth = 1
        while depth and (bracket := _PARENTHESES.search(selectors, end)) is not None:
            depth += 1 if bracket[0] == b"(" else -1
            end = bracket.end()
        if depth:
            break  # never closed
        pieces.append(selectors[place : start.start()])
        place = end
    pieces.append(selectors[place:])
    return b"".join(pieces)
