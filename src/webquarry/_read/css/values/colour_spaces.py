"""Red, green and blue, each of 0 to 1 -> the channels of another notation, and back.

The channels are what CSS writes without a unit: `hsl` has degrees and per cent, `lab` a lightness
of 0 to 100, `oklab` one of 0 to 1.
"""

from __future__ import annotations

import colorsys
import math

Channels = tuple[float, float, float]
_Matrix = tuple[Channels, Channels, Channels]

# Linear light of sRGB to and from XYZ of daylight, and of the paler light that Lab is told in.
_TO_XYZ: _Matrix = (
    (0.4123908, 0.3575843, 0.1804808),
    (0.2126390, 0.7151687, 0.0721923),
    (0.0193308, 0.1191948, 0.9505322),
)
_FROM_XYZ: _Matrix = (
    (3.2409699, -1.5373832, -0.4986108),
    (-0.9692436, 1.8759675, 0.0415551),
    (0.0556301, -0.2039770, 1.0569715),
)
_TO_D50: _Matrix = (
    (0.4360657, 0.3851515, 0.1430784),
    (0.2224932, 0.7168870, 0.0606169),
    (0.0139239, 0.0970812, 0.7140994),
)
_FROM_D50: _Matrix = (
    (3.1341359, -1.6173863, -0.4906619),
    (-0.9787955, 1.9162544, 0.0334427),
    (0.0719554, -0.2289768, 1.4053861),
)
_WHITE_D50: Channels = (0.9642957, 1.0, 0.8251046)
_TO_CONES: _Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_FROM_CONES: _Matrix = (
    (4.0767416621, -3.3077115913, 0.2309699292),
    (-1.2684380046, 2.6097574011, -0.3413193965),
    (-0.0041960863, -0.7034186147, 1.7076147010),
)
_TO_OKLAB: _Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
_FROM_OKLAB: _Matrix = (
    (1.0, 0.3963377774, 0.2158037573),
    (1.0, -0.1055613458, -0.0638541728),
    (1.0, -0.0894841775, -1.2914855480),
)
_EPSILON = 216 / 24389
_KAPPA = 24389 / 27
# They are alike near black and white.
RGB_SPACES = frozenset({"srgb", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020"})
SPACES = RGB_SPACES | {"srgb-linear", "display-p3-linear", "xyz", "xyz-d65", "xyz-d50"}


def from_rgb(kind: str, rgb: Channels) -> Channels:
    """The channels of a notation, or of a space of `color()`."""
    if kind == "rgb":
        return rgb[0] * 255, rgb[1] * 255, rgb[2] * 255
    if kind == "hsl":
        hue, light, saturation = colorsys.rgb_to_hls(*_clamp_all(rgb))
        return hue * 360, saturation * 100, light * 100
    if kind == "hwb":
        hue, _, _ = colorsys.rgb_to_hls(*_clamp_all(rgb))
        return hue * 360, min(rgb) * 100, (1 - max(rgb)) * 100
    if kind.endswith("lch"):
        return _to_polar(from_rgb(f"{kind[:-3]}lab", rgb))
    if kind in RGB_SPACES:
        return rgb
    linear = (_remove_gamma(rgb[0]), _remove_gamma(rgb[1]), _remove_gamma(rgb[2]))
    if kind == "oklab":
        long, medium, short = _multiply(_TO_CONES, linear)
        return _multiply(_TO_OKLAB, (math.cbrt(long), math.cbrt(medium), math.cbrt(short)))
    if kind == "lab":
        return _lab_from_xyz(_multiply(_TO_D50, linear))
    if kind == "xyz-d50":
        return _multiply(_TO_D50, linear)
    if kind in ("xyz", "xyz-d65"):
        return _multiply(_TO_XYZ, linear)
    return linear


def to_rgb(kind: str, channels: Channels) -> Channels:
    """Red, green and blue, which may lie outside of 0 to 1."""
    first, second, third = channels
    if kind == "rgb":
        return first / 255, second / 255, third / 255
    if kind == "hsl":
        saturation, light = _clamp(second / 100), _clamp(third / 100)
        return colorsys.hls_to_rgb(first / 360 % 1, light, saturation)
    if kind == "hwb":
        return _rgb_from_hwb(first, _clamp(second / 100), _clamp(third / 100))
    if kind.endswith("lch"):
        return to_rgb(f"{kind[:-3]}lab", _from_polar(channels))
    if kind in RGB_SPACES:
        return channels
    linear = channels
    if kind == "oklab":
        long, medium, short = _multiply(_FROM_OKLAB, channels)
        linear = _multiply(_FROM_CONES, (long**3, medium**3, short**3))
    elif kind == "lab":
        linear = _multiply(_FROM_D50, _xyz_from_lab(channels))
    elif kind == "xyz-d50":
        linear = _multiply(_FROM_D50, channels)
    elif kind in ("xyz", "xyz-d65"):
        linear = _multiply(_FROM_XYZ, channels)
    return _apply_gamma(linear[0]), _apply_gamma(linear[1]), _apply_gamma(linear[2])


def _rgb_from_hwb(hue: float, white: float, black: float) -> Channels:
    if white + black >= 1:  # nothing but white and black
        grey = white / (white + black)
        return grey, grey, grey
    pure = colorsys.hls_to_rgb(hue / 360 % 1, 0.5, 1)
    red, green, blue = (channel * (1 - white - black) + white for channel in pure)
    return red, green, blue


def _lab_from_xyz(xyz: Channels) -> Channels:
    curves = []
    for value, white in zip(xyz, _WHITE_D50, strict=True):
        share = value / white
        if share > _EPSILON:
            curves.append(math.cbrt(share))
        else:
            curves.append((_KAPPA * share + 16) / 116)
    x, y, z = curves
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _xyz_from_lab(lab: Channels) -> Channels:
    light, a, b = lab
    y = (light + 16) / 116
    shares = []
    for curve in (a / 500 + y, y, y - b / 200):
        cube = curve**3
        if cube > _EPSILON:
            shares.append(cube)
        else:
            shares.append((116 * curve - 16) / _KAPPA)
    x, y, z = shares
    return x * _WHITE_D50[0], y * _WHITE_D50[1], z * _WHITE_D50[2]


def _to_polar(lab: Channels) -> Channels:
    """Lightness, distance from grey, and hue in degrees."""
    light, a, b = lab
    return light, math.hypot(a, b), math.degrees(math.atan2(b, a)) % 360


def _from_polar(lch: Channels) -> Channels:
    light, distance, hue = lch
    angle = math.radians(hue)
    return light, distance * math.cos(angle), distance * math.sin(angle)


def _multiply(matrix: _Matrix, vector: Channels) -> Channels:
    one, two, three = vector
    first, second, third = (row[0] * one + row[1] * two + row[2] * three for row in matrix)
    return first, second, third


def _apply_gamma(linear: float) -> float:
    """Linear light -> a channel of sRGB."""
    if linear <= 0.0031308:
        return 12.92 * linear
    curve: float = linear ** (1 / 2.4)
    return 1.055 * curve - 0.055


def _remove_gamma(channel: float) -> float:
    """A channel of sRGB -> linear light."""
    if channel <= 0.04045:
        return channel / 12.92
    light: float = ((channel + 0.055) / 1.055) ** 2.4
    return light


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


def _clamp_all(channels: Channels) -> Channels:
    return _clamp(channels[0]), _clamp(channels[1]), _clamp(channels[2])
