"""The theme of an Office file, and a colour as the file writes it -> the colour that is seen.

`accent1`, 60 % lighter, is as good a colour as `4472C4`. What cannot be told (a picture, a
gradient, a name nobody knows) is None.
"""

from __future__ import annotations

import colorsys

from webquarry._read.documents.office import (
    Element,
    child_of,
    find_child,
    name_of,
    parse_number,
    value_of,
)
from webquarry._read.style.colours import WHITE, Colour, parse_attribute_colour

BLACK = Colour(0, 0, 0)
_USUAL = {"dk1": BLACK, "lt1": WHITE, "dk2": Colour(68, 84, 106), "lt2": Colour(231, 230, 230)}
# The names that text and shapes use -> those of the theme; a slide's master may map them otherwise.
_NAMES = {
    "tx1": "dk1", "text1": "dk1", "dark1": "dk1", "bg1": "lt1", "background1": "lt1",
    "light1": "lt1", "tx2": "dk2", "text2": "dk2", "dark2": "dk2", "bg2": "lt2",
    "background2": "lt2", "light2": "lt2", "hyperlink": "hlink", "followedhyperlink": "folhlink",
}  # fmt: skip
_FULL = 100_000  # how DrawingML writes 100 %
_SYSTEM = {"window": WHITE, "windowtext": BLACK}
_COLOURS = frozenset({"a:srgbClr", "a:schemeClr", "a:sysClr", "a:prstClr", "a:scrgbClr"})
_FILLS = frozenset(
    {"a:solidFill", "a:noFill", "a:gradFill", "a:blipFill", "a:pattFill", "a:grpFill"}
)


class Theme:
    """The colours of a file by their names."""

    def __init__(self, root: Element | None, mapping: Element | None = None) -> None:
        self._colours: dict[str, Colour | None] = dict(_USUAL)
        self._mapping = dict(_NAMES)
        scheme = find_child(root, "a:themeElements", "a:clrScheme")
        if scheme is not None:
            for child in scheme:
                name = name_of(child.tag).removeprefix("a:").lower()
                self._colours[name] = self.read_colour(child)
        if mapping is not None:  # of a master of slides
            for key, value in mapping.items():
                self._mapping[str(key).lower()] = str(value).lower()

    def find(self, name: str) -> Colour | None:
        """The colour of a name; None where there is none."""
        name = name.lower()
        return self._colours.get(self._mapping.get(name, name))

    def read_colour(self, element: Element | None) -> Colour | None:
        """The colour that is written in an element of DrawingML."""
        if element is None:
            return None
        for child in element:
            if name_of(child.tag) in _COLOURS:
                return self._read(child)
        return None

    def read_fill(self, element: Element | None) -> tuple[bool, Colour | None]:
        """Whether an element says how it is filled, and with which colour: none at all has no
        opacity, one that cannot be told is None.
        """
        if element is None:
            return False, None
        for child in element:
            name = name_of(child.tag)
            if name not in _FILLS:
                continue
            if name == "a:noFill":
                return True, Colour(0, 0, 0, 0)
            if name == "a:solidFill":
                return True, self.read_colour(child)
            return True, None
        return False, None

    def _read(self, element: Element) -> Colour | None:
        """One colour, with what is done to it."""
        colour = self._read_base(element)
        if colour is None:
            return None
        for change in element:
            share = parse_share(value_of(change))
            if share is not None:
                colour = _change(colour, name_of(change.tag), share)
        return colour

    def _read_base(self, element: Element) -> Colour | None:
        name = name_of(element.tag)
        value = (value_of(element) or "").lower()
        if name == "a:schemeClr":
            return self.find(value)
        if name == "a:sysClr":
            last = value_of(element, "lastClr") or ""
            return parse_attribute_colour(last.lower()) or _SYSTEM.get(value)
        if name == "a:scrgbClr":
            shares = [parse_share(value_of(element, channel)) for channel in "rgb"]
            if None in shares:
                return None
            red, green, blue = (255 * min(1.0, share or 0.0) for share in shares)
            return Colour(red, green, blue)
        return parse_attribute_colour(value)


def parse_share(text: str | None) -> float | None:
    """A share that is written in thousandths of a percent, or as a percentage."""
    if not text:
        return None
    if text.endswith("%"):
        number = parse_number(text[:-1].partition(".")[0])
        return None if number is None else number / 100
    number = parse_number(text.lstrip("-"))
    if number is None:
        return None
    return -number / _FULL if text.startswith("-") else number / _FULL


def _change(colour: Colour, what: str, share: float) -> Colour:
    """A colour that is made lighter, darker or less opaque."""
    if what == "a:alpha":
        return colour._replace(alpha=_clamp(share))
    if what == "a:tint":
        return mix(colour, WHITE, share)
    if what == "a:shade":
        return mix(colour, BLACK, share)
    if what not in ("a:lumMod", "a:lumOff"):
        return colour
    hue, light, saturation = colorsys.rgb_to_hls(*(channel / 255 for channel in colour[:3]))
    light = light * share if what == "a:lumMod" else light + share
    red, green, blue = colorsys.hls_to_rgb(hue, _clamp(light), saturation)
    return Colour(255 * red, 255 * green, 255 * blue, colour.alpha)


def mix(colour: Colour, other: Colour, share: float) -> Colour:
    """So much of a colour, and the rest of another."""
    share = _clamp(share)
    red, green, blue = (
        one * share + two * (1 - share) for one, two in zip(colour[:3], other[:3], strict=True)
    )
    return Colour(red, green, blue, colour.alpha)


def find_theme(element: Element | None) -> Element | None:
    """The part of a theme that holds its colours; None where there is none."""
    if element is None or child_of(element, "a:themeElements") is None:
        return None
    return element


def _clamp(share: float) -> float:
    return min(1.0, max(0.0, share))
