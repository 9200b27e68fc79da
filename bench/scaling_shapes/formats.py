"""Other formats than HTML, and other encodings than UTF-8."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import PROSE, WORDS, read_bytes, read_page, reply_of
from webquarry.net.robots import read_policy

_MARKDOWN = {
    "heading of blanks": "# a{} b|| ",
    "heading of signs": "# a{} b||# ",
    "heading of signs joined": "# a{}b||#",
    "headings": "{}||# a #\n\ntext\n\n",
    "underlined headings": "{}||a #\n===\n",
    "underlines": "{}||=\n",
    "open fences": "{}||```a\n",
    "fences": "{}||```\na\n```\n",
    "fences of all lengths": "{}||```\n````\n`````\n``````\n",
    "open tildes": "{}||~~~a\n",
    "ticks": "{}||` ",
    "ticks of many lengths": "{}||` `` ``` ```` ",
    "images in images": "{}||![",
    "links": "{}||[a](/b#) ",
    "links in links": "{}||[[a](b)",
    "open links": "{}||[a](b",
    "targets in parentheses": "[a]({}||(",
    "targets in angles": "[a](<{}||<",
    "titles of targets": '[a](b "{}||" ',
    "references": "{}||[a][#]\n\n[#]: /b\n\n",
    "footnotes": "{}||[^#] a\n\n[^#]: b\n\n",
    "emphasis": "{}||*a",
    "emphasis in words": "a{}b||_",
    "quotations": "{}||> ",
    "lists": "{}||- a\n",
    "lists in lists": "LISTS",
    "rows": "|a|b|\n|-|-|\n{}|||a|b|\n",
    "delimiter row": "|a|\n|{}|||-|",
    "front matter": "---\ntitle: a{} b\n---\ntext|| ",
    "open front matter": "---\n{}||a: b\n",
    "html": "{}||<div>a",
    "comments": "{}||<!--",
    "blank lines": "a{}b||\n",
    "lines of blanks": "a{}b||  \n",
    "bars": "{}||| ",
    "escapes": "{}||\\",
    "rules": "{}||---\n\n",
    "addresses": "{}||<https://a.example/#> ",
    "open addresses": "{}||<https:a",
    "mail addresses": "{}||<a@b.example>",
    "entities": "{}||&amp;&#35;&",
    "targets that seem to end": "{}||[x](y\\)",
    "targets of targets": "{}||[x](y(z\\)",
    "titles on lines": '{}||[x](y "\n',
    "labels of escapes": "{}||[x][\\]",
    "definitions": "{}||[a#]: /b\n",
    "definitions of one label": "{}||[a]: /b\n",
    "open definitions": "{}||[a\n",
    "definitions with titles": "{}||[a#]: /b 'c\n",
    "definitions in quotations": "{}||> > > [a#]: /b\n",
    "long emphasis": "{}||*a **b ",
    "emphasis of all lengths": "{}||*_**__***___a ",
    "ticks and bars": "{}||`a|b` | ``",
    "ticks over lines": "{}||`a\n``b\n",
    "quotations of items": "{}||> - > - ",
    "quotations of fences": "{}||> > ```\n",
    "quoted lines": "{}||> > > > a\n",
    "items in one line": "{}||- - - a\n",
    "numbered items": "{}||123456789. ",
    "tags of quotes": "{}||<a b='",
    "tags of both quotes": "{}||<a b='\" c=\"'",
    "scripts": "{}||<script>",
    "blocks of HTML": "{}||<div\n\n",
    "instructions": "{}||<?a",
    "sections": "{}||<![CDATA[",
    "declarations": "{}||<!a",
    "tags in table": "<table>{}||\n<td>a",
    "footnote marks": "{}||[^a] ",
    "images in brackets": "{}||[![a]",
    "closed brackets": "[{}||]",
    "checked items": "{}||- [x] a\n",
}
# What is opened as often as it is closed: the openings, what stands between, the closings.
_PAIRS = {
    "closed images in images": ("![", "a", "](b)"),
    "closed brackets in brackets": ("[", "x", "]("),
    "closed labels in brackets": ("[", "x", "][a]"),
    "closed brackets only": ("[", "x", "]"),
    "closed brackets that blanks divide": ("[ ", "x", " ]"),
    "parentheses in parentheses": ("[a](" + "(", "x", ")"),
    "tags in tags": ("<b>", "x", "</b>"),
    "boxes in boxes": ("<div>\n\n", "x", "\n\n</div>"),
    "emphasis in emphasis": ("*a ", "x", " b*"),
    "strong in strong": ("**", "x", "**"),
    "quotes in quotes": ("> ", "x", "\n"),
}
_TEXTS = {
    "words": "The tide comes in. ",
    "one word": "a",
    "lines": "a line\n",
    "blanks": " ",
    "newlines": "\n",
    "carriage returns": "\r",
    "initials": "A. ",
    "brackets": "<|",
    "turns": "\n\nHuman: ",
    "zero-width": "\u200b",
    "overrides": "\u202e",
    "tags": "\U000e0041",
    "selectors": "\ufe0f",
    "marks": "\u0301\u0316",
    "diffs": "-a\n+b\n",
    "markup": "<p>",
    "references": "&amp;",
}
_CSV = {
    "rows": "a,b,#\n",
    "columns": "a,",
    "quotes": '"a""b",',
    "open quotes": '"a,',
    "empty rows": ",,,\n",
    "semicolons": "a;b,c\n",
    "blanks": " ,",
    "signs": "*_`[,",
}
_JSON = {
    "numbers": lambda size: f"[{repeat('1,', size)}1]",
    "deep": lambda size: "[" * size + "]" * size,
    "deep objects": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "keys": lambda size: "{" + number('"a#":1,', size) + '"z":1}',
    "text": lambda size: json.dumps(repeat("tide ", size)),
    "escapes": lambda size: '"' + repeat("\\u0061", size) + '"',
    "escaped quotes": lambda size: '"' + repeat('\\"', size) + '"',
    "open texts": lambda size: repeat('["a', size),
    "digits": lambda size: repeat("1", size),
    "blanks": lambda size: "[" + repeat(" ", size),
}
_XML = {
    "elements": "<a>b</a>",
    "open elements": "<a>",
    "comments": "<!-- a -->",
    "open comments": "<!--",
    "sections": "<![CDATA[a]]>",
    "instructions": "<?a b?>",
    "types": "<!DOCTYPE a ",
    "entities": "&a;",
}
_ITEMS = {
    "items": "<item><title>Tide #</title><link>https://a.example/#</link><description>Water</description></item>",
    "items of HTML": "<item><title>a</title><description>&lt;p&gt;Water &lt;b&gt;#&lt;/b&gt;</description></item>",
    "items of code": "<item><title>a</title><description>&lt;p&gt;&lt;code&gt;```&lt;/code&gt;</description></item>",
    "enclosures": "<item><title>a</title><enclosure url='https://a.example/#'/></item>",
    "empty items": "<item/>",
    "authors": "<item><author>a@b.example (Ines #)</author><title>a</title></item>",
    "items in items": "<item><title>a</title>",
}
_RULES = {
    "rules": "Disallow: /a#\n",
    "rules of stars": "Disallow: /a*b*c#\n",
    "rules of all": "User-agent: *\nDisallow: /#\n",
    "agents": "User-agent: bot#\n",
    "agents and rules": "User-agent: bot#\nDisallow: /#\n",
    "blank lines": "\n",
    "comments": "# a\n",
    "sitemaps": "Sitemap: https://a.example/#\n",
    "percents": "Disallow: /%61%#\n",
}
_LINES = {
    "stars": "*a",
    "blanks": " ",
    "percents": "%41",
    "letters": "a",
    "letters beyond ASCII": "\u6f6e",
}
_ENCODINGS = [
    "windows-1252",
    "windows-1251",
    "iso-8859-2",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "big5",
    "euc-kr",
    "utf-16-le",
    "utf-16-be",
    "koi8-r",
    "windows-1255",
    "utf-8",
]


def _markdown(template: str, size: int) -> object:
    if template == "LISTS":
        text = "".join(f"{'  ' * (place % 300)}- a\n" for place in range(max(1, size // 300)))
    else:
        frame, piece = template.split("||", 1)
        text = frame.replace(
            "{}",
            number(piece, size)
            if "#" in piece and piece not in ("#", "# ")
            else repeat(piece, size),
        )
    return reply_of(f"{text}\n\n{WORDS}\n", "text/markdown")


def _nested(parts: tuple[str, str, str], size: int) -> object:
    opening, inside, closing = parts
    count = max(1, size // len(opening + closing))
    text = opening * count + inside + closing * count
    return reply_of(f"{text}\n\n{WORDS}\n", "text/markdown")


def _text(piece: str, size: int) -> object:
    return reply_of(f"{WORDS}\n{repeat(piece, size)}\n{WORDS}", "text/plain")


def _csv(piece: str, size: int) -> object:
    return reply_of("a,b,c\n1,2,3\n" + number(piece, size), "text/csv")


def _json(make: Callable[[int], str], size: int) -> object:
    return reply_of(make(size), "application/json")


def _xml(piece: str, size: int) -> object:
    return reply_of(f"<?xml version='1.0'?><r>{repeat(piece, size)}</r>", "application/xml")


def _feed(piece: str, size: int) -> object:
    return reply_of(
        f"<?xml version='1.0'?><rss version='2.0'><channel><title>a</title>{number(piece, size)}</channel></rss>",
        "application/rss+xml",
    )


def _atom(size: int) -> object:
    entry = "<entry><title>Tide #</title><link href='/#'/><author><name>A</name></author><content type='html'>&lt;p&gt;b</content></entry>"
    return reply_of(
        f"<feed xmlns='http://www.w3.org/2005/Atom'>{number(entry, size)}</feed>",
        "application/atom+xml",
    )


def _rules(piece: str, size: int) -> object:
    return reply_of("User-agent: *\n" + number(piece, size), "text/plain")


def _long_rule(piece: str, size: int) -> object:
    return reply_of(f"User-agent: *\nDisallow: /{repeat(piece, size)}b\n", "text/plain")


def _read_rules(reply: object) -> object:
    policy = read_policy(reply, "webquarry")  # type: ignore[arg-type]
    assert policy.rules is not None
    return policy.rules.can_fetch("https://bench.example/" + "a" * 1_000, "webquarry")


def _encoded(encoding: str, size: int) -> object:
    letters = "\u0434\u043e\u043c \u6f6e\u6c50 caf\u00e9 \uc870\uc218 "
    text = (
        letters.encode(encoding, "ignore") + b" "
        if not encoding.startswith("utf-16")
        else letters.encode(encoding)
    )
    body = PROSE.encode(encoding) + "<p>".encode(encoding) + text * (size // len(text))
    return reply_of(body, "text/html")


def _wrong_bytes(size: int) -> object:
    return reply_of(
        PROSE.encode() + bytes(range(128, 256)) * (size // 128), "text/html; charset=utf-8"
    )


SHAPES = [
    *(
        Shape(f"markdown: {name}", partial(_markdown, text), read_page)
        for name, text in _MARKDOWN.items()
    ),
    *(
        Shape(f"markdown: {name}", partial(_nested, parts), read_page)
        for name, parts in _PAIRS.items()
    ),
    *(Shape(f"text: {name}", partial(_text, piece), read_page) for name, piece in _TEXTS.items()),
    *(Shape(f"raw: {name}", partial(_text, piece), read_bytes) for name, piece in _TEXTS.items()),
    *(Shape(f"csv: {name}", partial(_csv, piece), read_page) for name, piece in _CSV.items()),
    *(Shape(f"json: {name}", partial(_json, make), read_page) for name, make in _JSON.items()),
    *(Shape(f"xml: {name}", partial(_xml, piece), read_page) for name, piece in _XML.items()),
    *(Shape(f"rss: {name}", partial(_feed, piece), read_page) for name, piece in _ITEMS.items()),
    Shape("atom: entries", _atom, read_page),
    *(
        Shape(f"robots: {name}", partial(_rules, piece), _read_rules, 1_000_000)
        for name, piece in _RULES.items()
    ),
    *(
        Shape(f"robots: long rule of {name}", partial(_long_rule, piece), _read_rules, 1_000_000)
        for name, piece in _LINES.items()
    ),
    *(Shape(f"encoding: {name}", partial(_encoded, name), read_page) for name in _ENCODINGS),
    Shape("encoding: wrong bytes", _wrong_bytes, read_page),
]
