"""A style sheet -> its rules that may be about certain elements, without looking into the others.

A sheet has thousands of rules, a page uses some dozens. The sheet is read as bytes, which are
quickly cut and compared; only a rule whose names occur on the page is decoded, put into lower case
and freed of needless blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Set
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from webquarry.read.css.declarations import strip_comments
from webquarry.read.css.media import ALWAYS, NEVER, SOMETIMES, judge_media

__all__ = [
    "ALWAYS",
    "NEVER",
    "SOMETIMES",
    "RuleText",
    "Rules",
    "find_state_backgrounds",
    "judge_fit",
    "parts_of",
]

_LONGEST = 4_000_000  # bytes; what follows is not read
_LONGEST_CONDITION = 1_000
# An escape that hides a letter.
_LETTER = re.compile(r"\\0{0,4}([46][1-9a-f]|[57][0-9a]) ?|\\([g-z])")
_NAMES = re.compile(rb"[.#]([\w-]+)")
_BRACKETS = re.compile(rb"\[[^\[\]]*\]")
_FUNCTIONS = re.compile(rb":[a-zA-Z-]+\((?:[^()]|\([^()]*\))*\)")
_SIBLINGS = re.compile(rb"[^\s>+~,]+\s*[+~]\s*")
# Letters of names, in lower case; everything else is a blank. Bytes beyond ASCII stay and make a
# selector odd.
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_IN_NAMES = b"-_0123456789abcdefghijklmnopqrstuvwxyz"
_BETWEEN_NAMES = bytes(range(128)).translate(None, _CAPITALS + _IN_NAMES)
_WORDS = bytes.maketrans(_BETWEEN_NAMES + _CAPITALS, b" " * len(_BETWEEN_NAMES) + _CAPITALS.lower())
# To ask for a byte by its number is several times as fast as by a text of one byte.
_DOT, _HASH, _COMMA, _BACKSLASH, _AND, _BRACKET, _BRACE, _AT, _SEMICOLON, _COLON = b".#,\\&[{@;:"
_PARENTHESIS, _PLUS, _TILDE = b"(+~"
_ASK, _FOREIGN, _RELATED, _EXACT = range(-1, 3)


_RawRule = tuple[bytes, bytes, int, int]  # selectors, body, when it applies, order
_OpenRule = tuple[bytes, int, int]  # selectors, when what is inside applies, order

try:
    from webquarry.read.css._css_filter import fits_of
    from webquarry.read.css._css_filter import parts_of as _parts_of
except ImportError:  # not built: all of it is done here, which takes longer

    def fits_of(parts: list[bytes], names: Set[bytes]) -> list[tuple[int, int]]:
        """Every part, and that nothing is known about how it fits."""
        return [(number, _ASK) for number in range(len(parts))]

    def _parts_of(css: bytes) -> list[bytes]:
        """What stands before each closing brace, without comments."""
        return strip_comments(css).split(b"}")


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

    `only` are the names of all elements that will be asked about and of those around them.
    Found are the rules that may be about one of them, and those as well that would be if one of
    them were given more names.
    """

    def __init__(self, parts: list[bytes], only: Set[str] | None = None) -> None:
        names = None
        if only is not None:
            names = frozenset(name.encode() for name in only)
        self._exact: list[_RawRule] = []
        self._related: list[_RawRule] = []
        for fit, rule in _find_rules(parts, names):
            self._related.append(rule)
            if fit == _EXACT and rule[2] == ALWAYS:
                self._exact.append(rule)

    def find_exact(self, matters: Callable[[str], bool] | None = None) -> Iterator[RuleText]:
        """The rules that may be about one of the elements, if their body matters."""
        for selectors, raw_body, when, order in self._exact:
            body = _decode(raw_body)
            if matters is None or matters(body):
                yield RuleText(_decode(selectors), body, when, order)

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
                yield _decode_rule(rule)


