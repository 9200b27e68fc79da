"""What a person cannot see on a page: an element in, the reason why nothing of it is seen out, or
None.

`VisibilityTracker` is asked on the way down the tree and told on the way up. Properties that children inherit
and may undo (visibility, text size, colour) do not end the walk: they mute the text until an
element makes it visible again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lxml import etree

from webquarry.read.css.class_names import FOR_SCREEN_READERS, HIDDEN_CLASS, judge_classes
from webquarry.read.css.colours import WHITE, Colour, alike, parse_attribute_colour, parse_colour
from webquarry.read.css.declarations import (
    Declarations,
    first_value,
    parse_declarations,
    parse_length,
)
from webquarry.read.html.page_info import PageInfo
from webquarry.read.html.tree import length_up_to
from webquarry.read.visibility.concealment import (
    DISPLAY,
    FAINT,
    NO_SIZE,
    TRANSPARENT,
    reason_to_skip,
)
from webquarry.read.visibility.expandable import Expandable
from webquarry.read.visibility.revealed import Revealed, fades_in
from webquarry.read.visibility.stylesheet import Stylesheet

HIDDEN = "hidden attribute"
ARIA = "aria-hidden"
VISIBILITY = "visibility hidden"
TINY = "tiny text"
SAME_COLOUR = "same colour"
CLOSED = "closed dialog"
NAVIGATION = "navigation"

# What a control opens is hidden in one of these ways; the others never wait for a click.
_OPENED_LATER = frozenset(
    {HIDDEN, ARIA, HIDDEN_CLASS, VISIBILITY, DISPLAY, TRANSPARENT, NO_SIZE, CLOSED}
)
_SMALLEST_TEXT = 3.0  # pixels
_ORDINARY_TEXT = 16.0
_LONGEST_TWIN = 80  # characters
_WHOLE_PAGE = frozenset({"html", "body"})
# Browsers know that these are empty. The parser does not, and puts what follows into them.
_HOLD_NOTHING = frozenset({"wbr", "source", "track", "embed", "keygen", "bgsound"})

WATCHED = frozenset(
    {"class", "style", "hidden", "aria-hidden", "role", "popover", "color", "bgcolor", "text", "id"}
)
_SPECIAL = WATCHED - {"class", "id"}
_NO_STYLE: Declarations = {}
_JUDGED: dict[str, Callable[[str], str | None]] = {
    "hidden": lambda value: None if value == "until-found" else HIDDEN,
    "aria-hidden": lambda value: ARIA if value == "true" else None,
    "role": lambda value: NAVIGATION if value == "navigation" else None,
    "popover": lambda value: CLOSED,
}


class ComputedStyle(NamedTuple):
    """What an element hands down to its children."""

    invisible: bool = False
    size: float = _ORDINARY_TEXT
    colour: Colour | None = None
    ground: Colour | None = None
    colour_seen: bool = True  # the text is readable by its colour
    opacity: float = 1.0  # of all boxes around it together

    @property
    def reason(self) -> str | None:
        if self.invisible:
            return VISIBILITY
        if self.size < _SMALLEST_TEXT:
            return TINY
        if self.opacity < FAINT:
            return TRANSPARENT
        if self.colour_seen:
            return None
        return SAME_COLOUR


class VisibilityTracker:
    """Follows the walk through one page. `muted` is the reason why text at this place is not seen,
    or None.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        furniture: PageInfo,
        only: frozenset[str] | None = None,
    ) -> None:
        self._openable = Expandable(roots)
        self.revealed = Revealed(roots)
        foreign = furniture.foreign_rules
        self._sheet = sheet = Stylesheet(furniture.css, colours=not foreign, only=only)
        self._certain = (
            not foreign and not sheet.blind_to_background
        )  # every background on the page is known
        self._look = ComputedStyle(ground=WHITE if self._certain else None)
        self._first_ground = self._look.ground
        self._above: list[ComputedStyle] = []
        self._styles: dict[str, tuple[Declarations, Declarations]] = {"": ({}, {})}
        self._classes: dict[str, tuple[str | None, bool]] = {}
        self._ids = {key[1:] for key in sheet.keys if key[0] == "#"}
        # these are to be looked at even without attributes
        self.tags = frozenset({"dialog", *(key for key in sheet.keys if key[0] not in ".#[")})
        self.watched = WATCHED | sheet.attributes
        self._special = _SPECIAL | sheet.attributes
        self.quiet: set[str] = (
            set()
        )  # values of `class` that hide nothing and that no rule is about
        self.muted: str | None = None

    def is_plain(self, element: etree._Element, names: Sequence[str]) -> bool:
        """Whether nothing about an element can change what is seen, told as quickly as possible."""
        if (
            self._look.ground is not self._first_ground
            or not self._special.isdisjoint(names)
            or element.tag in self.tags
        ):
            return False
        if self._ids and "id" in names:
            return False
        return "class" not in names or element.get("class") in self.quiet

    def enter(self, element: etree._Element, names: Sequence[str]) -> str | bool:
        """Why nothing of this element is seen; else whether it changes the look of its text, so
        that `leave` is due.

        `names` are those of its attributes. An element with none of the `watched` ones need not be
        shown.
        """
        if element.tag in _HOLD_NOTHING:
            return False
        reason, ruled = self._judge_names(element, names)
        if not ruled and "style" not in names:
            style = _NO_STYLE
        else:
            style = self._style_of(element, ruled)
            reason = reason or reason_to_skip(style)
        if reason is not None and not self._shows_after_all(element, reason, style):
            return reason
        if style or "bgcolor" in names or "color" in names or "text" in names:
            return self._put_on(self._dressed(element, style))
        if (
            self._look.ground is not None
            and not self._certain
            and ("class" in names or "id" in names)
        ):
            return self._put_on(self._look._replace(ground=None))
        return False

    def enter_link(self) -> bool:
        """Go into a link: browsers give it a colour of its own, whatever the text around it has."""
        return self._put_on(self._look._replace(colour=None, colour_seen=True))

    def leave(self) -> None:
        """Go back to the look that the text had before the last `enter` that changed it."""
        self._look = self._above.pop()
        self.muted = self._look.reason

    def _put_on(self, look: ComputedStyle) -> bool:
        if look == self._look:
            return False
        self._above.append(self._look)
        self._look = look
        self.muted = look.reason
        return True

    def _judge_names(
        self, element: etree._Element, names: Sequence[str]
    ) -> tuple[str | None, bool]:
        """Why the attributes other than `style` hide an element, and whether a rule of the page may
        be about it.
        """
        reason = None
        ruled = element.tag in self.tags or not self._sheet.attributes.isdisjoint(names)
        for name in names:
            if name == "class":
                classes = element.get("class") or ""
                known = self._classes.get(classes)
                if known is None:
                    known = self._classes[classes] = self._judge_classes(classes)
                reason, ruled = known[0] or reason, known[1] or ruled
            elif name in _JUDGED:
                reason = _JUDGED[name]((element.get(name) or "").strip().lower()) or reason
            elif name == "id" and self._ids:
                ruled = ruled or (element.get("id") or "").lower() in self._ids
        if element.tag == "dialog" and "open" not in names:
            reason = CLOSED
        return reason, ruled

    def _judge_classes(self, classes: str) -> tuple[str | None, bool]:
        ruled = False
        if self._sheet.keys:
            names = classes.lower().split()
            self._sheet.seen.update(names)
            ruled = any(f".{name}" in self._sheet.keys for name in names)
        reason = judge_classes(classes)
        if reason is None and not ruled:
            self.quiet.add(classes)
        return reason, ruled

    def _shows_after_all(self, element: etree._Element, reason: str, style: Declarations) -> bool:
        """Whether a person comes to see the element in spite of the reason."""
        if element.tag in _WHOLE_PAGE:
            return True
        if reason not in _OPENED_LATER:
            return reason == NAVIGATION and self.revealed.is_the_page(element)
        if reason == HIDDEN and self.revealed.is_late_part(element):
            return True
        if reason == TRANSPARENT and fades_in(style):
            return True
        if reason == ARIA and _has_spoken_twin(element):
            return True
        return self._opens(element, reason) or self.revealed.is_the_page(element)

    def _opens(self, element: etree._Element, reason: str) -> bool:
        if reason == CLOSED:
            return self._openable.is_pointed_at(element)
        if self._openable.can_be_opened(element):
            return True
        if reason in (HIDDEN, ARIA, HIDDEN_CLASS) or not self._sheet.revealed:
            return False
        names = {*(element.get("class") or "").lower().split(), (element.get("id") or "").lower()}
        ordinary, important = self._own_style(element)
        return (
            not self._sheet.revealed.isdisjoint(names)
            and reason_to_skip({**ordinary, **important}) is None
        )

    def _own_style(self, element: etree._Element) -> tuple[Declarations, Declarations]:
        text = element.get("style") or ""
        if text not in self._styles:
            self._styles[text] = parse_declarations(
                self._sheet.resolve(text) if "var(" in text else text
            )
        return self._styles[text]

    def _style_of(self, element: etree._Element, ruled: bool) -> Declarations:
        """What the style attribute declares, and the page's own rules with it."""
        own = self._own_style(element)
        if ruled:
            return self._sheet.style_of(element, own)
        if own[1]:
            return {**own[0], **own[1]}
        return own[0]

    def _dressed(self, element: etree._Element, style: Declarations) -> ComputedStyle:
        """The look of an element, given that of its parent."""
        look = self._look
        visibility = style.get("visibility")
        if visibility in _VISIBILITIES:
            invisible = visibility in ("hidden", "collapse")
        else:
            invisible = look.invisible
        if invisible and not look.invisible and self._shows_after_all(element, VISIBILITY, style):
            invisible = False
        colour, ground = _colour_of(element, style, look), _ground_of(element, style, look)
        if (
            ground is look.ground
            and not self._certain
            and (element.get("class") or element.get("id"))
        ):
            ground = None  # a style sheet that was not read may paint it
        seen = look.colour_seen
        if colour is not look.colour or ground is not look.ground:
            seen = _is_readable(colour, ground, style)
        if "opacity" in style:
            opacity = look.opacity * _opacity_of(style)
        else:
            opacity = look.opacity
        return ComputedStyle(invisible, _size_of(style, look.size), colour, ground, seen, opacity)


