"""Quotes, drafts and the words of pages: texts of any shape are searched for quotes, taken apart as
quotes, read as drafts and as Markdown.
"""

from __future__ import annotations

from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.foreign import read_markdown
from webquarry._read.plain.blocks import read_block_words
from webquarry._read.plain.html import read_html_words
from webquarry.verify.drafts import find_claims
from webquarry.verify.quotes.check import check_quote
from webquarry.verify.quotes.numbers import NumberChecker, list_numbers
from webquarry.verify.quotes.source import SourceText

_QUOTE = "the tide of 12.5 turbines is kept [sic] in the basin … until the evening of the day"
_PIECES = {
    "letters": "a",
    "words": "the tide of ",
    "different words": "tide# of the ",
    "the quote": "the tide of 12.5 turbines is kept in the basin. ",
    "half of the quote": "the tide of 12.5 turbines is kept ",
    "note marks": "[1]",
    "raised digits": "a¹²",
    "page numbers": "12\n\nTide\n\n",
    "ellipses": "… ",
    "full stops": ".",
    "dotted blanks": ". ",
    "open brackets": "[",
    "brackets": "[a] ",
    "numbers": "1,234.5 % ",
    "separators": "1,1.",
    "groups": "1 234 ",
    "quotation marks": '"a ',
    "single marks": "‘a ",
    "curly marks": "“a” ",
    "links": "[a](https://a.example/b) ",
    "open links": "](https://a(",
    "addresses": "https://a.example/",
    "notes": "[^1]: https://a.example/\n",
    "block quotes": "> tide\n",
    "entries": "\n## References\n1. a\n",
    "sentences": "A b. ",
    "emphasis": "*_`",
    "cells": "| a ",
    "escapes": "\\*",
    "Han": "潮",
    "marks": "\u0301\u0316",
}


def _search(text: str) -> object:
    source = SourceText.of_text("https://a.example/", text)
    return check_quote(_QUOTE, [source])


def _search_numbers(text: str) -> object:
    source = SourceText.of_text("https://a.example/", text)
    return NumberChecker([source]).check(list_numbers("12.5 %")[0])


def _take_apart(quote: str) -> object:
    source = SourceText.of_text("https://a.example/", _QUOTE * 20)
    return check_quote(quote[:20_000], [source])


def _read_page(html: str) -> object:
    return read_html_words(parse_html(html), "")


def _read_markdown(text: str) -> object:
    return read_block_words("", read_markdown(text, "").blocks)


_RUNS = {
    "searched": _search,
    "numbers of": _search_numbers,
    "draft of": find_claims,
    "markdown words of": _read_markdown,
}
_HTML = {
    "sups": "<sup>1</sup>a",
    "open sups": "<sup>1",
    "headings": "<h2>a</h2>",
    "open headings": "<h2>a",
    "cells": "<td>a</td>",
    "hidden": "<i style='display:none'>a</i>b",
    "drawings": "<svg><g>a</g></svg>",
    "rubies": "<ruby>a<rt>b</rt></ruby>",
}

SHAPES = [
    *(
        Shape(f"quotes: {run} {name}", partial(number if "#" in piece else repeat, piece), step)
        for name, piece in _PIECES.items()
        for run, step in _RUNS.items()
    ),
    *(
        Shape(f"quotes: taken apart {name}", partial(repeat, piece), _take_apart, largest=20_000)
        for name, piece in _PIECES.items()
    ),
    *(
        Shape(f"quotes: page of {name}", partial(repeat, piece), _read_page)
        for name, piece in _HTML.items()
    ),
]