def find_state_backgrounds(parts: list[bytes]) -> Iterator[tuple[str, str]]:
    """Selectors and body, as they are written, of the plain rules that stand in no other one, have
    a colon in their selectors and set a background.
    """
    depth = 0
    for part in parts:
        selectors, brace, body = part.partition(b"{")
        braces = len(brace)
        if _BRACE in body:
            braces += body.count(b"{")
        is_plain = braces == 1 and not depth
        if is_plain and _COLON in selectors and body.find(b"background") >= 0:
            yield selectors.decode(errors="replace"), body.decode(errors="replace")
        depth = max(depth + braces - 1, 0)


def _decode_rule(rule: _RawRule) -> RuleText:
    """A rule as bytes -> the same as text that can be compared."""
    selectors, body, when, order = rule
    return RuleText(_decode(selectors), _decode(body), when, order)


def _decode(text: bytes) -> str:
    """Part of a sheet as text, in lower case, without needless blanks and hidden letters."""
    words = text.decode(errors="replace").lower().split()
    plain = " ".join(words)
    if "\\" in plain:
        plain = _LETTER.sub(lambda found: found[2] or chr(int(found[1], 16)).lower(), plain)
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
        selectors = _FUNCTIONS.sub(b"", selectors)  # and these are none that anything must have
    if _PLUS in selectors or _TILDE in selectors:
        selectors = _SIBLINGS.sub(b"", selectors)  # nothing is known of the names of siblings
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


def _find_rules(
    parts: list[bytes], names: frozenset[bytes] | None
) -> Iterator[tuple[int, _RawRule]]:
    """Every style rule that may be about elements of these names, and how well its own fit to them.

    One that holds others gives what stands before and behind them as rules, too.
    """
    open_rules: list[_OpenRule] = []
    numbered: Iterable[tuple[int, int]] = zip(range(len(parts)), repeat(_ASK))
    if names is not None:
        numbered = fits_of(parts, names)
    for number, fit in numbered:
        part = parts[number]
        prelude, brace, body = part.partition(b"{")
        if (
            brace
            and not open_rules
            and _BRACE not in body
            and _AT not in prelude
            and _SEMICOLON not in prelude
        ):  # as most are
            if prelude and body:
                if fit == _ASK:
                    fit = judge_fit(prelude, names)
                if fit:
                    yield fit, (prelude, body, ALWAYS, number)
            continue
        for rule in _split_nested(part, number, open_rules):
            fit = judge_fit(rule[0], names)
            if fit:
                yield fit, rule


def _split_nested(part: bytes, number: int, open_rules: list[_OpenRule]) -> Iterator[_RawRule]:
    """The rules in a part that opens groups, stands in one, or both; `open_rules` is kept up to
    date.
    """
    *texts, body = part.split(b"{")
    for text in texts:
        declarations, _, prelude = text.rpartition(b";")
        prelude = prelude.strip()
        selectors, when, order = b"", ALWAYS, 0
        if open_rules:
            selectors, when, order = open_rules[-1]
        if selectors and declarations and when != NEVER:
            yield selectors, declarations, when, order
        if prelude[:1] == b"@":
            condition = _judge_condition(prelude[:_LONGEST_CONDITION])
            open_rules.append((b"", max(condition, when), number))
        elif selectors:  # a rule inside a rule is not understood
            open_rules.append((prelude, NEVER, number))
        else:
            open_rules.append((prelude, when, number))
    if open_rules:
        selectors, when, order = open_rules.pop()
        if selectors and body and when != NEVER:
            yield selectors, body, when, order


@lru_cache(maxsize=1_024)
def _judge_condition(prelude: bytes) -> int:
    """When the rules behind an at-rule apply."""
    name, _, query = _decode(prelude).replace("(", " (", 1).partition(" ")
    query = query.strip()
    if name == "@media":
        return judge_media(query)
    if name == "@supports" and query.startswith("not"):
        return NEVER
    if name in ("@supports", "@layer", "@scope"):
        return ALWAYS
    if name == "@container":
        return SOMETIMES
    return NEVER