def _has_spoken_twin(element: etree._Element) -> bool:
    """Whether a few words are written for eyes here and for screen readers right beside, as prices
    are.
    """
    if length_up_to(element, _LONGEST_TWIN) >= _LONGEST_TWIN:
        return False
    beside = (element.getprevious(), element.getnext())
    return any(
        one is not None and judge_classes(one.get("class") or "") == FOR_SCREEN_READERS
        for one in beside
    )


_VISIBILITIES = frozenset({"visible", "hidden", "collapse", "initial"})
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "initial": 16.0,
}
_FONT_SIZE = re.compile(r"(?:^|\s)(0|[\d.]+(?:[a-z]+|%))\s*(?:/|\s)")


def _size_of(style: Declarations, inherited: float) -> float:
    value = style.get("font-size")
    if value is None:
        found = None
        if "font" in style:
            found = _FONT_SIZE.search(style["font"])
        if found is None:
            return inherited
        value = found[1]
    if value in _SIZES:
        return _SIZES[value]
    size = parse_length(value, percent=inherited / 100, em=inherited)
    if size is None:
        if value in ("inherit", "larger", "smaller", "unset"):
            return inherited
        return _ORDINARY_TEXT
    if size >= 0:
        return size
    return inherited


def _opacity_of(style: Declarations) -> float:
    """How much of itself a box shows. One that shows nothing was let through because it will
    appear.
    """
    value = parse_length(style["opacity"], percent=0.01)
    if value is not None and FAINT <= value < 1:
        return value
    return 1.0


