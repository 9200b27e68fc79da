"""Pages with style sheets: selectors of every kind times elements, variables in chains, commas."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import html_page, read_page

# One rule for each `#`, over as many elements.
_RULES = {
    "types": "p#{display:none}",
    "classes": ".c#{display:none}",
    "classes of one element": ".a.b#{display:none}",
    "ids": "#i#{display:none}",
    "descendants": ".a .c#{display:none}",
    "deep descendants": "div div div .c#{display:none}",
    "children": ".a>.c#{display:none}",
    "next siblings": ".c+.d#{display:none}",
    "later siblings": ".c~.d#{display:none}",
    "attributes": "[data-a='#']{display:none}",
    "parts of attributes": "[class*='c#']{display:none}",
    "everything": "*:not(.x#){opacity:1}",
    "not": "p:not(.c#){opacity:1}",
    "is": ":is(.a,.c#){opacity:1}",
    "has": "div:has(.c#){opacity:1}",
    "places": "p:nth-child(#){display:none}",
    "places from the end": "p:nth-last-of-type(#){display:none}",
    "pseudo elements": ".c#::before{content:'a'}",
    "media": "@media (min-width:#px){.c#{display:none}}",
    "supports": "@supports (a:b){.c#{display:none}}",
    "imports": "@import 'a#.css';",
    "scopes": "@scope (.a){.c#{display:none}}",
    "scopes with an end": "@scope (.a) to (.e#){p{display:none}}",
    "scopes of many roots": "@scope (.c#) to (.d#){p{display:none}}",
    "covers": ".c#{position:relative}.c#::after{content:'';position:absolute;inset:0;background:#fff}",
    "attributes as values": ".c#{opacity:attr(data-a type(<number>))}",
    "choices": ".c#{--x:#;display:if(style(--x:1):none;else:block)}",
    "moves in a cut": ".a{overflow:hidden}.c#{transform:translateX(100%)}",
    "layers": "@layer a#{.c#{display:none}}",
    "nested rules": ".c#{.d{display:none}}",
    "comments": "/* # */.c#{display:none}",
    "escapes": ".\\63 #{display:none}",
    "colours": ".c#{color:rgb(#,0,0);background:#fff}",
    "fonts": "@font-face{font-family:a#;src:url(#)}",
    "frames": "@keyframes a#{from{opacity:0}to{opacity:1}}",
    "long values": ".c#{background:url(data:image/png;base64,AAAAAAAAAAAAAAAAAAAAAAAA)}",
}
# One rule over elements that are all alike, for most of which it has to look far.
_FAR = {
    "a later sibling of nothing": ".none~p{display:none}",
    "a later sibling of siblings": "p~i~p~i~p{display:none}",
    "a later sibling of a place": "p:nth-child(3)~p{display:none}",
    "a next sibling of nothing": ".none+p+p+p{display:none}",
    "something in nothing": ".none p{display:none}",
    "something in something in nothing": ".none div p{display:none}",
    "every other": "p:nth-child(2n+1){display:none}",
    "every other from the end": "p:nth-last-child(2n+1){display:none}",
    "every other of its type": "p:nth-of-type(3n){display:none}",
    "the last of its type": "p:last-of-type{display:none}",
    "the only one": "p:only-of-type{display:none}",
    "all that are not the first": "p:not(:first-child){opacity:1}",
    "what has something": "div:has(.none){display:none}",
    "what has a sibling": "p:has(~.none){display:none}",
    "nothing inside": "p:empty{display:none}",
    "a part of a class": "[class*=none]{display:none}",
    "a variable": "p{--a:var(--b);--b:none;display:var(--a)}",
}
_BROKEN = {
    "commas": "a,",
    "commas in parentheses": ":is(a,",
    "open braces": "a{",
    "closing braces": "}",
    "open comments": "/*",
    "open brackets": "[a",
    "open parentheses": "a(",
    "open quotes": "a{b:'",
    "semicolons": "a{;;;;}",
    "backslashes": "\\",
    "at signs": "@a ",
    "blanks": " ",
    "newlines": "\n",
    "combinators": "a > ",
    "colons": ":a",
    "important": "a{display:none!important}",
}
_VARIABLES = {
    "chain of variables": ("--v#:var(--w#);", "--v0"),
    "variables": ("--a#:none;", "--a1"),
    "doubled variables": ("--v#:var(--v) var(--v);", "--v0"),
}


def _rules_times_elements(rule: str, size: int) -> object:
    """As many rules as elements."""
    sheet = number(rule, size // 2)
    body = number("<p class='c# d# a b' id='i#' data-a='#'>Tide #</p>", size // 2)
    return html_page(f"<div class='a'>{body}</div>", f"<style>{sheet}</style>")


def _far(rule: str, size: int) -> object:
    elements = repeat("<p class='a'>Tide</p>", size)
    return html_page(f"<div>{elements}</div>", f"<style>{rule}</style>")


def _few_rules(rule: str, size: int) -> object:
    """Some rules, over elements that all fit."""
    sheet = number(rule, 4_000)
    return html_page(repeat("<p class='c c1 d d1 a b'>Tide</p>", size), f"<style>{sheet}</style>")


def _broken(piece: str, size: int) -> object:
    return html_page("<p class='a'>Tide</p>", f"<style>{repeat(piece, size)}</style>")


def _broken_in_attribute(piece: str, size: int) -> object:
    text = repeat(piece, size).replace("'", "")
    return html_page(f"<p style='{text}'>Tide</p>")


def _chain(size: int) -> object:
    """Each variable is the one before it."""
    count = max(1, size // 24)
    links = [f"--v{place + 1}:var(--v{place});" for place in range(count)]
    sheet = f":root{{--v0:none;{''.join(links)}}}.a{{display:var(--v{count})}}"
    return html_page("<p class='a'>Tide</p>", f"<style>{sheet}</style>")


def _grow(size: int) -> object:
    """Each variable is twice the one before it."""
    count = max(1, size // 36)
    links = [f"--v{place + 1}:var(--v{place}) var(--v{place});" for place in range(count)]
    sheet = f":root{{--v0:none;{''.join(links)}}}.a{{display:var(--v{count})}}"
    return html_page("<p class='a'>Tide</p>", f"<style>{sheet}</style>")


def _variables_times_elements(size: int) -> object:
    sheet = f":root{{{number('--a#:none;', size // 2)}}}.c{{display:var(--a1)}}"
    return html_page(
        repeat("<p class='c' style='--a1:block'>Tide</p>", size // 2), f"<style>{sheet}</style>"
    )


def _many_sheets(size: int) -> object:
    return html_page(number("<style>.c#{display:none}</style><p class='c#'>a</p>", size))


def _sibling_chain(size: int) -> object:
    return html_page(
        repeat("<i></i>", size) + "<p class='b'>Tide</p>", "<style>i~i~i~.b{display:none}</style>"
    )


def _page(name: str, make: Callable[[int], object], largest: int = 400_000) -> Shape:
    return Shape(f"css: {name}", make, read_page, largest)


SHAPES = [
    *(_page(name, partial(_far, rule)) for name, rule in _FAR.items()),
    *(
        _page(f"{name} x elements", partial(_rules_times_elements, rule))
        for name, rule in _RULES.items()
    ),
    *(_page(f"elements under {name}", partial(_few_rules, rule)) for name, rule in _RULES.items()),
    *(_page(f"run of {name}", partial(_broken, piece)) for name, piece in _BROKEN.items()),
    *(
        _page(f"run of {name} in style", partial(_broken_in_attribute, piece))
        for name, piece in _BROKEN.items()
    ),
    _page("chain of variables", _chain, 2_000_000),
    _page("variables that grow", _grow),
    _page("variables x elements", _variables_times_elements),
    _page("many sheets", _many_sheets),
    _page("siblings in a chain", _sibling_chain),
    _page(
        "one long selector",
        lambda size: html_page("<p>a</p>", f"<style>{repeat('a ', size)}{{b:c}}</style>"),
    ),
    _page(
        "one long list of selectors",
        lambda size: html_page(
            "<p>a</p>", f"<style>{number('.c#,', size)}a{{display:none}}</style>"
        ),
    ),
    _page(
        "one long compound",
        lambda size: html_page("<p>a</p>", f"<style>{number('.c#', size)}{{display:none}}</style>"),
    ),
]
