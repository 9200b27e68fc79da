"""Mark the elements of a page that cannot be seen, and those whose text cannot.

`find_hidden()` judges a page once, before its text is read. What a control, a script or an
animation brings into view is not marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from webquarry._native import Candidates, ChosenParts, find_value
from webquarry._read.html.class_names import HIDDEN_CLASS, judge_classes
from webquarry._read.html.page_info import PageInfo
from webquarry._read.style.cascade import NO_STYLE, Cascade, Style
from webquarry._read.style.colours import WHITE
from webquarry._read.style.declarations import Declarations
from webquarry._read.style.judge import (
    DISPLAY,
    NO_SIZE,
    OFF_SCREEN,
    SAME_COLOUR,
    TEXT_PROPERTIES,
    TRANSPARENT,
    VISIBILITY,
    Look,
    find_reason,
)
from webquarry._read.style.reveal import (
    Controls,
    Revealed,
    Scripts,
    has_spoken_twin,
    is_panel,
    list_names,
)
from webquarry._read.style.sheet import collect_sheets
from webquarry._read.text.characters import strip_invisible

HIDDEN = "hidden attribute"
ARIA = "aria-hidden"
CLOSED = "closed dialog"
NAVIGATION = "navigation"
CLOSED_DETAILS = "closed details"
# How pages hide themselves until their script has run.
UNDONE_BY_SCRIPTS = frozenset({HIDDEN, DISPLAY, TRANSPARENT, HIDDEN_CLASS, VISIBILITY, NO_SIZE})

_Element = etree._Element
# Reasons that a control, a script or a state of the page may undo.
_OPENED_LATER = UNDONE_BY_SCRIPTS | {ARIA, CLOSED}
_UNDONE_BY_DISPLAY = frozenset({HIDDEN, CLOSED})
_WHOLE_PAGE = frozenset({"html", "body"})
# The parser puts what follows these empty elements into them.
_EMPTY = frozenset({"wbr", "source", "track", "embed", "keygen", "bgsound"})
_COLOURED = frozenset({"font", "body", "html", "mark"})  # tags with colours of their own
_WATCHED_TAGS = frozenset({"dialog", "mark", "details"})
_WATCHED = frozenset(
    {"class", "style", "hidden", "aria-hidden", "role", "popover", "bgcolor", "color", "text"}
)
_HIDING_ATTRIBUTES = frozenset({"class", "hidden", "aria-hidden", "role", "popover"})
_VISIBILITIES = frozenset({"visible", "hidden", "collapse", "initial"})
_OFFSETS = frozenset({"left", "right", "top", "bottom"})
# Properties without effect on inline boxes.
_BLOCK_PROPERTIES = frozenset(
    """
    width height max-width max-height min-width min-height overflow-x overflow-y transform
    translate scale rotate text-indent margin-top content-visibility
    """.split()  # noqa: SIM905
)
# Properties that have an effect without a box.
_INHERITED = frozenset(
    """
    display visibility font-size color -webkit-text-fill-color -webkit-text-security text-shadow
    -webkit-text-stroke text-indent letter-spacing word-spacing
    """.split()  # noqa: SIM905
)
_INLINE_TAGS = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small
    span strike strong sub sup time tt u var
    """.split()  # noqa: SIM905
)
_REPLACED = frozenset({"img", "svg", "input", "button", "video", "iframe", "object"})
_LAYS_OUT = ("flex", "grid", "inline-flex", "inline-grid", "-webkit-box", "-webkit-flex")
_PICTURES = frozenset({"img", "image", "svg", "input", "video", "canvas"})
_NEVER_PAINTED = frozenset(
    """
    noscript noframes noembed template script style head title iframe object audio datalist
    textarea desc metadata defs symbol
    """.split()  # noqa: SIM905
)
_MOST_INSIDE = 30  # elements of a control
_DEEPEST_CONTROLS = 12  # controls whose visibility depends on each other


