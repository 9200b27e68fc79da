"""Declarations put over others: a shorthand takes away what was said of its parts before."""

from __future__ import annotations

# What a shorthand sets along with itself: whatever was said of these before is gone.
SHORTHANDS: dict[str, tuple[str, ...]] = {
    "font": ("font-size", "font-size-adjust", "line-height"),
    "background": (
        "background-color", "background-image", "background-clip", "-webkit-background-clip",
        "background-size", "background-position",
    ),
    "inset": (
        "left", "right", "top", "bottom", "inset-inline-start", "inset-block-start",
        "inset-inline-end", "inset-block-end", "inset-inline", "inset-block",
    ),
    "margin": (
        "margin-left", "margin-top", "margin-right", "margin-bottom", "margin-inline-start",
        "margin-block-start", "margin-inline", "margin-block",
    ),
    "padding": ("padding-top", "padding-bottom", "padding-left", "padding-right"),
    "overflow": ("overflow-x", "overflow-y"),
    "mask": (
        "mask-image", "-webkit-mask-image", "mask-size", "mask-clip", "mask-position",
        "mask-repeat", "mask-composite", "-webkit-mask-position", "-webkit-mask-repeat",
        "-webkit-mask-composite", "-webkit-mask-size", "-webkit-mask",
    ),
    "-webkit-mask": (
        "mask-image", "-webkit-mask-image", "mask", "mask-size", "mask-position", "mask-repeat",
        "mask-composite", "-webkit-mask-position", "-webkit-mask-repeat",
        "-webkit-mask-composite", "-webkit-mask-size",
    ),
    "flex": ("flex-basis", "flex-grow"),
    "animation": (
        "animation-name", "animation-fill-mode", "animation-play-state", "animation-delay",
        "animation-duration",
    ),
    "offset": ("offset-path", "offset-distance", "offset-position"),
    "grid": ("grid-template", "grid-template-rows", "grid-template-columns"),
    "grid-template": ("grid-template-rows", "grid-template-columns"),
    "transform": ("-webkit-transform", "-ms-transform"),
    "-webkit-transform": ("transform",),
    "clip-path": ("-webkit-clip-path",),
    "-webkit-clip-path": ("clip-path",),
    "background-clip": ("-webkit-background-clip",),
    "-webkit-background-clip": ("background-clip",),
}  # fmt: skip
SHORT_NAMES = frozenset({*SHORTHANDS, "all"})


def declare(style: dict[str, str], name: str, value: str) -> None:
    """Put one declaration over those before it."""
    if name in SHORT_NAMES:
        if name == "all":
            style.clear()
        for part in SHORTHANDS.get(name, ()):
            style.pop(part, None)
    style.pop(name, None)  # so that it stands behind what it counts more than
    style[name] = value


def apply_declarations(style: dict[str, str], later: dict[str, str]) -> None:
    """Put later declarations over earlier ones."""
    if SHORT_NAMES.isdisjoint(later):
        style.update(later)
        return
    for name, value in later.items():
        declare(style, name, value)
