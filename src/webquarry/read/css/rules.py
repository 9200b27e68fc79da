"""A style sheet -> its rules that may be about certain elements, without looking into the others.

A sheet has thousands of rules, a page uses some dozens. The sheet is read as bytes, which are
quickly cut and compared; only a rule whose names occur on the page is decoded, put into lower case
and freed of needless blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from webquarry.read.css.declarations import without_comments
from webquarry.read.css.media import ALWAYS, NEVER, SOMETIMES, judge_media

__all__ = ["ALWAYS", "NEVER", "SOMETIMES", "RuleText", "Rules", "painted_by_state", "parts_of"]

_LONGEST = 4_000_000  # bytes; what follows is not read
_LONGEST_CONDITION = 1_000
_LETTER = re.compile(
    r"\\0{0,4}([46][1-9a-f]|[57][0-9a]) ?|\\([g-z])"
)  # an escape that hides a letter
_NAMES = re.compile(rb"[.#]([\w-]+)")
_BRACKETS = re.compile(rb"\[[^\[\]]*\]")
_FUNCTIONS = re.compile(rb":[a-zA-Z-]+\((?:[^()]|\([^()]*\))*\)")
_SIBLINGS = re.compile(rb"[^\s>+~,]+\s*[+~]\s*")
_NAMED = b"-_0123456789abcdefghijklmnopqrstuvwxyz"
# Letters of names, in lower case; everything else is a blank. Bytes beyond ASCII stay and make a
# selector odd.
_WORDS = bytes(
    byte if byte >= 128 else byte + 32 if 65 <= byte <= 90 else byte if byte in _NAMED else 32
    for byte in range(256)
)
# To ask for a byte by its number is several times as fast as by a text of one byte.
_DOT, _HASH, _COMMA, _BACKSLASH, _AND, _BRACKET, _BRACE, _AT, _SEMICOLON, _COLON = b".#,\\&[{@;:"
_PARENTHESIS, _PLUS, _TILDE = b"(+~"
_ASK, _FOREIGN, _RELATED, _EXACT = range(-1, 3)


_Raw = tuple[bytes, bytes, int, int]

try:
    from webquarry.read.css._css_filter import fits_of
    from webquarry.read.css._css_filter import parts_of as _parts_of
except ImportError:  # not built: all of it is done here, which takes longer

    def fits_of(parts: list[bytes], names: Set[bytes]) -> list[tuple[int, int]]:
        return [(number, _ASK) for number in range(len(parts))]

    def _parts_of(css: bytes) -> list[bytes]:
        return without_comments(css).split(b"}")


class RuleText(NamedTuple):
    """One rule, in lower case and without needless blanks."""

    selectors: str
    body: str
    when: int
    order: int  # among the rules of the sheet


def parts_of(css: bytes) -> list[bytes]:
    """What stands before each closing brace of a sheet: a plain rule, the first one of a group, or
    nothing.
    """
    return _parts_of(css[:_LONGEST])


class Rules:
    """The rules of a sheet that apply to screens.

    `only` are the names of all elements that will be asked about and of those around them. `exact`
    are the rules that may be about one of them, `related` those as well that would be if one of
    them were given more names.
    """

    def __init__(self, parts: list[bytes], only: Set[str] | None = None) -> None:
        names = None if only is None else frozenset(name.encode() for name in only)
        self.exact: list[RuleText] = []
        self._related: list[_Raw] = []
        for fit, rule in _rules_of(parts, names):
            self._related.append(rule)
            if fit == _EXACT and rule[2] == ALWAYS:
                self.exact.append(_readable(*rule))

    def showing(self) -> Iterator[RuleText]:
        """The related rules that may show something."""
        for rule in self._related:
            body = rule[1]
            if (
                body.find(b"display") >= 0
                or body.find(b"visib") >= 0
                or body.find(b"opacity") >= 0
                or body.find(b"height") >= 0
                or body.find(b"\\") >= 0
                or not body.islower()
            ):
                yield _readable(*rule)


def painted_by_state(parts: list[bytes]) -> Iterator[tuple[str, str]]:
    """Selectors and body, as they are written, of the plain rules that stand in no other one, have
    a colon in their selectors and set a background.
    """
    depth = 0
    for part in parts:
        selectors, brace, body = part.partition(b"{")
        braces = bool(brace) + (body.count(b"{") if _BRACE in body else 0)
        if braces == 1 and not depth and _COLON in selectors and body.find(b"background") >= 0:
            yield selectors.decode(errors="replace"), body.decode(errors="replace")
        depth = max(depth + braces - 1, 0)


def _readable(selectors: bytes, body: bytes, when: int, order: int) -> RuleText:
    return RuleText(_plain(selectors), _plain(body), when, order)


def _plain(text: bytes) -> str:
    plain = " ".join(text.decode(errors="replace").lower().split())
    if "\\" in plain:
        plain = _LETTER.sub(lambda found: found[2] or chr(int(found[1], 16)).lower(), plain)
    return plain.replace(": ", ":").replace(" :", ":").replace("( ", "(")


def _fit(selectors: bytes, names: frozenset[bytes] | None) -> int:
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
        selectors = _FUNCTIONS.sub(b"", selectors)  # and these are none that anything must have
    if _PLUS in selectors or _TILDE in selectors:
        selectors = _SIBLINGS.sub(b"", selectors)  # nothing is known of the names of siblings
    each = selectors.split(b",") if _COMMA in selectors else (selectors,)
    if names.isdisjoint(selectors.translate(_WORDS).split()):
        for selector in each:
            if _DOT not in selector and _HASH not in selector:
                return _EXACT
        return _FOREIGN
    for selector in each:
        if names.issuperset(_NAMES.findall(selector.lower())):
            return _EXACT
    return _RELATED


def _rules_of(parts: list[bytes], names: frozenset[bytes] | None) -> Iterator[tuple[int, _Raw]]:
    """Every style rule that may be about elements of these names, and how well its own fit to them.

    One that holds others gives what stands before and behind them as rules, too.
    """
    around: list[
        tuple[bytes, int, int]
    ] = []  # open rules: selectors, when what is inside applies, order
    for number, fit in (
        fits_of(parts, names) if names is not None else zip(range(len(parts)), repeat(_ASK))
    ):
        part = parts[number]
        prelude, brace, body = part.partition(b"{")
        if (
            brace
            and not around
            and _BRACE not in body
            and _AT not in prelude
            and _SEMICOLON not in prelude
        ):
            if prelude and body and (fit := _fit(prelude, names) if fit == _ASK else fit):
                yield fit, (prelude, body, ALWAYS, number)  # as most are
            continue
        *preludes, body = part.split(b"{")
        for text in preludes:
            declared, _, prelude = text.rpartition(b";")
            selectors, when, order = around[-1] if around else (b"", ALWAYS, 0)
            if selectors and declared and when != NEVER and (fit := _fit(selectors, names)):
                yield fit, (selectors, declared, when, order)
            prelude = prelude.strip()
            if prelude[:1] == b"@":
                around.append((b"", max(_condition(prelude[:_LONGEST_CONDITION]), when), number))
            else:
                around.append((prelude, NEVER if selectors else when, number))
        if around:
            selectors, when, order = around.pop()
            if selectors and body and when != NEVER and (fit := _fit(selectors, names)):
                yield fit, (selectors, body, when, order)


@lru_cache(maxsize=1_024)
def _condition(prelude: bytes) -> int:
    name, _, query = _plain(prelude).replace("(", " (", 1).partition(" ")
    query = query.strip()
    if name == "@media":
        return judge_media(query)
    if name == "@supports":
        return NEVER if query.startswith("not") else ALWAYS
    if name in ("@layer", "@scope"):
        return ALWAYS
    return SOMETIMES if name == "@container" else NEVER
