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
from webquarry._read.style.declarations import Declarations, has_calls
from webquarry._read.style.geometry import (
    expand_sides,
    find_placement,
    is_empty_clip,
    is_empty_mask,
)
from webquarry._read.style.values import first_value, parse_length, parse_number
from webquarry._read.text.brackets import find_closing, split_top

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
_FLAT_LINE = re.compile(r"/\s*0(?:px|em|%)?(?=\s)")
_NO_BACKGROUND = ("", "none", "transparent", "inherit", "initial", "unset", "revert")
_VISIBLE = ("visible", "initial", "unset", "inherit")
_COMPANIONS = {"overflow": "hidden", "position": "absolute"}  # with which others hide

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
    filters = first_value(style, "filter", "-webkit-filter", "-ms-filter")
    filters = filters.replace("opacity=", "opacity(")  # alpha(opacity=0)
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
        background = first_value(style, "background-color", "background-image", "background")
        is_flat = name in ("brightness", "contrast") and value < _FLAT
        if is_flat and background not in _NO_BACKGROUND:
            return TRANSPARENT
    return None


def _judge_security(style: Declarations) -> str | None:
    return TRANSPARENT if style["-webkit-text-security"] not in ("none", "") else None


def _judge_clip(style: Declarations) -> str | None:
    path = first_value(style, "clip-path", "-webkit-clip-path")
    return CLIPPED if is_empty_clip(style.get("clip", "")) or is_empty_clip(path) else None


def _judge_mask(style: Declarations) -> str | None:
    image = first_value(style, "mask-image", "-webkit-mask-image", "mask", "-webkit-mask")
    size = first_value(style, "mask-size", "-webkit-mask-size")
    size = size or image.rpartition(")")[2].partition("/")[2]
    return CLIPPED if is_empty_mask(image, size) else None


def _judge_size(style: Declarations) -> str | None:
    """Too small to show text, and clipped."""
    if "%" in first_value(style, "padding-bottom", "padding-top", "padding"):
        return None  # a frame of fixed proportions; its content is over the padding
    is_padded = _has_padding(style)
    if not is_padded and parse_length(style.get("max-height", "")) == 0:
        return NO_SIZE
    is_cut = is_clipping(style)
    sliver = _CUT_SLIVER if is_cut else _SLIVER
    no_width = _is_sliver(style, sliver, "width", "inline-size")
    no_width = no_width and not _has_minimum(style, "min-width", "min-inline-size")
    no_height = not is_padded and _is_sliver(
        style, sliver, "height", "max-height", "block-size", "max-block-size"
    )
    no_height = no_height and not _has_minimum(style, "min-height", "min-block-size")
    # a maximal width alone shortens the text of table cells
    is_narrow = no_width or _is_sliver(style, sliver, "max-width", "max-inline-size")
    if (is_narrow and no_height) or (is_cut and (no_width or no_height)):
        return NO_SIZE
    return None


def is_clipping(style: Declarations) -> bool:
    """Whether content outside of a box is not shown."""
    for name in ("overflow", "overflow-x", "overflow-y"):
        value = style.get(name, "visible")
        margin = parse_length(style.get("overflow-clip-margin", "").split(" ")[-1]) or 0.0
        if value not in _VISIBLE and not (value == "clip" and margin >= _READABLE):
            return True
    return "paint" in style.get("contain", "")


def _has_padding(style: Declarations) -> bool:
    """Whether text can be read in the padding at the bottom of a box."""
    sides = split_top(style.get("padding", ""), " ")
    value = style.get("padding-bottom") or (expand_sides(sides)[2] if sides else "")
    return (parse_length(value) or 0.0) >= _PADDED


def _is_sliver(style: Declarations, most: float, *names: str) -> bool:
    for name in names:
        size = parse_length(style.get(name, ""), percent=10)
        if size is not None and size <= most:
            return True
    return False


def _has_minimum(style: Declarations, *names: str) -> bool:
    return (parse_length(first_value(style, *names), percent=10) or 0.0) > _CUT_SLIVER


def _has_height(style: Declarations) -> bool:
    """Whether a box has a height without its content."""
    if _has_padding(style) or "aspect-ratio" in style:
        return True
    names = ("height", "min-height", "block-size", "min-block-size")
    return any(_has_minimum(style, name) for name in names)


