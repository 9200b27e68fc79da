"""Colours of CSS in sRGB: hexadecimal digits, names, `rgb()`, `hsl()`, `hwb()` and `color-mix()`;
black and white of the other functions.

A colour that depends on something else (a variable, `inherit`, `currentcolor`) is None: unknown.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from webquarry._read.style.values import ANGLES, FACTORS, evaluate, find_calls, split_words
from webquarry._read.text.brackets import find_closing, split_top

_SAME = 20  # of 255 in every channel; text cannot be read at that distance
_BARE_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})")
_TOKEN = re.compile(
    r"#([0-9a-f]{3,8})(?![0-9a-f])|([a-z][a-z-]*)\(|(?<![\w#(.-])([a-z]{3,24})(?![\w(-])"
)
_HEX_DIGITS = (3, 4, 6, 8)
_LONGEST = 2_000  # characters
_DEEPEST = 8  # colours in colours
_IMAGES = ("url(", "var(", "image", "element(", "paint(", "cross-fade(")
_HUE: Mapping[str, float] = {**ANGLES, "%": 3.6}
_RGB: Mapping[str, float] = {"": 1.0, "%": 2.55}
_PERCENT: Mapping[str, float] = {"": 1.0, "%": 1.0}


class Colour(NamedTuple):
    """Channels of 0 to 255, opacity of 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0


WHITE = Colour(255, 255, 255)
BLACK = Colour(0, 0, 0)
TRANSPARENT = Colour(0, 0, 0, 0)


def alike(text: Colour, ground: Colour) -> bool:
    """Whether text of one colour cannot be read on a background of another."""
    distances = [abs(one - other) for one, other in zip(text[:3], ground[:3], strict=True)]
    return max(distances) * text.alpha <= _SAME


def lay_over(colour: Colour, ground: Colour) -> Colour:
    """Blend a translucent colour with what is behind it."""
    share = colour.alpha
    red, green, blue = (
        above * share + below * (1 - share)
        for above, below in zip(colour[:3], ground[:3], strict=True)
    )
    return Colour(red, green, blue, max(colour.alpha, ground.alpha))


@lru_cache(maxsize=4096)
def parse_colour(value: str) -> Colour | None:
    """Return the colour of a value of `color` or `background` in lower case, or None.

    A gradient counts if all of it is nearly one colour.
    """
    value = value[:_LONGEST]
    if "gradient" in value:
        return _read_gradients(value)
    if any(word in value for word in _IMAGES):
        return None
    return _find_colour(value, 0)


@lru_cache(maxsize=1024)
def find_colours(value: str) -> tuple[Colour, ...]:
    """List the colours of shadows or of a gradient."""
    colours: list[Colour] = []
    for part in split_top(value[:_LONGEST], ","):
        if "gradient(" in part:
            for _, arguments in find_calls(part):
                colours.extend(find_colours(arguments))
            continue
        colour = _find_colour(part, 0)
        if colour is not None:
            colours.append(colour)
    return tuple(colours)


def parse_attribute_colour(value: str) -> Colour | None:
    """Return the colour of a `color` or `bgcolor` attribute, which may leave out the `#`."""
    hexadecimal = _BARE_HEX.fullmatch(value)
    if hexadecimal:
        return _parse_hex(hexadecimal[1])
    return parse_colour(value)


def _read_gradients(value: str) -> Colour | None:
    """Return the colour of the first layer that is not transparent."""
    layers = split_top(value, ",")
    for number, layer in enumerate(layers):
        if "gradient(" not in layer:
            below = ",".join(layers[number:])
            if "gradient" in below or any(word in below for word in _IMAGES):
                return None
            return _find_colour(below, 0)
        is_part = "/" in layer.rpartition(")")[2] or "no-repeat" in layer
        colours = find_colours(layer)
        if is_part or not colours or "currentcolor" in layer or "var(" in layer:
            return None
        if all(colour.alpha == 0 for colour in colours):
            continue
        first = colours[0]
        for other in colours[1:]:
            if abs(first.alpha - other.alpha) > 0.1 or not alike(first._replace(alpha=1), other):
                return None
        return first
    return TRANSPARENT


def _find_colour(value: str, depth: int) -> Colour | None:
    """Return the first colour in a value without images."""
    place = 0
    while (token := _TOKEN.search(value, place)) is not None:
        digits, function, word = token.groups()
        place = token.end()
        if digits:
            return _parse_hex(digits) if len(digits) in _HEX_DIGITS else None
        if word:
            if word == "transparent":
                return TRANSPARENT
            if word in COLOUR_NAMES:
                return _parse_hex(f"{COLOUR_NAMES[word]:06x}")
            continue
        end = find_closing(value, place)
        if function in _FUNCTIONS:
            if depth >= _DEEPEST:
                return None
            return _read_function(function, value[place:end], depth + 1)
        place = end
    return None


