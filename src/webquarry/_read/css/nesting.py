"""The parts of a style sheet, cut at closing braces -> its rules, with what stands around them.

Groups (`@media`), layers, scopes and rules inside rules are kept on a stack. What browsers drop is
dropped here as well: a rule behind a brace too many, a rule behind a stray semicolon.
"""

from __future__ import annotations

from dataclasses import dataclass

from webquarry._read.css.cascade import Layer, Layers
from webquarry._read.css.conditions import judge_container, judge_supports
from webquarry._read.css.media import ALWAYS, NEVER, UNSURE, judge_media
from webquarry._read.css.scan import find_closing
from webquarry._read.text.remember import remember_short

_LONGEST_CONDITION = 1_000
_DEEPEST = 32  # rules inside rules
# To ask for a byte by its number is several times as fast as by a text of one byte.
_SEMICOLON, _AT = b";@"
_OWN = b"&"  # what declarations in a group inside a rule are about


@dataclass(frozen=True, slots=True, eq=False)
class Enclosing:
    """A rule or scope around others: what `&` or `:scope` stands for in them."""

    selectors: str
    above: Enclosing | None
    depth: int
    is_scope: bool = False
    limit: str = ""  # where a scope ends

    @property
    def is_too_deep(self) -> bool:
        return self.depth > _DEEPEST


class RawRule:
    """One rule as it is written. Not to be changed."""

    def __init__(
        self,
        selectors: bytes,
        body: bytes,
        when: int,
        order: int,
        outer: Enclosing | None = None,
        layer: Layer | None = None,
    ) -> None:
        self.selectors = selectors
        self.body = body
        self.when = when
        self.order = order
        self.outer = outer
        self.layer = layer


class OpenRule:
    """A rule or group whose closing brace has not come. Not to be changed."""

    def __init__(
        self,
        selectors: bytes,
        when: int,
        outer: Enclosing | None,
        inner: Enclosing | None,
        layer: Layer | None,
    ) -> None:
        """`selectors` are those of the declarations in it, empty where there can be none; `outer`
        is what they stand in, `inner` what rules in it stand in.
        """
        self.selectors = selectors
        self.when = when
        self.outer = outer
        self.inner = inner
        self.layer = layer


_TOP = OpenRule(b"", ALWAYS, None, None, None)
_SPOILED = OpenRule(b"", NEVER, None, None, None)


