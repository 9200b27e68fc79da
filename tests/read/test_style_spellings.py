"""A declaration that hides an element gives the same result as `style` attribute and as rule of a
style sheet, in any spelling. Chromium decides what is painted.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webquarry._read.html.parse import parse_html
from webquarry._read.main_content.render import render_selection
from webquarry._read.main_content.select import select_main_content
from webquarry._read.markdown.convert import to_markdown

ZERO = [
    "0",
    "+0",
    "-0",
    ".0",
    "0.0e1",
    "0e9",
    "calc(0)",
    "calc(5 - 5)",
    "max(0, -1)",
    "CALC(0 * 2)",
]
FAINT = ["5%", "0.05", "+.05", "5e-2", "1e-3", "calc(.1 / 2)", "clamp(0, .05, 1)", "-1"]
NO_LENGTH = [
    "0", "+0", "-0px", ".0em", "0.0e1px", "calc(0px)", "calc(5px - 5px)", "max(0px, -1px)", "0%",
    "1e-3px",
]  # fmt: skip
TWO_PIXELS = ["2px", "+2px", "2.0px", ".2e1px", "calc(1px + 1px)", "1.5pt", "min(2px, 9px)"]
FAR_LEFT = [
    "-9000px", "-9e3px", "-9.0E3px", "calc(-9 * 1000px)", "calc(0px - 9000px)", "-900em", "-900vw",
    "min(-9000px, 1px)", "-.9e4px", "-100in",
]  # fmt: skip
FAR_RIGHT = ["9000px", "+9e3px", "9.0E3px", "calc(9 * 1000px)", "900em", "900vw", ".9e4px"]
ON_EDGE = ["90deg", "+90deg", "9e1deg", "100grad", ".25turn", "calc(45deg * 2)"]
HALF = ["50%", "+50%", "5e1%", "50.0%", "calc(25% * 2)"]
INVISIBLE_COLOURS = [
    "transparent", "#0000", "rgb(0 0 0 / 0)", "rgba(0,0,0,0.0e1)", "rgb(0 0 0 / 1e-3)",
    "hsl(0 0% 0% / 0%)", "#fff", "white", "rgb(255,255,255)", "rgb(100%,100%,100%)",
    "rgb(2.55e2 255 255)", "rgb(+255 255 255)", "rgb(calc(200 + 55) 255 255)", "hsl(0 0% 100%)",
    "hwb(0 100% 0%)", "lab(100 0 0)",
]  # fmt: skip
# Chromium paints nothing that can be read.
HIDING = {
    "display:{}": ["none"],
    "visibility:{}": ["hidden", "collapse"],
    "content-visibility:{}": ["hidden"],
    "opacity:{}": FAINT + ZERO,
    "filter:opacity({})": FAINT[:-1] + ZERO,
    "filter:blur({})": ["99px", "+99px", "9.9e1px", "calc(33px * 3)"],
    "font-size:{}": [*NO_LENGTH, "1px", "+1px", "1e0px", "calc(.5px * 2)"],
    "font:{}/1 serif": ["0px", "+0px", "0.0e1px", "1px", "calc(0px)"],
    "height:{};overflow:hidden": NO_LENGTH[:-2] + TWO_PIXELS,
    "width:{};overflow:hidden": NO_LENGTH[:-2],
    "max-height:{};overflow:hidden": NO_LENGTH[:-2] + TWO_PIXELS,
    "position:absolute;left:{}": FAR_LEFT + FAR_RIGHT,
    "position:absolute;top:{}": FAR_LEFT,
    "position:fixed;right:{}": FAR_LEFT + FAR_RIGHT,
    "position:fixed;top:{}": FAR_RIGHT,
    "position:absolute;inset:{} auto auto auto": FAR_LEFT,
    "margin-left:{}": FAR_LEFT,
    "padding-left:{}": FAR_RIGHT,
    "padding:0 0 0 {}": FAR_RIGHT,
    "text-indent:{}": FAR_LEFT,
    "transform:scale({})": [*ZERO, "1e-3", "+.001"],
    "scale:{}": [*ZERO, "1e-3"],
    "transform:translateX({})": FAR_LEFT,
    "translate:{}": FAR_LEFT,
    "transform:rotateY({})": ON_EDGE,
    "rotate:y {}": ON_EDGE,
    "clip-path:inset({})": HALF,
    "clip-path:circle({})": ["0", "+0", "0.0e1px", "calc(0px)", "0%"],
    "position:absolute;clip:rect({0},{0},{0},{0})": ["0", "+0", "0px", "0.0e1px", "calc(0px)"],
    "-webkit-text-fill-color:{}": ["transparent", "#0000", "#fff"],
    "color:{}": INVISIBLE_COLOURS,
    "zoom:{}": ["0.01", "1%", "1e-2", "+.01", "calc(.1 / 10)"],
}
# Chromium paints a part of the text, or all of it. The declared policy is to leave it out: a
# fragment cannot be read, and the others hide text together with a background or in old browsers.
PAINTED_BUT_HIDDEN = {
    "width:{};overflow:hidden": TWO_PIXELS,
    "letter-spacing:{}": ["-99px", "-9.9e1px", "-99.0px", "calc(-33px * 3)", "-90em"],
    "position:relative;z-index:{}": ["-999", "-9e2"],
    "filter:alpha(opacity={})": ["0", "5"],
}
# Chromium paints the text, and it is read.
SHOWN = {
    "opacity:{}": ["1", "+1", "100%", "1e0", ".9", "calc(.5 + .4)", "bogus"],
    "font-size:{}": ["16px", "+16px", "1.6e1px", "calc(8px * 2)", "bogus"],
    "height:{};overflow:hidden": ["60px", "+6e1px", "calc(30px * 2)"],
    "position:absolute;left:{}": ["5px", "+5e0px", "calc(1px + 4px)"],
    "margin-left:{}": ["-5px", "+5e0px", "calc(1px - 6px)"],
    "transform:scale({})": ["1", "+1", "1e0", "calc(2 / 2)"],
    "clip-path:inset({})": ["0", "+0", "1e-3%", "calc(0px)"],
    "color:{}": ["black", "#000", "rgb(0 0 0 / 1)", "rgb(+0 0 0)"],
    "display:{}": ["block", "nome"],
    "visibility:{}": ["visible"],
}


def map_declarations(declarations: str, change: Callable[[str, str], str]) -> str:
    """Change every declaration, given its property and its value."""
    pairs = [one.partition(":") for one in declarations.split(";")]
    return ";".join(change(name, value) for name, _, value in pairs)


def use_variables(declarations: str) -> str:
    defined = map_declarations(declarations, lambda name, value: f"--of-{name}:{value}")
    used = map_declarations(declarations, lambda name, value: f"{name}:var(--of-{name})")
    return f"{defined};{used}"


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "upper case": str.upper,
    "comments": lambda text: text.replace(":", "/**/:/* x */ ").replace(";", "/*;*/;"),
    "important": lambda text: map_declarations(text, lambda n, v: f"{n}:{v} ! IMPORTANT"),
    "escaped": lambda text: map_declarations(text, lambda n, v: f"\\{ord(n[0]):x} {n[1:]}:{v}"),
    "long escape": lambda text: map_declarations(
        text, lambda n, v: f"\\{ord(n[0]):06x}{n[1:]}:{v}"
    ),
    "whitespace": lambda text: text.replace(":", " :\n\t").replace(";", " ; ;"),
    "variables": use_variables,
}
# Where the declarations are: in an attribute, or in a rule. `{}` stands for them.
PLACES = {
    "attribute": '<div style="{}">WORD is in here</div>',
    "rule": "<style>.q{{{}}}</style><div class=q>WORD is in here</div>",
    "rule by tag": "<style>main div{{{}}}</style><div>WORD is in here</div>",
    "media": "<style>@media screen{{.q{{{}}}}}</style><div class=q>WORD is in here</div>",
    "nested": "<style>main{{& .q{{{}}}}}</style><div class=q>WORD is in here</div>",
    "layer": "<style>@layer a{{.q{{{}}}}}</style><div class=q>WORD is in here</div>",
}
PAGE = "<!doctype html><title>A page</title><main><p>First line</p>{}<p>Last line</p></main>"


def build_page(place: str, declarations: str) -> str:
    return PAGE.format(PLACES[place].format(declarations))


def is_read(page: str) -> bool:
    return "WORD" in to_markdown(parse_html(page), "https://example.org/").text


def is_main_content(page: str) -> bool:
    document = parse_html(page)
    selection = select_main_content(document)
    return "WORD" in render_selection(document, selection, "https://example.org/").text


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("form", HIDING | PAINTED_BUT_HIDDEN)
def test_hiding_declarations_hide_in_every_place_and_spelling(form: str, spelling: str) -> None:
    shown: list[str] = []
    for value in (HIDING | PAINTED_BUT_HIDDEN)[form]:
        declarations = SPELLINGS[spelling](form.format(value))
        for place in PLACES if spelling == "plain" else ("attribute", "rule", "media"):
            page = build_page(place, declarations)
            if is_read(page) or (place == "rule" and is_main_content(page)):
                shown.append(f"{place}: {declarations}")

    assert shown == []


@pytest.mark.parametrize("form", SHOWN)
def test_other_declarations_hide_nothing(form: str) -> None:
    hidden: list[str] = []
    for value in SHOWN[form]:
        for spell in SPELLINGS.values():
            declarations = spell(form.format(value))
            for place in PLACES:
                if not is_read(build_page(place, declarations)):
                    hidden.append(f"{place}: {declarations}")

    assert hidden == []


@pytest.mark.parametrize(
    ("css", "attributes"),
    [
        (".q{height:2px}.r{overflow:hidden}", 'class="q r"'),
        (".q{height:2px}", 'class=q style="overflow:hidden"'),
        (".q{overflow:var(--o)}main{--o:hidden}.r{height:2px}", 'class="q r"'),
        (".q{left:-9e3px}.r{position:absolute}", 'class="q r"'),
        (".q{padding:var(--far)}main{--far:0 0 0 9e3px}", "class=q"),
        (".q{filter:brightness(0)}.r{background:#000}", 'class="q r"'),
    ],
)
def test_declarations_of_several_rules_hide_together(css: str, attributes: str) -> None:
    page = PAGE.format(f"<style>{css}</style><div {attributes}>WORD is in here</div>")

    assert not is_read(page)


def test_rules_behind_more_than_are_read_still_hide() -> None:
    others = "".join(f"main .c{number}{{color:#123}}" for number in range(10_100))
    css = others + ".q{opacity:+0}main :is(.r){height:2px;overflow:hidden}"
    body = "<div class=q>WORD one</div><section><div class=r>WORD two</div></section>"
    names = " ".join(f"c{number}" for number in range(10_100))

    assert not is_read(PAGE.format(f"<style>{css}</style><p class='{names}'>Text</p>{body}"))
