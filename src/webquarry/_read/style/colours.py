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
    """Blend a translucent colour with its background."""
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


# Names and their values, and the colours of a light system at the end.
_NAMED = """
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc
    bisque ffe4c4 black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a
    burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50
    cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b
    darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9
    darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc
    darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f
    darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff
    dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0
    forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700
    goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0
    hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa
    lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080
    lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90
    lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa
    lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0
    lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff maroon 800000 mediumaquamarine 66cdaa
    mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371
    mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
    midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead
    navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500
    orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093
    papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6
    purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1
    saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee
    sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090
    snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8
    tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5
    yellow ffff00 yellowgreen 9acd32 accentcolor 0075ff accentcolortext ffffff activetext ff0000
    buttonborder 000000 buttonface efefef buttontext 000000 canvas ffffff canvastext 000000
    field ffffff fieldtext 000000 graytext 808080 highlight 0041c6 highlighttext ffffff
    linktext 0000ee mark ffff00 marktext 000000 selecteditem 1967d2 selecteditemtext ffffff
    visitedtext 551a8b activeborder 000000 activecaption ffffff appworkspace ffffff
    background ffffff buttonhighlight efefef buttonshadow efefef captiontext 000000
    inactiveborder 000000 inactivecaption ffffff inactivecaptiontext 808080 infobackground ffffff
    infotext 000000 menu ffffff menutext 000000 scrollbar ffffff threeddarkshadow 000000
    threedface efefef threedhighlight 000000 threedlightshadow 000000 threedshadow 000000
    window ffffff windowframe 000000 windowtext 000000
""".split()  # noqa: SIM905
COLOUR_NAMES = dict(zip(_NAMED[::2], (int(digits, 16) for digits in _NAMED[1::2]), strict=True))
