"""The rules of a page -> their selectors, with what stands around them taken in: `&`, `@scope`, and
names that the page's script takes away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree

from webquarry._read.css.nesting import Enclosing
from webquarry._read.css.rules import RuleText
from webquarry._read.css.selectors.matching import SelectorContext
from webquarry._read.css.selectors.model import ANYTHING, Compound, Selector, SelectorList
from webquarry._read.css.selectors.parser import (
    KNOWN_PSEUDO,
    InvalidSelector,
    SelectorParser,
    UndecidedSelector,
)
from webquarry._read.css.selectors.pseudo import AT_REST, AnyOf

_PSEUDO = re.compile(r"::?(-?[a-zA-Z][\w-]*)")
_PART = re.compile(r"::part\(\s*([\w\s-]+)\)", re.IGNORECASE)
_STATE = re.compile(r"::|:(-?[a-zA-Z][\w-]*)")
_FROM_PERSON = AT_REST | {
    "checked", "before", "after", "first-line", "first-letter", "placeholder-shown", "invalid",
    "valid", "disabled", "enabled", "open", "indeterminate",
}  # fmt: skip
# Classes of the outermost elements that a script takes away when it runs.
_UNTIL_SCRIPT = re.compile(
    r"\.(?:no-?js|no-?script|client-nojs|wf-loading|preload|loading)(?![\w-])"
)


def uses_known_pseudo(text: str) -> bool:
    """Whether browsers know all that begins with a colon in some selectors."""
    if ":" not in text:
        return True
    for name in _PSEUDO.findall(text):
        if name.lower() not in KNOWN_PSEUDO and not name.startswith("-webkit-"):
            return False
    return True


def depends_on_person(text: str) -> bool:
    """Whether a selector holds a state that a person brings about, or a part such as `::before`."""
    for found in _STATE.finditer(text):
        if found[1] is None or found[1].lower() in _FROM_PERSON:
            return True
    return False


class PageSelectors:
    """Parses the selectors of one page; what stands around rules is parsed once."""

    def __init__(self, context: SelectorContext) -> None:
        self.context = context
        self._parser = SelectorParser(folds=context.folds)
        self._enclosing: dict[Enclosing, SelectorList] = {}
        self._outermost: str | None = None
        # what is inside of scopes and what is beyond their ends, each asked for once
        self._inside: dict[tuple[Enclosing | None, str], AnyOf] = {}
        self._beyond: dict[tuple[Enclosing | None, str, str], AnyOf] = {}

    def parse(
        self, rule: RuleText, texts: Sequence[str], needed: Sequence[str]
    ) -> Sequence[Selector]:
        """The needed ones among the selectors of a rule. One that is invalid spoils them all."""
        parent: SelectorList | None = None
        nests = False
        if rule.outer is not None:
            if rule.outer.is_too_deep:
                raise UndecidedSelector(rule.selectors)
            parent = self._parse_enclosing(rule.outer)
            nests = not rule.outer.is_scope
        if len(needed) < len(texts) and not uses_known_pseudo(rule.selectors):
            self._parser.parse_list(rule.selectors, parent, nests=nests)  # is it valid?
        wanted: list[str] = []
        for text in needed:
            if self._waits_for_script(text):
                continue
            if "::" in text:
                text = _PART.sub(_find_part, text)
            wanted.append(text)
        if not wanted:
            return ()
        selectors = self._parser.parse_each(wanted, parent, nests=nests)
        scope = _find_scope(rule.outer)
        if scope is None:
            return selectors.selectors
        return self._add_scope(selectors, scope)

    def _parse_enclosing(self, outer: Enclosing) -> SelectorList:
        """What `&` stands for in the rules inside one, outermost first."""
        chain: list[Enclosing] = []
        around: Enclosing | None = outer
        while around is not None and around not in self._enclosing:
            chain.append(around)
            around = around.above
        parent = self._enclosing[around] if around is not None else None
        for enclosing in reversed(chain):
            nests = enclosing.above is not None and not enclosing.above.is_scope
            try:
                parent = self._parser.parse_list(enclosing.selectors, parent, nests=nests)
            except InvalidSelector:
                parent = SelectorList(())
            self._enclosing[enclosing] = parent
        assert parent is not None
        return parent

    def _add_scope(self, selectors: SelectorList, scope: Enclosing) -> list[Selector]:
        """Selectors that hold only inside of a scope."""
        above: SelectorList | None = None
        if scope.above is not None:
            above = self._parse_enclosing(scope.above)
        roots, limit = scope.selectors, scope.limit
        inside = self._inside.get((scope.above, roots))
        if inside is None:
            found = self._parser.parse_tolerantly(f"{roots},:is({roots}) *", above)
            inside = AnyOf(found, False, (0, 0, 0), found.is_by_names)
            self._inside[scope.above, roots] = inside
        tests = [inside]
        if limit:
            beyond = self._beyond.get((scope.above, roots, limit))
            if beyond is None:
                text = f":is({roots}) :is({limit}),:is({roots}) :is({limit}) *"
                found = self._parser.parse_tolerantly(text, above)
                beyond = AnyOf(found, True, (0, 0, 0), found.is_by_names)
                self._beyond[scope.above, roots, limit] = beyond
            tests.append(beyond)
        scoped: list[Selector] = []
        for selector in selectors.selectors:
            *steps, (relation, last) = selector.steps
            inner = _add_tests(last, tests)
            scoped.append(Selector((*steps, (relation, inner)), selector.specificity))
        return scoped

    def _waits_for_script(self, text: str) -> bool:
        """Whether a selector asks for a class that the page has only until its script runs."""
        found = _UNTIL_SCRIPT.search(text)
        if found is None or not self.context.has_script:
            return False
        if self._outermost is None:
            self._outermost = " ".join(_list_outermost_classes(self.context.roots)).lower()
        return found[0][1:].lower() in self._outermost.split()


def _list_outermost_classes(roots: Sequence[etree._Element]) -> list[str]:
    """The classes of the page and its body."""
    classes: list[str] = []
    for root in roots[:1]:
        classes.append(root.get("class") or "")
        body = root.find("body")
        if body is not None:
            classes.append(body.get("class") or "")
    return classes


def _find_part(found: re.Match[str]) -> str:
    """`::part(a b)` as what it means where shadow trees stand in the page like others."""
    tests = [f'[part~="{name}"]' for name in found[1].split()]
    return " :is(*)" + "".join(tests)


def _find_scope(outer: Enclosing | None) -> Enclosing | None:
    """The nearest scope around a rule."""
    while outer is not None and not outer.is_scope:
        outer = outer.above
    return outer


def _add_tests(compound: Compound, tests: Sequence[AnyOf]) -> Compound:
    """A compound that asks for more."""
    joined = sorted((*compound.tests, *tests), key=lambda test: not test.by_names)
    keys = compound.keys
    if keys == (ANYTHING,):
        keys = tests[0].selectors.keys
    text = "|".join([compound.text, *(str(id(test)) for test in tests)])
    return Compound(
        text,
        compound.tag,
        compound.identity,
        compound.classes,
        tuple(joined),
        keys,
        compound.specificity,
    )


def is_quirky(roots: Sequence[etree._Element]) -> bool:
    """Whether browsers read a page as those of old, where case does not count in names: it says not
    of what type it is, or names an old one.
    """
    if not roots:
        return True
    public = roots[0].getroottree().docinfo.public_id
    if public is None:
        return False
    return "XHTML 1.0 Strict" not in public and "HTML 4.01//" not in public
