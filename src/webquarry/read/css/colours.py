"""CSS colours: a value in, red, green, blue and opacity out, and whether one can be read on
another.

A colour that needs more than its own words to be known (a variable, `inherit`, a mix) is None,
which means: unknown.
"""

from __future__ import annotations

import colorsys
import math
import re
from functools import lru_cache
from typing import NamedTuple

_SAME = (
    20  # of 255 in every channel; at that distance black on black and white on white cannot be read
)
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![0-9a-f])")
_BARE_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})")
_FUNCTION = re.compile(r"(rgb|hsl|hwb|oklab|oklch|lab|lch|color)a?\(([^()]{1,100})\)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(%|deg|turn|rad)?")
_RGB_SPACES = frozenset(
    {"srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020"}
)  # alike near black and white
_WORD = re.compile(r"(?<![\w#(-])[a-z]{3,20}(?![\w(-])")
_NAMES = {
    "aliceblue": 0xF0F8FF, "antiquewhite": 0xFAEBD7, "aqua": 0x00FFFF, "azure": 0xF0FFFF,
    "beige": 0xF5F5DC, "black": 0x000000, "blue": 0x0000FF, "brown": 0xA52A2A, "cyan": 0x00FFFF,
    "darkblue": 0x00008B, "darkgray": 0xA9A9A9, "darkgreen": 0x006400, "darkgrey": 0xA9A9A9,
    "darkred": 0x8B0000, "dimgray": 0x696969, "floralwhite": 0xFFFAF0, "fuchsia": 0xFF00FF,
    "gainsboro": 0xDCDCDC, "ghostwhite": 0xF8F8FF, "gold": 0xFFD700, "gray": 0x808080,
    "green": 0x008000, "grey": 0x808080, "honeydew": 0xF0FFF0, "ivory": 0xFFFFF0,
    "lavenderblush": 0xFFF0F5, "lightgray": 0xD3D3D3, "lightgrey": 0xD3D3D3,
    "lightyellow": 0xFFFFE0, "lime": 0x00FF00, "linen": 0xFAF0E6, "magenta": 0xFF00FF,
    "maroon": 0x800000, "midnightblue": 0x191970, "mintcream": 0xF5FFFA, "navy": 0x000080,
    "oldlace": 0xFDF5E6, "olive": 0x808000, "orange": 0xFFA500, "pink": 0xFFC0CB,
    "purple": 0x800080, "red": 0xFF0000, "seashell": 0xFFF5EE, "silver": 0xC0C0C0,
    "snow": 0xFFFAFA, "teal": 0x008080, "violet": 0xEE82EE, "white": 0xFFFFFF,
    "whitesmoke": 0xF5F5F5, "yellow": 0xFFFF00, "canvas": 0xFFFFFF, "canvastext": 0x000000,
}  # fmt: skip


class Colour(NamedTuple):
    """Channels of 0 to 255, opacity of 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE = Colour(255, 255, 255)
TRANSPARENT = Colour(0, 0, 0, 0)


def alike(text: Colour, ground: Colour) -> bool:
    """Whether text of one colour disappears on a ground of the other."""
    channels = zip(text[:3], ground[:3], strict=True)
    return all(abs(one - other) * text.alpha <= _SAME for one, other in channels)


@lru_cache(maxsize=4096)
def parse_colour(value: str) -> Colour | None:
    """The colour that a value of `color` or `background` names, in lower case; None where it cannot
    be told.
    """
    if "url(" in value or "gradient" in value or "var(" in value or "image" in value:
        return None
    if "transparent" in value:
        return TRANSPARENT
    if found := _HEX.search(value):
        return _from_hex(found[1])
    if found := _FUNCTION.search(value):
        return _from_function(found[1], found[2])
    named = (_NAMES[word] for word in _WORD.findall(value) if word in _NAMES)
    number = next(named, None)
    return None if number is None else _from_hex(f"{number:06x}")


def parse_attribute_colour(value: str) -> Colour | None:
    """The colour of a `color` or `bgcolor` attribute, which may leave out the number sign."""
    found = _BARE_HEX.fullmatch(value)
    return _from_hex(found[1]) if found else parse_colour(value)


def _from_hex(digits: str) -> Colour:
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *alpha = (
        int(digits[place : place + 2], 16) for place in range(0, len(digits), 2)
    )
    return Colour(red, green, blue, alpha[0] / 255 if alpha else 1.0)


def _from_function(kind: str, arguments: str) -> Colour | None:
    if kind == "color":
        space, _, arguments = arguments.strip().partition(" ")
        if space not in _RGB_SPACES:
            return None
    numbers = [
        (float(number), unit) for number, unit in _NUMBER.findall(arguments.replace("none", "0"))
    ]
    if len(numbers) not in (3, 4):
        return None
    alpha = 1.0
    if len(numbers) == 4:
        number, unit = numbers[3]
        alpha = min(1.0, max(0.0, number / 100 if unit == "%" else number))
    if kind == "rgb":
        channels = [
            min(255.0, max(0.0, number * 255 / 100 if unit == "%" else number))
            for number, unit in numbers[:3]
        ]
        return Colour(channels[0], channels[1], channels[2], alpha)
    if kind == "color":
        red, green, blue = (number / 100 if unit == "%" else number for number, unit in numbers[:3])
    elif kind in ("hsl", "hwb"):
        red, green, blue = _from_hue(kind, numbers)
    else:
        red, green, blue = _from_lightness(kind, numbers)
    channels = [round(255 * min(1.0, max(0.0, channel)), 3) for channel in (red, green, blue)]
    return Colour(channels[0], channels[1], channels[2], alpha)


_Numbers = list[tuple[float, str]]


def _from_hue(kind: str, numbers: _Numbers) -> tuple[float, float, float]:
    turns, second, third = (
        _turns(*numbers[0]),
        min(1, max(0, numbers[1][0] / 100)),
        min(1, max(0, numbers[2][0] / 100)),
    )
    if kind == "hsl":
        return colorsys.hls_to_rgb(turns, third, second)
    if second + third >= 1:  # nothing but white and black
        grey = second / (second + third)
        return grey, grey, grey
    red, green, blue = (
        channel * (1 - second - third) + second for channel in colorsys.hls_to_rgb(turns, 0.5, 1)
    )
    return red, green, blue


def _from_lightness(kind: str, numbers: _Numbers) -> tuple[float, float, float]:
    """Of `oklab`, `oklch`, `lab` and `lch`; for the last two Oklab's way from lightness to grey is
    near enough.
    """
    (light, unit), (second, _), (third, third_unit) = numbers[:3]
    light = light / 100 if unit == "%" or kind in ("lab", "lch") else light
    scale = 1.0 if kind.startswith("ok") else 0.4 / 150
    if kind.endswith("lch"):
        angle = 2 * math.pi * _turns(third, third_unit)
        second, third = second * scale * math.cos(angle), second * scale * math.sin(angle)
    else:
        second, third = second * scale, third * scale
    long = (light + 0.3963377774 * second + 0.2158037573 * third) ** 3
    medium = (light - 0.1055613458 * second - 0.0638541728 * third) ** 3
    short = (light - 0.0894841775 * second - 1.2914855480 * third) ** 3
    return (
        _gamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _gamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _gamma(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _turns(hue: float, unit: str) -> float:
    turns = {"turn": hue, "rad": hue / (2 * math.pi)}.get(unit, hue / 360)
    return turns % 1


def _gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