def _judge_flex(style: Declarations) -> str | None:
    """A flex item without room that does not grow."""
    words = split_top(style.get("flex", ""), " ")
    basis = style.get("flex-basis", "")
    if not basis and len(words) >= 2:
        basis = words[-1] if len(words) == 3 or not words[1].isdigit() else "0"
    elif not basis and words and words[0].isdigit():
        basis = "0"
    grow = parse_length(style.get("flex-grow", "") or "".join(words[:1]))
    if grow or parse_length(basis, percent=10) != 0 or not is_clipping(style):
        return None
    is_kept = _has_minimum(style, "min-width", "min-inline-size")
    return None if is_kept or _has_minimum(style, "min-height") else NO_SIZE


def _judge_containment(style: Declarations) -> str | None:
    """Laid out as if it were empty, and clipped."""
    words = style["contain"].split()
    is_sized = not {"strict", "size", "block-size"}.isdisjoint(words)
    if not is_sized or "contain-intrinsic-size" in style or _has_height(style):
        return None
    is_cut = not {"strict", "paint", "content"}.isdisjoint(words) or is_clipping(style)
    return NO_SIZE if is_cut else None


def _judge_lines(style: Declarations) -> str | None:
    """Lines without height, or below the edge of a box, that are clipped."""
    if not is_clipping(style):
        return None
    size = parse_length(style.get("font-size", ""), percent=_TEXT_SIZE / 100) or _TEXT_SIZE
    value = style.get("line-height", "")
    height = parse_length(value, percent=size / 100, em=size)
    if height is not None and (value[-1:].isdigit() or value[-1:] in ".)"):
        height *= size if not value.endswith(")") or "px" not in value else 1
    is_flat = height is not None and height <= _SLIVER
    if not value:
        is_flat = _FLAT_LINE.search(style.get("font", "")) is not None
    if is_flat and not _has_height(style):
        return NO_SIZE
    room = parse_length(first_value(style, "height", "max-height"))
    if room is None or height is None:
        return None
    return NO_SIZE if (height - size) / 2 >= max(room, _SLIVER) else None


def find_sides(style: Declarations) -> list[str]:
    """Return the offsets of top, right, bottom and left, by any of their names."""
    words = split_top(style.get("inset", ""), " ")
    top, right, bottom, left = expand_sides(words) if words else ["", "", "", ""]
    block = split_top(style.get("inset-block", ""), " ")
    inline = split_top(style.get("inset-inline", ""), " ")
    if block:
        top, bottom = block[0], block[-1]
    if inline:
        left, right = inline[0], inline[-1]
    return [
        first_value(style, "top", "inset-block-start") or top,
        first_value(style, "right", "inset-inline-end") or right,
        first_value(style, "bottom", "inset-block-end") or bottom,
        first_value(style, "left", "inset-inline-start") or left,
    ]


def _judge_position(style: Declarations) -> str | None:
    """Moved beyond the edges of the page, or far behind it."""
    position = style.get("position", "")
    if position == "static":
        return None
    sides = find_sides(style)
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
    pull = push = rise = room = 0.0
    right = style.get("margin-right", "")
    for name, value in style.items():
        if name == "margin" or name == "padding":
            top, far, _, left = expand_sides(split_top(value, " ") or [""])
            if name == "padding":
                room = max(room, _parse_push(left))
                continue
            rise = min(rise, _parse_offset(top))
            pull, push = min(pull, _parse_offset(left)), max(push, _parse_push(left))
            right = right or far
        elif name in _TOP_MARGINS:
            rise = min(rise, _parse_offset(value))
        elif name in _LEFT_MARGINS:
            pull, push = min(pull, _parse_offset(value)), max(push, _parse_push(value))
        elif name in _LEFT_PADDINGS:
            room = max(room, _parse_push(value))
    # backgrounds over the whole window have a negative margin and a padding
    if pull + room <= -_AWAY or rise <= -_AWAY or push + room + pull >= _FAR:
        return OFF_SCREEN
    is_right = style.get("float") in ("right", "inline-end")
    return OFF_SCREEN if is_right and (parse_length(right, percent=0) or 0.0) <= -_AWAY else None


_TOP_MARGINS = frozenset({"margin-top", "margin-block", "margin-block-start"})
_LEFT_MARGINS = frozenset({"margin-left", "margin-inline", "margin-inline-start"})
_LEFT_PADDINGS = frozenset({"padding-left", "padding-inline", "padding-inline-start"})


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
    """Shrunk to nothing, moved away, or seen from behind."""
    place = find_placement(style)
    if min(place.width, place.height) < _SMALLEST_SCALE:
        return NO_SIZE
    if max(abs(place.right), abs(place.down)) >= _FAR:
        return OFF_SCREEN
    is_behind = place.turned_away and style.get("backface-visibility") == "hidden"
    return NO_SIZE if is_behind else None


