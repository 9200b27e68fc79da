"""Styles and rules of a page -> what is worth a closer look: what hides something, or would with
what another rule may add.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from webquarry.read.css.colours import WHITE, alike, parse_colour
from webquarry.read.css.declarations import (
    Declarations,
    parse_body,
    parse_declarations,
    parse_length,
)
from webquarry.read.css.rules import find_state_backgrounds
from webquarry.read.css.selectors.model import ANYTHING, ElementNames
from webquarry.read.css.shorthands import SHORTHANDS
from webquarry.read.css.variables import has_calls
from webquarry.read.text.remember import remember_short
from webquarry.read.visibility.concealment import reason_to_skip
from webquarry.read.visibility.sheet.page_selectors import depends_on_person
from webquarry.read.visibility.sheet.rule_matcher import Rule

PAINTED = frozenset({"color", "background", "background-color", "background-image"})
FAINT_COLOUR = 0.1  # opacity of a colour; below it nothing can be read
# What children inherit, or adds up around them, is judged together with them; the rest hides by
# itself or does not.
_INHERITED = frozenset({"visibility", "font-size", "font", "opacity"})
# With these some declarations hide, which another rule may add.
COMPANIONS = {"overflow": "hidden", "position": "absolute"}
_LEAST = {"opacity": 0.7, "font-size": 8.0}  # what is less may hide something, with others
# What takes all effect from others, or gives it to them.
_LAYOUT = frozenset({"display", "position", "float", "overflow", "flex", "clip-path"})


def is_suspicious(style: Declarations) -> bool:
    """Whether a style hides something, or would with what another rule may add."""
    if reason_to_skip({**COMPANIONS, **style}) is not None:
        return True
    if style.get("visibility", "visible") != "visible" or "font" in style:
        return True
    for name, least in _LEAST.items():
        if name not in style:
            continue
        value = parse_length(style[name], percent=least / 50, em=2 * least)
        if value is None or value < least:
            return True
    return has_calls(str(style.values()))


@remember_short
def hides_with_others(body: str) -> bool:
    """Whether the body of a rule hides something, by itself, with what another rule may add, or
    with what children inherit.
    """
    ordinary, important = parse_body(body)
    style = {**COMPANIONS, **ordinary, **important}
    return not _INHERITED.isdisjoint(style) or reason_to_skip(style) is not None


@remember_short
def hides_alone(body: str) -> bool:
    """Whether an element is left out if it is not known whether the body of a rule is about it."""
    ordinary, important = parse_body(body)
    style = {**ordinary, **important}
    if reason_to_skip(style) is not None or not _INHERITED.isdisjoint(style):
        return True
    if any(map(has_calls, style.values())):
        return True
    colour = parse_colour(style.get("color", ""))
    return colour is not None and (colour.alpha < FAINT_COLOUR or alike(colour, WHITE))


def find_contended_words(rules: Iterable[Rule]) -> list[bytes]:
    """The names of the properties about which rules contend."""
    names = {*COMPANIONS, *_LAYOUT}
    for rule in rules:
        names.update(rule.ordinary)
        names.update(rule.important)
    for shorthand, parts in SHORTHANDS.items():
        if not names.isdisjoint(parts):
            names.add(shorthand)
    words = [name.encode() for name in names]
    return [*words, b"all:", b"--"]


def list_keys(names: ElementNames) -> Iterator[str]:
    """The keys, in lower case, under which rules about an element are found."""
    yield ANYTHING
    yield names.tag
    for name in names.classes:
        yield f".{name.lower()}"
    if names.identity:
        yield f"#{names.identity.lower()}"


def has_unknown_background(parts: list[bytes]) -> bool:
    """Whether some background is plainly set by a selector that depends on what a person does; told
    early, it spares most rules.
    """
    for raw_selectors, body in find_state_backgrounds(parts):
        selectors = raw_selectors.decode(errors="replace").lower()
        if ";" in selectors or "\\" in selectors or not depends_on_person(selectors):
            continue
        ordinary, _ = parse_declarations(body.decode(errors="replace"))
        if not PAINTED.isdisjoint(ordinary):
            return True
    return False