@dataclass
class HiddenNodes:
    """What cannot be seen of a page, with the reason."""

    revealed: Revealed
    script_has_run: bool = False  # what pages hide until their script has run is not marked
    # nothing of these elements is seen
    elements: dict[_Element, str] = field(default_factory=dict)
    # the text in these elements is not seen, or seen again (None)
    texts: dict[_Element, str | None] = field(default_factory=dict)
    # elements that were left out, because rules about them were not matched
    undecided: set[_Element] = field(default_factory=set)

    def shows(self, element: _Element) -> bool:
        """Whether text right in an element is seen."""
        around = (element, *element.iterancestors())
        if any(one in self.elements or one.tag in _NEVER_PAINTED for one in around):
            return False
        return next((self.texts[one] for one in around if one in self.texts), None) is None


def find_hidden(
    roots: Sequence[_Element],
    page_info: PageInfo,
    *,
    elements: Sequence[_Element] | None = None,
    parts: ChosenParts | None = None,
    ignored: AbstractSet[str] = frozenset(),
) -> HiddenNodes:
    """Mark what cannot be seen of a page, or of some elements or parts of it.

    `ignored` are reasons that do not count.
    """
    marker = _Marker(roots, page_info, ignored, parts)
    for element in roots if elements is None else elements:
        marker.mark(element)
    marker.close()
    return marker.hidden


def is_shown(element: _Element, roots: Sequence[_Element], page_info: PageInfo) -> bool:
    """Whether text right in an element of a page can be seen."""
    return _Marker(roots, page_info).shows(element)


