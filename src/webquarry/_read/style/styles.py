"""Which elements of a page cannot be seen, and which text in the others.

`Styles(roots, page_info).find_hidden()` marks all of a page. A walk through parts of it asks on the
way: `enter` an element, read `muted` for its text, `leave` it if its look was another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from lxml import etree

from webquarry._native import ANYTHING, find_value
from webquarry._read.html.class_names import HIDDEN_CLASS, judge_classes
from webquarry._read.html.page_info import PageInfo
from webquarry._read.html.tree import collect_names, tags_of
from webquarry._read.style.cascade import Cascade
from webquarry._read.style.colours import WHITE
from webquarry._read.style.declarations import Declarations
from webquarry._read.style.judge import (
    DISPLAY,
    NO_SIZE,
    OFF_SCREEN,
    SAME_COLOUR,
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

__all__ = [
    "DISPLAY", "HIDDEN", "NAVIGATION", "NO_SIZE", "SAME_COLOUR", "TRANSPARENT", "VISIBILITY",
    "HiddenNodes", "Styles",
]  # fmt: skip

HIDDEN = "hidden attribute"
ARIA = "aria-hidden"
CLOSED = "closed dialog"
NAVIGATION = "navigation"
CLOSED_DETAILS = "closed details"

_Element = etree._Element
# Reasons that a control, a script or a state of the page may undo.
_OPENED_LATER = frozenset(
    {HIDDEN, ARIA, HIDDEN_CLASS, VISIBILITY, DISPLAY, TRANSPARENT, NO_SIZE, CLOSED}
)
_UNDONE_BY_DISPLAY = frozenset({HIDDEN, CLOSED})
_WHOLE_PAGE = frozenset({"html", "body"})
# The parser puts what follows these empty elements into them.
_EMPTY = frozenset({"wbr", "source", "track", "embed", "keygen", "bgsound"})
_COLOUR_ATTRIBUTES = frozenset({"bgcolor", "color", "text"})
_HIDING_ATTRIBUTES = frozenset({"hidden", "aria-hidden", "role", "popover"})
_WATCHED = frozenset({"class", "style", "id"}) | _HIDING_ATTRIBUTES | _COLOUR_ATTRIBUTES
_VISIBILITIES = frozenset({"visible", "hidden", "collapse", "initial"})
_NO_STYLE: Declarations = {}
_OFFSETS = frozenset(
    {
        "left", "right", "top", "bottom", "inset", "inset-inline", "inset-block",
        "inset-inline-start", "inset-inline-end", "inset-block-start", "inset-block-end",
    }
)  # fmt: skip
# Properties without effect on inline boxes.
_BLOCK_PROPERTIES = frozenset(
    """
    width height max-width max-height min-width min-height inline-size block-size max-inline-size
    max-block-size overflow overflow-x overflow-y transform -webkit-transform translate scale
    rotate contain text-indent margin-top margin-block-start margin-block content-visibility flex
    flex-basis
    """.split()  # noqa: SIM905
)
# Properties that have an effect without a box.
_INHERITED = frozenset(
    """
    display visibility font font-size font-size-adjust line-height color -webkit-text-fill-color
    -webkit-text-security text-shadow -webkit-text-stroke text-indent letter-spacing word-spacing
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
_MOST_NEAR = 2  # times that only the rules around some controls are read


@dataclass
class HiddenNodes:
    """Elements of which nothing is seen, and elements whose own text is not seen, with the reason.

    The children of the latter are judged by themselves.
    """

    elements: dict[_Element, str] = field(default_factory=dict)
    texts: dict[_Element, str] = field(default_factory=dict)
    undecided: int = 0