def _parse_hex(digits: str) -> Colour:
    if len(digits) <= 4:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *rest = bytes.fromhex(digits)
    return Colour(red, green, blue, rest[0] / 255 if rest else 1.0)


def _read_function(name: str, arguments: str, depth: int) -> Colour | None:
    if name == "color-mix":
        return _mix(arguments, depth)
    if name == "light-dark":  # pages are read as on a light screen
        return _find_colour(split_top(arguments, ",")[0], depth)
    words = split_words(arguments.replace("/", " / "))
    if name == "color" and words[:1] != ["from"]:
        if words[:1] not in _RGB_SPACES:
            return None
        words = words[1:]
    if "/" in words:
        words.remove("/")
    names = {"none": 0.0}
    if words[:1] == ["from"]:  # a relative colour
        origin = _find_colour(" ".join(words[1:2]), depth)
        if origin is None or name not in _CHANNELS:
            return None
        letters, convert = _CHANNELS[name]
        names |= dict(zip(letters, convert(*origin[:3]), strict=True))
        names["alpha"] = origin.alpha
        words = words[2:]
        if words[:1] in _RGB_SPACES:
            words = words[1:]
        if len(words) == 3:
            words.append("alpha")
    if len(words) not in (3, 4):
        return None
    known: list[float] = []
    for word, units in zip(words, _UNITS[name], strict=False):
        channel = evaluate(word, units, names)
        if channel is None:
            return None
        known.append(channel)
    alpha = _clamp((*known, 1.0)[3])
    rgb = _TO_RGB[name](known[0], known[1], known[2])
    if rgb is None:
        return TRANSPARENT if alpha == 0 else None
    red, green, blue = (round(255 * _clamp(channel), 3) for channel in rgb)
    return Colour(red, green, blue, alpha)


_Channels = tuple[float, float, float]


def _from_hsl(hue: float, saturation: float, lightness: float) -> _Channels:
    return colorsys.hls_to_rgb(hue / 360 % 1, _clamp(lightness / 100), _clamp(saturation / 100))


def _from_hwb(hue: float, white: float, black: float) -> _Channels:
    white, black = white / 100, black / 100
    if white + black >= 1:
        return (white / (white + black),) * 3
    pure = colorsys.hls_to_rgb(hue / 360 % 1, 0.5, 1)
    red, green, blue = (channel * (1 - white - black) + white for channel in pure)
    return red, green, blue


def _from_bytes(red: float, green: float, blue: float) -> _Channels:
    return red / 255, green / 255, blue / 255


def _from_lightness(lightness: float, one: float, other: float) -> _Channels | None:
    """Convert black and white of `lab()` and the like; other colours are not known."""
    if lightness >= 0.97 and abs(one) < 0.02:
        return 1.0, 1.0, 1.0
    return (0.0, 0.0, 0.0) if lightness <= 0.03 else None


def _to_hsl(red: float, green: float, blue: float) -> _Channels:
    hue, lightness, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    return 360 * hue, 100 * saturation, 100 * lightness


# The names of the channels of relative colours, and their values in the first colour.
_CHANNELS: dict[str, tuple[str, Callable[[float, float, float], _Channels]]] = {
    "rgb": ("rgb", lambda red, green, blue: (red, green, blue)),
    "rgba": ("rgb", lambda red, green, blue: (red, green, blue)),
    "hsl": ("hsl", _to_hsl), "hsla": ("hsl", _to_hsl), "color": ("rgb", _from_bytes),
}  # fmt: skip
_HUES = (_HUE, _PERCENT, _PERCENT, FACTORS)
_BYTES = (_RGB, _RGB, _RGB, FACTORS)
_OF_LAB = ({"": 0.01, "%": 0.01}, {"": 0.01, "%": 0.01}, _HUE, FACTORS)
_OF_OKLAB = (FACTORS, FACTORS, _HUE, FACTORS)
# How the channels of a function are converted, and the units of its arguments.
_TO_RGB: dict[str, Callable[[float, float, float], _Channels | None]] = {
    "rgb": _from_bytes, "rgba": _from_bytes, "hsl": _from_hsl, "hsla": _from_hsl,
    "hwb": _from_hwb, "color": lambda red, green, blue: (red, green, blue),
    "lab": _from_lightness, "lch": _from_lightness, "oklab": _from_lightness,
    "oklch": _from_lightness,
}  # fmt: skip
_UNITS: dict[str, tuple[Mapping[str, float], ...]] = {
    "rgb": _BYTES, "rgba": _BYTES, "hsl": _HUES, "hsla": _HUES, "hwb": _HUES,
    "color": (FACTORS,) * 4, "lab": _OF_LAB, "lch": _OF_LAB, "oklab": _OF_OKLAB,
    "oklch": _OF_OKLAB,
}  # fmt: skip
_RGB_SPACES = (
    ["srgb"],
    ["srgb-linear"],
    ["display-p3"],
    ["a98-rgb"],
    ["prophoto-rgb"],
    ["rec2020"],
)
_FUNCTIONS = frozenset({*_TO_RGB, "color-mix", "light-dark"})


