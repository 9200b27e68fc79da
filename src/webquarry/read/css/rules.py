"""A style sheet -> its rules that may be about certain elements, without looking into the others.

A sheet has thousands of rules, a page uses some dozens. The sheet is read as bytes, which are
quickly cut and compared; only a rule whose names occur on the page is decoded and freed of needless
blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from typing import NamedTuple

from webquarry.read.css.cascade import Layer, Layers
from webquarry.read.css.declarations import lower_text
from webquarry.read.css.media import ALWAYS, NEVER, SOMETIMES, UNSURE
from webquarry.read.css.nesting import Enclosing, RawRule, RuleStack
from webquarry.read.css.parts import SHEET_MARK, split_parts
from webquarry.read.css.values.functions import resolve_env
from webquarry.read.text.remember import remember_short

__all__ = [
    "ALWAYS",
    "NEVER",
    "SOMETIMES",
    "UNSURE",
    "RuleText",
    "Rules",
    "ask_about_all",
    "decode_body",
    "decode_odd",
    "find_state_backgrounds",
    "fits_of",
    "judge_fit",
    "may_show",
    "parts_of",
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
_ASK, _FOREIGN, _RELATED, _EXACT = range(-1, 3)

# The number of a part, how its names fit to others, and its selectors and body if it holds nothing
# but a rule.
_Fit = tuple[int, int, bytes | None, bytes | None]


def ask_about_all(parts: list[bytes], names: Set[bytes] | None) -> list[_Fit]:
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


try:
    from webquarry.read.css._css_filter import fits_of, parts_of
except ImportError:  # not built: all of it is done here, which takes longer
    fits_of, parts_of = ask_about_all, split_parts

try:
    from webquarry.read.css._rule_text import decode_plain, may_show
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
        stack = RuleStack()
        self.exact: list[RawRule] = []
        self.related: list[RawRule] = []
        for fit, rule in _find_rules(parts, names, stack):
            self.related.append(rule)
            if fit == _EXACT and rule.when <= UNSURE:
                self.exact.append(rule)
        self.layers: Layers = stack.layers
        self.layers.number()

    def find_exact(self, matters: Callable[[str], bool] | None = None) -> Iterator[RuleText]:
        """The rules that may be about one of the elements, if their body matters."""
        for raw in self.exact:
            body = decode_body(raw.body)
            if matters is None or matters(body):
                yield decode_rule(raw, body)

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


def find_state_backgrounds(parts: list[bytes]) -> Iterator[tuple[str, str]]:
    """Selectors and body, as they are written, of the plain rules that stand in no other one, have
    a colon in their selectors and set a background.
    """
    depth = 0
    for part in parts:
        if part[:1] == SHEET_MARK:
            depth = 0
            continue
        selectors, brace, body = part.partition(b"{")
        braces = len(brace)
        if _BRACE in body:
            braces += body.count(b"{")
        is_plain = braces == 1 and not depth
        if is_plain and _COLON in selectors and body.find(b"background") >= 0:
            yield selectors.decode(errors="replace"), body.decode(errors="replace")
        depth = max(depth + braces - 1, 0)


def list_words(css: bytes) -> frozenset[bytes]:
    """All words of a sheet that may be names, in lower case; not those with an escape in them."""
    return frozenset(css.translate(_WORDS).split())


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
        return _FOREIGN
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


def _find_rules(
    parts: list[bytes], names: frozenset[bytes] | None, stack: RuleStack
) -> list[tuple[int, RawRule]]:
    """Every style rule that may be about elements of these names, and how well its own fit to them.

    One that holds others gives what stands before and behind them as rules, too.
    """
    rules: list[tuple[int, RawRule]] = []
    last = len(parts) - 1
    for number, fit, prelude, body in fits_of(parts, names):
        # as most are
        if prelude is not None and stack.is_empty and number != stack.spoiled:
            if prelude and body:
                if fit == _ASK:
                    fit = judge_fit(prelude, names)
                if fit:
                    rules.append((fit, RawRule(prelude, body, ALWAYS, number)))
            continue
        part = parts[number]
        if part[:1] == SHEET_MARK:
            stack.start_sheet(part[1:])
            continue
        is_last = number == last or parts[number + 1][:1] == SHEET_MARK
        for rule in stack.split(part, number, is_last=is_last):
            # one that is known is that of the only selectors in the part
            own = judge_fit(rule.selectors, names) if fit == _ASK else fit
            if own:
                rules.append((own, rule))
    return rules
