"""Judge declarations where the computed style of an element is not known."""

from __future__ import annotations

from webquarry._read.css.colours import WHITE, alike, parse_colour
from webquarry._read.css.declarations import Declarations, parse_declarations, parse_length
from webquarry._read.css.rules import find_state_backgrounds
from webquarry._read.css.variables import has_calls
from webquarry._read.visibility.computed import ComputedStyle
from webquarry._read.visibility.concealment import reason_to_skip
from webquarry._read.visibility.sheet.page_selectors import depends_on_person

BACKGROUNDS = frozenset({"background", "background-color", "background-image"})
_PAINTED = BACKGROUNDS | {"color"}
_FAINT_COLOUR = 0.1  # opacity of a colour
# Some declarations hide an element only together with one of these.
_COMPANIONS = {"overflow": "hidden", "position": "absolute"}
# Below these values nested elements can add up to hidden text.
_LEAST_OPACITY = 0.7
_LEAST_SIZE = 8.0  # pixels
_DEFAULT_STYLE = ComputedStyle()


def may_hide(style: Declarations) -> bool:
    """Whether a style hides an element, alone or with declarations of other rules.

    Used where it is not known whether a rule applies: its media condition or selector could not
    be decided, or the budget of selector tests is spent.
    """
    if reason_to_skip({**_COMPANIONS, **style}) is not None:
        return True
    if style.get("visibility", "visible") != "visible":
        return True
    opacity = parse_length(style.get("opacity", ""), percent=0.01)
    if opacity is not None and opacity < _LEAST_OPACITY:
        return True
    if _DEFAULT_STYLE.find_child_size(style, _DEFAULT_STYLE.size)[0] < _LEAST_SIZE:
        return True
    if any(map(has_calls, style.values())):
        return True
    colour = parse_colour(style.get("color", ""))
    return colour is not None and (colour.alpha < _FAINT_COLOUR or alike(colour, WHITE))


def has_unknown_background(parts: list[bytes]) -> bool:
    """Whether a rule sets a background and its selector depends on user interaction."""
    for raw_selectors, body in find_state_backgrounds(parts):
        selectors = raw_selectors.decode(errors="replace").lower()
        if ";" in selectors or "\\" in selectors or not depends_on_person(selectors):
            continue
        ordinary, _ = parse_declarations(body.decode(errors="replace"))
        if not _PAINTED.isdisjoint(ordinary):
            return True
    return False