def _mix(arguments: str, depth: int) -> Colour | None:
    """Mix two colours in sRGB, whatever the colour space; near black and white that is enough."""
    colours: list[Colour] = []
    shares: list[float | None] = []
    for part in split_top(arguments, ","):
        if part.startswith("in "):
            continue
        colour = _find_colour(part, depth)
        if colour is None:
            return None
        colours.append(colour)
        percents = [word for word in split_top(part, " ") if word.endswith("%")]
        shares.append(evaluate(percents[0], FACTORS) if percents else None)
    if len(colours) != 2:
        return None
    first, second = shares
    if first is None:
        first = 0.5 if second is None else 1 - second
    if second is None:
        second = 1 - first
    whole = first + second
    weight, rest = colours[0].alpha * first, colours[1].alpha * second
    if whole <= 0 or weight + rest <= 0:
        return None if whole <= 0 else TRANSPARENT
    red, green, blue = (
        (above * weight + below * rest) / (weight + rest)
        for above, below in zip(colours[0][:3], colours[1][:3], strict=True)
    )
    return Colour(red, green, blue, (weight + rest) / whole * min(whole, 1.0))


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


COLOUR_NAMES = {
    "aliceblue": 0xF0F8FF, "antiquewhite": 0xFAEBD7, "aqua": 0x00FFFF, "aquamarine": 0x7FFFD4,
    "azure": 0xF0FFFF, "beige": 0xF5F5DC, "bisque": 0xFFE4C4, "black": 0x000000,
    "blanchedalmond": 0xFFEBCD, "blue": 0x0000FF, "blueviolet": 0x8A2BE2, "brown": 0xA52A2A,
    "burlywood": 0xDEB887, "cadetblue": 0x5F9EA0, "chartreuse": 0x7FFF00, "chocolate": 0xD2691E,
    "coral": 0xFF7F50, "cornflowerblue": 0x6495ED, "cornsilk": 0xFFF8DC, "crimson": 0xDC143C,
    "cyan": 0x00FFFF, "darkblue": 0x00008B, "darkcyan": 0x008B8B, "darkgoldenrod": 0xB8860B,
    "darkgray": 0xA9A9A9, "darkgreen": 0x006400, "darkgrey": 0xA9A9A9, "darkkhaki": 0xBDB76B,
    "darkmagenta": 0x8B008B, "darkolivegreen": 0x556B2F, "darkorange": 0xFF8C00,
    "darkorchid": 0x9932CC, "darkred": 0x8B0000, "darksalmon": 0xE9967A, "darkseagreen": 0x8FBC8F,
    "darkslateblue": 0x483D8B, "darkslategray": 0x2F4F4F, "darkslategrey": 0x2F4F4F,
    "darkturquoise": 0x00CED1, "darkviolet": 0x9400D3, "deeppink": 0xFF1493,
    "deepskyblue": 0x00BFFF, "dimgray": 0x696969, "dimgrey": 0x696969, "dodgerblue": 0x1E90FF,
    "firebrick": 0xB22222, "floralwhite": 0xFFFAF0, "forestgreen": 0x228B22, "fuchsia": 0xFF00FF,
    "gainsboro": 0xDCDCDC, "ghostwhite": 0xF8F8FF, "gold": 0xFFD700, "goldenrod": 0xDAA520,
    "gray": 0x808080, "green": 0x008000, "greenyellow": 0xADFF2F, "grey": 0x808080,
    "honeydew": 0xF0FFF0, "hotpink": 0xFF69B4, "indianred": 0xCD5C5C, "indigo": 0x4B0082,
    "ivory": 0xFFFFF0, "khaki": 0xF0E68C, "lavender": 0xE6E6FA, "lavenderblush": 0xFFF0F5,
    "lawngreen": 0x7CFC00, "lemonchiffon": 0xFFFACD, "lightblue": 0xADD8E6, "lightcoral": 0xF08080,
    "lightcyan": 0xE0FFFF, "lightgoldenrodyellow": 0xFAFAD2, "lightgray": 0xD3D3D3,
    "lightgreen": 0x90EE90, "lightgrey": 0xD3D3D3, "lightpink": 0xFFB6C1, "lightsalmon": 0xFFA07A,
    "lightseagreen": 0x20B2AA, "lightskyblue": 0x87CEFA, "lightslategray": 0x778899,
    "lightslategrey": 0x778899, "lightsteelblue": 0xB0C4DE, "lightyellow": 0xFFFFE0,
    "lime": 0x00FF00, "limegreen": 0x32CD32, "linen": 0xFAF0E6, "magenta": 0xFF00FF,
    "maroon": 0x800000, "mediumaquamarine": 0x66CDAA, "mediumblue": 0x0000CD,
    "mediumorchid": 0xBA55D3, "mediumpurple": 0x9370DB, "mediumseagreen": 0x3CB371,
    "mediumslateblue": 0x7B68EE, "mediumspringgreen": 0x00FA9A, "mediumturquoise": 0x48D1CC,
    "mediumvioletred": 0xC71585, "midnightblue": 0x191970, "mintcream": 0xF5FFFA,
    "mistyrose": 0xFFE4E1, "moccasin": 0xFFE4B5, "navajowhite": 0xFFDEAD, "navy": 0x000080,
    "oldlace": 0xFDF5E6, "olive": 0x808000, "olivedrab": 0x6B8E23, "orange": 0xFFA500,
    "orangered": 0xFF4500, "orchid": 0xDA70D6, "palegoldenrod": 0xEEE8AA, "palegreen": 0x98FB98,
    "paleturquoise": 0xAFEEEE, "palevioletred": 0xDB7093, "papayawhip": 0xFFEFD5,
    "peachpuff": 0xFFDAB9, "peru": 0xCD853F, "pink": 0xFFC0CB, "plum": 0xDDA0DD,
    "powderblue": 0xB0E0E6, "purple": 0x800080, "rebeccapurple": 0x663399, "red": 0xFF0000,
    "rosybrown": 0xBC8F8F, "royalblue": 0x4169E1, "saddlebrown": 0x8B4513, "salmon": 0xFA8072,
    "sandybrown": 0xF4A460, "seagreen": 0x2E8B57, "seashell": 0xFFF5EE, "sienna": 0xA0522D,
    "silver": 0xC0C0C0, "skyblue": 0x87CEEB, "slateblue": 0x6A5ACD, "slategray": 0x708090,
    "slategrey": 0x708090, "snow": 0xFFFAFA, "springgreen": 0x00FF7F, "steelblue": 0x4682B4,
    "tan": 0xD2B48C, "teal": 0x008080, "thistle": 0xD8BFD8, "tomato": 0xFF6347,
    "turquoise": 0x40E0D0, "violet": 0xEE82EE, "wheat": 0xF5DEB3, "white": 0xFFFFFF,
    "whitesmoke": 0xF5F5F5, "yellow": 0xFFFF00, "yellowgreen": 0x9ACD32,
    # those of the system, as they are on a light screen
    "accentcolor": 0x0075FF, "accentcolortext": 0xFFFFFF, "activetext": 0xFF0000,
    "buttonborder": 0x000000, "buttonface": 0xEFEFEF, "buttontext": 0x000000, "canvas": 0xFFFFFF,
    "canvastext": 0x000000, "field": 0xFFFFFF, "fieldtext": 0x000000, "graytext": 0x808080,
    "highlight": 0x0041C6, "highlighttext": 0xFFFFFF, "linktext": 0x0000EE, "mark": 0xFFFF00,
    "marktext": 0x000000, "selecteditem": 0x1967D2, "selecteditemtext": 0xFFFFFF,
    "visitedtext": 0x551A8B, "activeborder": 0x000000, "activecaption": 0xFFFFFF,
    "appworkspace": 0xFFFFFF, "background": 0xFFFFFF, "buttonhighlight": 0xEFEFEF,
    "buttonshadow": 0xEFEFEF, "captiontext": 0x000000, "inactiveborder": 0x000000,
    "inactivecaption": 0xFFFFFF, "inactivecaptiontext": 0x808080, "infobackground": 0xFFFFFF,
    "infotext": 0x000000, "menu": 0xFFFFFF, "menutext": 0x000000, "scrollbar": 0xFFFFFF,
    "threeddarkshadow": 0x000000, "threedface": 0xEFEFEF, "threedhighlight": 0x000000,
    "threedlightshadow": 0x000000, "threedshadow": 0x000000, "window": 0xFFFFFF,
    "windowframe": 0x000000, "windowtext": 0x000000,
}  # fmt: skip
