"""A property and its value -> whether browsers take the declaration; what they do not take changes
nothing: `display:none;display:bogus` hides.

Only properties that can hide or show something are judged. Of others it is known that they exist,
or nothing.
"""

from __future__ import annotations

import re

_FOR_ALL = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_OUTER = frozenset({"block", "inline"})
_INNER = frozenset({"flow", "flow-root", "table", "flex", "grid", "ruby", "math", "list-item"})
_KEYWORDS: dict[str, frozenset[str]] = {
    "display": frozenset(
        """
        none block inline flow-root flex grid table ruby math list-item contents inline-block
        inline-flex inline-grid inline-table table-row table-cell table-row-group table-header-group
        table-footer-group table-column table-column-group table-caption ruby-text ruby-base
        ruby-base-container ruby-text-container -webkit-box -webkit-inline-box -webkit-flex
        -webkit-inline-flex flow grid-lanes
        """.split()  # noqa: SIM905
    ),
    "visibility": frozenset({"visible", "hidden", "collapse"}),
    "position": frozenset({"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"}),
    "content-visibility": frozenset({"visible", "auto", "hidden"}),
    "float": frozenset({"left", "right", "none", "inline-start", "inline-end"}),
}
_OVERFLOWS = frozenset({"visible", "hidden", "clip", "scroll", "auto", "overlay"})
_SIZES = frozenset(
    """
    auto none normal min-content max-content fit-content stretch -webkit-fill-available
    -webkit-min-content -webkit-max-content -webkit-fit-content xx-small x-small small medium large
    x-large xx-large xxx-large smaller larger math contain
    """.split()  # noqa: SIM905
)
_ONE_LENGTH = frozenset(
    """
    width height max-width max-height min-width min-height left right top bottom font-size
    text-indent letter-spacing inline-size block-size margin-left margin-top margin-right
    margin-bottom padding-top padding-bottom
    """.split()  # noqa: SIM905
)
_NUMBER = r"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:e[+-]?\d++)?+"
_LENGTH = re.compile(
    rf"{_NUMBER}(?:px|em|rem|ex|rex|ch|rch|cap|rcap|ic|ric|lh|rlh|pt|pc|in|cm|mm|q|%"
    r"|[sld]?v(?:w|h|min|max|i|b)|cq(?:w|h|min|max|i|b))|[+-]?+0++\.?+0*+"
)
_OPACITY = re.compile(rf"{_NUMBER}%?+")
_HEX = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_SYSTEM_COLOURS = frozenset(
    """
    currentcolor transparent accentcolor accentcolortext activetext buttonborder buttonface
    buttontext canvas canvastext field fieldtext graytext highlight highlighttext linktext mark
    marktext selecteditem selecteditemtext visitedtext activeborder activecaption appworkspace
    background buttonhighlight buttonshadow captiontext inactiveborder inactivecaption
    inactivecaptiontext infobackground infotext menu menutext scrollbar threeddarkshadow threedface
    threedhighlight threedlightshadow threedshadow window windowframe windowtext -webkit-text
    -webkit-link -webkit-activelink -webkit-focus-ring-color
    """.split()  # noqa: SIM905
)
_NAMED_COLOURS = frozenset(
    """
    aliceblue antiquewhite aqua azure beige black blue brown cyan darkblue darkgray darkgreen
    darkgrey darkred dimgray floralwhite fuchsia gainsboro ghostwhite gold gray green grey honeydew
    ivory lavenderblush lightgray lightgrey lightyellow lime linen magenta maroon midnightblue
    mintcream navy oldlace olive orange pink purple red seashell silver snow teal violet white
    whitesmoke yellow aquamarine bisque blanchedalmond blueviolet burlywood cadetblue chartreuse
    chocolate coral cornflowerblue cornsilk crimson darkcyan darkgoldenrod darkkhaki darkmagenta
    darkolivegreen darkorange darkorchid darksalmon darkseagreen darkslateblue darkslategray
    darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgrey dodgerblue firebrick
    forestgreen goldenrod greenyellow hotpink indianred indigo khaki lavender lawngreen lemonchiffon
    lightblue lightcoral lightcyan lightgoldenrodyellow lightgreen lightpink lightsalmon
    lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue limegreen
    mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue
    mediumspringgreen mediumturquoise mediumvioletred mistyrose moccasin navajowhite olivedrab
    orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru
    plum powderblue rebeccapurple rosybrown royalblue saddlebrown salmon sandybrown seagreen sienna
    skyblue slateblue slategray slategrey springgreen steelblue tan thistle tomato turquoise wheat
    yellowgreen
    """.split()  # noqa: SIM905
)
_COLOURS = frozenset({"color", "background-color", "-webkit-text-fill-color"})
# Properties that a browser of today is asked for, whatever the value.
_KNOWN = frozenset(
    """
    align-content align-items align-self animation animation-timeline animation-range appearance
    aspect-ratio backdrop-filter background background-blend-mode background-clip background-image
    border-radius bottom box-shadow break-inside caret-color clip-path color-scheme column-count
    columns contain container-type container-name container content-visibility cursor filter flex
    flex-direction flex-wrap font-feature-settings font-variation-settings font-display font-
    variant-numeric font-palette gap grid grid-area grid-gap grid-row grid-column grid-template
    grid-template-areas grid-template-columns grid-template-rows height hyphens image-rendering
    inset isolation justify-content justify-items justify-self left line-clamp margin mask mask-
    image min-height mix-blend-mode object-fit object-position offset-path order outline overflow-
    anchor overflow-clip-margin overflow-wrap overscroll-behavior padding perspective place-content
    place-items pointer-events resize right rotate row-gap scale scroll-behavior scroll-margin
    scroll-snap-align scroll-snap-type scroll-timeline scrollbar-color scrollbar-gutter scrollbar-
    width shape-outside tab-size text-align text-decoration text-decoration-color text-decoration-
    thickness text-overflow text-shadow text-size-adjust text-underline-offset text-wrap top touch-
    action transform transform-style transition translate user-select view-timeline view-transition-
    name white-space width will-change word-break writing-mode z-index zoom -webkit-appearance
    -webkit-backdrop-filter -webkit-background-clip -webkit-box-reflect -webkit-line-clamp -webkit-
    mask -webkit-mask-image -webkit-overflow-scrolling -webkit-text-fill-color -webkit-text-stroke
    anchor-name position-anchor position-area interpolate-size corner-shape
    """.split()  # noqa: SIM905
) - {"-webkit-overflow-scrolling"}  # fmt: skip


