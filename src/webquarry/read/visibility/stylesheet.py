"""The style sheets of a page -> what they declare about an element, where that can hide it.

Read in time that grows with the text and the page and no faster. Most rules have nothing to do with
hiding; they are passed over as early as possible. Those that may hide something are matched
(`css/selectors/`); for an element that one of them means, the rules that contend with it are read
as well, and the cascade decides. Where a page has more of them than we weigh, what a rule may hide
is left out, and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lxml import etree

from webquarry.read.css.declarations import PROPERTIES, Declarations, parse_body
from webquarry.read.css.nesting import RawRule
from webquarry.read.css.rules import (
    ALWAYS,
    FOREIGN,
    KnownNames,
    Rules,
    RuleText,
    decode_body,
    decode_rule,
    parts_of,
)
from webquarry.read.css.scan import split_list
from webquarry.read.css.selectors.matching import SelectorContext
from webquarry.read.css.selectors.model import ANYTHING, ElementNames, Selector
from webquarry.read.css.selectors.names import (
    find_last_names,
    find_needed_names,
    find_rough_keys,
    is_about_others,
)
from webquarry.read.css.selectors.parser import InvalidSelector, UndecidedSelector
from webquarry.read.css.shorthands import apply_declarations
from webquarry.read.html.tree import tags_of
from webquarry.read.visibility.sheet.contenders import Contenders
from webquarry.read.visibility.sheet.element_parts import (
    is_about_part,
    list_part_rules,
    makes_cover,
)
from webquarry.read.visibility.sheet.hiding_words import (
    CALLS,
    CUTS,
    HIDES,
    IS_FLAT,
    IS_PALE,
    PAINTS,
    PLACES,
    find_hints,
)
from webquarry.read.visibility.sheet.page_selectors import (
    PageSelectors,
    depends_on_person,
    is_quirky,
)
from webquarry.read.visibility.sheet.page_variables import NEVER_BY_VARIABLES, PageVariables
from webquarry.read.visibility.sheet.rule_judge import RuleJudge
from webquarry.read.visibility.sheet.rule_matcher import (
    NOTHING_MERGED,
    ContendingRules,
    MergedRules,
    NamedElements,
    Rule,
    RuleMatcher,
    merge_rules,
)
from webquarry.read.visibility.sheet.showing import find_shown
from webquarry.read.visibility.sheet.suspicion import (
    PAINTED,
    find_contended_words,
    has_unknown_background,
    hides_alone,
    is_suspicious,
    list_keys,
)

_MOST_RULES = 10_000  # selectors of rules that hide; of more, the last name decides
# What may hide something by a variable, where colours count and where they do not.
_BY_VARIABLES = PROPERTIES - NEVER_BY_VARIABLES
_UNPAINTED_BY_VARIABLES = _BY_VARIABLES - PAINTED
_LEFT_OUT: Declarations = {"display": "none"}

# What a style attribute declares, ordinary and important.
OwnStyle = tuple[Declarations, Declarations]


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
        self._hints = HIDES | (PAINTS if colours else IS_PALE)
        self._variables = PageVariables(
            css,
            self._texts,
            self._selectors,
            _BY_VARIABLES if colours else _UNPAINTED_BY_VARIABLES,
            lambda body: bool(find_hints(body) & self._hints),
            has_inline=has_inline_variables,
        )
        self._judge = RuleJudge(self._context, self._variables, colours=colours)
        self._read: set[int] = set()  # the numbers of the exact rules that have been added
        self._read_hiding_rules()
        self.keys = self._find_gate_keys()
        # those that some rule without any other name is about
        self.attributes = frozenset(key[1:] for key in self.keys if key[0] == "[")
        self._is_asked = False  # about the style of some element
        self._unread = bool(self.keys)  # what shows things is read once something is hidden
        self._contenders = self._list_contenders()
        self._contending: dict[str, RuleMatcher] = {}
        self._hiding = RuleMatcher(self._context, self._rules)
        self._alone: dict[int, MergedRules] = {}  # by the rules that may hide something
        self._suspicious: set[int] = set()  # those of them that hide together
        self._named: dict[ElementNames, NamedElements] = {}
        self._contended: dict[tuple[RuleMatcher, ...], ContendingRules] = {}
        # by the identities of rules and style attributes, which are kept with them
        self._put_over: dict[tuple[int, int], tuple[MergedRules, OwnStyle, Declarations]] = {}
        self._own: dict[int, tuple[OwnStyle, bool]] = {}

    def close(self) -> None:
        """Let go of all that holds this sheet in turn; nothing may be asked afterwards."""
        self._context.close()
        self._variables = self._contenders = self._judge = None  # type: ignore[assignment]

    def resolve_own(self, element: etree._Element, declarations: Declarations) -> Declarations:
        """Declarations of one element with the values that variables have there."""
        return self._variables.resolve(declarations, element)

    def style_of(self, element: etree._Element, own: OwnStyle) -> Declarations:
        """What counts for an element in the end, its own style attribute included. Not to be
        changed: others have the same.
        """
        self._is_asked = True
        named = self._find_named(element)
        has_own = bool(own[0] or own[1])
        if not has_own and named.style is not None:
            return named.style
        if named.is_unknown:
            return self._leave_out()
        bits = self._hiding.match(element, named.names)
        if bits & self._hiding.unsure:
            return self._leave_out()
        contends = has_own and self._is_own_suspicious(own)
        merged = NOTHING_MERGED
        if bits or contends:
            merged = self._find_merged(element, named, bits, contends)
        style = merged.both
        if has_own:
            style = self._add_own(merged, own)
        if has_own or merged.has_calls:
            style = self._variables.resolve(style, element)
        if self._context.budget.left < 0:
            return self._decide_by_names(element, own)
        if named.is_steady and not has_own and not merged.has_calls:
            named.style = style  # it is that of all elements with these names
        return style

    def find_revealed(self) -> tuple[set[str], set[str]]:
        """The classes and ids that some state of the page shows, and those among them that windows
        of some width show.
        """
        if self._unread and self._is_asked:
            self._unread = False
            shown, by_width = find_shown(self._texts, self.keys)
            self._revealed |= shown
            self._shown_by_width |= by_width
        return self._revealed, self._shown_by_width

    def _find_named(self, element: etree._Element) -> NamedElements:
        """What is known of the elements with the names of one."""
        names = self._context.names_of(element)
        named = self._named.get(names)
        if named is None:
            is_unknown = bool(self._unknown) and not self._unknown.isdisjoint(list_keys(names))
            is_steady = self._hiding.matcher.is_by_names(element)
            named = NamedElements(names, is_steady=is_steady, is_unknown=is_unknown)
            self._named[names] = named
        return named

    def _is_own_suspicious(self, own: OwnStyle) -> bool:
        """Whether a style attribute may hide an element."""
        known = self._own.get(id(own))
        if known is None:
            known = self._own[id(own)] = (own, is_suspicious({**own[0], **own[1]}))
        return known[1]

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
        """The style of an element when no more may be tried: left out, where a rule that hides ends
        in one of its names.
        """
        if self._hiding.matcher.find_possible(element) & self._hiding.find_hiding(hides_alone):
            return self._leave_out()
        return own[0] | own[1]

    def _leave_out(self) -> Declarations:
        """The style of an element that some undecided rule may hide."""
        self.undecided += 1
        return _LEFT_OUT

    def find_layout(self, element: etree._Element, own: OwnStyle) -> Declarations:
        """What counts for an element that nothing need hide: how it is displayed and placed."""
        named = self._find_named(element)
        bits = self._hiding.match(element, named.names)
        return self._add_own(self._find_merged(element, named, bits, True), own)

    def _find_merged(
        self, element: etree._Element, named: NamedElements, bits: int, contends: bool
    ) -> MergedRules:
        """The declarations of all the rules that mean an element; those that contend with others
        only where something hides it, or `contends` says so.
        """
        alone = self._alone.get(bits)
        if alone is None:
            rules = self._hiding.rules_of(bits)
            self._context.budget.spend(len(rules))
            alone = self._alone[bits] = merge_rules(rules)
            if is_suspicious(alone.both):
                self._suspicious.add(bits)
        if not contends and bits not in self._suspicious:
            return alone  # rules that do not hide can take nothing from it
        contending = named.contending
        if contending is None:
            contending = self._find_group(self._list_matchers(list_keys(named.names)))
            named.set_contending(contending, element)
            if self._contenders.has_attributes():
                named.is_steady = False
        found = [bits]
        for place, matched in enumerate(named.found):
            if matched is None:
                matcher = contending.matchers[place]
                matched = matcher.match(element, named.names)
            found.append(matched)
        attributes = self._contenders.find_attributes(element)
        if attributes:
            others = self._list_matchers(attributes)
            found += [one.match(element, named.names) for one in others]
            contending = self._find_group([*contending.matchers, *others])
        if not contending.matchers:
            return alone
        key = tuple(found)
        merged = contending.merged.get(key)
        if merged is None:
            found_rules = self._hiding.rules_of(bits)
            for matcher, matched in zip(contending.matchers, found[1:], strict=True):
                found_rules += matcher.rules_of(matched)
            self._context.budget.spend(len(found_rules))
            merged = contending.merged[key] = merge_rules(found_rules)
        return merged

    def _read_hiding_rules(self) -> None:
        """Find the rules that may hide something."""
        bodies = [decode_body(raw.body) for raw in self._texts.exact]
        hints = [find_hints(body) for body in bodies]
        # rows or lines without height hide what is cut off in them, which another rule may say
        for hint in hints:
            if hint & IS_FLAT:
                self._judge.has_flat_boxes = True
        self._read_parts(bodies)
        wanted = self._hints
        if self._judge.has_covers:
            wanted |= PLACES
        if self._judge.has_flat_boxes:
            wanted |= CUTS
        for number, raw in enumerate(self._texts.exact):
            body = bodies[number]
            may_hide = hints[number] & wanted
            if not may_hide and hints[number] & CALLS:
                may_hide = self._variables.may_make(body)
            if not may_hide or (not hints[number] & CALLS and self._passes_over(raw, body)):
                continue
            if self._add_rule(decode_rule(raw, body)):
                self._read.add(number)

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
        self._judge.has_covers = has_covers
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

    def _add_rule(
        self, rule: RuleText, contending: list[Rule] | None = None, key: str = ANYTHING
    ) -> bool:
        """Remember a rule that may hide something, or add one to those that contend with such
        rules, about elements with a name.
        """
        sets_background = self._colours and "background" in rule.body
        ordinary, important = parse_body(rule.body)
        if not ordinary and not important:
            return False
        if contending is None and not self._judge.matters(rule.body, ordinary, important):
            return False
        texts = split_list(rule.selectors)
        counts_for_all = sets_background and not self.blind_to_background
        needed = self._find_needed(texts, key, counts_for_all)
        if not needed:
            return False
        rules = self._rules if contending is None else contending
        selectors: Sequence[Selector] = ()
        is_decided = len(rules) + len(needed) <= _MOST_RULES
        if is_decided:
            try:
                selectors = self._selectors.parse(rule, texts, needed)
            except InvalidSelector:
                return False
            except UndecidedSelector:
                is_decided = False
        if contending is None:
            if not is_decided:
                self._set_undecided(needed)
            self._note_states(needed, sets_background)
        rank = self._texts.layers.rank_of(rule.layer)
        is_sure = rule.when == ALWAYS
        body = rule.body if contending is None else ""
        for selector in selectors:
            found = Rule(selector, ordinary, important, rule.order, rank, body, is_sure)
            rules.append(found)
        return True

    def _find_needed(self, texts: list[str], key: str, counts_for_all: bool) -> list[str]:
        """Those of some selectors that may mean an element which is asked about and has a name."""
        needed = texts
        if not counts_for_all:
            needed = [text for text in needed if self._concerns(text)]
        if key != ANYTHING and len(texts) > 1:  # one alone was found by the key
            needed = [text for text in needed if not is_about_others(text, key)]
        return needed

    def _note_states(self, selectors: list[str], sets_background: bool) -> None:
        """Remember what selectors say about states of the page that are not those at first."""
        for text in selectors:
            if sets_background and depends_on_person(text):
                self.blind_to_background = True
            if ":not(" in text:
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

    def _list_contenders(self) -> Contenders:
        """The rules that may contend with those that hide something."""
        rules: list[RawRule] = []
        for number, raw in enumerate(self._texts.exact):
            if raw.when == ALWAYS and number not in self._read:
                rules.append(raw)
        return Contenders(rules, lambda: find_contended_words(self._rules))

    def _find_group(self, matchers: list[RuleMatcher]) -> ContendingRules:
        """The rules of some matchers; the same for all elements that have the same."""
        key = tuple(matchers)
        contending = self._contended.get(key)
        if contending is None:
            contending = self._contended[key] = ContendingRules(matchers)
        return contending

    def _list_matchers(self, keys: Iterable[str]) -> list[RuleMatcher]:
        """The rules that contend about elements with some keys, each read once."""
        matchers: list[RuleMatcher] = []
        for key in keys:
            matcher = self._contending.get(key)
            if matcher is None:
                found: list[Rule] = []
                for raw in self._contenders.find(key):
                    body = decode_body(raw.body)
                    self._add_rule(decode_rule(raw, body), found, key)
                matcher = self._contending[key] = RuleMatcher(self._context, found)
            if matcher.has_rules:
                matchers.append(matcher)
        return matchers
