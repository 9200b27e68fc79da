"""Which declarations hide a box, and how colours and lengths are parsed."""

from __future__ import annotations

import pytest

from webquarry._read.style.colours import WHITE, Colour, alike, parse_attribute_colour, parse_colour
from webquarry._read.style.declarations import parse_attribute
from webquarry._read.style.judge import find_reason
from webquarry._read.style.values import parse_length

HIDE = {
    "display none": ["display:none", "content-visibility:hidden"],
    "transparent": [
        "opacity:0",
        "opacity:.05",
        "opacity:0%",
        "filter:alpha(opacity=0)",
        "filter: opacity(0%)",
        "-webkit-text-security:disc",
    ],
    "clipped": [
        "clip:rect(0 0 0 0)",
        "clip: rect(1px, 1px, 1px, 1px)",
        "clip-path:inset(50%)",
        "clip-path:inset(0 0 99.9% 99.9%)",
        "clip-path: circle(0 at 50% 50%)",
        "clip-path: polygon(0 0,0 0,0 0)",
        "-webkit-clip-path:inset(100%)",
    ],
    "no size": [
        "width:0;height:0",
        "height:0;overflow:hidden",
        "width:1px;overflow:hidden",
        "max-height:0",
        "transform:scale(0)",
        "transform:scaleY(0)",
        "transform:matrix(0,0,0,0,0,0)",
        "zoom:0",
        "scale:0",
        "transform:rotateX(90deg)",
    ],
    "off screen": [
        "position:absolute;left:-9999px",
        "position:fixed;top:-100vh",
        "position:absolute;left:200vw;left:9999px",
        "margin:0 0 0 -9999px",
        "margin-left:-9999px",
        "text-indent:-9999px",
        "text-indent:100%",
        "translate:-9999px 0",
        "transform:translateX(-9999px)",
        "transform:translateX(-100vw)",
        "position:absolute;inset:-9999px auto auto",
        "left:calc(-9999px);position:absolute",
        "left:-999em;position:absolute",
        "position:absolute;z-index:-9999",
        "font-size:50%;letter-spacing:-9px",
    ],
}
SHOW = [
    "font-size:100%;line-height:1.5;height:22px;overflow:hidden",
    "",
    "display:block",
    "opacity:.5",
    "clip:rect(0,100px,20px,0)",
    "clip:auto",
    "clip-path:none",
    "height:0",
    "width:0",
    "clip-path:polygon(0 0,100% 0,100% 100%)",
    "height:0;padding-bottom:56%;overflow:hidden",
    "max-width:0;overflow:hidden",
    "height:0;min-height:20px;overflow:hidden",
    "position:absolute;left:50%;transform:translate(-50%,-50%)",
    "width:100vw;margin-left:-50vw;left:50%;position:relative",
    "margin:-1px",
    "margin-bottom:-9999px;padding-bottom:9999px",
    "transform:translate3d(-1200px,0,0)",
    "transform:translate(-100%)",
    "position:absolute;top:9999px",
    "z-index:-1",
    "left:-9px;position:absolute",
    "transform:scale(.9)",
    "position:static;left:-9999px",
    "filter:blur(2px)",
]
COLOURS = {
    "white": WHITE, "#FFF": WHITE, "#ffffff": WHITE, "#ffff": WHITE, "rgb(255,255,255)": WHITE,
    "rgb(100% 100% 100%)": WHITE, "rgba(255, 255, 255, 1)": WHITE, "hsl(0, 0%, 100%)": WHITE,
    "hsl(0deg 0% 100% / 100%)": WHITE, "#000": Colour(0, 0, 0),
    "rgb(0 0 0 / 50%)": Colour(0, 0, 0, 0.5), "transparent": Colour(0, 0, 0, 0),
    "hsl(120,100%,50%)": Colour(0, 255, 0), "hwb(0 100% 0%)": WHITE,
    "hwb(120 0% 0% / 50%)": Colour(0, 255, 0, 0.5), "hwb(0 60% 60%)": Colour(127.5, 127.5, 127.5),
    "oklch(1 0 0)": WHITE, "oklch(100% 0 none)": WHITE, "oklab(0 0 0)": Colour(0, 0, 0),
    "lab(100 0 0)": WHITE, "lch(0% 0 0)": Colour(0, 0, 0),
    "color(srgb 1 1 1)": WHITE, "color(display-p3 0 0 0 / .5)": Colour(0, 0, 0, 0.5),
    "rgb(from white r g b / 0)": Colour(255, 255, 255, 0), "hsl(from gray h s 100%)": WHITE,
    "oklch(62.8% 0.25768 29.234)": None, "color(xyz 1 1 1)": None,
    "oklch(1 0)": None, "white url(x.png)": None, "var(--c)": None,
    "linear-gradient(red,blue)": None, "inherit": None, "#12": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "style"), [(reason, style) for reason, styles in HIDE.items() for style in styles]
)
def test_hiding_declarations_have_a_reason(reason: str, style: str) -> None:
    assert find_reason(parse_attribute(style)[0]) == reason


@pytest.mark.parametrize("style", SHOW)
def test_layout_declarations_hide_nothing(style: str) -> None:
    assert find_reason(parse_attribute(style)[0]) is None


@pytest.mark.parametrize(("text", "colour"), COLOURS.items())
def test_colours_are_parsed_in_every_notation(text: str, colour: Colour | None) -> None:
    found = parse_colour(text.lower())

    assert found == (colour if colour is None else pytest.approx(colour, abs=0.5))


def test_colour_attribute_may_omit_the_number_sign() -> None:
    assert parse_attribute_colour("ffffff") == WHITE
    assert parse_attribute_colour("white") == WHITE


def test_similar_colours_are_alike() -> None:
    assert alike(Colour(250, 250, 250), WHITE)
    assert alike(Colour(0, 0, 0, 0.05), WHITE)
    assert not alike(Colour(200, 200, 200), WHITE)


def test_declarations_are_normalized() -> None:
    ordinary, important = parse_attribute(
        r"DIS/**/PLAY:x; d\69splay : None !IMPORTANT; Opacity: 1 ; foo:bar; color"
    )

    assert ordinary == {"opacity": "1"}
    assert important == {"display": "none"}


@pytest.mark.parametrize(
    ("text", "pixels"),
    [
        ("12px", 12),
        ("-1.5em", -24),
        ("0", 0),
        ("calc( 3px )", 3),
        ("50%", 50),
        ("1e3px", 1000),
        ("auto", None),
        ("3zz", None),
    ],
)
def test_lengths_are_converted_to_pixels(text: str, pixels: float | None) -> None:
    assert parse_length(text) == pixels
