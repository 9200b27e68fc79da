"""The style sheets of a page: cascaded declarations of an element, as far as they can hide it.

A rule is read if its selector can match an element of the page and if it declares a property of
`PROPERTIES`. Time is linear in the sheets and the page: selector tests are limited by a budget.
After it is spent, elements that a rule may hide are left out and counted in `undecided`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from webquarry._read.css.declarations import Declarations, parse_body
from webquarry._read.css.nesting import RawRule
from webquarry._read.css.rules import (
    ALWAYS,
    FOREIGN,
    KnownNames,
    Rules,
    RuleText,
    decode_body,
    decode_rule,
    parts_of,
)
from webquarry._read.css.scan import split_list
from webquarry._read.css.selectors.matching import SelectorContext
from webquarry._read.css.selectors.model import ANYTHING, ElementNames, Selector
from webquarry._read.css.selectors.names import (
    find_last_names,
    find_needed_names,
    find_rough_keys,
)
from webquarry._read.css.selectors.parser import InvalidSelector, UndecidedSelector
from webquarry._read.css.shorthands import apply_declarations
from webquarry._read.css.variables import has_calls
from webquarry._read.html.tree import tags_of
from webquarry._read.visibility.concealment import reason_to_skip
from webquarry._read.visibility.sheet.element_parts import (
    is_about_part,
    list_part_rules,
    makes_cover,
)
from webquarry._read.visibility.sheet.page_selectors import (
    PageSelectors,
    depends_on_person,
    is_quirky,
)
from webquarry._read.visibility.sheet.page_variables import PageVariables
from webquarry._read.visibility.sheet.rule_judge import (
    BACKGROUNDS,
    has_unknown_background,
    may_hide,
)
from webquarry._read.visibility.sheet.rule_matcher import (
    MergedRules,
    NamedElements,
    Rule,
    RuleMatcher,
    merge_rules,
)
from webquarry._read.visibility.sheet.showing import find_shown

# The ordinary and the important declarations of a style attribute.
OwnStyle = tuple[Declarations, Declarations]

_MOST_RULES = 10_000  # selectors; of more, the last name decides
_NO_OWN: OwnStyle = ({}, {})
_LEFT_OUT: Declarations = {"display": "none"}


class Stylesheet:
    """What a page's own rules say. `keys` are the `.class`, `#id` and tag names, in lower case,
    that some rule can hide; `undecided` counts the elements that were left out because it is not
    known whether a rule means them.

    With `colours`, rules that merely paint something count too. `only` are the classes and ids, in
    lower case, of all the elements that will be asked about and of those around them; rules for
    others are passed over. `roots` are those of the page; `has_inline_variables` says whether a
    style attribute there may define a variable.
    """

    def __init__(
        self,
        css: bytes = b"",
        *,
        colours: bool = False,
        only: frozenset[str] | None = None,
        roots: Sequence[etree._Element] = (),
        has_inline_variables: bool = True,
    ) -> None:
        self.seen: set[str] = set()  # the classes that the walk has come across
        self._revealed: set[str] = set()  # the classes and ids that some state of the page shows
        self._shown_by_width: set[str] = set()  # those among them that windows of some width show
        self.undecided = 0
        self._context = SelectorContext(roots, folds=is_quirky(roots))
        self._selectors = PageSelectors(self._context)
        parts = parts_of(css)
        # whether some background is set by a selector that is not understood
        self.blind_to_background = False
        if colours and only is not None:
            self.blind_to_background = has_unknown_background(parts)
        self._rules: list[Rule] = []
        self._unknown: set[str] = set()  # keys of elements that an undecided rule may hide
        self._colours = colours
        self._only = only
        self._known: KnownNames | None = None  # the same, as they are compared with rules
        if colours and not self.blind_to_background:
            self._texts = Rules(parts)
        else:
            self._texts = Rules(parts, only)
        self._variables = PageVariables(
            css, self._texts, self._selectors, has_inline=has_inline_variables
        )
        self._read_rules()
        self.keys = self._find_gate_keys()
        # those that some rule without any other name is about
        self.attributes = frozenset(key[1:] for key in self.keys if key[0] == "[")
        self._is_asked = False  # about the style of some element
        self._unread = bool(self.keys)  # what shows things is read once something is hidden
        self._matcher = RuleMatcher(self._context, self._rules)
        self._merged: dict[int, MergedRules] = {}  # by the bits of the matching rules
        self._named: dict[ElementNames, NamedElements] = {}
        # by the identities of rules and style attributes, which are kept with them
        self._put_over: dict[tuple[int, int], tuple[MergedRules, OwnStyle, Declarations]] = {}

    def close(self) -> None:
        """Let go of all that holds this sheet in turn; nothing may be asked afterwards."""
        self._context.close()
        self._variables = None  # type: ignore[assignment]

    def resolve_own(self, element: etree._Element, declarations: Declarations) -> Declarations:
        """Declarations of one element with the values that variables have there."""
        style = self._variables.resolve(declarations, element)
        if self._context.budget.left < 0:
            return self._leave_out()  # variables have no values any more
        return style

    def style_of(self, element: etree._Element, own: OwnStyle) -> Declarations:
        """Return the cascaded style of an element, its style attribute included. It is shared
        between elements and must not be changed.
        """
        self._is_asked = True
        named = self._find_named(element)
        has_own = bool(own[0] or own[1])
        if not has_own and named.style is not None:
            return named.style
        if named.is_unknown:
            return self._leave_out()
        bits = self._matcher.match(element, named.names)
        unsure = bits & self._matcher.unsure
        if unsure:
            if self._may_hide_by_unsure(element, bits, unsure, own):
                return self._leave_out()
            bits ^= unsure
        style = self._resolve(element, bits, own)
        if self._context.budget.left < 0:
            return self._decide_by_names(element, own)
        is_by_names = named.is_steady and not has_own and not unsure
        if is_by_names and not self._find_merged(bits).has_calls:
            named.style = style  # the names alone decide
        return style

    def _may_hide_by_unsure(
        self, element: etree._Element, bits: int, unsure: int, own: OwnStyle
    ) -> bool:
        """Whether rules with an undecided media condition hide an element, alone or together with
        the other rules that match it.
        """
        if may_hide(self._resolve(element, unsure, _NO_OWN)):
            return True
        return reason_to_skip(self._resolve(element, bits, own)) is not None

    def _resolve(self, element: etree._Element, bits: int, own: OwnStyle) -> Declarations:
        """Merge the rules of some bits with a style attribute and substitute variables."""
        merged = self._find_merged(bits)
        has_own = bool(own[0] or own[1])
        style = merged.both
        if has_own:
            style = self._add_own(merged, own)
        if has_own or merged.has_calls:
            style = self._variables.resolve(style, element)
        return style

    def find_revealed(self) -> tuple[set[str], set[str]]:
        """The classes and ids that some state of the page shows, and those among them that windows
        of some width show.
        """
        if self._unread and self._is_asked:
            self._unread = False
            shown, by_width = find_shown(self._texts, self._find_hiding_keys())
            self._revealed |= shown
            self._shown_by_width |= by_width
        return self._revealed, self._shown_by_width

    def _find_named(self, element: etree._Element) -> NamedElements:
        """What is known of the elements with the names of one."""
        names = self._context.names_of(element)
        named = self._named.get(names)
        if named is None:
            is_unknown = bool(self._unknown) and not self._unknown.isdisjoint(_list_keys(names))
            is_steady = self._matcher.matcher.is_by_names(element)
            named = NamedElements(names, is_steady=is_steady, is_unknown=is_unknown)
            self._named[names] = named
        return named

    def _add_own(self, merged: MergedRules, own: OwnStyle) -> Declarations:
        """What counts of rules and of the style attribute of an element: important declarations
        after all ordinary ones.
        """
        key = (id(merged), id(own))
        known = self._put_over.get(key)
        if known is None:
            style = dict(merged.ordinary)
            apply_declarations(style, own[0])
            apply_declarations(style, merged.important)
            apply_declarations(style, own[1])
            known = self._put_over[key] = (merged, own, style)
        return known[2]

    def _decide_by_names(self, element: etree._Element, own: OwnStyle) -> Declarations:
        """Return a style for an element after the budget is spent: left out if a rule that may
        hide it ends in one of its names.
        """
        if self._matcher.matcher.find_possible(element) & self._matcher.find_hiding():
            return self._leave_out()
        style = own[0] | own[1]
        if any(map(has_calls, style.values())):
            return self._leave_out()
        return style

    def _leave_out(self) -> Declarations:
        """The style of an element that some undecided rule may hide."""
        self.undecided += 1
        return _LEFT_OUT

    def find_layout(self, element: etree._Element, own: OwnStyle) -> Declarations:
        """Return the style of an element without variable substitution."""
        named = self._find_named(element)
        bits = self._matcher.match(element, named.names) & ~self._matcher.unsure
        return self._add_own(self._find_merged(bits), own)

    def _find_merged(self, bits: int) -> MergedRules:
        """Return the merged declarations of some rules."""
        merged = self._merged.get(bits)
        if merged is None:
            rules = self._matcher.rules_of(bits)
            self._context.budget.spend(len(rules))
            merged = self._merged[bits] = merge_rules(rules)
        return merged

    def _read_rules(self) -> None:
        """Read every rule that can match an element of the page."""
        bodies = [decode_body(raw.body) for raw in self._texts.exact]
        self._read_parts(bodies)
        for raw, body in zip(self._texts.exact, bodies, strict=True):
            if not self._passes_over(raw, body):
                self._add_rule(decode_rule(raw, body))

    def _passes_over(self, raw: RawRule, body: str) -> bool:
        """Whether a rule with plain selectors is about none of the elements that will be asked
        about: told before it is looked into, since most rules that paint something are not.
        """
        if self._only is None or raw.outer is not None:
            return False
        if self._colours and "background" in body:
            return False
        selectors = raw.selectors
        if b"[" in selectors or b"(" in selectors or b"+" in selectors or b"~" in selectors:
            return False
        if self._known is None:
            self._known = KnownNames(frozenset([name.encode() for name in self._only]))
        return self._known.judge(selectors) == FOREIGN

    def _read_parts(self, bodies: list[str]) -> None:
        """Find the rules about parts of elements that may lie over their text, or colour it."""
        found: list[RuleText] = []
        if self._colours:
            for raw, body in zip(self._texts.exact, bodies, strict=True):
                if raw.when == ALWAYS and is_about_part(raw):
                    found.append(decode_rule(raw, body))
        has_covers = any(makes_cover(rule.body) for rule in found)
        for rule, own, heavy in list_part_rules(found, with_covers=has_covers):
            text = rule.selectors
            if not self._concerns(text) or len(self._rules) >= _MOST_RULES:
                continue
            try:
                selectors = self._selectors.parse(rule, [text], [text])
            except (InvalidSelector, UndecidedSelector):
                continue
            rank = self._texts.layers.rank_of(rule.layer)
            for selector in selectors:
                self._rules.append(Rule(selector, own, heavy, rule.order, rank))
        self.has_parts = bool(self._rules)

    def _add_rule(self, rule: RuleText) -> None:
        """Add a rule if it declares a known property."""
        ordinary, important = parse_body(rule.body)
        declared = ordinary
        if important:
            declared = ordinary | important
        if not declared:
            return
        sets_background = self._colours and not BACKGROUNDS.isdisjoint(declared)
        texts = split_list(rule.selectors)
        needed = texts
        if not sets_background or self.blind_to_background:
            needed = [text for text in texts if self._concerns(text)]
        if not needed:
            return
        selectors: Sequence[Selector] = ()
        is_decided = len(self._rules) + len(needed) <= _MOST_RULES
        if is_decided:
            try:
                selectors = self._selectors.parse(rule, texts, needed)
            except InvalidSelector:
                return
            except UndecidedSelector:
                is_decided = False
        if not is_decided and may_hide(declared):
            self._set_undecided(needed)
        self._note_states(needed, declared, sets_background)
        rank = self._texts.layers.rank_of(rule.layer)
        is_sure = rule.when == ALWAYS
        for selector in selectors:
            found = Rule(selector, ordinary, important, rule.order, rank, is_sure)
            self._rules.append(found)

    def _note_states(
        self, selectors: list[str], declared: Declarations, sets_background: bool
    ) -> None:
        """Remember what selectors say about later states of the page."""
        for text in selectors:
            if sets_background and depends_on_person(text):
                self.blind_to_background = True
            if ":not(" in text and may_hide(declared):
                self._reveal_without_state(text)

    def _set_undecided(self, selectors: Sequence[str]) -> None:
        """Remember what selectors may mean that are not looked into."""
        for text in selectors:
            self._unknown.update(find_rough_keys(text))

    def _find_gate_keys(self) -> set[str]:
        """The keys by which an element is known to be worth asking about."""
        keys = set(self._unknown)
        for rule in self._rules:
            keys.update(rule.selector.last.keys)
        keys = {key.lower() for key in keys}
        if ANYTHING in keys:
            keys |= tags_of(self._context.roots)
        return keys

    def _find_hiding_keys(self) -> set[str]:
        """Return the keys of the rules that may hide an element."""
        keys = set(self._unknown)
        for rule in self._rules:
            if may_hide(rule.ordinary | rule.important):
                keys.update(rule.selector.last.keys)
        return {key.lower() for key in keys}

    def _reveal_without_state(self, selector: str) -> None:
        """Elements that are hidden as long as they lack a class, `:not(.open)`, get it from the
        page's script.
        """
        last = selector.rpartition(" ")[2]
        if ":not(." in last:
            compound = last.partition(":not(")[0]
            self._revealed.update(name.lower() for name in find_last_names(compound))

    def _concerns(self, selector: str) -> bool:
        """Whether a selector may mean one of the elements that will be asked about, told by the
        names in it.
        """
        if self._only is None or "\\" in selector or "[" in selector or "&" in selector:
            return True
        return self._only.issuperset(find_needed_names(selector.lower()))


def _list_keys(names: ElementNames) -> Iterator[str]:
    """List the keys, in lower case, under which rules about an element are found."""
    yield ANYTHING
    yield names.tag
    for name in names.classes:
        yield f".{name.lower()}"
    if names.identity:
        yield f"#{names.identity.lower()}"
