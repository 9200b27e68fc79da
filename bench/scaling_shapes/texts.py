"""Pages whose text is long runs of one thing: white space, signs, characters of every kind."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import html_page, read_page

_BLANKS = {
    "blanks": " ",
    "newlines": "\n",
    "tabs": "\t",
    "carriage returns": "\r\n",
    "nbsp": "&nbsp;",
    "U+3000": "\u3000",
    "U+2028": "\u2028",
    "form feeds and blanks": "\f ",
    "em spaces": "\u2003",
    "blank lines": " \n\t\n",
    "br": "<br>",
    "zero-width": "\u200b",
}
_PLACES = {
    "pre": "<pre>a{}b</pre>",
    "pre code": "<pre><code>{}x</code></pre>",
    "p": "<p>a{}b</p>",
    "code": "<p><code>a{}b</code></p>",
    "td": "<table><tr><th>a{}b</th></tr><tr><td>a{}b</td></tr></table>",
    "li": "<ul><li>a{}b</li></ul>",
    "h2": "<h2>a{}b</h2>",
    "a": "<p><a href='/x'>a{}b</a></p>",
    "text": "a{}b",
    "title of a link": "<p><a href='/x' title='a{}b'>a</a></p>",
    "attribute": "<p class='a{}b' style='a{}b' id='a{}b'>a</p>",
    "textarea": "<textarea>a{}b</textarea>",
}
# What could be the edge of something in Markdown, HTML or TeX.
_RUNS = {
    "stars": "*",
    "underscores": "_",
    "stars and letters": "*a ",
    "backticks": "`",
    "backticks of many lengths": "` `` ``` ",
    "brackets": "[",
    "brackets of links": "[a](",
    "images": "![a](b ",
    "closed brackets": "[]",
    "parentheses": "((",
    "backslashes": "\\",
    "tildes": "~~ ",
    "number signs": "# ",
    "number signs joined": "#",
    "quotation marks": "> ",
    "pipes": "| - ",
    "dashes": "- ",
    "dashes joined": "-",
    "equals signs": "=",
    "numbers of items": "1. ",
    "angle brackets": "&lt;",
    "delimiters of chats": "&lt;|im_start|&gt;",
    "beginnings of delimiters": "&lt;|",
    "turns": "\n\nHuman: ",
    "TeX in dollars": "$a ",
    "TeX in parentheses": "\\(a",
    "TeX in brackets": "\\[a ",
    "double dollars": "$$a ",
    "ampersands": "&amp;",
    "bare ampersands": "&",
    "open references": "&#",
    "long references": "&#00000000000000000000000000000000000000065;",
    "named references": "&hellip;&notin;&bogus;",
    "initials": "A. B. ",
    "full stops": ". ",
    "full stops joined": ".",
    "quotes": "\u201c",
    "commas": "a, ",
    "semicolons": "a; ",
    "colons": ":",
    "at signs": "a@",
    "slashes": "/",
    "dois": "10.1000/",
    "doi in doi": "doi:10.1000/10.1000",
    "addresses": "https://a.example/b?c=d&e ",
    "address": "https://a.b.",
    "percent": "%41",
    "digits": "1",
    "years": "2024-",
    "dates": "3 March 2024, ",
    "one word": "a",
    "words": "tide of the ",
    "capital words": "Tide ",
    "Chinese": "\u6f6e\u6c50",
    "Chinese sentences": "\u6f6e\u6c50\u3002",
    "Thai": "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e",
    "Arabic": "\u0645\u062f ",
    "emoji": "\U0001f30a",
    "joined emoji": "\U0001f468\u200d",
    "combining marks": "\u0301\u0316",
    "accents": "e\u0301",
    "variation selectors": "a\ufe0f",
    "tag characters": "\U000e0041",
    "flags": "\U0001f3f4\U000e0067",
    "overrides": "\u202ea",
    "controls": "\x01",
    "lone surrogates": "&#xd800;",
    "soft hyphens": "a\u00ad",
    "hangul": "\ud55c",
    "jamo": "\u1112\u1161",
    "Devanagari": "\u0915\u094d\u0937",
    "ligatures": "\ufdfa",
}


def _in_place(place: str, run: str, size: int) -> object:
    return html_page(place.replace("{}", repeat(run, size // place.count("{}"))))


def _paragraphs(run: str, size: int) -> object:
    """Half of it in one paragraph, half in paragraphs of a few repetitions."""
    short = "<p>" + repeat(run, 60) + "</p>\n"
    return html_page(f"<p>{repeat(run, size // 2)}</p>{repeat(short, size // 2)}")


def _numbered(piece: str, size: int) -> object:
    return html_page(number(piece, size))


def _page(name: str, make: Callable[[int], object]) -> Shape:
    return Shape(name, make, read_page)


SHAPES = [
    *(
        _page(f"{blank} in {place}", partial(_in_place, where, run))
        for blank, run in _BLANKS.items()
        for place, where in _PLACES.items()
    ),
    *(_page(f"run of {name}", partial(_paragraphs, run)) for name, run in _RUNS.items()),
    *(
        _page(f"{name} in pre", partial(_in_place, _PLACES["pre"], run))
        for name, run in _RUNS.items()
        if not name.startswith(("Ch", "Th", "Ar"))
    ),
    _page("different paragraphs", partial(_numbered, "<p>Tide # of the # basin # fills.</p>")),
    _page("same paragraphs", lambda size: html_page(repeat("<p>A tide comes.</p>", size))),
    _page("one-letter paragraphs", lambda size: html_page(repeat("<p>a</p>", size))),
    _page("sentences", partial(_numbered, "The tide # was measured. ")),
]
