"""Pages of tables, lists and what is said in the head: JSON-LD, meta tags, links."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import WORDS, html_page, read_page, reply_of

_ROW = "<tr><td>Tide #</td><td>Water</td></tr>"
_BODIES = {
    "long table": "<tr><td>Tide #</td><td>1</td><td>2</td></tr>",
    "table with heads": "<tr><th>Tide #</th><td>1</td></tr>",
    "table with rowspans": "<tr><td rowspan='3'>#</td><td>1</td></tr>",
    "table with colspans": "<tr><td colspan='900'>#</td><td>1</td></tr>",
    "table with huge spans": "<tr><td rowspan='1000' colspan='1000'>#</td><td>1</td></tr>",
    "table with empty cells": "<tr><td></td><td></td><td></td><td></td></tr>",
    "table with paragraphs": "<tr><td><p>a</p>\u3000<p>b</p></td><td>c</td></tr>",
    "table with lists": "<tr><td><ul><li>a<li>b</ul></td><td>c</td></tr>",
    "table with open cells": "<td>a<td>b",
    "table with pipes": "<tr><td>a|b</td><td>\\|</td></tr>",
    "table with groups": "<tbody><tr><td>a #</td><td>b</td></tr></tbody>",
}
_SECTIONS = {
    "tables": f"<table>{_ROW}{_ROW}</table>",
    "tables in tables": f"<table>{_ROW}<tr><td>",
    "tables in headed tables": "<table><tr><th>a</th><th>b</th></tr><tr><td></td><td>",
    "lists": "<ul><li>Tide #</li><li>Water</li></ul>",
    "lists in lists": "<ul><li>Tide #",
    "lists in lists and paragraphs": "<ul><li><p>Tide #</p>",
    "numbered lists": "<ol start='#'><li value='#'>Tide</li></ol>",
    "lists right in lists": "<ul><ul><li>Tide #</li>",
    "reversed lists": "<ol reversed><li>Tide #",
    "definitions open": "<dl><dt>a #<dd>b",
    "definitions in definitions": "<dl><dd>a #",
    "quotations in quotations": "<blockquote><p>Tide #</p>",
    "quotations in lists": "<ul><li><blockquote>Tide #",
    "headings in lists": "<ul><li><h3>Tide #</h3>",
    "code in lists": "<ul><li><pre>a = #\n\nb</pre>",
    "columns of code": "<table class='highlight'><tr><td class='gutter'>1\n2</td><td><pre>a\nb</pre></td></tr></table>",
    "gutters": "<pre><span class='lineno'>#</span>a\n</pre>",
    "mounts": "<div id='app'>a",
    "counts": "<p>Page # of 90000</p>",
    "counts of items": "<p>Showing 1-9 of #00 results</p>",
    "gates": "<p>Subscribe to read on.</p>",
    "cookies": "<p>We use cookies. Accept all cookies</p>",
    "logins": "<form><input type='password'><input name='user'></form><a href='/login'>Log in</a>",
    "comments of readers": "<div class='comment'><span class='author'>A</span><p>Tide #</p></div>",
    "footers": "<footer><nav><a href='/#'>a</a></nav></footer>",
    "panels": "<button data-target='#p#'>More</button><div id='p#' hidden>Tide #</div>",
    "tabs": "<div role='tabpanel' id='tab-#' hidden>Tide #</div>",
    "questions": "<h3><button aria-expanded='false'>Is it tide #?</button></h3><div>It is, twice a day.</div>",
    "questions in questions": "<div><button>Is it tide #?</button><div>It is.",
    "buttons and comments": "<button>Tide #?</button><!-- a --><!-- b -->",
    "cards": "<a class='card' href='/#'><div>Tide #</div><div>€9</div></a>",
    "cards in boxes": "<div><a class='card' href='/#'><div>Tide #</div><div>€9</div></a>",
    "units": "<div class='unit'><a href='/#'>Tide #</a><div>€9</div></div>",
    "units in units": "<div class='unit'><a href='/#'>Tide #</a><div>€9</div>",
    "units of units": "<div><div><p>a</p><p>b</p></div><div><p>a</p><p>b</p></div>",
    "rows of values": "<div class='row'><div>Height</div><div># m</div></div>",
    "rows in rows": "<div class='row'><div>Height</div><div># m</div>",
    "roles of tables": "<div role='table'><div role='row'><div role='cell'>a</div><div role='cell'>#</div></div></div>",
    "roles in roles": "<div role='table'><div role='row'><div role='cell'>a #</div><div role='cell'>b",
    "notes set aside": "<p>The tide is high at nine.</p><aside><p>Mind the quay at # today.</p></aside>",
    "notes in notes": "<aside><p>Mind the quay at # today.</p>",
    "pagers": "<ul class='pagination'><li><a class='page-link' href='/tides?page=#'>#</a></li></ul>",
    "buttons for more": "<ul><li><a href='/#'>Tide #</a></li></ul><button>Show more</button>",
    "titles with facts": "<h1>Tide #</h1><div class='price'>€9</div><div class='venue'>Quay</div>",
    "images of formulas": "<img class='tex' alt='a^2 + #'>",
    "formulas": "<math><mrow><mfrac><mi>a</mi><mn>#</mn></mfrac></mrow></math>",
    "formulas in formulas": "<math><mrow><mfrac><mi>a</mi>",
    "scripts of formulas": "<script type='math/tex'>a^# + b</script>",
}
_METAS = {
    "metas": "<meta name='description' content='Tide #'>",
    "authors": "<meta name='author' content='Ines Calloway #'>",
    "citation authors": "<meta name='citation_author' content='Calloway, I. #'>",
    "citation references": "<meta name='citation_reference' content='doi:10.1000/#'>",
    "dois": "<meta name='citation_doi' content='10.1000/#'>",
    "dates": "<meta property='article:published_time' content='2026-01-0#'>",
    "open graph": "<meta property='og:title' content='Tide #'>",
    "keywords": "<meta name='keywords' content='tide, #'>",
    "refreshes": "<meta http-equiv='refresh' content='#;url=/a#'>",
    "links": "<link rel='stylesheet' href='/#.css'>",
    "canonicals": "<link rel='canonical' href='/#'>",
    "bases and marks": "<base href='//\u0301#/'>",
    "bases": "<base href='/#/'>",
    "titles": "<title>Tide #</title>",
    "short scripts of data": '<script type=\'application/ld+json\'>{"@type":"Article","name":"a#"}</script>',
}
_LONG_METAS = {
    "refresh of blanks": ("<meta http-equiv='refresh' content='1{}x'>", " "),
    "charset of blanks": ("<meta http-equiv='content-type' content='charset={}x'>", " "),
    "base of marks": ("<base href='//{}/'>", "\u0301\u0316"),
    "description": ("<meta name='description' content='{}'>", "Tide. "),
    "author of commas": ("<meta name='author' content='{}'>", "Ines Calloway, "),
    "author of ands": ("<meta name='author' content='{}'>", "A and "),
    "author of blanks": ("<meta name='author' content='a{}b'>", " "),
    "title of signs": ("<meta property='og:title' content='{}'>", "' \u2019-"),
    "date of digits": ("<meta property='article:published_time' content='{}'>", "2026-"),
    "doi of doi": ("<meta name='citation_doi' content='{}'>", "10.1000.1000"),
    "robots": ("<meta name='robots' content='{}'>", "noindex, "),
}
_DATA = {
    "deep list": lambda size: "[" * size + "]" * size,
    "deep objects": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "wide object": lambda size: "{" + number('"a#":1,', size) + '"z":1}',
    "authors": lambda size: _article(
        author=[{"name": f"Ines Calloway {n}"} for n in range(size // 30)]
    ),
    "author": lambda size: _article(author=repeat("Ines Calloway, ", size)),
    "headline": lambda size: _article(headline=repeat("Tide ", size)),
    "body": lambda size: _article(articleBody=repeat("The tide comes. ", size)),
    "graph": lambda size: json.dumps(
        {
            "@graph": [
                {"@type": "Article", "@id": f"#{n}", "name": f"T{n}"} for n in range(size // 50)
            ]
        }
    ),
    "references": lambda size: json.dumps(
        {"@graph": [{"@id": f"#{n}", "author": {"@id": f"#{n + 1}"}} for n in range(size // 50)]}
    ),
    "types": lambda size: _article(**{"@type": [f"Article{n}" for n in range(size // 14)]}),
    "questions": lambda size: json.dumps(
        {
            "@type": "FAQPage",
            "mainEntity": [
                {"@type": "Question", "name": f"Q{n}?", "acceptedAnswer": {"text": "A"}}
                for n in range(size // 90)
            ],
        }
    ),
    "comments": lambda size: _article(
        comment=[{"@type": "Comment", "text": f"a{n}"} for n in range(size // 40)]
    ),
    "commas": lambda size: repeat(",", size),
    "commas too many": lambda size: "[" + repeat("1,  ", size) + "]",
    "open quotes": lambda size: repeat('"\\', size),
    "blanks": lambda size: "{" + repeat(" ", size),
    "blanks behind a name": lambda size: '{"@type":' + repeat(" ", size) + "x}",
    "digits": lambda size: '{"a":' + repeat("1", size) + "}",
    "escapes": lambda size: json.dumps(
        {"@type": "Article", "name": repeat("\u0007\ud83c", size // 6)}
    ),
    "paid parts": lambda size: _article(
        isAccessibleForFree=False,
        hasPart=[
            {"@type": "WebPageElement", "isAccessibleForFree": False, "cssSelector": f".c{n}"}
            for n in range(size // 90)
        ],
    ),
}


def _article(**fields: object) -> str:
    return json.dumps({"@context": "https://schema.org", "@type": "NewsArticle"} | fields)


def _table(row: str, size: int) -> object:
    return html_page(f"<table>{number(row, size)}</table>")


def _wide_table(size: int) -> object:
    row = f"<tr>{repeat('<td>a</td>', size // 3)}</tr>"
    return html_page(f"<table>{row * 3}</table>")


def _growing_table(size: int) -> object:
    """Each row has a cell more than the one before it."""
    rows: list[str] = []
    length = 0
    while length < size:
        rows.append(f"<tr>{'<td>a' * (len(rows) + 1)}")
        length += len(rows[-1])
    return html_page(f"<table>{''.join(rows)}</table>")


def _cell(piece: str, size: int) -> object:
    text = repeat(piece, size // 4)
    row = f"<tr><th><p>a</p>{text}<p>b</p></th><td>{text}</td></tr>"
    return html_page(f"<table>{row * 2}</table>")


def _section(piece: str, size: int) -> object:
    return html_page(number(piece, size))


def _head(piece: str, size: int) -> object:
    return html_page("<p>Water.</p>", number(piece, size))


def _long_meta(tag: str, piece: str, size: int) -> object:
    return html_page("<p>Water.</p>", tag.format(repeat(piece, size)))


def _data(make: Callable[[int], str], size: int) -> object:
    return html_page("<p>Water.</p>", f"<script type='application/ld+json'>{make(size)}</script>")


def _data_twice(size: int) -> object:
    """Many scripts, and elements that they speak of."""
    script = '<script type="application/ld+json">{"@type":"Article","isAccessibleForFree":false,"hasPart":{"cssSelector":".c#"}}</script><p class="c#">a</p>'
    return html_page(number(script, size))


def _menus(size: int) -> object:
    """A page whose text stands in menus that are never closed."""
    count = min(1_000, size // 20)
    return reply_of(f"<body>{'<nav>' * count}{repeat('<i></i>', size)}<p>{WORDS}{WORDS}</p>")


SHAPES = [
    Shape("menus in menus", _menus, read_page),
    *(Shape(name, partial(_table, row), read_page) for name, row in _BODIES.items()),
    Shape("wide table", _wide_table, read_page),
    Shape("growing table", _growing_table, read_page),
    *(
        Shape(f"cell of {name}", partial(_cell, piece), read_page)
        for name, piece in {
            "U+3000": "\u3000",
            "breaks": "<br>",
            "words": "tide ",
            "nbsp": "&nbsp;",
            "newlines": "\n",
        }.items()
    ),
    *(Shape(name, partial(_section, piece), read_page) for name, piece in _SECTIONS.items()),
    *(Shape(f"head: {name}", partial(_head, piece), read_page) for name, piece in _METAS.items()),
    *(
        Shape(f"head: {name}", partial(_long_meta, tag, piece), read_page)
        for name, (tag, piece) in _LONG_METAS.items()
    ),
    *(Shape(f"JSON-LD: {name}", partial(_data, make), read_page) for name, make in _DATA.items()),
    Shape("JSON-LD: many paid parts", _data_twice, read_page),
]