class _Marker:
    """Judges the elements of one page, from the outside to the inside."""

    def __init__(
        self,
        roots: Sequence[_Element],
        page_info: PageInfo,
        ignored: AbstractSet[str] = frozenset(),
        parts: ChosenParts | None = None,
    ) -> None:
        self._roots, self._page_info, self._parts = roots, page_info, parts
        self._ignored = ignored
        self._sheets = collect_sheets(page_info)
        self._scripts = Scripts(page_info.scripts)
        self._controls = Controls(roots, self._scripts, self._is_control_seen)
        self._revealed = Revealed(roots, self._scripts, self._sheets)
        self.hidden = HiddenNodes(self._revealed, script_has_run=VISIBILITY in ignored)
        names = None if parts is None or not self._sheets.sheets else parts.names()
        self._cascade = Cascade(
            roots, self._sheets, names=names, has_scripts=lambda: self._scripts.are_any
        )
        self._whole: _Marker | None = None  # knows all rules, if this one does not
        keys = self._cascade.keys
        self._watched = _WATCHED | {key[1:] for key in keys if key[0] == "["}
        if any(key[0] == "#" for key in keys):
            self._watched |= {"id"}
        self._tags = _WATCHED_TAGS | {key for key in keys if key[0] not in ".#["}
        # whether every background is known
        self._is_certain = self._sheets.is_complete and not self._cascade.has_state_background
        self._first_look = Look(ground=WHITE if self._is_certain else None)
        self._root_size = self._first_look.size
        self._classes: dict[str, str | None] = {}  # the reason that a value of `class` gives
        self._looks: dict[tuple[int, int, str, bool], tuple[Style, Look, Look]] = {}
        self._known: dict[_Element, Look | None] = {}  # of the elements around controls
        self._asking = 0

    def close(self) -> None:
        """Break the circles of references to the page."""
        self._cascade.close()
        self._known.clear()
        self._controls = None  # type: ignore[assignment]
        if self._whole is not None:
            self._whole.close()

    def mark(self, root: _Element) -> None:
        """Mark the hidden parts of an element."""
        hidden, first_ground = self.hidden, self._first_look.ground
        candidates = Candidates(root, self._tags, self._watched, self._concerns, self._parts)
        look = self._first_look
        above: list[tuple[int, Look]] = []
        element = candidates.next(True)
        while element is not None:
            while above and above[-1][0] >= candidates.least_depth:
                look = above.pop()[1]
            verdict = look if element.tag in _EMPTY else self._judge(element, look)
            if isinstance(verdict, str):
                hidden.elements[element] = verdict
                element = candidates.next(False)
                continue
            if verdict is not look:
                if verdict.reason != look.reason:
                    hidden.texts[element] = verdict.reason
                above.append((candidates.depth, look))
                look = verdict
                is_strict = look.ground is not first_ground or not look.colour_seen
                candidates.watch_all(is_strict)
            element = candidates.next(True)

    def _concerns(self, name: str, value: str) -> bool:
        """Whether an attribute may change the visibility of its element."""
        keys = self._cascade.keys
        if f"[{name}" in keys:
            return True
        if name == "class":
            is_key = any(f".{one}" in keys for one in value.lower().split())
            return is_key or self._judge_classes(value) is not None
        if name == "id":
            return f"#{value.lower()}" in keys
        if name == "style":
            return self._cascade.may_change(value)
        if name in ("aria-hidden", "role"):
            return _judge_attribute(name, value) is not None
        return True

    def _judge_classes(self, classes: str) -> str | None:
        if classes not in self._classes:
            self._classes[classes] = judge_classes(classes)
        return self._classes[classes]

    def _judge(self, element: _Element, parent: Look) -> str | Look:
        """Return why nothing of an element is seen, or its look."""
        tag: str = element.tag
        reasons = self._judge_attributes(element)
        style = self._cascade.find_style(element)
        declared = style.declared
        if style is not NO_STYLE:
            if "animation" in declared or "animation-name" in declared:
                style = Style({**declared, **self._revealed.find_last_frame(declared)})
            style, reasons = self._judge_style(element, style, reasons)
            declared = style.declared
        if tag == "details" and self._is_never_opened(element, parent):
            return CLOSED_DETAILS
        for reason in reasons:
            if reason in self._ignored:
                continue
            is_slide = reason == OFF_SCREEN and ARIA in reasons and is_panel(element)
            if is_slide and self._scripts.are_any:  # a script moves it into view
                continue
            if not self._appears(element, reason, declared):
                if style.is_undecided:
                    self.hidden.undecided.add(element)
                return reason
        look = self._judge_text(element, style, parent)
        if reasons and look is not parent:
            look = look._replace(scale=parent.scale)
        return look

    def _judge_text(self, element: _Element, style: Style, parent: Look) -> Look:
        """Return the look of an element that is not hidden."""
        tag: str = element.tag
        declared = style.declared
        has_colour = tag in _COLOURED or find_value(element, "bgcolor") is not None
        is_on_ground = parent.ground is not None and not self._is_certain
        is_styled = is_on_ground and bool(declared)
        look = parent
        if has_colour or is_styled or not TEXT_PROPERTIES.isdisjoint(declared):
            look = self._find_look(element, style, parent)
        elif is_on_ground and (find_value(element, "class") or find_value(element, "id")):
            look = parent._replace(ground=None)  # an unknown sheet may give it a background
        if tag == "a" and look.reason == SAME_COLOUR and _is_plain_link(element, declared):
            return look._replace(colour=None, colour_seen=True)  # as browsers colour links
        return look

    def _judge_attributes(self, element: _Element) -> tuple[str, ...]:
        """Return why attributes other than `style` hide an element."""
        reasons: list[str] = []
        if element.tag == "dialog" and find_value(element, "open") is None:
            reasons.append(CLOSED)
        for name in map(str, reversed(element.keys())):
            if name not in _HIDING_ATTRIBUTES:
                continue
            value = find_value(element, name) or ""
            if name == "class":
                reason = self._judge_classes(value)
            else:
                reason = _judge_attribute(name, value)
            if reason is not None:
                reasons.append(reason)
        return tuple(reasons)

    def _judge_style(
        self, element: _Element, style: Style, reasons: tuple[str, ...]
    ) -> tuple[Style, tuple[str, ...]]:
        """Return the declarations with an effect and all reasons."""
        declared = style.declared
        is_displayed = declared.get("display", "none") not in ("none", "inherit", "unset")
        if is_displayed and reasons and self._sheets.is_complete:
            reasons = tuple(one for one in reasons if one not in _UNDONE_BY_DISPLAY)
        if style.reason is not None or "transform" in declared or "scale" in declared:
            effective = self._drop_ineffective(element, declared)
            if effective is not declared:
                style = Style(effective)
        return style, reasons if style.reason is None else (*reasons, style.reason)

    def _drop_ineffective(self, element: _Element, style: Declarations) -> Declarations:
        """Drop declarations that have no effect on an element, unless an unknown sheet may give
        them one.
        """
        dropped: frozenset[str] = frozenset()
        position = style.get("position", "")
        is_complete = self._sheets.is_complete
        if style.get("display") == "contents":
            return {name: value for name, value in style.items() if name in _INHERITED}
        if position in ("static", "initial", "unset", "revert") or (not position and is_complete):
            dropped = _OFFSETS | {"clip"}
        elif position in ("relative", "sticky"):
            dropped = frozenset({"clip"})
        is_in_line = is_complete and position not in ("absolute", "fixed")
        if is_in_line and _is_inline(element, style) and not self._is_item(element):
            dropped |= _BLOCK_PROPERTIES
        if dropped.isdisjoint(style):
            return style
        return {name: value for name, value in style.items() if name not in dropped}

    def _is_item(self, element: _Element) -> bool:
        """Whether the parent lays out an element as an item of a grid or a flexible box."""
        for around in islice(element.iterancestors(), 8):
            display = self._cascade.find_style(around).declared.get("display", "")
            if display != "contents":
                return display.startswith(_LAYS_OUT)
        return False

    def _find_look(self, element: _Element, style: Style, parent: Look) -> Look:
        tag = str(element.tag)
        is_unknown = False
        if not self._is_certain:
            is_unknown = bool(find_value(element, "class") or find_value(element, "id"))
        if tag in _COLOURED or find_value(element, "bgcolor") is not None:
            look = parent.enter(element, style.declared, self._root_size, is_unknown)
        else:
            key = (id(style), id(parent), tag, is_unknown)
            known = self._looks.get(key)
            if known is None:
                look = parent.enter(element, style.declared, self._root_size, is_unknown)
                known = self._looks[key] = (style, parent, parent if look == parent else look)
            look = known[2]
        if tag == "html":
            self._root_size = look.size
        visibility = style.declared.get("visibility")
        if visibility not in _VISIBILITIES:
            return look
        invisible = visibility in ("hidden", "collapse") and VISIBILITY not in self._ignored
        if invisible and not parent.invisible:
            invisible = not self._appears(element, VISIBILITY, style.declared)
        return look if invisible is look.invisible else look._replace(invisible=invisible)

    def _is_never_opened(self, details: _Element, parent: Look) -> bool:
        """Whether a closed `details` has a summary that cannot be seen."""
        if find_value(details, "open") is not None or self._scripts.are_any:
            return False
        summary = details.find("summary")
        return summary is not None and isinstance(self._judge(summary, parent), str)

    def _appears(self, element: _Element, reason: str, style: Declarations) -> bool:
        """Whether a person sees an element later: a control opens it, or a script shows it."""
        revealed = self._revealed
        if element.tag in _WHOLE_PAGE:
            return self._scripts.are_any or revealed.is_animated_into_view(style)
        if reason not in _OPENED_LATER:
            return reason == NAVIGATION and revealed.is_the_page(element)
        if reason == HIDDEN and revealed.is_late_part(element):
            return True
        if reason == TRANSPARENT and revealed.fades_in(element, style):
            return True
        if reason == ARIA and has_spoken_twin(element):
            return True
        if self._opens(element, reason):
            return True
        return revealed.is_the_page(element, is_hidden=True)

    def _opens(self, element: _Element, reason: str) -> bool:
        """Whether a control, a script or a state of the page shows an element."""
        if reason == CLOSED:
            return self._controls.are_pointing_at(element)
        is_sure = reason not in (ARIA, HIDDEN_CLASS)
        if self._controls.can_open(element, needs_proof=is_sure):
            return True
        if reason in (HIDDEN, ARIA, HIDDEN_CLASS):
            return False
        names = list_names(element)
        shown, by_width = self._cascade.find_shown()
        if shown.isdisjoint(names):
            return False
        if find_reason(self._cascade.find_own(element)) is not None:
            return False
        if not by_width.isdisjoint(names) or self._scripts.are_any:
            return True
        is_toggled = any(b":checked" in css for _, css in self._sheets.sheets)
        return is_toggled and self._controls.have_box_to_tick

    def _is_control_seen(self, control: _Element) -> bool:
        """Whether some text or picture in a control is visible, wherever it is on the page."""
        if self._asking >= _DEEPEST_CONTROLS:
            return False
        if self._parts is not None:
            self._whole = self._whole or _Marker(self._roots, self._page_info, self._ignored)
            return self._whole._is_control_seen(control)
        self._asking += 1
        try:
            for inner in islice(control.iter(etree.Element), _MOST_INSIDE):
                is_picture = inner.tag in _PICTURES and _holds_picture(inner)
                if (is_picture or _has_letters(inner.text)) and self.shows(inner):
                    return True
                if inner is not control and _has_letters(inner.tail):
                    around = inner.getparent()
                    if around is not None and self.shows(around):
                        return True
            return False
        finally:
            self._asking -= 1

    def shows(self, element: _Element) -> bool:
        """Whether text right in an element is visible, before it is marked."""
        known = self._known
        path: list[_Element] = []
        node: _Element | None = element
        while node is not None and node not in known:
            path.append(node)
            node = node.getparent()
        look: Look | None = self._first_look if node is None else known[node]
        for node in reversed(path):
            known[node] = None  # while it is judged: a panel is not opened by its content
            if look is None or node.tag in _NEVER_PAINTED:
                look = None
                continue
            verdict = self._judge(node, look)
            look = known[node] = None if isinstance(verdict, str) else verdict
        return look is not None and look.reason is None