def _judge_zoom(style: Declarations) -> str | None:
    for name in ("zoom", "font-size-adjust"):
        factor = parse_number(style.get(name, ""))
        if factor is not None and factor < _SMALLEST_ZOOM:
            return NO_SIZE
    return None


def _list_table() -> dict[str, _Predicate]:
    table: dict[str, _Predicate] = {}
    for names, predicate in (
        ("display content-visibility content", _judge_display),
        ("opacity filter -ms-filter -webkit-filter", _judge_opacity),
        ("-webkit-text-security", _judge_security),
        ("clip clip-path -webkit-clip-path", _judge_clip),
        ("mask mask-image -webkit-mask -webkit-mask-image", _judge_mask),
        ("width height max-width max-height inline-size block-size", _judge_size),
        ("max-block-size max-inline-size", _judge_size),
        ("flex flex-basis", _judge_flex),
        ("contain", _judge_containment),
        ("line-height font", _judge_lines),
        ("position left top right bottom inset inset-inline inset-block", _judge_position),
        ("inset-inline-start inset-inline-end inset-block-start", _judge_position),
        ("inset-block-end", _judge_position),
        ("margin margin-left margin-top margin-right margin-inline-start", _judge_margin),
        ("margin-inline margin-block margin-block-start padding padding-left", _judge_margin),
        ("padding-inline-start padding-inline", _judge_margin),
        ("text-indent", _judge_indent),
        ("letter-spacing word-spacing", _judge_spacing),
        ("transform -webkit-transform translate scale rotate", _judge_transform),
        ("zoom font-size-adjust", _judge_zoom),
    ):
        table.update(dict.fromkeys(names.split(), predicate))
    return table


# Property -> predicate over all declarations of an element.
HIDES = _list_table()

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?")
_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0,
    "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0, "initial": 16.0, "math": 16.0,
}  # fmt: skip
_PARENT_SIZES = ("inherit", "larger", "smaller", "unset", "revert", "revert-layer")
# Properties that may make the text in an element unreadable.
TEXT_PROPERTIES = frozenset(
    """
    visibility opacity zoom transform -webkit-transform scale font font-size color
    -webkit-text-fill-color background background-color background-image background-clip
    -webkit-background-clip text-shadow -webkit-text-stroke color-scheme
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
        value = style.get("font-size")
        if value is None and "font" in style:
            value = _find_font_size(style["font"])
        if value is None or value in _PARENT_SIZES:
            return self.size, self.fixed_size
        if value in _SIZES:
            return _SIZES[value], False
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
        value = first_value(style, "background-color", "background")
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


def _find_font_size(font: str) -> str | None:
    """Return the size in a value of `font`; a number alone is a weight, except zero."""
    for word in split_top(font, " "):
        size = word if "(" in word else word.partition("/")[0]
        if size in _SIZES or size in _PARENT_SIZES or "(" in size:
            return size
        if _NUMBER.match(size) and (not _NUMBER.fullmatch(size) or float(size) == 0):
            return size
    return None


def _clips_to_text(style: Declarations) -> bool:
    """Whether the background is painted inside of the letters only."""
    return "text" in first_value(style, "background-clip", "-webkit-background-clip")


def _is_outlined(style: Declarations, ground: Colour | None) -> bool:
    """Whether a shadow or an outline can be told from the background."""
    stroke = style.get("-webkit-text-stroke", "")
    if parse_length(stroke) == 0:
        stroke = ""
    for value in (style.get("text-shadow", ""), stroke):
        if value in _NO_BACKGROUND:
            continue
        if ground is None or _can_be_told(find_colours(value), ground):
            return True
    return False


def _can_be_told(colours: tuple[Colour, ...], ground: Colour | None) -> bool:
    for colour in colours:
        if colour.alpha >= FAINT and (ground is None or not alike(colour, ground)):
            return True
    return False


def _is_readable(colour: Colour | None, ground: Colour | None, style: Declarations) -> bool:
    """Whether text of a colour can be read; what is not known is readable."""
    if colour is None:
        return True
    if _clips_to_text(style) and colour.alpha < 1:
        value = first_value(style, "background-image", "background", "background-color")
        colours = find_colours(value)
        return value not in _NO_BACKGROUND and (not colours or _can_be_told(colours, ground))
    return colour.alpha >= FAINT and (ground is None or not alike(colour, ground))