class Styles:
    """The looks of the elements of one page. `muted` is why text at the current place of a walk is
    not seen, or None.

    `tags` and `watched` are the tags and attributes of elements that must be entered.
    """

    def __init__(
        self,
        roots: Sequence[_Element],
        page_info: PageInfo,
        names: Iterable[str] | None = None,
        *,
        main: Styles | None = None,
    ) -> None:
        """`names` are the classes and ids of the elements that are entered and of those around
        them, None for all of the page. `main` has the sheets and controls.
        """
        self._roots, self._page_info = roots, page_info
        self._main = main or self
        self._knows_all = names is None
        if main is None:
            self._sheets = collect_sheets(page_info)
            self._scripts = Scripts(roots)
            self._controls = Controls(roots, self._scripts, self._is_control_seen)
            self.revealed = Revealed(roots, self._scripts, self._sheets)
        else:
            self._sheets, self._scripts = main._sheets, main._scripts
            self._controls, self.revealed = main._controls, main.revealed
        if names is None and self._sheets.sheets:
            names = collect_names(roots)
        self._names = frozenset(names or ())
        self._cascade = Cascade(roots, self._sheets, self._names, has_scripts=self.has_scripts)
        self._read_keys(self._cascade.keys)
        # whether every background is known
        self._is_certain = self._sheets.is_complete and not self._cascade.has_state_background
        self._first_ground = WHITE if self._is_certain else None
        self._look = self._first_look = Look(ground=self._first_ground)
        self._is_on_other_ground = False
        self._root_size = self._look.size
        self._above: list[tuple[Look, str | None]] = []
        self._classes: dict[str, tuple[str | None, bool]] = {}
        self._reasons: dict[int, tuple[Declarations, str | None]] = {}
        self._looks: dict[tuple[int, int, str, bool], tuple[Declarations, Look, Look]] = {}
        self._known: dict[_Element, Look | None] = {}  # of elements outside of a walk
        self._near: list[Styles] = []
        self._asking = 0
        self._quiet: set[str] = set()  # values of `class` that hide nothing
        self.muted: str | None = None

    def _read_keys(self, keys: set[str]) -> None:
        """Prepare what decides whether an element must be entered."""
        self._keys = keys
        self._attributes = frozenset(key[1:] for key in keys if key[0] == "[")
        self._ids = {key[1:] for key in keys if key[0] == "#"}
        tags = {key for key in keys if key[0] not in ".#[*"}
        if ANYTHING in keys:
            tags |= tags_of(self._roots)
        self.tags = frozenset({"dialog", "mark", "details", *tags})
        self.watched = _WATCHED | self._attributes
        self._special = self.watched - {"class", "id"}
        if self._ids:
            self._special |= {"id"}

    @property
    def undecided(self) -> int:
        """Number of elements that were left out because rules about them were not matched."""
        return self._cascade.undecided

    def has_scripts(self) -> bool:
        """Whether a script may change the page."""
        return self._scripts.are_any

    def close(self) -> None:
        """Drop all references to the page; only `undecided` may be used afterwards."""
        self._cascade.close()
        for near in self._near:
            near.close()
        self._near.clear()
        self._known.clear()
        self._main = self
        self._controls = None  # type: ignore[assignment]

    def find_hidden(self) -> HiddenNodes:
        """Walk through the whole page."""
        hidden = HiddenNodes()
        for root in self._roots:
            self._mark(root, hidden)
        hidden.undecided = self.undecided
        return hidden

    def _mark(self, root: _Element, hidden: HiddenNodes) -> None:
        open_elements: list[tuple[Iterable[_Element], bool]] = []
        children = iter([root])
        while True:
            for element in children:
                tag = element.tag
                if not isinstance(tag, str):
                    continue
                names: list[str] = element.keys()  # type: ignore[assignment]  # never bytes
                verdict: str | bool = False
                is_watched = tag in self.tags or not self.watched.isdisjoint(names)
                if is_watched and not self.is_plain(element, names):
                    verdict = self.enter(element, names)
                if isinstance(verdict, str):
                    hidden.elements[element] = verdict
                    continue
                if self.muted is not None:
                    hidden.texts[element] = self.muted
                open_elements.append((children, verdict))
                children = iter(element)
                break
            else:
                if not open_elements:
                    return
                children, restyled = open_elements.pop()  # type: ignore[assignment]
                if restyled:
                    self.leave()

    def is_plain(self, element: _Element, names: Sequence[str]) -> bool:
        """Whether nothing about an element can change what is seen; true for most."""
        if self._is_on_other_ground or element.tag in self.tags:
            return False
        for name in names:
            if name in self._special:
                return False
        return "class" not in names or find_value(element, "class") in self._quiet

    def enter(self, element: _Element, names: Sequence[str]) -> str | bool:
        """Return why nothing of an element is seen; otherwise whether `leave` must be called.

        `names` are those of its attributes.
        """
        if element.tag in _EMPTY:
            return False
        verdict = self._judge(element, names, self._look)
        if isinstance(verdict, str):
            return verdict
        return self._apply(verdict)

    def enter_link(self, element: _Element, names: Sequence[str]) -> bool:
        """Enter a link, to which browsers give a colour if it has none."""
        if "href" not in names:
            return False
        style = self._cascade.find_style(element)
        if "color" in style or "-webkit-text-fill-color" in style:
            return False
        return self._apply(self._look._replace(colour=None, colour_seen=True))

    def leave(self) -> None:
        """Return to the look before the last `enter` that changed it."""
        self._look, self.muted = self._above.pop()
        self._is_on_other_ground = self._look.ground is not self._first_ground

    def _apply(self, look: Look) -> bool:
        if look is self._look or look == self._look:
            return False
        self._above.append((self._look, self.muted))
        self._look = look
        self._is_on_other_ground = look.ground is not self._first_ground
        self.muted = look.reason
        return True

    def _judge(self, element: _Element, names: Sequence[str], parent: Look) -> str | Look:
        """Return why nothing of an element is seen, or its look."""
        tag = element.tag
        reasons, has_rule = self._judge_attributes(element, tag, names)
        style = _NO_STYLE
        if has_rule or "style" in names:
            style = self._find_style(element)
            if style:
                style, reasons = self._judge_style(element, style, reasons)
        if tag == "details" and self._is_never_opened(element, names, parent):
            return CLOSED_DETAILS
        for reason in reasons:
            is_slide = reason == OFF_SCREEN and ARIA in reasons and is_panel(element)
            if is_slide and self._scripts.are_any:  # a script moves it into view
                continue
            if not self._appears(element, reason, style):
                return reason
        if style or tag == "mark" or not _COLOUR_ATTRIBUTES.isdisjoint(names):
            look = self._find_look(element, style, parent)
            return look._replace(scale=parent.scale) if reasons else look
        if parent.ground is None or self._is_certain:
            return parent
        if "class" in names or "id" in names:  # an unknown sheet may give it a background
            return parent._replace(ground=None)
        return parent

    def _find_style(self, element: _Element) -> Declarations:
        style = self._cascade.find_style(element)
        if "animation" in style or "animation-name" in style:
            return {**style, **self.revealed.find_last_frame(style)}
        return style

    def _judge_attributes(
        self, element: _Element, tag: str, names: Sequence[str]
    ) -> tuple[tuple[str, ...], bool]:
        """Return why attributes other than `style` hide an element, and whether it may have a
        rule.
        """
        reasons: tuple[str, ...] = ()
        has_rule = tag in self.tags or not self._attributes.isdisjoint(names)
        for name in names:
            reason = None
            if name == "class":
                classes = find_value(element, "class") or ""
                known = self._classes.get(classes)
                if known is None:
                    known = self._classes[classes] = self._judge_class(classes)
                reason = known[0]
                has_rule = known[1] or has_rule
            elif name in _HIDING_ATTRIBUTES:
                reason = _judge_attribute(name, (find_value(element, name) or "").strip().lower())
            elif name == "id" and self._ids and not has_rule:
                has_rule = (find_value(element, "id") or "").lower() in self._ids
            if reason is not None:
                reasons = (reason, *reasons)
        if tag == "dialog" and "open" not in names:
            reasons = (CLOSED, *reasons)
        return reasons, has_rule

    def _judge_class(self, classes: str) -> tuple[str | None, bool]:
        has_rule = any(f".{name}" in self._keys for name in classes.lower().split())
        reason = judge_classes(classes)
        if reason is None and not has_rule:
            self._quiet.add(classes)
        return reason, has_rule

    def _judge_style(
        self, element: _Element, style: Declarations, reasons: tuple[str, ...]
    ) -> tuple[Declarations, tuple[str, ...]]:
        """Return the declarations with an effect and all reasons."""
        is_displayed = style.get("display", "none") not in ("none", "inherit", "unset")
        if is_displayed and reasons and self._sheets.is_complete:
            reasons = tuple(one for one in reasons if one not in _UNDONE_BY_DISPLAY)
        known = self._reasons.get(id(style))
        if known is None:
            known = self._reasons[id(style)] = (style, find_reason(style))
        reason = known[1]
        if reason is not None or "transform" in style or "scale" in style:
            effective = self._drop_ineffective(element, style)
            if effective is not style:
                style, reason = effective, find_reason(effective)
        return style, reasons if reason is None else (*reasons, reason)

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
        if is_complete and position not in ("absolute", "fixed") and not self._is_item(element):
            dropped |= {"flex", "flex-basis"}
            if _is_inline(element, style):
                dropped |= _BLOCK_PROPERTIES
        if dropped.isdisjoint(style):
            return style
        return {name: value for name, value in style.items() if name not in dropped}

    def _is_item(self, element: _Element) -> bool:
        """Whether the parent lays out an element as an item of a grid or a flexible box."""
        for around in islice(element.iterancestors(), 8):
            display = self._cascade.find_style(around).get("display", "")
            if display != "contents":
                return display.startswith(_LAYS_OUT)
        return False

    def _find_look(self, element: _Element, style: Declarations, parent: Look) -> Look:
        tag = str(element.tag)
        is_unknown = False
        if not self._is_certain:
            is_unknown = bool(find_value(element, "class") or find_value(element, "id"))
        if tag in ("font", "body", "html") or find_value(element, "bgcolor") is not None:
            look = parent.enter(element, style, self._root_size, is_unknown)
        else:
            key = (id(style), id(parent), tag, is_unknown)
            known = self._looks.get(key)
            if known is None:
                look = parent.enter(element, style, self._root_size, is_unknown)
                known = self._looks[key] = (style, parent, parent if look == parent else look)
            look = known[2]
        if tag == "html":
            self._root_size = look.size
        visibility = style.get("visibility")
        if visibility not in _VISIBILITIES:
            return look
        invisible = visibility in ("hidden", "collapse")
        if invisible and not parent.invisible:
            invisible = not self._appears(element, VISIBILITY, style)
        return look if invisible is look.invisible else look._replace(invisible=invisible)

    def _is_never_opened(self, details: _Element, names: Sequence[str], parent: Look) -> bool:
        """Whether a closed `details` has a summary that cannot be seen."""
        if "open" in names or self._scripts.are_any:
            return False
        summary = details.find("summary")
        if summary is None:
            return False
        inner: list[str] = summary.keys()  # type: ignore[assignment]  # never bytes in HTML
        return isinstance(self._judge(summary, inner, parent), str)

    def _appears(self, element: _Element, reason: str, style: Declarations) -> bool:
        """Whether a person sees an element later: a control opens it, or a script shows it."""
        if element.tag in _WHOLE_PAGE:
            return self._scripts.are_any or self.revealed.is_animated_into_view(style)
        if reason not in _OPENED_LATER:
            return reason == NAVIGATION and self.revealed.is_the_page(element)
        if reason == HIDDEN and self.revealed.is_late_part(element):
            return True
        if reason == TRANSPARENT and self.revealed.fades_in(element, style):
            return True
        if reason == ARIA and has_spoken_twin(element):
            return True
        if self._opens(element, reason):
            return True
        return self.revealed.is_the_page(element, is_hidden=True)

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
        ordinary, important = self._cascade.find_own(element)
        if find_reason(ordinary | important) is not None:
            return False
        if not by_width.isdisjoint(names) or self._scripts.are_any:
            return True
        css = b"".join(css for _, css in self._sheets.sheets)
        if b":checked" in css and self._controls.have_box_to_tick():
            return True
        return b":target" in css and self._controls.are_links_to(element)

    def _is_control_seen(self, control: _Element) -> bool:
        """Whether a control is visible, wherever it is on the page."""
        if self._asking >= _DEEPEST_CONTROLS:
            return False
        self._asking += 1
        try:
            if self._knows_all:
                return self._sees(control)
            return self._find_near(control)._sees(control)
        finally:
            self._asking -= 1

    def _find_near(self, control: _Element) -> Styles:
        """Return styles that know the rules about a control and what is around it."""
        boxes = [*islice(control.iter(etree.Element), _MOST_INSIDE), *control.iterancestors()]
        values = {find_value(box, name) or "" for box in boxes for name in ("class", "id")}
        names = frozenset(" ".join(values).lower().split())
        for near in self._near:
            if near._knows_all or names <= near._names:
                return near
        is_last = len(self._near) >= _MOST_NEAR
        near = Styles(self._roots, self._page_info, None if is_last else names, main=self)
        self._near.append(near)
        return near

    def _sees(self, element: _Element) -> bool:
        """Whether some text or picture in an element is visible."""
        for inner in islice(element.iter(etree.Element), _MOST_INSIDE):
            is_picture = inner.tag in _PICTURES and _holds_picture(inner)
            if (is_picture or _has_letters(inner.text)) and self.paints(inner):
                return True
            if inner is not element and _has_letters(inner.tail):
                around = inner.getparent()
                if around is not None and self.paints(around):
                    return True
        return False

    def paints(self, element: _Element) -> bool:
        """Whether text right in an element is visible, independent of a walk."""
        known = self._known
        path: list[_Element] = []
        node: _Element | None = element
        while node is not None and node not in known:
            path.append(node)
            node = node.getparent()
        look: Look | None = self._first_look if node is None else known[node]
        for node in reversed(path):
            known[node] = None  # while it is judged: no panel opens by what is in it
            if look is None or node.tag in _NEVER_PAINTED:
                look = None
                continue
            names: list[str] = node.keys()  # type: ignore[assignment]  # never bytes in HTML
            verdict = self._judge(node, names, look)
            look = known[node] = None if isinstance(verdict, str) else verdict
        return look is not None and look.reason is None


def _judge_attribute(name: str, value: str) -> str | None:
    """Return why an attribute with a value in lower case hides its element, or None."""
    if name == "hidden":
        return HIDDEN
    if name == "aria-hidden" and value == "true":
        return ARIA
    if name == "role" and value == "navigation":
        return NAVIGATION
    return CLOSED if name == "popover" else None


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
