"""What a person cannot see on a page: an element in, the reason why nothing of it is seen out, or
None.

`VisibilityTracker` is asked on the way down the tree and told on the way up. Properties that
children inherit and may undo (visibility, text size, colour) do not end the walk: they mute the
text until an element makes it visible again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lxml import etree

from webquarry._read.css.class_names import HIDDEN_CLASS, judge_classes
from webquarry._read.css.colours import WHITE
from webquarry._read.css.declarations import Declarations
from webquarry._read.css.selectors.attributes import find_value
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.tree import has_text, length_up_to
from webquarry._read.visibility.columns import TableColumns
from webquarry._read.visibility.computed import (
    COVERED,
    SAME_COLOUR,
    TINY,
    VISIBILITY,
    ComputedStyle,
    Cover,
    is_layer,
)
from webquarry._read.visibility.concealment import (
    ARIA,
    CLOSED,
    DISPLAY,
    HIDDEN,
    NAVIGATION,
    NO_SIZE,
    OFF_SCREEN,
    TRANSPARENT,
    judge_attribute,
    reason_to_skip,
)
from webquarry._read.visibility.covers import MOST_CHILDREN, covers_box, find_part_cover, lies_above
from webquarry._read.visibility.effects import Effects
from webquarry._read.visibility.expandable import Expandable, is_panel
from webquarry._read.visibility.lookup import StyleLookup
from webquarry._read.visibility.revealed import Revealed, has_spoken_twin
from webquarry._read.visibility.scripts import Scripts
from webquarry._read.visibility.sheet.control_rules import ControlRules
from webquarry._read.visibility.sheet.style_attribute import StyleAttribute
from webquarry._read.visibility.sheet.style_memory import StyleMemory
from webquarry._read.visibility.stylesheet import Stylesheet
from webquarry._read.visibility.surroundings import Surroundings

__all__ = ["SAME_COLOUR", "TINY", "VISIBILITY", "VisibilityTracker"]

CLOSED_DETAILS = "closed details"

# What a control opens is hidden in one of these ways; the others never wait for a click.
_OPENED_LATER = frozenset(
    {HIDDEN, ARIA, HIDDEN_CLASS, VISIBILITY, DISPLAY, TRANSPARENT, NO_SIZE, CLOSED}
)
# Whatever display its own style gives an element undoes these.
_UNDONE_BY_DISPLAY = frozenset({HIDDEN, CLOSED})
_LONGEST_LINE = 120  # characters
_CELLS = frozenset({"td", "th"})
_WHOLE_PAGE = frozenset({"html", "body"})
# Browsers know that these are empty. The parser does not, and puts what follows into them.
_HOLD_NOTHING = frozenset({"wbr", "source", "track", "embed", "keygen", "bgsound"})
WATCHED = frozenset(
    {"class", "style", "hidden", "aria-hidden", "role", "popover", "color", "bgcolor", "text", "id"}
)
_SPECIAL = WATCHED - {"class", "id"}
_NO_STYLE: Declarations = {}
_COLOURING = frozenset({"bgcolor", "color", "text"})
_HIDING_ATTRIBUTES = frozenset({"hidden", "aria-hidden", "role", "popover"})
_VISIBILITIES = frozenset({"visible", "hidden", "collapse", "initial"})


class VisibilityTracker:
    """Follows the walk through one page. `muted` is the reason why text at this place is not seen,
    or None.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        page_info: PageInfo,
        only: frozenset[str] | None = None,
        *,
        knows_all: bool = False,
        controls: ControlRules | None = None,
    ) -> None:
        """`only` are the classes and ids of the elements that are asked about and of those around
        them, in lower case; `knows_all` says that they are those of all elements. `controls` are
        asked about the controls of the page.
        """
        self._roots, self._page_info = roots, page_info
        self._knows_all_rules = only is None or knows_all
        self._controls = controls or ControlRules(roots, page_info.css, self._read_other_rules)
        self._scripts = Scripts(roots)
        self._expandable = Expandable(roots, self._scripts, self._is_control_seen)
        self.revealed = Revealed(roots, self._scripts, page_info.css)
        links_to_sheets = page_info.foreign_rules
        sheet = self._sheet = Stylesheet(
            page_info.css,
            colours=not links_to_sheets,
            only=only,
            roots=roots,
            has_inline_variables=page_info.has_variables,
        )
        # every background on the page is known
        self._certain = not links_to_sheets and not sheet.blind_to_background
        self._first_ground = WHITE if self._certain else None
        self._style = ComputedStyle(ground=self._first_ground)
        self._is_on_other_ground = False
        self._above: list[tuple[ComputedStyle, str | None]] = []
        self._own_styles: dict[str, StyleAttribute] = {}  # by the text of a style attribute
        self._classes: dict[str, tuple[str | None, bool]] = {}
        self._root_size = self._style.size
        self._memory = StyleMemory()
        self._surroundings = Surroundings(
            roots, self.find_layout, page_info.css, page_info.pulled, self.has_scripts
        )
        self._covered = self._surroundings.covered
        self._effects = Effects(self.find_layout, knows_all=not links_to_sheets)
        tables = roots if page_info.has_columns else ()
        self._has_columns = page_info.has_columns
        self._columns = TableColumns(tables, self._find_column_style)
        self._lookup = StyleLookup(self._judge, self._style)
        self._ids = {key[1:] for key in sheet.keys if key[0] == "#"}
        # these are to be looked at even without attributes
        tags = [key for key in sheet.keys if key[0] not in ".#["]
        self.tags = frozenset({"dialog", "mark", "details", *tags})
        if self._columns.collapsed:
            self.tags |= {"td", "th"}
        self.tags |= {str(element.tag) for element in self._surroundings.covered}
        self.watched = WATCHED | sheet.attributes
        self._special = _SPECIAL | sheet.attributes
        if self._ids:
            self._special |= {"id"}
        # values of `class` that hide nothing and that no rule is about
        self.quiet: set[str] = set()
        self.muted: str | None = None

    @property
    def undecided(self) -> int:
        """How many elements were left out because rules that may hide them were not weighed."""
        return self._sheet.undecided

    def close(self) -> None:
        """Let go of all that holds this tracker; only `undecided` may be asked afterwards."""
        self._controls.close()
        self._sheet.close()
        self._expandable = self._surroundings = self._effects = None  # type: ignore[assignment]
        self._columns = self._lookup = self._controls = None  # type: ignore[assignment]

    def is_plain(self, element: etree._Element, names: Sequence[str]) -> bool:
        """Whether nothing about an element can change what is seen, told as quickly as possible:
        most elements of a page are plain.
        """
        if self._is_on_other_ground:
            return False
        for name in names:
            if name in self._special:
                return False
        if element.tag in self.tags:
            return False
        return "class" not in names or find_value(element, "class") in self.quiet

    def enter(self, element: etree._Element, names: Sequence[str]) -> str | bool:
        """Why nothing of this element is seen; else whether it changes the look of its text, so
        that `leave` is due.

        `names` are those of its attributes. An element with none of the `watched` ones need not be
        shown.
        """
        if element.tag in _HOLD_NOTHING:
            return False
        style = self._judge(element, names, self._style)
        if isinstance(style, str):
            return style
        return self._apply(style)

    def _judge(
        self, element: etree._Element, names: Sequence[str], parent: ComputedStyle
    ) -> str | ComputedStyle:
        """Why nothing of this element is seen, given the style of its parent; else its own
        style.
        """
        tag = element.tag
        reasons, has_rule = self._judge_names(element, tag, names)
        declarations = _NO_STYLE
        if has_rule or "style" in names:
            declarations = self._find_declarations(element, has_rule)
            if declarations:
                reasons, declarations = self._add_reasons(element, reasons, declarations, parent)
        if tag == "details" and self._is_never_opened(element, names, parent):
            return CLOSED_DETAILS
        if element in self._covered:
            return COVERED
        if self._has_columns and tag in _CELLS and self._columns.hides(element, declarations):
            return NO_SIZE
        reason = self._find_last_reason(element, reasons, declarations)
        if reason is not None:
            return reason

        # It is seen, or may be: what it hands down to its children is another matter.
        if declarations or tag == "mark" or not _COLOURING.isdisjoint(names):
            style = self._compute_style(element, tag, declarations, parent)
            if reasons:  # it grows as it appears
                style = style._replace(scale=parent.scale)
            return style
        if parent.ground is None or self._certain:
            return parent
        if "class" in names or "id" in names:
            # a style sheet that was not read may paint it
            return parent._replace(ground=None)
        return parent

    def _find_last_reason(
        self, element: etree._Element, reasons: tuple[str, ...], declarations: Declarations
    ) -> str | None:
        """The first of the reasons in spite of which a person does not come to see the element."""
        for reason in reasons:
            may_be_slide = reason == OFF_SCREEN and ARIA in reasons and is_panel(element)
            if may_be_slide and self._scripts.are_any:  # one moves it into the page in its turn
                continue
            if not self._shows_after_all(element, reason, declarations):
                return reason
        return None

    def _add_reasons(
        self,
        element: etree._Element,
        reasons: tuple[str, ...],
        declarations: Declarations,
        parent: ComputedStyle,
    ) -> tuple[tuple[str, ...], Declarations]:
        """The reasons why attributes hide an element, with those of its style, and without those
        that its style undoes; and what of its style has an effect.
        """
        is_displayed = declarations.get("display", "none") not in ("none", "inherit", "unset")
        # a sheet that is not read may insist that what is hidden stays so
        if is_displayed and reasons and not self._page_info.foreign_rules:
            reasons = tuple(one for one in reasons if one not in _UNDONE_BY_DISPLAY)
        known = self._memory.find(declarations)
        reason = known.reason
        if reason is not None or known.is_shrinking:
            declarations = self._effects.keep_working(element, declarations)
            known = self._memory.find(declarations)
            reason = known.reason
        if reason is None and (known.depends_on_boxes or self._surroundings.may_hide(parent)):
            reason = self._surroundings.judge(element, declarations, parent)
        if reason is None:
            return reasons, declarations
        return (*reasons, reason), declarations

    def find_layout(self, element: etree._Element) -> Declarations:
        """How an element is laid out, by its own style and all rules of the page."""
        return self._sheet.find_layout(element, self._find_own_style(element).declared)

    def _find_column_style(self, column: etree._Element) -> Declarations:
        """The same of a column, which is nothing that is asked about otherwise."""
        if self._knows_all_rules or not column.get("class"):
            return self.find_layout(column)
        return self._controls.find_all().find_layout(column)

    def _read_other_rules(self, names: frozenset[str], are_all: bool) -> VisibilityTracker:
        """A tracker that knows the rules about other elements."""
        return VisibilityTracker(
            self._roots, self._page_info, names, knows_all=are_all, controls=self._controls
        )

    def _is_never_opened(
        self, details: etree._Element, names: Sequence[str], parent: ComputedStyle
    ) -> bool:
        """Whether something that is closed shows nothing that would open it."""
        if "open" in names or self._scripts.are_any:
            return False
        summary = details.find("summary")
        if summary is None:
            return False
        inner: list[str] = summary.keys()  # type: ignore[assignment]  # never bytes in HTML
        return isinstance(self._judge(summary, inner, parent), str)

    def _is_control_seen(self, control: etree._Element) -> bool:
        """Whether a person sees something of a control, wherever it stands in the page."""
        if self._knows_all_rules:
            return self.sees(control)
        return self._controls.is_seen(control)

    def sees(self, element: etree._Element) -> bool:
        """Whether a person sees something of an element whose rules are known."""
        return self._lookup.is_seen(element)

    def paints(self, element: etree._Element) -> bool:
        """Whether a picture in the place of an element would be seen."""
        return self._lookup.is_painted(element)

    def enter_link(self, element: etree._Element, names: Sequence[str]) -> bool:
        """Go into a link: browsers give it a colour, if it leads somewhere and has none."""
        if "href" not in names:
            return False
        declarations = self._find_declarations(element, has_rule=True)
        if "color" in declarations or "-webkit-text-fill-color" in declarations:
            return False
        style = self._style._replace(colour=None, colour_seen=True)
        return self._apply(style)

    def leave(self) -> None:
        """Go back to the style that the text had before the last `enter` that changed it."""
        self._style, self.muted = self._above.pop()
        self._is_on_other_ground = self._style.ground is not self._first_ground

    def _apply(self, style: ComputedStyle) -> bool:
        """Make a style that of the text from here on; whether it is another than before."""
        if style is self._style or style == self._style:
            return False
        self._above.append((self._style, self.muted))
        self._style = style
        self._is_on_other_ground = style.ground is not self._first_ground
        self.muted = style.reason
        return True

    def _judge_names(
        self, element: etree._Element, tag: str, names: Sequence[str]
    ) -> tuple[tuple[str, ...], bool]:
        """Why the attributes other than `style` hide an element, and whether a rule of the page may
        be about it.
        """
        reasons: tuple[str, ...] = ()
        has_rule = tag in self.tags
        if self._sheet.attributes and not has_rule:
            has_rule = not self._sheet.attributes.isdisjoint(names)
        for name in names:
            reason = None
            if name == "class":
                classes = find_value(element, "class") or ""
                known = self._classes.get(classes)
                if known is None:
                    known = self._classes[classes] = self._judge_classes(classes)
                reason = known[0]
                has_rule = known[1] or has_rule
            elif name in _HIDING_ATTRIBUTES:
                value = (find_value(element, name) or "").strip().lower()
                reason = judge_attribute(name, value)
            elif name == "id" and self._ids and not has_rule:
                has_rule = (find_value(element, "id") or "").lower() in self._ids
            if reason is not None:
                reasons = (reason, *reasons)
        if tag == "dialog" and "open" not in names:
            reasons = (CLOSED, *reasons)
        return reasons, has_rule

    def _judge_classes(self, classes: str) -> tuple[str | None, bool]:
        """The same for a value of `class`."""
        has_rule = False
        if self._sheet.keys:
            names = classes.lower().split()
            self._sheet.seen.update(names)
            has_rule = any(f".{name}" in self._sheet.keys for name in names)
        reason = judge_classes(classes)
        if reason is None and not has_rule:
            self.quiet.add(classes)
        return reason, has_rule

    def _shows_after_all(
        self, element: etree._Element, reason: str, declarations: Declarations
    ) -> bool:
        """Whether a person comes to see the element in spite of the reason: a click opens it, a
        script shows it, or it is the page itself.
        """
        if element.tag in _WHOLE_PAGE:
            return self._scripts.are_any or self.revealed.is_animated_into_view(declarations)
        if reason not in _OPENED_LATER:
            return reason == NAVIGATION and self.revealed.is_the_page(element)
        if reason == HIDDEN and self.revealed.is_late_part(element):
            return True
        if reason == TRANSPARENT and self.revealed.fades_in(element, declarations):
            return True
        if reason == ARIA and has_spoken_twin(element):
            return True
        if self._opens(element, reason):
            return True
        return self.revealed.is_the_page(element, is_hidden=True)

    def _opens(self, element: etree._Element, reason: str) -> bool:
        """Whether a click, a script or a state of the page shows a hidden element."""
        if reason == CLOSED:
            return self._expandable.is_pointed_at(element)
        # what is hidden by a name or for ears only may well be seen by eyes
        is_sure = reason not in (ARIA, HIDDEN_CLASS)
        if self._expandable.can_be_opened(element, needs_proof=is_sure):
            return True
        if self._scripts.show_instead(element, self._page_info.css_without_scripts):
            return True
        if reason in (HIDDEN, ARIA, HIDDEN_CLASS):
            return False
        names = (element.get("class") or "").lower().split()
        names.append((element.get("id") or "").lower())
        revealed, by_width = self._sheet.find_revealed()
        if revealed.isdisjoint(names):
            return False
        if reason_to_skip(self._find_own_style(element).both) is not None:
            return False
        if not by_width.isdisjoint(names):
            return True
        return self._reaches_state(element)

    def has_scripts(self) -> bool:
        """Whether a script of the page may change what is seen."""
        return self._scripts.are_any

    def _reaches_state(self, element: etree._Element) -> bool:
        """Whether the page comes into the state in which a rule shows an element: by a script, by a
        box that a person ticks, by a link that leads to it.
        """
        if self._scripts.are_any:
            return True
        css = self._page_info.css
        if b":checked" in css and self._expandable.has_box_to_tick():
            return True
        return b":target" in css and self._expandable.is_linked_to(element)

    def _find_own_style(self, element: etree._Element) -> StyleAttribute:
        """What the style attribute declares; each value is read once."""
        text = find_value(element, "style") or ""
        own = self._own_styles.get(text)
        if own is None:
            own = self._own_styles[text] = StyleAttribute(text)
        return own

    def _find_declarations(self, element: etree._Element, has_rule: bool) -> Declarations:
        """What the style attribute declares, and the page's own rules with it; where an animation
        ends, that counts.
        """
        own = self._find_own_style(element)
        declared = own.both
        if has_rule:
            declared = self._sheet.style_of(element, own.declared)
        elif own.has_calls:
            declared = self._sheet.resolve_own(element, declared)
        if "animation" in declared or "animation-name" in declared:
            return {**declared, **self.revealed.find_last_frame(declared)}
        return declared

    def _compute_style(
        self,
        element: etree._Element,
        tag: str,
        declarations: Declarations,
        parent: ComputedStyle,
    ) -> ComputedStyle:
        """The style of an element, given that of its parent."""
        line = declarations.get("::first-line color")
        if line is not None and length_up_to(element, _LONGEST_LINE) < _LONGEST_LINE:
            declarations = {**declarations, "color": line}
        may_be_painted = False
        if not self._certain:
            may_be_painted = bool(find_value(element, "class") or find_value(element, "id"))
        style = self._memory.compute_child(
            element, declarations, parent, self._root_size, may_be_painted
        )
        if tag == "html":
            self._root_size = style.size
        is_placed = declarations.get("position", "static") != "static"
        if is_placed or (style.cover is not None and is_layer(declarations)):
            style = self._judge_cover(element, declarations, style)
        if self._sheet.has_parts and tag not in _WHOLE_PAGE:
            cover = find_part_cover(element, declarations)
            style = style if cover is None else style._replace(cover=cover)
        visibility = declarations.get("visibility")
        if visibility not in _VISIBILITIES:
            return style
        invisible = visibility in ("hidden", "collapse")
        if invisible and not parent.invisible:
            invisible = not self._shows_after_all(element, VISIBILITY, declarations)
        return style._replace(invisible=invisible)

    def _judge_cover(
        self, element: etree._Element, declarations: Declarations, style: ComputedStyle
    ) -> ComputedStyle:
        """The style of a box with a position of its own, with what is laid over its content."""
        if style.cover is not None and lies_above(element, declarations, style.cover):
            style = style._replace(cover=None)
        for child in islice(element, MOST_CHILDREN):
            names: list[str] = child.keys()  # type: ignore[assignment]  # never bytes in HTML
            if "style" not in names and "class" not in names:
                continue
            reasons, has_rule = self._judge_names(child, child.tag, names)
            if reasons or has_text(child):
                continue
            if covers_box(self._find_declarations(child, has_rule)):
                return style._replace(cover=Cover(element, child))
        return style
