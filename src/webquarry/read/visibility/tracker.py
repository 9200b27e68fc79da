"""What a person cannot see on a page: an element in, the reason why nothing of it is seen out, or
None.

`VisibilityTracker` is asked on the way down the tree and told on the way up. Properties that
children inherit and may undo (visibility, text size, colour) do not end the walk: they mute the
text until an element makes it visible again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_HIDING_ATTRIBUTES = frozenset({"hidden", "aria-hidden", "role", "popover"})
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
_FAINT_COLOUR = 0.1  # opacity of a colour; below it nothing can be read


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
        """Why text in this style is not seen, or None."""
        if self.invisible:
            return VISIBILITY
        if self.size < _SMALLEST_TEXT:
            return TINY
        if self.opacity < FAINT:
            return TRANSPARENT
        if self.colour_seen:
            return None
        return SAME_COLOUR

    def find_child_size(self, declarations: Declarations) -> float:
        """The size in pixels of the text of a child that declares this."""
        value = declarations.get("font-size")
        if value is None and "font" in declarations:
            found = _FONT_SIZE.search(declarations["font"])
            if found:
                value = found[1]
        if value is None:
            return self.size
        if value in _SIZES:
            return _SIZES[value]
        size = parse_length(value, percent=self.size / 100, em=self.size)
        if size is None:
            if value in ("inherit", "larger", "smaller", "unset"):
                return self.size
            return _ORDINARY_TEXT
        if size < 0:
            return self.size
        return size

    def find_child_colour(self, child: etree._Element, declarations: Declarations) -> Colour | None:
        """The colour of the text of a child that declares this; None where it cannot be told."""
        value = first_value(declarations, "-webkit-text-fill-color", "color")
        if value and value not in ("inherit", "currentcolor", "unset"):
            return parse_colour(value)
        # Pages of old give it by attributes.
        attribute = None
        if child.tag == "font":
            attribute = child.get("color")
        elif child.tag == "body":
            attribute = child.get("text")
        if attribute:
            return parse_attribute_colour(attribute.strip().lower())
        return self.colour

    def find_child_ground(self, child: etree._Element, declarations: Declarations) -> Colour | None:
        """The colour behind that text; None where it cannot be told."""
        if first_value(declarations, "background-image") not in ("", "none"):
            return None
        value = first_value(declarations, "background-color", "background")
        if not value:
            attribute = child.get("bgcolor")
            if attribute:
                return parse_attribute_colour(attribute.strip().lower())
            return self.ground
        if value in ("none", "inherit", "initial", "unset"):
            return self.ground
        ground = parse_colour(value)
        if ground is None or ground.alpha == 1:
            return ground
        if ground.alpha == 0:
            return self.ground
        return None


class VisibilityTracker:
    """Follows the walk through one page. `muted` is the reason why text at this place is not seen,
    or None.
    """

    def __init__(
        self,
        roots: Sequence[etree._Element],
        page_info: PageInfo,
        only: frozenset[str] | None = None,
    ) -> None:
        self._expandable = Expandable(roots)
        self.revealed = Revealed(roots)
        links_to_sheets = page_info.foreign_rules
        sheet = Stylesheet(page_info.css, colours=not links_to_sheets, only=only, roots=roots)
        self._sheet = sheet
        # every background on the page is known
        self._certain = not links_to_sheets and not sheet.blind_to_background
        self._first_ground = None
        if self._certain:
            self._first_ground = WHITE
        self._style = ComputedStyle(ground=self._first_ground)
        self._above: list[ComputedStyle] = []
        self._declared: dict[str, tuple[Declarations, Declarations]] = {"": ({}, {})}
        self._classes: dict[str, tuple[str | None, bool]] = {}
        self._ids = {key[1:] for key in sheet.keys if key[0] == "#"}
        # these are to be looked at even without attributes
        self.tags = frozenset({"dialog", *(key for key in sheet.keys if key[0] not in ".#[")})
        self.watched = WATCHED | sheet.attributes
        self._special = _SPECIAL | sheet.attributes
        # values of `class` that hide nothing and that no rule is about
        self.quiet: set[str] = set()
        self.muted: str | None = None

    @property
    def undecided(self) -> int:
        """How many elements were left out because rules that may hide them were not weighed."""
        return self._sheet.undecided

    def is_plain(self, element: etree._Element, names: Sequence[str]) -> bool:
        """Whether nothing about an element can change what is seen, told as quickly as possible:
        most elements of a page are plain.
        """
        if (
            self._style.ground is not self._first_ground
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
        reason, has_rule = self._judge_names(element, names)
        declarations = _NO_STYLE
        if has_rule or "style" in names:
            declarations = self._find_declarations(element, has_rule)
            reason = reason or reason_to_skip(declarations)
        if reason is not None and not self._shows_after_all(element, reason, declarations):
            return reason

        # It is seen, or may be: what it hands down to its children is another matter.
        if declarations or "bgcolor" in names or "color" in names or "text" in names:
            return self._apply(self._compute_style(element, declarations))
        if self._style.ground is None or self._certain:
            return False
        if "class" in names or "id" in names:
            # a style sheet that was not read may paint it
            return self._apply(self._style._replace(ground=None))
        return False

    def enter_link(self) -> bool:
        """Go into a link: browsers give it a colour of its own, whatever the text around it has."""
        style = self._style._replace(colour=None, colour_seen=True)
        return self._apply(style)

    def leave(self) -> None:
        """Go back to the style that the text had before the last `enter` that changed it."""
        self._style = self._above.pop()
        self.muted = self._style.reason

    def _apply(self, style: ComputedStyle) -> bool:
        """Make a style that of the text from here on; whether it is another than before."""
        if style == self._style:
            return False
        self._above.append(self._style)
        self._style = style
        self.muted = style.reason
        return True

    def _judge_names(
        self, element: etree._Element, names: Sequence[str]
    ) -> tuple[str | None, bool]:
        """Why the attributes other than `style` hide an element, and whether a rule of the page may
        be about it.
        """
        reason = None
        has_rule = element.tag in self.tags or not self._sheet.attributes.isdisjoint(names)
        for name in names:
            if name == "class":
                classes = element.get("class") or ""
                known = self._classes.get(classes)
                if known is None:
                    known = self._classes[classes] = self._judge_classes(classes)
                reason = known[0] or reason
                has_rule = known[1] or has_rule
            elif name in _HIDING_ATTRIBUTES:
                value = (element.get(name) or "").strip().lower()
                reason = _judge_attribute(name, value) or reason
            elif name == "id" and self._ids and not has_rule:
                has_rule = (element.get("id") or "").lower() in self._ids
        if element.tag == "dialog" and "open" not in names:
            reason = CLOSED
        return reason, has_rule

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
            return True
        if reason not in _OPENED_LATER:
            return reason == NAVIGATION and self.revealed.is_the_page(element)
        if reason == HIDDEN and self.revealed.is_late_part(element):
            return True
        if reason == TRANSPARENT and fades_in(declarations):
            return True
        if reason == ARIA and _has_spoken_twin(element):
            return True
        return self._opens(element, reason) or self.revealed.is_the_page(element)

    def _opens(self, element: etree._Element, reason: str) -> bool:
        """Whether a click or a state of the page shows a hidden element."""
        if reason == CLOSED:
            return self._expandable.is_pointed_at(element)
        if self._expandable.can_be_opened(element):
            return True
        if reason in (HIDDEN, ARIA, HIDDEN_CLASS) or not self._sheet.revealed:
            return False
        names = (element.get("class") or "").lower().split()
        names.append((element.get("id") or "").lower())
        if self._sheet.revealed.isdisjoint(names):
            return False
        ordinary, important = self._parse_own_style(element)
        return reason_to_skip({**ordinary, **important}) is None

    def _parse_own_style(self, element: etree._Element) -> tuple[Declarations, Declarations]:
        """What the style attribute declares, ordinary and important; each value is read once."""
        text = element.get("style") or ""
        if text not in self._declared:
            self._declared[text] = parse_declarations(text)
        return self._declared[text]

    def _find_declarations(self, element: etree._Element, has_rule: bool) -> Declarations:
        """What the style attribute declares, and the page's own rules with it."""
        own = self._parse_own_style(element)
        if has_rule:
            return self._sheet.style_of(element, own)
        ordinary, important = own
        if important:
            ordinary = {**ordinary, **important}
        if "var(" in (element.get("style") or "").lower():
            return self._sheet.resolve_own(element, ordinary)
        return ordinary

    def _compute_style(self, element: etree._Element, declarations: Declarations) -> ComputedStyle:
        """The style of an element, given that of its parent."""
        parent = self._style
        invisible = parent.invisible
        visibility = declarations.get("visibility")
        if visibility in _VISIBILITIES:
            invisible = visibility in ("hidden", "collapse")
        if invisible and not parent.invisible:
            invisible = not self._shows_after_all(element, VISIBILITY, declarations)

        colour = parent.find_child_colour(element, declarations)
        ground = parent.find_child_ground(element, declarations)
        may_be_painted = not self._certain and (element.get("class") or element.get("id"))
        if may_be_painted and ground is parent.ground:
            ground = None  # by a style sheet that was not read
        colour_seen = parent.colour_seen
        if colour is not parent.colour or ground is not parent.ground:
            colour_seen = _is_readable(colour, ground, declarations)

        opacity = parent.opacity
        if "opacity" in declarations:
            # A box that shows nothing was let through because it will appear.
            value = parse_length(declarations["opacity"], percent=0.01)
            if value is not None and FAINT <= value < 1:
                opacity *= value
        size = parent.find_child_size(declarations)
        return ComputedStyle(invisible, size, colour, ground, colour_seen, opacity)


