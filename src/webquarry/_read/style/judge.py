"""Which declarations hide an element: a table of properties and predicates.

`find_reason` judges a box with everything in it. What children can undo (visibility, text size,
colour) is inherited in a `Look`, which says why text in it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from lxml import etree

from webquarry._read.style.colours import (
    BLACK,
    WHITE,
    Colour,
    alike,
    find_colours,
    lay_over,
    parse_attribute_colour,
    parse_colour,
)
from webquarry._read.style.declarations import (
    FONT_SIZES,
    PARENT_SIZES,
    Declarations,
    has_calls,
)
from webquarry._read.style.geometry import find_placement, is_empty_clip
from webquarry._read.style.values import parse_length, parse_number
from webquarry._read.text.brackets import find_closing

DISPLAY = "display none"
TRANSPARENT = "transparent"
NO_SIZE = "no size"
CLIPPED = "clipped"
OFF_SCREEN = "off screen"
VISIBILITY = "visibility hidden"
TINY = "tiny text"
SAME_COLOUR = "same colour"

FAINT = 0.1  # opacity; less cannot be read
_SLIVER, _CUT_SLIVER = 1.0, 3.0  # pixels of a box without text; of one that clips its content
_READABLE = 20.0  # pixels of a line of text
_PADDED = 4.0  # pixels of padding in which text can be read
_AWAY, _FAR, _BELOW = 500.0, 3000.0, 20000.0  # pixels beyond an edge of the page
_WIDEST, _HIGHEST = 2560.0, 1500.0  # pixels of a window
_CRAMPED, _CRAMPED_WORDS, _CRAMPED_PART = -20.0, -100.0, -0.7  # pixels; a part of the text size
_BEHIND = -100  # z-index
_SMALLEST_SCALE, _SMALLEST_ZOOM = 0.02, 0.05
_FLAT = 0.05  # a lower factor of a filter gives everything one colour
_MOST_BLUR = 12.0  # pixels
_TEXT_SIZE = 16.0  # pixels
_SMALLEST_TEXT = 3.0
_SMALLEST_RELATIVE = 6.0  # pixels; the least that browsers make of a relative size
_FILTER = re.compile(r"(opacity|brightness|contrast|blur)\s*\(")
_EDGES = ("top", "right", "bottom", "left")
_CLIPPING = ("hidden", "scroll", "auto", "overlay")  # values of `overflow`
_BACKGROUNDS = ("background-image", "background", "background-color")
_NO_BACKGROUND = ("", "none", "transparent", "inherit", "initial", "unset", "revert")
# Declarations with which others hide.
_COMPANIONS = {"overflow-x": "hidden", "overflow-y": "hidden", "position": "absolute"}

_Predicate = Callable[[Declarations], str | None]


def find_reason(style: Declarations, others: Declarations | None = None) -> str | None:
    """Return why a box with these declarations cannot be seen, or None.

    `others` are declarations of the box that hide nothing by themselves.
    """
    asked: set[_Predicate] = set()
    names = list(style)
    if others:
        style = {**others, **style}
    for name in names:
        predicate = HIDES.get(name)
        if predicate is None or predicate in asked:
            continue
        asked.add(predicate)
        reason = predicate(style)
        if reason is not None:
            return reason
    return None


def may_hide(style: Declarations) -> bool:
    """Whether declarations hide an element, alone or with others.

    Used where it is not known whether a rule applies.
    """
    if any(map(has_calls, style.values())):
        return True
    if style.get("visibility", "visible") != "visible":
        return True
    if "opacity" in style:
        opacity = parse_number(style["opacity"])
        if opacity is not None and opacity < 0.7:
            return True
    if "color" in style:
        colour = parse_colour(style["color"])
        if colour is not None and (colour.alpha < FAINT or alike(colour, WHITE)):
            return True
    if _PLAIN_LOOK.find_size(style, _TEXT_SIZE)[0] < 8:
        return True
    if find_reason(style, _COMPANIONS) is not None:
        return True
    return "position" not in style and find_reason(style, {"position": "fixed"}) is not None


def _judge_display(style: Declarations) -> str | None:
    is_hidden = style.get("display") == "none" or style.get("content-visibility") == "hidden"
    if is_hidden or style.get("content", "").startswith(("url(", "linear-gradient(", "image-set(")):
        return DISPLAY
    return None


def _judge_opacity(style: Declarations) -> str | None:
    opacity = parse_number(style.get("opacity", ""))
    if opacity is not None and opacity < FAINT:
        return TRANSPARENT
    filters = style.get("filter", "").replace("opacity=", "opacity(")  # alpha(opacity=0)
    for found in _FILTER.finditer(filters):
        name, start = found[1], found.end()
        value = parse_length(filters[start : find_closing(filters, start)], percent=0.01)
        if value is None:
            continue
        if name == "opacity" and value > 1:  # old filters count to a hundred
            value /= 100
        if name == "opacity" and value < FAINT:
            return TRANSPARENT
        if name == "blur" and value > _MOST_BLUR:
            return TRANSPARENT
        is_flat = name in ("brightness", "contrast") and value < _FLAT
        if is_flat and any(style.get(one, "none") not in _NO_BACKGROUND for one in _BACKGROUNDS):
            return TRANSPARENT
    return None


def _judge_security(style: Declarations) -> str | None:
    return TRANSPARENT if style["-webkit-text-security"] not in ("none", "") else None


def _judge_clip(style: Declarations) -> str | None:
    shapes = (style.get("clip", ""), style.get("clip-path", ""))
    return CLIPPED if any(map(is_empty_clip, shapes)) else None


def _judge_size(style: Declarations) -> str | None:
    """Too small to show text, and clipped."""
    if "%" in style.get("padding-bottom", "") or "%" in style.get("padding-top", ""):
        return None  # a frame of fixed proportions; its content is over the padding
    is_padded = (parse_length(style.get("padding-bottom", "")) or 0.0) >= _PADDED
    if not is_padded and parse_length(style.get("max-height", "")) == 0:
        return NO_SIZE
    is_cut = is_clipping(style)
    most = _CUT_SLIVER if is_cut else _SLIVER
    no_width = _is_sliver(style, "width", most) and not _has_minimum(style, "min-width")
    no_height = _is_sliver(style, "height", most) or _is_sliver(style, "max-height", most)
    no_height = no_height and not is_padded and not _has_minimum(style, "min-height")
    # a maximal width alone shortens the text of table cells
    is_narrow = no_width or _is_sliver(style, "max-width", most)
    if (is_narrow and no_height) or (is_cut and (no_width or no_height)):
        return NO_SIZE
    return None


def is_clipping(style: Declarations) -> bool:
    """Whether content outside of a box is not shown."""
    values = {style.get("overflow-x"), style.get("overflow-y")}
    if "clip" in values:
        margin = parse_length(style.get("overflow-clip-margin", "").split(" ")[-1]) or 0.0
        return margin < _READABLE
    return not values.isdisjoint(_CLIPPING)


def _is_sliver(style: Declarations, name: str, most: float) -> bool:
    size = parse_length(style.get(name, ""), 10.0)
    return size is not None and size <= most


def _has_minimum(style: Declarations, name: str) -> bool:
    return (parse_length(style.get(name, ""), 10.0) or 0.0) > _CUT_SLIVER


def _judge_position(style: Declarations) -> str | None:
    """Moved beyond the edges of the page, or far behind it."""
    position = style.get("position", "")
    if position == "static":
        return None
    sides = [style.get(name, "") for name in _EDGES]
    # without a position, an unknown sheet may give one
    if min(map(_parse_offset, sides)) <= -(_AWAY if position else _FAR):
        return OFF_SCREEN
    if position in ("absolute", "relative"):
        top, right, bottom, left = map(_parse_push, sides)
        if left >= _FAR or right >= _FAR or bottom >= _FAR or top >= _BELOW:
            return OFF_SCREEN
    if position == "fixed":
        for side, most in zip(sides, (_HIGHEST, _WIDEST, _HIGHEST, _WIDEST), strict=True):
            if (parse_length(side, percent=most / 100, view=most / 100) or 0.0) >= most:
                return OFF_SCREEN
    layer = parse_length(style.get("z-index", ""))
    return OFF_SCREEN if position and layer is not None and layer <= _BEHIND else None


def _parse_offset(value: str) -> float:
    """Parse pixels; the width of the page is far enough."""
    return (parse_length(value, percent=_AWAY / 100, view=_AWAY / 100) or 0.0) if value else 0.0


def _parse_push(value: str) -> float:
    """Parse pixels to the right or down."""
    if not value:
        return 0.0
    return max(parse_length(value, percent=_FAR / 250, view=_WIDEST / 100) or 0.0, 0.0)


def _judge_margin(style: Declarations) -> str | None:
    """Pulled away by a negative margin, or pushed away by a large one or by a padding."""
    left, far = style.get("margin-left", ""), style.get("margin-right", "")
    # backgrounds over the whole window have a negative margin and a padding
    shift = _parse_push(style.get("padding-left", ""))
    shift += _parse_push(left) + min(_parse_offset(left), 0.0)
    if not -_AWAY < shift < _FAR or _parse_offset(style.get("margin-top", "")) <= -_AWAY:
        return OFF_SCREEN
    is_right = style.get("float") in ("right", "inline-end")
    return OFF_SCREEN if is_right and (parse_length(far, 0.0) or 0.0) <= -_AWAY else None


def _judge_indent(style: Declarations) -> str | None:
    return OFF_SCREEN if abs(_parse_offset(style["text-indent"])) >= _AWAY else None


def _judge_spacing(style: Declarations) -> str | None:
    """Letters or words over each other."""
    spacing = style.get("letter-spacing", "")
    size = parse_length(style.get("font-size", ""), percent=_TEXT_SIZE / 100) or _TEXT_SIZE
    is_cramped = _parse_offset(spacing) <= _CRAMPED
    if spacing.endswith("em") or "font-size" in style:
        is_cramped = is_cramped or (parse_length(spacing, em=size) or 0.0) <= _CRAMPED_PART * size
    if is_cramped or _parse_offset(style.get("word-spacing", "")) <= _CRAMPED_WORDS:
        return OFF_SCREEN
    return None


def _judge_transform(style: Declarations) -> str | None:
    """Shrunk to nothing, or moved away."""
    place = find_placement(style)
    if min(place.width, place.height) < _SMALLEST_SCALE:
        return NO_SIZE
    return OFF_SCREEN if max(abs(place.right), abs(place.down)) >= _FAR else None


def _judge_zoom(style: Declarations) -> str | None:
    factor = parse_number(style["zoom"])
    return NO_SIZE if factor is not None and factor < _SMALLEST_ZOOM else None


# Property -> predicate over all declarations of an element.
HIDES: dict[str, _Predicate] = {
    name: predicate
    for names, predicate in (
        ("display content-visibility content", _judge_display),
        ("opacity filter", _judge_opacity),
        ("-webkit-text-security", _judge_security),
        ("clip clip-path", _judge_clip),
        ("width height max-width max-height", _judge_size),
        ("position left top right bottom", _judge_position),
        ("margin-left margin-top margin-right padding-left", _judge_margin),
        ("text-indent", _judge_indent),
        ("letter-spacing word-spacing", _judge_spacing),
        ("transform translate scale rotate", _judge_transform),
        ("zoom", _judge_zoom),
    )
    for name in names.split()
}
# Properties that may make the text in an element unreadable.
TEXT_PROPERTIES = frozenset(
    """
    visibility opacity zoom transform scale font-size color -webkit-text-fill-color background
    background-color background-image background-clip text-shadow -webkit-text-stroke color-scheme
    """.split()  # noqa: SIM905
)
_KEEPS_COLOUR = ("", "inherit", "currentcolor", "unset")
_MARKED = Colour(255, 255, 0)  # the background of `mark`
_DARK_PAGE = Colour(18, 18, 18)


class Look(NamedTuple):
    """What an element passes on to its children."""

    invisible: bool = False
    size: float = _TEXT_SIZE
    fixed_size: bool = False  # in pixels, here or further out
    colour: Colour | None = None
    fill: bool = False  # the colour is `-webkit-text-fill-color`, over which `color` has no effect
    ground: Colour | None = None  # the background; None where it is not known
    colour_seen: bool = True
    outlined: bool = False  # readable by a shadow or an outline
    opacity: float = 1.0  # of all boxes around
    scale: float = 1.0

    @property
    def reason(self) -> str | None:
        """Why text cannot be read, or None."""
        if self.invisible:
            return VISIBILITY
        size = self.size
        if size > 0 and not self.fixed_size:
            size = max(size, _SMALLEST_RELATIVE)
        if size * self.scale < _SMALLEST_TEXT:
            return TINY
        if self.opacity < FAINT:
            return TRANSPARENT
        return None if self.colour_seen else SAME_COLOUR

    def enter(
        self, child: etree._Element, style: Declarations, root_size: float, is_unknown: bool
    ) -> Look:
        """Return the look of a child, except whether it is invisible. `is_unknown` says that a
        sheet that is not known may give it a background.
        """
        colour = self._find_colour(child, style)
        ground = self._find_ground(child, style, colour)
        if is_unknown and ground is self.ground:
            ground = None
        outlined = self.outlined
        if "text-shadow" in style or "-webkit-text-stroke" in style:
            outlined = _is_outlined(style, ground)
        colour_seen = self.colour_seen
        if colour is not self.colour or ground is not self.ground or outlined is not self.outlined:
            colour_seen = outlined or _is_readable(colour, ground, style)
        size, fixed_size = self.find_size(style, root_size)
        opacity, scale = self.opacity, self.scale
        own = parse_number(style.get("opacity", ""))
        if own is not None and FAINT <= own < 1:  # with less it was let through: it will appear
            opacity *= own
        place = find_placement(style)
        factor = min(place.width, place.height) * (parse_number(style.get("zoom", "")) or 1.0)
        if factor >= _SMALLEST_SCALE:
            scale *= factor
        fill = self.fill or "-webkit-text-fill-color" in style
        return Look(
            self.invisible, size, fixed_size, colour, fill, ground, colour_seen, outlined, opacity,
            scale,
        )  # fmt: skip

    def find_size(self, style: Declarations, root: float) -> tuple[float, bool]:
        """Return the text size of a child in pixels, and whether it is fixed."""
        value = style.get("font-size", "inherit")
        if value in PARENT_SIZES:
            return self.size, self.fixed_size
        if value in FONT_SIZES:
            return FONT_SIZES[value], False
        size = parse_length(value, percent=self.size / 100, em=self.size)
        if size is None:
            return _TEXT_SIZE, False
        if size < 0:
            return self.size, self.fixed_size
        is_relative = value.endswith(("em", "%", "ex", "ch")) and "(" not in value
        if value.endswith("rem") and is_relative:
            size *= root / _TEXT_SIZE
        return size, self.fixed_size or not is_relative

    def _find_colour(self, child: etree._Element, style: Declarations) -> Colour | None:
        value = style.get("-webkit-text-fill-color", "")
        if value not in _KEEPS_COLOUR:
            return parse_colour(value)
        if self.fill:
            return self.colour
        value = style.get("color", "")
        if value not in _KEEPS_COLOUR:
            return parse_colour(value)
        attribute = {"font": "color", "body": "text"}.get(str(child.tag))
        named = child.get(attribute) if attribute else None
        if named:
            return parse_attribute_colour(named.strip().lower())
        return BLACK if child.tag == "mark" else self.colour

    def _find_ground(
        self, child: etree._Element, style: Declarations, colour: Colour | None
    ) -> Colour | None:
        if _clips_to_text(style):
            return self.ground
        image = style.get("background-image", "none")
        if image not in _NO_BACKGROUND:
            painted = parse_colour(image)
            if painted is None:
                return None
            if painted.alpha:
                return self._lay(painted)
        value = style.get("background-color") or style.get("background", "")
        if value == "currentcolor":
            return colour
        if value not in _NO_BACKGROUND:
            return self._lay(parse_colour(value))
        attribute = child.get("bgcolor")
        if attribute and not value:
            return parse_attribute_colour(attribute.strip().lower())
        if child.tag == "mark" and not value:
            return _MARKED
        if child.tag == "html" and style.get("color-scheme") in ("dark", "only dark"):
            return _DARK_PAGE
        return self.ground

    def _lay(self, ground: Colour | None) -> Colour | None:
        """Return the background of a child with one of its own."""
        if ground is None or ground.alpha == 1:
            return ground
        if ground.alpha == 0:
            return self.ground
        return None if self.ground is None else lay_over(ground, self.ground)


_PLAIN_LOOK = Look()


def _clips_to_text(style: Declarations) -> bool:
    """Whether the background is painted inside of the letters only."""
    return "text" in style.get("background-clip", "")


def _is_outlined(style: Declarations, ground: Colour | None) -> bool:
    """Whether a shadow or an outline contrasts with the background."""
    stroke = style.get("-webkit-text-stroke", "")
    if parse_length(stroke) == 0:
        stroke = ""
    for value in (style.get("text-shadow", ""), stroke):
        if value in _NO_BACKGROUND:
            continue
        if ground is None or _contrasts(find_colours(value), ground):
            return True
    return False


def _contrasts(colours: tuple[Colour, ...], ground: Colour | None) -> bool:
    for colour in colours:
        if colour.alpha >= FAINT and (ground is None or not alike(colour, ground)):
            return True
    return False


def _is_readable(colour: Colour | None, ground: Colour | None, style: Declarations) -> bool:
    """Whether text of a colour can be read; an unknown colour can."""
    if colour is None:
        return True
    if _clips_to_text(style) and colour.alpha < 1:
        value = " ".join(style.get(name, "") for name in _BACKGROUNDS)
        colours = find_colours(value)
        return value.split() != [] and (not colours or _contrasts(colours, ground))
    return colour.alpha >= FAINT and (ground is None or not alike(colour, ground))
