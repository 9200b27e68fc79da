"""The computed styles that are asked of the browser with the tree, in the order of its answer."""

from __future__ import annotations

STYLES = (
    "display",
    "visibility",
    "opacity",
    "color",
    "background-color",
    "background-image",
    "font-size",
    "overflow-x",
    "overflow-y",
    "clip",
    "clip-path",
    "position",
    "filter",
    "mask-image",
    "-webkit-text-fill-color",
    "content-visibility",
    "white-space",
)