def _colour_of(element: etree._Element, style: Declarations, look: ComputedStyle) -> Colour | None:
    value = first_value(style, "-webkit-text-fill-color", "color")
    if value and value not in ("inherit", "currentcolor", "unset"):
        return parse_colour(value)
    if element.tag == "font":
        attribute = element.get("color")
    else:
        attribute = None
        if element.tag == "body":
            attribute = element.get("text")
    if attribute:
        return parse_attribute_colour(attribute.strip().lower())
    return look.colour


def _ground_of(element: etree._Element, style: Declarations, look: ComputedStyle) -> Colour | None:
    if first_value(style, "background-image") not in ("", "none"):
        return None
    value = first_value(style, "background-color", "background")
    if not value and (attribute := element.get("bgcolor")):
        return parse_attribute_colour(attribute.strip().lower())
    if not value or value in ("none", "inherit", "initial", "unset"):
        return look.ground
    ground = parse_colour(value)
    if ground is not None and ground.alpha < 1:
        if ground.alpha == 0:
            return look.ground
        return None
    return ground


def _is_readable(colour: Colour | None, ground: Colour | None, style: Declarations) -> bool:
    if (
        colour is None
        or "text-shadow" in style
        or "text" in first_value(style, "background-clip", "-webkit-background-clip")
    ):
        return True
    if colour.alpha < 0.1:
        return False
    return ground is None or not alike(colour, ground)
