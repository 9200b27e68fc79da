"""CSS colours: a value in, red, green, blue and opacity out, and whether one can be read on
another.

A colour that needs more than its own words to be known (a variable, `inherit`, `currentcolor`) is
None, which means: unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from webquarry._read.css.values.colour_names import COLOUR_NAMES
from webquarry._read.css.values.colour_spaces import SPACES, Channels, from_rgb, to_rgb
from webquarry._read.css.values.numbers import ANGLES, evaluate, find_calls, find_closing, split_top

# Of 255 in every channel; at that distance black on black and white on white cannot be read.
_SAME = 20
_BARE_HEX = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})")
_TOKEN = re.compile(
    r"#([0-9a-f]{3,8})(?![0-9a-f])|([a-z][a-z-]*)\(|(?<![\w#(.-])([a-z]{3,24})(?![\w(-])"
)
_HEX_DIGITS = (3, 4, 6, 8)
_LONGEST = 2_000  # characters of a value that are looked at
_DEEPEST = 8  # colours made of colours
# What is not a colour before the picture is there.
_PICTURES = ("url(", "var(", "image", "element(", "paint(", "cross-fade(")
_HUE: Mapping[str, float] = {**ANGLES, "%": 3.6}
# The names of the channels of each notation, and what one per cent of them is.
_KINDS: dict[str, tuple[str, Channels]] = {
    "rgb": ("rgb", (2.55, 2.55, 2.55)),
    "hsl": ("hsl", (0.0, 1.0, 1.0)),
    "hwb": ("hwb", (0.0, 1.0, 1.0)),
    "lab": ("lab", (1.0, 1.25, 1.25)),
    "lch": ("lch", (1.0, 1.5, 0.0)),
    "oklab": ("lab", (0.01, 0.004, 0.004)),
    "oklch": ("lch", (0.01, 0.004, 0.0)),
}
_ALIASES = {"rgba": "rgb", "hsla": "hsl"}


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
    """Whether text of one colour disappears on a ground of the other."""
    for one, other in zip(text[:3], ground[:3], strict=True):
        distance = abs(one - other) * text.alpha
        if distance > _SAME:
            return False
    return True


def lay_over(colour: Colour, ground: Colour) -> Colour:
    """What is seen where a colour that may let light through lies on a ground."""
    share = colour.alpha
    red, green, blue = (
        above * share + below * (1 - share)
        for above, below in zip(colour[:3], ground[:3], strict=True)
    )
    return Colour(red, green, blue, max(colour.alpha, ground.alpha))


@lru_cache(maxsize=4096)
def parse_colour(value: str) -> Colour | None:
    """The colour that a value of `color` or `background` names, in lower case; None where it cannot
    be told. A gradient counts where all of it is nearly one colour.
    """
    value = value[:_LONGEST]
    if "gradient" in value:
        return _read_gradients(value)
    if any(word in value for word in _PICTURES):
        return None
    return _find_colour(value, 0)


@lru_cache(maxsize=1024)
def find_colours(value: str) -> tuple[Colour, ...]:
    """Every colour that stands in a value of several parts, such as a list of shadows or a
    gradient.
    """
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
    """The colour of a `color` or `bgcolor` attribute, which may leave out the number sign."""
    hexadecimal = _BARE_HEX.fullmatch(value)
    if hexadecimal:
        return _parse_hex(hexadecimal[1])
    return parse_colour(value)


def _read_gradients(value: str) -> Colour | None:
    """The one colour of the uppermost gradient; where nothing of that is seen, of what lies
    below.
    """
    layers = split_top(value, ",")
    for number, layer in enumerate(layers):
        if "gradient(" not in layer:
            below = ",".join(layers[number:])
            if "gradient" in below or any(word in below for word in _PICTURES):
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
    """The first colour in a value that holds no picture."""
    place = 0
    while (token := _TOKEN.search(value, place)) is not None:
        digits, function, word = token.groups()
        if digits:
            if len(digits) in _HEX_DIGITS:
                return _parse_hex(digits)
            return None
        place = token.end()
        if word:
            if word == "transparent":
                return TRANSPARENT
            if word in COLOUR_NAMES:
                return _parse_hex(f"{COLOUR_NAMES[word]:06x}")
            continue
        end = find_closing(value, place)
        if function in _READERS or function in _KINDS or function in _ALIASES:
            if depth >= _DEEPEST:
                return None
            return _read_function(function, value[place:end], depth + 1)
        place = end
    return None


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


def _read_function(name: str, arguments: str, depth: int) -> Colour | None:
    """A function that makes a colour."""
    reader = _READERS.get(name)
    if reader is not None:
        return reader(arguments, depth)
    kind = _ALIASES.get(name, name)
    words = _split_words(arguments)
    origin = None
    if words[:1] == ["from"]:
        origin = _find_colour(" ".join(words[1:2]), depth)
        words = words[2:]
        if origin is None:
            return None
    return _read_channels(kind, words, origin)


def _read_space(arguments: str, depth: int) -> Colour | None:
    """`color(srgb 1 1 1)`, `color(from white srgb r g b)`."""
    words = _split_words(arguments)
    origin = None
    if words[:1] == ["from"]:
        origin = _find_colour(" ".join(words[1:2]), depth)
        words = words[2:]
        if origin is None:
            return None
    if not words or words[0] not in SPACES:
        return None
    return _read_channels(words[0], words[1:], origin)


def _split_words(arguments: str) -> list[str]:
    """The arguments of a colour; the sign before the opacity is a word of its own."""
    words: list[str] = []
    for number, part in enumerate(split_top(arguments, "/")):
        if number:
            words.append("/")
        for piece in split_top(part, ","):
            words.extend(split_top(piece, " "))
    return words


def _read_channels(kind: str, words: list[str], origin: Colour | None) -> Colour | None:
    """Three channels, with or without opacity; what is None is not a colour."""
    names = {"none": 0.0}
    letters, percents = _KINDS.get(kind, ("rgb", (0.01, 0.01, 0.01)))
    if kind.startswith("xyz"):
        letters = "xyz"
    alpha = 1.0
    if origin is not None:
        rgb = (origin.red / 255, origin.green / 255, origin.blue / 255)
        names |= dict(zip(letters, from_rgb(kind, rgb), strict=True))
        names["alpha"] = alpha = origin.alpha
    opacity = words[3:]
    if opacity[:1] == ["/"]:
        opacity = opacity[1:]
    if len(words) < 3 or len(opacity) > 1:
        return None
    channels: list[float] = []
    for word, letter, percent in zip(words, letters, percents, strict=False):
        units: Mapping[str, float] = {"": 1.0, "%": percent}
        if letter == "h":
            units = _HUE
        channel = evaluate(word, units, names)
        if channel is None:
            return None
        channels.append(channel)
    if opacity:
        value = evaluate(opacity[0], {"": 1.0, "%": 0.01}, names)
        if value is None:
            return None
        alpha = _clamp(value)
    rgb = to_rgb(kind, (channels[0], channels[1], channels[2]))
    red, green, blue = (round(255 * _clamp(channel), 3) for channel in rgb)
    return Colour(red, green, blue, alpha)


def _read_mix(arguments: str, depth: int) -> Colour | None:
    """`color-mix(in srgb, white 80%, black)`; near black and white the space makes no difference
    that anybody could see.
    """
    colours: list[Colour] = []
    shares: list[float | None] = []
    for part in split_top(arguments, ","):
        if part.startswith("in "):
            continue
        colour = _find_colour(part, depth)
        if colour is None:
            return None
        colours.append(colour)
        share = None
        for word in split_top(part, " "):
            if "%" in word and not word.startswith(tuple(_KINDS)):
                share = evaluate(word, {"%": 0.01})
        shares.append(share)
    if len(colours) != 2:
        return None
    first, second = shares
    if first is None:
        first = 0.5 if second is None else 1 - second
    if second is None:
        second = 1 - first
    whole = first + second
    if whole <= 0:
        return None
    return _mix(colours[0], first / whole, colours[1], min(whole, 1.0))


def _mix(one: Colour, share: float, other: Colour, opacity: float) -> Colour:
    """Two colours, of the first a share; channels count by their opacity."""
    weight, rest = one.alpha * share, other.alpha * (1 - share)
    alpha = weight + rest
    if not alpha:
        return TRANSPARENT
    red, green, blue = (
        (above * weight + below * rest) / alpha
        for above, below in zip(one[:3], other[:3], strict=True)
    )
    return Colour(red, green, blue, alpha * opacity)


def _read_light(arguments: str, depth: int) -> Colour | None:
    """`light-dark()`: pages are looked at on a light screen."""
    return _find_colour(split_top(arguments, ",")[0], depth)


def _read_contrast(arguments: str, depth: int) -> Colour | None:
    """`contrast-color()`: black or white, whichever can be read on the colour."""
    colour = _find_colour(arguments, depth)
    if colour is None:
        return None
    light = 0.3 * colour.red + 0.6 * colour.green + 0.1 * colour.blue
    return BLACK if light > 128 else WHITE


_READERS = {
    "color": _read_space,
    "color-mix": _read_mix,
    "light-dark": _read_light,
    "contrast-color": _read_contrast,
}


def _clamp(value: float, most: float = 1.0) -> float:
    """The value within 0 and the most it may be."""
    return min(most, max(0.0, value))


def filter_colour(colour: Colour, filters: str) -> Colour | None:
    """What a list of filters makes of a colour; None where one of them is not known."""
    channels = [channel / 255 for channel in colour[:3]]
    for name, argument in find_calls(filters):
        amount = evaluate(argument, {"": 1.0, "%": 0.01})
        if amount is None:
            amount = 1.0
        if name == "brightness":
            channels = [channel * amount for channel in channels]
        elif name == "contrast":
            channels = [(channel - 0.5) * amount + 0.5 for channel in channels]
        elif name == "invert":
            channels = [channel + amount - 2 * channel * amount for channel in channels]
        elif name == "grayscale":
            grey = 0.21 * channels[0] + 0.72 * channels[1] + 0.07 * channels[2]
            channels = [channel + (grey - channel) * min(amount, 1) for channel in channels]
        else:
            return None
        channels = [min(max(channel, 0.0), 1.0) for channel in channels]
    red, green, blue = (channel * 255 for channel in channels)
    return Colour(red, green, blue, colour.alpha)
