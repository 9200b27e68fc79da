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

# Of 255 in every channel; at that distance black on black and white on white cannot be read.
_SAME = 20
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})(?![0-9a-f])")
_BARE_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})")
_FUNCTION = re.compile(r"(rgb|hsl|hwb|oklab|oklch|lab|lch|color)a?\(([^()]{1,100})\)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(%|deg|turn|rad)?")
# They are alike near black and white.
_RGB_SPACES = frozenset({"srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020"})
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


_Numbers = list[tuple[float, str]]  # each with its unit


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
    for one, other in zip(text[:3], ground[:3], strict=True):
        distance = abs(one - other) * text.alpha
        if distance > _SAME:
            return False
    return True


@lru_cache(maxsize=4096)
def parse_colour(value: str) -> Colour | None:
    """The colour that a value of `color` or `background` names, in lower case; None where it cannot
    be told.
    """
    if "url(" in value or "gradient" in value or "var(" in value or "image" in value:
        return None
    if "transparent" in value:
        return TRANSPARENT
    hexadecimal = _HEX.search(value)
    if hexadecimal:
        return _parse_hex(hexadecimal[1])
    function = _FUNCTION.search(value)
    if function:
        return _parse_function(function[1], function[2])
    for word in _WORD.findall(value):
        if word in _NAMES:
            return _parse_hex(f"{_NAMES[word]:06x}")
    return None


def parse_attribute_colour(value: str) -> Colour | None:
    """The colour of a `color` or `bgcolor` attribute, which may leave out the number sign."""
    hexadecimal = _BARE_HEX.fullmatch(value)
    if hexadecimal:
        return _parse_hex(hexadecimal[1])
    return parse_colour(value)


def _parse_hex(digits: str) -> Colour:
    """Three, four, six or eight digits."""
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    channels = bytes.fromhex(digits)
    red, green, blue = channels[:3]
    alpha = 1.0
    if len(channels) == 4:
        alpha = channels[3] / 255
    return Colour(red, green, blue, alpha)


def _parse_function(kind: str, arguments: str) -> Colour | None:
    """`rgb(...)` and the like; None where there are not three channels, with or without opacity."""
    if kind == "color":
        space, _, arguments = arguments.strip().partition(" ")
        if space not in _RGB_SPACES:
            return None
    numbers: _Numbers = []
    for number, unit in _NUMBER.findall(arguments.replace("none", "0")):
        numbers.append((float(number), unit))
    if len(numbers) not in (3, 4):
        return None
    alpha = 1.0
    if len(numbers) == 4:
        alpha = _clamp(_scale_percent(numbers[3], 1.0))
    if kind == "rgb":
        red, green, blue = (_scale_percent(number, 255) for number in numbers[:3])
        return Colour(_clamp(red, 255.0), _clamp(green, 255.0), _clamp(blue, 255.0), alpha)
    if kind == "color":
        red, green, blue = (_scale_percent(number, 1.0) for number in numbers[:3])
    elif kind in ("hsl", "hwb"):
        red, green, blue = _convert_hue(kind, numbers)
    else:
        red, green, blue = _convert_lightness(kind, numbers)
    channels = [round(255 * _clamp(channel), 3) for channel in (red, green, blue)]
    return Colour(channels[0], channels[1], channels[2], alpha)


def _scale_percent(number: tuple[float, str], whole: float) -> float:
    """A number as it is; one in per cent as that part of the whole."""
    value, unit = number
    if unit == "%":
        return value * whole / 100
    return value


def _clamp(value: float, most: float = 1.0) -> float:
    """The value within 0 and the most it may be."""
    return min(most, max(0.0, value))


def _convert_hue(kind: str, numbers: _Numbers) -> tuple[float, float, float]:
    """Red, green and blue, up to 1, of `hsl` or `hwb`."""
    turns = _turns(*numbers[0])
    second = _clamp(numbers[1][0] / 100)
    third = _clamp(numbers[2][0] / 100)
    if kind == "hsl":
        return colorsys.hls_to_rgb(turns, third, second)
    if second + third >= 1:  # nothing but white and black
        grey = second / (second + third)
        return grey, grey, grey
    pure = colorsys.hls_to_rgb(turns, 0.5, 1)
    red, green, blue = (channel * (1 - second - third) + second for channel in pure)
    return red, green, blue


def _convert_lightness(kind: str, numbers: _Numbers) -> tuple[float, float, float]:
    """Red, green and blue, up to 1, of `oklab`, `oklch`, `lab` and `lch`; for the last two Oklab's
    way from lightness to grey is near enough.
    """
    (light, unit), (second, _), (third, third_unit) = numbers[:3]
    scale = 1.0
    if kind in ("lab", "lch"):
        scale = 0.4 / 150
    if unit == "%" or kind in ("lab", "lch"):
        light /= 100
    if kind.endswith("lch"):
        angle = 2 * math.pi * _turns(third, third_unit)
        a = second * scale * math.cos(angle)
        b = second * scale * math.sin(angle)
    else:
        a = second * scale
        b = third * scale
    long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (light - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        _apply_gamma(4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short),
        _apply_gamma(-1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short),
        _apply_gamma(-0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short),
    )


def _turns(hue: float, unit: str) -> float:
    """An angle as a part of the circle; without a unit it is in degrees."""
    if unit == "turn":
        return hue % 1
    if unit == "rad":
        return hue / (2 * math.pi) % 1
    return hue / 360 % 1


def _apply_gamma(linear: float) -> float:
    """Linear light -> a channel of sRGB, up to 1."""
    if linear <= 0.0031308:
        return 12.92 * linear
    curve: float = linear ** (1 / 2.4)
    return 1.055 * curve - 0.055