def _judge_attribute(name: str, value: str) -> str | None:
    """Why an attribute with this value, in lower case, hides its element, or None."""
    if name == "hidden" and value != "until-found":
        return HIDDEN
    if name == "aria-hidden" and value == "true":
        return ARIA
    if name == "role" and value == "navigation":
        return NAVIGATION
    if name == "popover":
        return CLOSED
    return None


def _has_spoken_twin(element: etree._Element) -> bool:
    """Whether a few words are written for eyes here and for screen readers right beside, as prices
    are.
    """
    if length_up_to(element, _LONGEST_TWIN) >= _LONGEST_TWIN:
        return False
    for beside in (element.getprevious(), element.getnext()):
        if beside is None:
            continue
        if judge_classes(beside.get("class") or "") == FOR_SCREEN_READERS:
            return True
    return False


def _is_readable(colour: Colour | None, ground: Colour | None, declarations: Declarations) -> bool:
    """Whether text of a colour is seen on a ground.

    What is not known is taken to be readable, and so is text with a shadow or a picture in it.
    """
    if colour is None or "text-shadow" in declarations:
        return True
    if "text" in first_value(declarations, "background-clip", "-webkit-background-clip"):
        return True
    if colour.alpha < _FAINT_COLOUR:
        return False
    return ground is None or not alike(colour, ground)