def is_valid(name: str, value: str) -> bool | None:
    """Whether browsers take a value in lower case for a property; None where that is not known."""
    if value in _FOR_ALL or "var(" in value or "env(" in value:
        return True
    if "attr(" in value or "if(" in value:
        return True
    if name in _KEYWORDS:
        return value in _KEYWORDS[name] or (name == "display" and _is_long_display(value))
    if name in _COLOURS:
        return _is_colour(value)
    if name == "opacity":
        return "(" in value or _OPACITY.fullmatch(value) is not None
    if name in ("overflow", "overflow-x", "overflow-y"):
        return bool(value) and _OVERFLOWS.issuperset(value.split())
    if name in _ONE_LENGTH:
        return value in _SIZES or "(" in value or _LENGTH.fullmatch(value) is not None
    if name in _KNOWN:
        return bool(value)
    return None


def _is_long_display(value: str) -> bool:
    """`block flow`, `inline flex`, `block flow list-item`."""
    words = value.split()
    outer = [word for word in words if word in _OUTER]
    return (
        len(words) == len(set(words))
        and 2 <= len(words) <= 3
        and len(outer) <= 1
        and all(word in _OUTER or word in _INNER for word in words)
    )


def _is_colour(value: str) -> bool:
    if value.startswith("#"):
        return _HEX.fullmatch(value) is not None
    return "(" in value or value in _SYSTEM_COLOURS or value in _NAMED_COLOURS