class RuleStack:
    """Splits the parts of a sheet, one after the other."""

    def __init__(self) -> None:
        self.layers = Layers()
        self._open: list[OpenRule] = []
        self._base = _TOP
        self.is_empty = True  # a part stands in nothing
        self.spoiled = -1  # the number of the part whose first rule browsers drop

    def start_sheet(self, wrapper: bytes) -> None:
        """Close what is open, because a sheet ends, and begin one that stands in some groups."""
        self._open.clear()
        self.spoiled = -1
        self._base = _TOP
        for prelude in wrapper.split(b"{"):
            if prelude.strip():
                self._push_group(prelude.strip())
                self._base = self._open.pop()
        self.is_empty = self._base is _TOP

    def make_rule(self, prelude: bytes, body: bytes, number: int) -> RawRule | None:
        """The rule of a part that holds nothing else and is not spoiled; None for one that says
        nothing. The stack stays as it is.
        """
        around = self._around()
        prelude = prelude.strip()
        if not prelude or not body or around.when == NEVER:
            return None
        return RawRule(prelude, body, around.when, number, around.inner, around.layer)

    def split(self, part: bytes, number: int, *, is_last: bool) -> list[RawRule]:
        """The rules in a part; the stack is kept up to date."""
        rules: list[RawRule] = []
        texts = part.split(b"{")
        body = texts.pop()
        is_spoiled = number == self.spoiled
        innermost = len(texts) - 1
        for place, text in enumerate(texts):
            around = self._around()
            declarations, prelude = self._split_text(text, around)
            if declarations and around.selectors and around.when != NEVER:
                rules.append(_make_own(around, declarations, number))
            if is_spoiled or prelude is None:
                self._open.append(_SPOILED)
                is_spoiled = False
            elif prelude[:1] == b"@":
                self._push_group(prelude)
            elif place < innermost:
                self._push_rule(prelude, around)
            else:  # nothing stands in it but declarations, as in most
                rule = self.make_rule(prelude, body, number)
                if rule is not None:
                    rules.append(rule)
                self.is_empty = not self._open and self._base is _TOP
                return rules
        if self._open:
            own = self._open.pop()
            if own.selectors and body and own.when != NEVER:
                rules.append(_make_own(own, body, number))
        else:
            self._read_statements(body)
            if not is_last:
                self.spoiled = number + 1
        self.is_empty = not self._open and self._base is _TOP
        return rules

    def _around(self) -> OpenRule:
        if self._open:
            return self._open[-1]
        return self._base

    def _split_text(self, text: bytes, around: OpenRule) -> tuple[bytes, bytes | None]:
        """What stands before a brace -> the declarations in it and the prelude behind them; None
        for a prelude that is none.
        """
        if _SEMICOLON not in text:
            return b"", text.strip()
        declarations, _, prelude = text.rpartition(b";")
        prelude = prelude.strip()
        if self._open:
            self._read_statements(declarations)
            return declarations, prelude
        # Outside of everything only at-rules end in a semicolon.
        for statement in declarations.split(b";"):
            if not statement.strip().startswith(b"@"):
                return b"", None
        self._read_statements(declarations)
        return b"", prelude

    def _read_statements(self, text: bytes) -> None:
        """Note the layers that are named before they are filled."""
        if _AT not in text:
            return
        around = self._around()
        for statement in text.split(b";"):
            words = statement.decode(errors="replace").split(None, 1)
            if len(words) == 2 and words[0].lower() == "@layer":
                for name in words[1].split(","):
                    self.layers.declare(around.layer, name.strip())

    def _push_rule(self, prelude: bytes, around: OpenRule) -> None:
        outer = around.inner
        depth = 1
        if outer is not None:
            depth = outer.depth + 1
        inner = Enclosing(prelude.decode(errors="replace"), outer, depth)
        self._open.append(OpenRule(prelude, around.when, outer, inner, around.layer))

    def _push_group(self, prelude: bytes) -> None:
        """Open an at-rule."""
        around = self._around()
        name, query, when = _read_group(prelude)
        when = max(around.when, when)
        layer, inner = around.layer, around.inner
        selectors = b""
        if inner is not None:
            selectors = _OWN
        if name == "@layer":
            layer = self.layers.declare(layer, query)
        elif name == "@scope":
            inner = _read_scope(query, inner)
            selectors = b":scope"
            if inner is None:
                when = max(when, UNSURE)
        self._open.append(OpenRule(selectors, when, inner, inner, layer))


def _make_own(rule: OpenRule, body: bytes, number: int) -> RawRule:
    """The declarations that stand in a rule beside others, as a rule."""
    return RawRule(rule.selectors, body, rule.when, number, rule.outer, rule.layer)


def _split_prelude(text: str) -> tuple[str, str]:
    """The name of an at-rule, in lower case, and what follows it."""
    end = len(text)
    for sign in (" ", "("):
        place = text.find(sign)
        if place >= 0:
            end = min(end, place)
    return text[:end].lower(), text[end:].strip()


@remember_short
def _read_group(prelude: bytes) -> tuple[str, str, int]:
    """The name of an at-rule, in lower case, what follows it, and when the rules in it apply."""
    text = " ".join(prelude.decode(errors="replace").split())
    name, query = _split_prelude(text)
    return name, query, _judge_group(name, query[:_LONGEST_CONDITION])


def _judge_group(name: str, query: str) -> int:
    """When the rules in a group apply."""
    if name == "@media":
        return judge_media(query.lower())
    if name == "@supports":
        return judge_supports(query)
    if name == "@container":
        return judge_container(query.lower())
    if name in ("@layer", "@scope"):
        return ALWAYS
    return NEVER


def _read_scope(query: str, above: Enclosing | None) -> Enclosing | None:
    """`(.card) to (.end)` -> what `:scope` stands for; None where the page must be asked."""
    if not query.startswith("("):
        return None
    end = find_closing(query, 1)
    if end < 0:
        return None
    limit = ""
    rest = query[end + 1 :].strip()
    if rest.lower().startswith("to"):
        limit = rest[2:].strip().removeprefix("(").removesuffix(")")
    depth = 1
    if above is not None:
        depth = above.depth + 1
    return Enclosing(query[1:end], above, depth, is_scope=True, limit=limit)