def _judge_attribute(name: str, value: str) -> str | None:
    """Return why an attribute hides its element, or None."""
    if name == "hidden":
        return HIDDEN
    if name == "aria-hidden":
        return ARIA if value.strip().lower() == "true" else None
    if name == "role":
        return NAVIGATION if value.strip().lower() == "navigation" else None
    return CLOSED if name == "popover" else None


def _is_plain_link(element: _Element, style: Declarations) -> bool:
    """Whether a link has no colour of its own."""
    has_colour = "color" in style or "-webkit-text-fill-color" in style
    return not has_colour and find_value(element, "href") is not None


def _is_inline(element: _Element, style: Declarations) -> bool:
    if style.get("float", "none") != "none":
        return False
    display = style.get("display", "")
    if display in ("inline", "initial"):
        return element.tag not in _REPLACED
    return not display and element.tag in _INLINE_TAGS


def _has_letters(text: str | None) -> bool:
    return bool(text) and bool(strip_invisible(text or "", Counter()).strip())


def _holds_picture(element: _Element) -> bool:
    """Whether a picture or a field has something to show."""
    if element.tag == "input":
        return (element.get("type") or "").lower() != "hidden"
    for name in ("width", "height"):
        if (element.get(name) or "").strip().removesuffix("px") in ("0", "1", "2"):
            return False
    if element.tag == "svg":
        return len(element) > 0
    return bool(element.get("src") or element.get("alt"))
