"""Pages of tags: each nested, repeated, left open, closed without being open, in attributes."""

from __future__ import annotations

from functools import partial

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import html_page, read_page, reply_of

_TAGS = [
    "div",
    "p",
    "span",
    "a",
    "b",
    "i",
    "em",
    "strong",
    "u",
    "s",
    "small",
    "big",
    "tt",
    "code",
    "kbd",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "dl",
    "dt",
    "dd",
    "table",
    "tr",
    "td",
    "th",
    "thead",
    "tbody",
    "caption",
    "section",
    "article",
    "aside",
    "nav",
    "header",
    "footer",
    "main",
    "h1",
    "h2",
    "h6",
    "form",
    "button",
    "select",
    "option",
    "textarea",
    "input",
    "label",
    "fieldset",
    "details",
    "summary",
    "figure",
    "figcaption",
    "img",
    "picture",
    "video",
    "audio",
    "iframe",
    "svg",
    "math",
    "sup",
    "sub",
    "q",
    "cite",
    "abbr",
    "del",
    "ins",
    "mark",
    "br",
    "hr",
    "wbr",
    "center",
    "font",
    "noscript",
    "template",
    "script",
    "style",
    "title",
    "head",
    "body",
    "html",
    "meta",
    "link",
    "object",
    "embed",
    "map",
    "area",
    "ruby",
    "rt",
    "dialog",
    "menu",
    "canvas",
    "frameset",
    "noframes",
    "xmp",
    "plaintext",
    "marquee",
    "x-custom",
]
_BROKEN = {
    "open comments": "<!-- a ",
    "comments": "<!-- a -->b",
    "comments ended early": "<!-->a",
    "dashes in a comment": "<!----",
    "bogus comments": "<!a ",
    "processing instructions": "<?a ",
    "CDATA": "<![CDATA[ a ",
    "closed CDATA": "<![CDATA[a]]>",
    "doctypes": "<!doctype html>",
    "open tags": "<a ",
    "half tags": "<",
    "tags in tags": "<a <b ",
    "slashes": "</",
    "unknown end tags": "</x>",
    "end tags": "</div></p>",
    "open quotes": '<a b="c ',
    "open single quotes": "<a b='c ",
    "quotes in quotes": "<a b=\"<a b='",
    "misnested": "<b><p><i></b></p></i>",
    "misnested tables": "<table><div><tr><p><td>",
    "links in links": "<a href='/#'><p>",
    "marks over paragraphs": "<u>a<p>b",
    "scripts": "<script>if (a < b) '</scr' </script>a",
    "open scripts": "<script>a ",
    "styles": "<style>p { color: red }</style>a",
    "open styles": "<style>a ",
    "titles": "<title>a</title>",
    "open titles": "<title>a ",
    "conditional comments": "<!--[if IE]> a <![endif]-->",
    "NULs": "\x00a",
    "forms": "<form><input name='a'><button>b</button></form>",
    "frames": "<iframe src='/a'>b</iframe>",
    "svg": "<svg><text>a</text></svg>",
    "math": "<math><mi>a</mi><mo>+</mo></math>",
    "details": "<details><summary>a</summary>b</details>",
    "hidden": "<p hidden>a</p><p>b</p>",
    "hidden by style": "<p style='display:none'>a</p><p>b</p>",
    "rulers": "<hr>a",
    "images": "<img src='/a.png' alt='the tide comes in'>",
    "images in links": "<a href='/#'><img src='/#.png' alt='tide #'></a> ",
    "links": "<a href='/#'>tide #</a> ",
    "paragraphs of links": "<p><a href='/#'>The tide # comes in</a></p>",
    "same links": "<a href='/tide'>tide</a> ",
    "links to places": "<a href='#a#'>#</a><a id='a#'></a>",
    "headings": "<h2>Tide #</h2><p>Water.</p>",
    "headings of all levels": "<h2>a #</h2><h3>b</h3><h6>c</h6><h1>d</h1>",
    "empty headings": "<h3></h3>",
    "footnotes": "<p>a<sup><a href='#fn#' id='r#'>#</a></sup></p><p id='fn#'>Note # <a href='#r#'>^</a></p>",
    "list of notes": "<sup><a href='#fn#'>#</a></sup><ol><li id='fn#'>Note #</li></ol>",
    "marks side by side": "<b>a</b><i>b</i><b>c</b>",
    "empty marks": "<b></b><i> </i>",
    "quotations": "<blockquote><p>a</p></blockquote>",
    "code spans": "<code>a`b</code> ",
    "lines of code": "<pre><code>a = #\nb = `</code></pre>",
    "rubies": "<ruby>a<rt>b</rt></ruby>",
    "figures": "<figure><img src='/#.png' alt='a'><figcaption>Tide #</figcaption></figure>",
    "definitions": "<dl><dt>a #</dt><dd>b</dd></dl>",
    "buttons": "<button aria-expanded='false' aria-controls='p#'>Tide #</button><div id='p#'>b</div>",
    "options": "<select><option>a<option>b</select>",
    "microdata": "<div itemscope itemtype='https://schema.org/Article'><span itemprop='name'>a</span>",
    "list items": "<li>The tide # comes in</li>",
    "cards": "<div class='card'><h3><a href='/#'>Tide #</a></h3><p>It comes in.</p></div>",
    "boxes of words": "<div class='c#'><span>Tide</span> <span>#</span></div>",
}


