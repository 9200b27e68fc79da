"""What an element hands down to its children: the size, the colour and the visibility of text.

The style of the parent and what an element declares in, its own style out, which tells why text in
it is not seen, or None.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from webquarry._read.css.colours import (
    Colour,
    alike,
    filter_colour,
    find_colours,
    lay_over,
    parse_attribute_colour,
    parse_colour,
)
from webquarry._read.css.declarations import Declarations, first_value, parse_length
from webquarry._read.css.values.numbers import split_top
from webquarry._read.css.values.offsets import find_placement
from webquarry._read.visibility.concealment import (
    FAINT,
    TRANSPARENT,
    has_flat_lines,
)

VISIBILITY = "visibility hidden"
TINY = "tiny text"
SAME_COLOUR = "same colour"
COVERED = "covered"

_SMALLEST_TEXT = 3.0  # pixels
_SMALLEST_RELATIVE = 6.0  # pixels; browsers let no size get smaller that is told by another one
_ORDINARY_TEXT = 16.0
_SMALLEST_SCALE = 0.02  # of a box that shows nothing, and was let through because it will appear
_FAINT_COLOUR = 0.1  # opacity of a colour; below it nothing can be read
_THICK_SHADOW = 100.0  # pixels; a shadow inside a box that is its ground
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?")
_SIZES = {
    "xx-small": 9.0,
    "x-small": 10.0,
    "small": 13.0,
    "medium": 16.0,
    "large": 18.0,
    "x-large": 24.0,
    "xx-large": 32.0,
    "xxx-large": 48.0,
    "initial": 16.0,
    "math": 16.0,
}
_RELATIVE_SIZES = ("inherit", "larger", "smaller", "unset", "revert", "revert-layer")
_KEEPS_COLOUR = ("inherit", "currentcolor", "unset")
_NO_GROUND = ("none", "inherit", "initial", "unset", "revert")
_MARKED = Colour(255, 255, 0)  # the ground of `mark`, on which the text is black
_BLACK = Colour(0, 0, 0)
_LINK = Colour(0, 0, 238)
_DARK_PAGE = Colour(18, 18, 18)
_WHOLE_PAGE = ("html", "body")
# Filters that make another colour of black or white.
_CHANGES_COLOURS = ("invert", "url(", "brightness(", "contrast(")
_LIGHTENS = frozenset({"screen", "lighten", "color-dodge", "plus-lighter"})
_DARKENS = frozenset({"multiply", "darken", "color-burn", "plus-darker"})
_BLENDS = frozenset({"normal", "initial", "unset", "inherit"})
# A box that declares one of these is a layer of its own: what lies behind its text lies on its
# ground.
_LAYERS = frozenset(
    {
        "transform", "-webkit-transform", "translate", "scale", "rotate", "filter", "clip-path",
        "mask", "mask-image", "mix-blend-mode", "will-change",
    }
)  # fmt: skip


class Cover(NamedTuple):
    """A box that is laid over another one and hides what is in that."""

    box: etree._Element  # what it is laid over
    child: etree._Element | None  # the box itself
    part: str = ""  # or the part of the other one that it is: before, after
    layer: float = 0.0


class ComputedStyle(NamedTuple):
    """What an element hands down to its children."""

    invisible: bool = False
    size: float = _ORDINARY_TEXT
    fixed_size: bool = False  # told in pixels, here or further out
    colour: Colour | None = None
    fill: bool = False  # the colour is that of `-webkit-text-fill-color`, which no other one undoes
    ground: Colour | None = None
    colour_seen: bool = True  # the text is readable by its colour
    outlined: bool = False  # a shadow or an outline makes it readable, whatever the colour
    opacity: float = 1.0  # of all boxes around it together
    scale: float = 1.0  # of all transformations together
    flat_lines: bool = False  # the lines have no height
    backed: bool = False  # its own layer has a ground, which colours are mixed with
    boxed: bool = False  # some box around it has a ground that hides what lies behind it
    cover: Cover | None = None  # what is laid over a box around it

    @property
    def reason(self) -> str | None:
        """Why text in this style is not seen, or None."""
        if self.invisible:
            return VISIBILITY
        size = self.size
        if size > 0 and not self.fixed_size:
            size = max(size, _SMALLEST_RELATIVE)
        if size * self.scale < _SMALLEST_TEXT:
            return TINY
        if self.opacity < FAINT:
            return TRANSPARENT
        if not self.colour_seen:
            return SAME_COLOUR
        if self.cover is not None:
            return COVERED
        return None

    def find_child_size(self, declarations: Declarations, root: float) -> tuple[float, bool]:
        """The size in pixels of the text of a child that declares this, and whether it is fixed.
        `root` is the size of the whole page.
        """
        value = declarations.get("font-size")
        if value is None and "font" in declarations:
            value = _find_font_size(declarations["font"])
        if value is None or value in _RELATIVE_SIZES:
            return self.size, self.fixed_size
        if value in _SIZES:
            return _SIZES[value], False
        size = parse_length(value, percent=self.size / 100, em=self.size)
        if size is None:
            return _ORDINARY_TEXT, False
        if size < 0:
            return self.size, self.fixed_size
        is_relative = value.endswith(("em", "%", "ex", "ch")) and "(" not in value
        if value.endswith("rem") and is_relative:
            size *= root / _ORDINARY_TEXT
        return size, self.fixed_size or not is_relative

    def find_child_colour(self, child: etree._Element, declarations: Declarations) -> Colour | None:
        """The colour of the text of a child that declares this; None where it cannot be told."""
        value = declarations.get("-webkit-text-fill-color", "")
        if value and value not in _KEEPS_COLOUR:
            return parse_colour(value)
        if self.fill:
            return self.colour
        value = declarations.get("color", "")
        if value and value not in _KEEPS_COLOUR:
            return parse_colour(value)
        # Pages of old give it by attributes.
        attribute = None
        if child.tag == "font":
            attribute = child.get("color")
        elif child.tag == "body":
            attribute = child.get("text")
        elif child.tag == "mark":
            return _BLACK
        if attribute:
            return parse_attribute_colour(attribute.strip().lower())
        return self.colour

    def find_child_ground(
        self, child: etree._Element, declarations: Declarations, colour: Colour | None
    ) -> Colour | None:
        """The colour behind that text; None where it cannot be told."""
        if "box-shadow" in declarations:
            shadow = _find_inner_shadow(declarations["box-shadow"])
            if shadow is not None:
                return shadow
        if _shows_through_letters(declarations):
            return self.ground
        image = declarations.get("background-image", "none")
        if image not in _NO_GROUND:
            painted = parse_colour(image)
            if painted is None or _is_part(declarations):
                return None
            if painted.alpha:
                return self._lay_ground(painted)
        value = first_value(declarations, "background-color", "background")
        if not value:
            return self._find_plain_ground(child, declarations)
        if value in _NO_GROUND:
            return self.ground
        if value == "currentcolor":
            return colour
        if "gradient" in value and _is_part(declarations):
            return None
        return self._lay_ground(parse_colour(value))

    def _find_plain_ground(
        self, child: etree._Element, declarations: Declarations
    ) -> Colour | None:
        """The ground of a child whose style has none."""
        attribute = child.get("bgcolor")
        if attribute:
            return parse_attribute_colour(attribute.strip().lower())
        if child.tag == "mark":
            return _MARKED
        if child.tag == "html" and declarations.get("color-scheme") in ("dark", "only dark"):
            return _DARK_PAGE
        return self.ground

    def _lay_ground(self, ground: Colour | None) -> Colour | None:
        """The ground of a child with this one of its own."""
        if ground is None or ground.alpha == 1:
            return ground
        if ground.alpha == 0:
            return self.ground
        if self.ground is None:
            return None
        return lay_over(ground, self.ground)

    def compute_child(
        self,
        child: etree._Element,
        declarations: Declarations,
        *,
        root_size: float = _ORDINARY_TEXT,
        is_painted_elsewhere: bool = False,
    ) -> ComputedStyle:
        """The style of a child, but for whether it is invisible. `is_painted_elsewhere` says that a
        style sheet that was not read may give it a ground.
        """
        colour = self.find_child_colour(child, declarations)
        ground = self.find_child_ground(child, declarations, colour)
        if is_painted_elsewhere and ground is self.ground:
            ground = None
        outlined = self.outlined
        if "text-shadow" in declarations or "-webkit-text-stroke" in declarations:
            outlined = _is_outlined(declarations, ground)
        colour_seen = self.colour_seen
        if colour is not self.colour or ground is not self.ground or outlined is not self.outlined:
            colour_seen = outlined or _is_readable(colour, ground, declarations)
        if "filter" in declarations or "mix-blend-mode" in declarations:
            own_ground = None if ground is self.ground else ground
            text = colour or (_LINK if child.tag == "a" else _BLACK)
            changed = _judge_mixture(declarations, self, text, own_ground)
            if changed is not None:
                colour_seen = changed or outlined
        size, fixed_size = self.find_child_size(declarations, root_size)
        opacity, scale = self._find_child_factors(declarations)
        flat_lines = self.flat_lines
        if "line-height" in declarations or "font" in declarations:
            flat_lines = has_flat_lines(declarations)
        fill = self.fill or "-webkit-text-fill-color" in declarations
        backed, boxed = self._find_child_layers(child, declarations, ground)
        # in the order of the fields: by their names it takes five times as long
        return ComputedStyle(
            self.invisible, size, fixed_size, colour, fill, ground, colour_seen, outlined,
            opacity, scale, flat_lines, backed, boxed, self.cover,
        )  # fmt: skip

    def _find_child_factors(self, declarations: Declarations) -> tuple[float, float]:
        """The opacity and the scale of a child. A box that shows nothing was let through because it
        will appear.
        """
        opacity, scale = self.opacity, self.scale
        if "opacity" in declarations:
            value = parse_length(declarations["opacity"], percent=0.01)
            if value is not None and FAINT <= value < 1:
                opacity *= value
        place = find_placement(declarations)
        factor = min(place.width, place.height)
        if "zoom" in declarations:
            factor *= parse_length(declarations["zoom"], percent=0.01) or 1.0
        if factor >= _SMALLEST_SCALE:
            scale *= factor
        return opacity, scale

    def _find_child_layers(
        self, child: etree._Element, declarations: Declarations, ground: Colour | None
    ) -> tuple[bool, bool]:
        """Whether the layer that a child is painted in has a ground of its own, and whether what
        the child puts behind everything lies behind a ground that hides it.
        """
        is_own_layer = is_layer(declarations)
        if ground is not self.ground and ground is not None and ground.alpha == 1:
            is_box = child.tag not in _WHOLE_PAGE
            return is_box, is_box and not is_own_layer
        return self.backed and not is_own_layer, self.boxed and not is_own_layer


def is_layer(declarations: Declarations) -> bool:
    """Whether a box is painted as one, so that nothing in it comes to lie behind its ground."""
    position = declarations.get("position", "")
    if position in ("fixed", "sticky") or "isolate" in declarations.get("isolation", ""):
        return True
    if declarations.get("z-index", "auto") not in ("auto", "initial", "unset") and position:
        return True
    opacity = parse_length(declarations.get("opacity", ""), percent=0.01)
    if opacity is not None and opacity < 1:
        return True
    for name in _LAYERS.intersection(declarations):
        if declarations[name] not in ("none", "normal", "auto"):
            return True
    words = declarations.get("contain", "")
    return "paint" in words or "layout" in words or "strict" in words or "content" in words


def _find_font_size(font: str) -> str | None:
    """The size in a value of `font`; a number alone is a weight, unless it is nothing."""
    for word in split_top(font, " "):
        size = word
        if "(" not in word:
            size = word.partition("/")[0]
        if size in _SIZES or size in _RELATIVE_SIZES or "(" in size:
            return size
        if _NUMBER.match(size):
            if _NUMBER.fullmatch(size) and float(size) != 0:
                continue
            return size
    return None


def _find_inner_shadow(value: str) -> Colour | None:
    """The colour of a shadow that fills a box from inside, or None."""
    for shadow in split_top(value, ","):
        if "inset" not in shadow.split():
            continue
        lengths = [parse_length(word) for word in split_top(shadow, " ")]
        known = [length for length in lengths if length is not None]
        if known and max(known) >= _THICK_SHADOW:
            return parse_colour(shadow)
    return None


def _is_part(declarations: Declarations) -> bool:
    """Whether a picture need not fill its box."""
    if "background-size" in declarations or "no-repeat" in declarations.get("background", ""):
        return True
    return "no-repeat" in declarations.get("background-repeat", "")


def _shows_through_letters(declarations: Declarations) -> bool:
    """Whether the background is painted where the letters are, and nowhere else."""
    return "text" in first_value(declarations, "background-clip", "-webkit-background-clip")


def _is_outlined(declarations: Declarations, ground: Colour | None) -> bool:
    """Whether a shadow or an outline shows letters that have the colour of the ground."""
    stroke = declarations.get("-webkit-text-stroke", "")
    if parse_length(stroke) == 0:
        stroke = ""
    for value in (declarations.get("text-shadow", ""), stroke):
        if value in ("none", "", "initial", "unset"):
            continue
        if ground is None:
            return True
        for colour in find_colours(value):
            if colour.alpha >= _FAINT_COLOUR and not alike(colour, ground):
                return True
    return False


def _judge_mixture(
    declarations: Declarations,
    around: ComputedStyle,
    colour: Colour,
    own_ground: Colour | None,
) -> bool | None:
    """Whether text is seen whose colour is mixed with others on the screen; None where nothing
    says so. `around` is the style of what stands around it.
    """
    ground, is_boxed = around.ground, around.backed
    filters = declarations.get("filter", "")
    changed: bool | None = None
    if any(word in filters for word in _CHANGES_COLOURS):
        changed = _is_seen_through(filters, colour, own_ground, ground)
    mode = declarations.get("mix-blend-mode", "normal")
    if mode in _BLENDS or changed is False:
        return changed
    if ground is None or not is_boxed:
        return True
    if mode in _LIGHTENS:
        return min(ground[:3]) < 235
    if mode in _DARKENS:
        return max(ground[:3]) > 20
    return True


def _is_seen_through(
    filters: str, colour: Colour, own_ground: Colour | None, ground: Colour | None
) -> bool:
    """Whether text can be told from its ground when both have gone through filters; a ground that
    is not its own does not go through them.
    """
    behind = ground
    if own_ground is not None:
        behind = filter_colour(own_ground, filters)
    if behind is None:
        return True
    seen = filter_colour(colour, filters)
    return seen is None or not alike(seen, behind)


def _is_readable(colour: Colour | None, ground: Colour | None, declarations: Declarations) -> bool:
    """Whether text of a colour is seen on a ground. What is not known is taken to be readable."""
    if colour is None:
        return True
    if _shows_through_letters(declarations) and colour.alpha < 1:
        return _is_background_readable(declarations, ground)
    if colour.alpha < _FAINT_COLOUR:
        return False
    return ground is None or not alike(colour, ground)


def _is_background_readable(declarations: Declarations, ground: Colour | None) -> bool:
    """Whether a background that is seen through the letters can be told from the ground."""
    value = first_value(declarations, "background-image", "background", "background-color")
    if value in ("", *_NO_GROUND):
        return False
    colours = find_colours(value)
    if not colours:
        return True
    for colour in colours:
        if colour.alpha >= _FAINT_COLOUR and (ground is None or not alike(colour, ground)):
            return True
    return False
