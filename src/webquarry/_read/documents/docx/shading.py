"""Colours and shadings of Word -> the colour of text, and of the ground that it stands on.

They are kept as text with the other properties of a run or a style, since most text has none, and
looked into when text has a colour of its own.
"""

from __future__ import annotations

from functools import lru_cache

from webquarry._read.documents.look.theme import BLACK, Theme, mix
from webquarry._read.documents.office import Element, child_of, value_of
from webquarry._read.style.colours import Colour, parse_attribute_colour

_HIGHLIGHTS = {
    "black": 0x000000, "blue": 0x0000FF, "cyan": 0x00FFFF, "green": 0x00FF00, "magenta": 0xFF00FF,
    "red": 0xFF0000, "yellow": 0xFFFF00, "white": 0xFFFFFF, "darkblue": 0x000080,
    "darkcyan": 0x008080, "darkgreen": 0x008000, "darkmagenta": 0x800080, "darkred": 0x800000,
    "darkyellow": 0x808000, "darkgray": 0x808080, "lightgray": 0xC0C0C0,
}  # fmt: skip
_HIGHEST = 5  # elements above the content of a box that are looked at
_PLAIN = ("", "clear", "nil")  # patterns of a shading that show nothing but its ground
_SHADE_ATTRIBUTES = (
    "val", "fill", "themeFill", "themeFillTint", "themeFillShade",
    "color", "themeColor", "themeTint", "themeShade",
)  # fmt: skip
_COLOUR_ATTRIBUTES = ("val", "themeColor", "themeTint", "themeShade")


def write_colour(element: Element) -> str:
    """What `w:color` says, as it is kept."""
    return ";".join(value_of(element, name) or "" for name in _COLOUR_ATTRIBUTES)


def write_shading(element: Element) -> str:
    """What `w:shd` says, as it is kept."""
    return ";".join(value_of(element, name) or "" for name in _SHADE_ATTRIBUTES)


def colour_of_text(kept: str | None, theme: Theme) -> Colour | None:
    """The colour of text; None for the usual one, which can be read on any ground."""
    if not kept:
        return None
    value, name, tint, shade = kept.split(";")
    return _resolve(theme, value, name, tint, shade)


def ground_of_shading(kept: str | None, theme: Theme) -> tuple[bool, Colour | None]:
    """Whether a shading paints a ground, and its colour; None for a pattern of two."""
    if not kept:
        return False, None
    pattern, fill, name, tint, shade, front, front_name, front_tint, front_shade = kept.split(";")
    if pattern.lower() == "solid":
        colour = _resolve(theme, front, front_name, front_tint, front_shade)
        return True, colour or BLACK
    ground = _resolve(theme, fill, name, tint, shade)
    if pattern.lower() in _PLAIN:
        return ground is not None, ground
    return True, None


def colour_of_highlight(name: str | None) -> Colour | None:
    """The ground that a marker paints; None for none."""
    number = _HIGHLIGHTS.get((name or "").lower())
    if number is None:
        return None
    return parse_attribute_colour(f"{number:06x}")


def ground_of_box(content: Element, around: Colour | None, theme: Theme) -> Colour | None:
    """What the words of a text box stand on: its own fill, or what is around it."""
    box = content.getparent()
    for _ in range(_HIGHEST):
        if box is None:
            break
        shape = child_of(box, "spPr")
        if shape is not None:
            is_filled, colour = theme.read_fill(shape)
            if not is_filled:
                return around if child_of(box, "style") is None else None  # which may fill it
            return around if colour is not None and not colour.alpha else colour
        fill = box.get("fillcolor")
        if fill is not None:
            return _parse_written(fill.partition(" ")[0])
        box = box.getparent()
    return around


def _resolve(theme: Theme, value: str, name: str, tint: str, shade: str) -> Colour | None:
    """The colour that is named, else the one that is written; None for "auto"."""
    colour = theme.find(name) if name else None
    if colour is None:
        return _parse_written(value)
    if tint:
        colour = mix(colour, Colour(255, 255, 255), _parse_byte(tint))
    if shade:
        colour = mix(colour, BLACK, _parse_byte(shade))
    return colour


@lru_cache(256)
def _parse_written(value: str) -> Colour | None:
    if value.lower() in ("", "auto"):
        return None
    return parse_attribute_colour(value.lower())


def _parse_byte(digits: str) -> float:
    """A share of 255 in hexadecimal."""
    try:
        return int(digits[:2], 16) / 255
    except ValueError:
        return 1.0