def _nest(tag: str, size: int) -> object:
    count = size // (2 * len(tag) + 6)
    return html_page(f"<{tag}>a" * count + f"</{tag}>" * count)


def _leave_open(tag: str, size: int) -> object:
    return html_page(repeat(f"<{tag}>a", size))


def _close_each(tag: str, size: int) -> object:
    return html_page(repeat(f"<{tag} class='x'>a b</{tag}> ", size))


def _break(piece: str, size: int) -> object:
    return html_page(number(piece, size))


def _many_attributes(size: int) -> object:
    return html_page(f"<p {number(' a#=b', size)}>a</p>")


def _many_classes(size: int) -> object:
    return html_page(f"<p class='{number(' a#', size)}'>a</p>")


def _long_class_each(size: int) -> object:
    return html_page(repeat(f"<p class='{'a-b_c ' * 40}' id='{'x' * 99}'>a</p>", size))


def _long_style(size: int) -> object:
    return html_page(f"<p style='{repeat('color: red; ', size)}'>a</p>")


def _long_address(piece: str, size: int) -> object:
    return html_page(f"<p><a href='https://a.example/{repeat(piece, size)}'>a</a></p>")


def _deep_with_text(size: int) -> object:
    """Boxes that must stay where they are, as their names could hide what is in them."""
    count = size // 30
    return html_page("<div class='x'><p>tide</p>" * count + "</div>" * count)


def _deep_marks(size: int) -> object:
    count = size // 40
    return html_page("<b><i><a href='/x'><span>a" * count)


def _bare(size: int) -> object:
    return reply_of(repeat("The tide comes in. ", size))


def _one_line_script(size: int) -> object:
    return html_page(f"<script>{repeat('var a = 1; ', size)}</script>")


def _base64_image(size: int) -> object:
    return html_page(f"<img alt='a' src='data:image/png;base64,{repeat('QUJD', size)}'>")


def _put_side_by_side(size: int) -> object:
    """Inline elements in inline elements, with nothing between them."""
    return html_page(repeat("<span><b>x1</b><i>Y2</i></span>", size))


def _around_empty(tag: str, size: int) -> object:
    """Some hundred elements, one in the other, around many that hold nothing."""
    levels = min(300, size // 60)
    return html_page(f"<{tag}>" * levels + repeat("<i></i>", size) + "<p>Tide</p>")


_AROUND_EMPTY = (
    "div id='app'", "div role='heading'", "div itemprop='name'", "span class='lineno'", "h2", "button",
    "pre", "code", "nav", "table", "ul", "dl", "a href='/a'", "details", "svg", "div hidden", "noscript",
    "div style='opacity:.5'", "article", "sup", "label", "td",
)  # fmt: skip

SHAPES = [
    Shape("inline elements side by side", _put_side_by_side, read_page),
    *(
        Shape(f"<{tag}> around empty elements", partial(_around_empty, tag), read_page)
        for tag in _AROUND_EMPTY
    ),
    *(Shape(f"<{tag}> nested", partial(_nest, tag), read_page) for tag in _TAGS),
    *(Shape(f"<{tag}> left open", partial(_leave_open, tag), read_page) for tag in _TAGS),
    *(Shape(f"<{tag}> repeated", partial(_close_each, tag), read_page) for tag in _TAGS),
    *(
        Shape(f"{name} again and again", partial(_break, piece), read_page)
        for name, piece in _BROKEN.items()
    ),
    Shape("many attributes", _many_attributes, read_page),
    Shape("many classes", _many_classes, read_page),
    Shape("long class of each", _long_class_each, read_page),
    Shape("long style", _long_style, read_page),
    *(
        Shape(f"address of {name}", partial(_long_address, piece), read_page)
        for name, piece in {
            "letters": "a",
            "dots": "../",
            "slashes": "/",
            "percents": "%20",
            "queries": "&a=b",
            "parentheses": "(",
            "closed parentheses": "()",
            "blanks": "a b",
            "colons": ":",
        }.items()
    ),
    Shape("deep boxes with classes", _deep_with_text, read_page),
    Shape("deep marks", _deep_marks, read_page),
    Shape("text without tags", _bare, read_page),
    Shape("one script", _one_line_script, read_page),
    Shape("image in base64", _base64_image, read_page),
]
