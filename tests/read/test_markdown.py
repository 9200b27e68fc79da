"""HTML -> Markdown, case by case: what comes out is compared letter by letter."""

from __future__ import annotations

import pytest

from tests.read.converting import BASE, markdown, page
from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import render

WHITE_SPACE = {
    "a<b> x </b>c": "a **x** c",
    "a<!--c-->b": "ab",
    "<p>  a \n\t b  </p>": "a b",
    "<p>a&nbsp;b\u3000c</p>": "a\u00a0b\u3000c",
    "<p>&nbsp;</p>x": "x",
    "a <br> b<br>": "a\nb",
    "a<br><br>b": "a\n\nb",
    "<p>a<span> </span>b": "a b",
    "<p>x <a href=/y> z </a>.": "x [z](https://example.org/y) .",
    "a\u2028b": "a\nb",
    "a<wbr>b<wbr hidden>c": "abc",
    "<embed src=x>a<image alt=b>c<keygen>d": "abcd",
}
BLOCKS_IN_INLINE = {
    "<a href=/x><h3>t</h3><p>q</p></a>": (
        "### [t](https://example.org/x)\n\n[q](https://example.org/x)"
    ),
    "<b><p>x</p><p>y</p></b>": "**x**\n\n**y**",
    "<p>a<b></b><a href=x></a>b</p>": "ab",
    "<h2><br></h2>x": "x",
    "<p><b>Bold<br><br>too</b>": "**Bold**\n\n**too**",
    "<h2><div>One</div><div>heading</div></h2>": "## One heading",
    "<b><h2>x</h2></b>": "## x",
    "<p><b>a</b><b>b</b> <i>c</i><i>d</i>": "**ab** *cd*",
    "<b>a<b>b</b>c</b>": "**abc**",
    "<b>a</b><i>b</i>": "**a** *b*",
    "<p>x<b>“a”</b>y": "x“a”y",
    "<b>a:&nbsp;</b>b": "**a:**\u00a0b",
}
LISTS = {
    "<ul><li><p>a</p><pre>c\nd</pre></li><li>e</ul>": "- a\n\n  ```\n  c\n  d\n  ```\n- e",
    "<ul><ul><li>a</ul></ul>": "- a",
    "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>": "- a\n  - b\n- c",
    "<ul><li>a<ul><li>b<ol><li>c</ol></ul></li><li>d</ul>": "- a\n  - b\n    1. c\n- d",
    "<ol start=3><li>a<li>b</ol>": "3. a\n4. b",
    "<ol start=x><li>a</ol>": "1. a",
    "<ol start=-2><li>a</ol>": "0. a",
    "<ol><li value=7>a<li>b</ol>": "7. a\n8. b",
    "<ol start=9><li>a<p>b</p><li>c<p>d</p></ol>": "9. a\n\n   b\n10. c\n\n    d",
    "<ul>text<li>a</li>between<li>b</li></ul>": "text\n\n- a\n\nbetween\n\n- b",
    "<ul><li><p>a</p><p>b</p><li>c</ul>": "- a\n\n  b\n- c",
    "<ul><li>a<ol start=3><li>b<li>c</ol></ul>": "- a\n\n  3. b\n  4. c",
    "<p>x<ul><li>a</ul>y": "x\n\n- a\n\ny",
    "<ul><li><input type=checkbox disabled checked> a<li><input type=checkbox disabled> "
    "b</ul>": "- [x] a\n- [ ] b",
    "<ul><li><blockquote>a</blockquote></ul>": "- > a",
}
TABLES = {
    "<table><tr><th>A<th>B<tr><td colspan=2>c<tr><td>d<td>e</table>": "|A|B|\n|-|-|\n|c||\n|d|e|",
    "<table><tr><td rowspan=2>a<td>b<tr><td>c</table>": "|a|b|\n|-|-|\n||c|",
    "<table><tr><td>a|b<td>c<br>d<tr><td><p>p<p>q<td><ul><li>x<li>y</ul></table>": (
        "|a\\|b|c d|\n|-|-|\n|p q|- x - y|"
    ),
    "<table><tr><td>one<tr><td>two</table>": "one\n\ntwo",
    "<table><caption>Cap</caption><tr><th>A<td>1<tr><th>B<td>2</table>": (
        "Cap\n\n|||\n|-|-|\n|A|1|\n|B|2|"
    ),
    "<tr><td>a<td>b</tr>": "a b",
    "<table><tr><td colspan=100000>a<td>b<tr><td>c<td>d</table>": "|a||b|\n|-|-|-|\n|c|d||",
    "<table><tr><th>a<th>b<tr><tr><td><td><tr><td>c<td>d</table>": "|a|b|\n|-|-|\n|c|d|",
    "<table><tr><td>a<td><table><tr><td>x<td>y<tr><td>z<td>w</table><tr><td>b<td>c</table>": (
        "a\n\n|x|y|\n|-|-|\n|z|w|\n\nb c"
    ),
    "<table><tr><td>a<td><pre>c\nd</pre><tr><td>e<td>f</table>": "|a|`c` `d`|\n|-|-|\n|e|f|",
    "<table><p>x</p><tr><td>a<td>b<tr><td>c<td>d</table>": "x\n\n|a|b|\n|-|-|\n|c|d|",
    "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>": "a b\n\nc d",
    "<table><thead><tr><td>a<td>b</thead><tbody><tr><td>1<td>2</table>": "|a|b|\n|-|-|\n|1|2|",
    "<table><tr><th>a<th>b<tr><td><h4>x</h4><td><code>p|q</code></table>": (
        "|a|b|\n|-|-|\n|**x**|`p\\|q`|"
    ),
    "<table><tr><td></table>x": "x",
}
CODE = {
    '<pre><code class="language-py">x = 1\n\ty</code></pre>': "```py\nx = 1\n\ty\n```",
    "<pre> \n\t\n  a \n\nb\u3000 \n&nbsp;</pre>": "```\n  a \n\nb\n```",
    f"<pre>{' ' * 50_000}x</pre>": f"```\n{' ' * 50_000}x\n```",
    f"<pre>x{'&nbsp;' * 50_000}y</pre>": f"```\nx{' ' * 50_000}y\n```",
    "<table><tr><th>a<th>b<tr><td><p>c</p>\u3000\u3000<p>d</p><td>e</table>": "|a|b|\n|-|-|\n|c d|e|",
    '<div class="highlight highlight-source-shell"><pre>ls '
    "<span>-l</span><br>pwd</pre></div>": "```shell\nls -l\npwd\n```",
    "<pre>a ``` b</pre>": "````\na ``` b\n````",
    "<code>a``b</code> <code>`</code> <code> x </code>y": "`a``b` `` ` `` `x` y",
    "<pre>\n\n  lead\n\n</pre>": "```\n  lead\n```",
    "<table><tr><td class=gutter><pre>1\n2</pre><td "
    "class=code><pre>a\nb</pre></table>": "```\na\nb\n```",
    '<pre class="line-numbers language-js"><code>f(*x*)</code></pre>': "```js\nf(*x*)\n```",
    "<pre><ol><li>a<li>b</ol></pre>": "```\na\nb\n```",
    "<pre>a&nbsp;b</pre>": "```\na b\n```",
    "<p><code>a<br>b</code>": "```\na\nb\n```",
    "<code><p>never closed<p>and on": "never closed\n\nand on",
    "<a href=/x><code>f</code></a>": "[`f`](https://example.org/x)",
    "<pre><span class=lineno>1</span>a</pre>": "```\na\n```",
    "<kbd>Ctrl</kbd>+<samp>x</samp>": "`Ctrl`+`x`",
}
ESCAPES = {
    "1. x": "1\\. x",
    "# x": "\\# x",
    "#x": "#x",
    "- x": "\\- x",
    "-x": "-x",
    "&gt; x": "\\> x",
    "---": "\\---",
    "a<br>===": "a\n\\===",
    "a<br>1. b": "a\n1\\. b",
    "snake_case": "snake_case",
    "_x_": "\\_x\\_",
    "2*3*4": "2\\*3\\*4",
    "a * b": "a * b",
    "*x*": "\\*x\\*",
    "[a]": "\\[a\\]",
    "`": "\\`",
    "&lt;b": "\\<b",
    "~~x~~": "\\~\\~x\\~\\~",
    "&amp;lt;": "\\&lt;",
    "C:\\dir": "C:\\dir",
    "a\\*": "a\\\\\\*",
    "<code>*x* [a] &lt;b</code>": "`*x* [a] <b`",
    "!<a href=/x>y</a>": "\\![y](https://example.org/x)",
    "<h2>1. x</h2>": "## 1. x",
    "<h2>x #</h2>": "## x \\#",
    "<li>1. x": "- 1\\. x",
}
LINKS = {
    '<a href="a b(c">x]y</a>': "[x\\]y](https://example.org/a/a%20b%28c)",
    '<a href="/w_(x)">z</a>': "[z](https://example.org/w_(x))",
    '<a href="/x\ny">n</a>': "[n](https://example.org/xy)",
    "<a>e</a>": "e",
    '<a href="JaVaScRiPt:x">j</a>': "j",
    '<a href=" \t java\nscript:x">j</a>': "j",
    '<a href="&#1;javascript:x">j</a>': "j",
    '<a href="data:text/html,x">d</a>': "d",
    '<a href="mailto:a@b.c">m</a>': "[m](mailto:a@b.c)",
    '<a href="#f">f</a>': f"[f]({BASE}#f)",
    '<a href="//h/p">h</a>': "[h](https://h/p)",
    '<a href="?q=1">q</a>': "[q](https://example.org/a/b.html?q=1)",
    '<base href="/z/"><base href="/y/"><a href=q>q</a>': "[q](https://example.org/z/q)",
    "<a href=/x title='a\"b'>t</a>": "[t](https://example.org/x)",
    '<a href=/x><img src=y alt="pic"></a>': "[pic](https://example.org/x)",
    "<a href=/x>a</a><a href=/y>b</a>": "[a](https://example.org/x) [b](https://example.org/y)",
    "<a href=/x>a<br>b</a>": "[a b](https://example.org/x)",
    "<a href='/a|b'>p</a>": "[p](https://example.org/a%7Cb)",
    "<a href=#main>Skip to main content</a>x": "x",
    "<h2>T<a href=#t>#</a></h2>": "## T",
}
IMAGES = {
    '<img alt="a  b" src="data:,x" srcset="y 2x">': "a b",
    '<img alt=""><img alt="x" width=1 height=1>y': "y",
    "Hi<img alt='😀'>!": "Hi😀!",
    "<figure><img alt=fig src=x><figcaption>Cap</figcaption></figure>": "fig\n\nCap",
    "<picture><source srcset=x><img alt=p></picture>": "p",
}
OTHER = {
    "<dl><dt>a<dt>b<dd>c<dd>d<dt>e<dd><p>f<p>g</dl>": "a\nb\n: c\n: d\n\ne\n: f\n\n  g",
    "<dl><dt>a</dt><dd>b</dd><dd>c</dd></dl>x": "a\n: b\n: c\n\nx",
    "<details><summary>S</summary><p>body</details>": "**S**\n\nbody",
    "x<sup>2</sup> H<sub>2</sub>O 1<sup>st</sup> a<sup>n+k</sup> "
    "x<sub>max</sub>": "x² H₂O 1st a^n+k^ x~max~",
    "text<sup><a href=#n1>1</a></sup>.<ol><li id=n1>note <a "
    "href=#fnref1>↩</a></ol>": "text[^1].\n\n[^1]: note",
    "a<sup><a href=#n>*</a></sup> b<sup><a href=#m>*</a></sup><p id=n>x<p id=m>y": (
        "a[^note] b[^note-2]\n\n[^note]: x\n\n[^note-2]: y"
    ),
    "a<sup><a href=#gone>1</a></sup>": f"a[1]({BASE}#gone)",
    "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>": "漢(kan)",
    "<p>שלום &rlm;<b>עולם</b>": "שלום \u200f**עולם**",
    "<textarea>x</textarea><select><option>a</select><button>b</button><input value=c>k": "k",
    "<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote><blockquote>d</blockquote>": (
        "> a\n>\n> b\n>\n> > c\n\n> d"
    ),
    "<q>q</q> <del>x</del> <u>u</u> <mark>m</mark>": "“q” ~~x~~ u m",
    "<p>a<hr><hr>b": "a\n\n---\n\nb",
    "<div role=heading aria-level=3>R</div>": "### R",
    "<title role=heading>t</title><nav role=heading>n</nav><span role=heading>s</span>": "## s",
    "<h2><button aria-expanded=false>Q?</button></h2><div class=collapse>A</div>": "## Q?\n\nA",
    "<header>h</header><main>m</main><aside>a</aside><footer>f</footer>": "h\n\nm\n\na\n\nf",
    "<iframe src=x></iframe><video>no</video><object>no</object>x": "x",
    "<nav>n</nav><div role=navigation>n</div>x": "x",
}
MATH = {
    "<math><semantics><mrow><mi>x</mi><mo>=</mo><mn>1</mn></mrow>"
    '<annotation encoding="application/x-tex">x=1</annotation></semantics></math>': "$x=1$",
    "<math display=block><semantics><mi>x</mi>"
    '<annotation encoding="application/x-tex">x</annotation></semantics></math>': "$$x$$",
    "<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo>"
    "<mfrac><mi>a</mi><mi>b</mi></mfrac></math>": r"$x^2 + \frac{a}{b}$",
    "<math><semantics><mi>x</mi>"
    '<annotation encoding="application/x-tex">ignore previous words</annotation>'
    "</semantics></math>": "$x$",
    "<span class=katex><span class=katex-mathml><math><semantics><mi>c</mi>"
    '<annotation encoding="application/x-tex">c</annotation></semantics></math></span>'
    "<span class=katex-html aria-hidden=true>c</span></span>": "$c$",
    '<img class="mwe-math-fallback-image-inline" aria-hidden=true '
    r'alt="{\displaystyle a^{2}}">': "$a^{2}$",
    "<script type='math/tex'>x_1</script>y": "y",
    r"<script src=/MathJax.js></script><p>\(a_{i}*b\) costs $5": "$a_{i}*b$ costs $5",
    r"<p>grep \(a\)": r"grep \\(a\\)",
}
MALFORMED = {
    "": "",
    "<!-- -->": "",
    "<body><p>a</body></html><p>c": "a\n\nc",
    "<html><p>a</html><html><p>b</html>": "a\n\nb",
    "<svg><p>text": "text",
    "<h1>a<h2>b</h2>": "# a\n\n## b",
    "<b>1<i>2</b>3</i>": "**1*2***3",
    "<noscript>enable scripts</noscript>x": "x",
    "<template>t</template>x": "x",
    "a\x00b": "ab",
    "a&#0;b &#128; &#xD800;": "a\ufffdb € \ufffd",
    "<3 <>": "<3 <>",
    "<p>a<div cla": "a",
    "a \ud83d b": "a \ufffd b",
    "\ud83d\ude00": "😀",
    '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml">'
    "<body><p>x</p></body></html>": "x",
    "<h1>Title<p>text": "# Title\n\ntext",
    "<meta charset=utf-8><title>t</title><main><p>m</main><x-y>z</x-y>": "m\n\nz",
}
CASES = [
    pytest.param(html, expected, id=f"{kind}: {html[:50]}")
    for kind, cases in {
        "white space": WHITE_SPACE,
        "blocks in inline": BLOCKS_IN_INLINE,
        "lists": LISTS,
        "tables": TABLES,
        "code": CODE,
        "escapes": ESCAPES,
        "links": LINKS,
        "images": IMAGES,
        "other": OTHER,
        "math": MATH,
        "malformed": MALFORMED,
    }.items()
    for html, expected in cases.items()
]


@pytest.mark.parametrize(("html", "expected"), CASES)
def test_html_becomes_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_the_title_is_given_apart_and_is_not_in_the_text() -> None:
    result = page(
        "<title> A\n &lt;|im_start|&gt; title\u200b </title><svg><title>no</title></svg><p>x"
    )

    assert result.title == "A < |im_start|> title"
    assert result.text == "x"


def test_thread_in_noscript_is_read_with_a_note() -> None:
    thread = "<p>" + "a word of the thread " * 40
    result = page(f"<header>Forum</header><noscript>{thread}</noscript>")

    assert result.text.startswith("Forum\n\na word of the thread")
    assert len(result.notes) == 1


def test_a_long_request_to_turn_scripts_on_is_not_the_page() -> None:
    assert page("<noscript>" + "Please enable JavaScript. " * 40 + "</noscript>").text == ""


def test_a_long_text_for_an_image_is_cut_and_counted() -> None:
    result = page(f"<img alt='{'word ' * 200}'>")

    assert len(result.text) <= 251
    assert result.text.endswith("word…")
    assert result.removed == {"long image text": 1}


def test_a_menu_whose_end_the_parser_misses_does_not_take_the_page_along() -> None:
    html = "<nav><div>menu</nav><main><h1>Head</h1>" + "<p>The text of the page. " * 30

    assert "# Head" in markdown(html)


def test_some_elements_of_a_page_can_be_rendered_with_its_styles_and_base() -> None:
    document = parse_html(
        "<base href=/z/><style>.x{display:none}</style>"
        "<p>a<div>b <a href=q>c</a><i class=x>d</i></div>e"
    )
    chosen = [element for element in document.elements() if element.tag == "div"]

    assert render(document, BASE, chosen).text == "b [c](https://example.org/z/q)"


def test_lists_stop_indenting_at_some_depth_and_lose_no_text() -> None:
    text = markdown("".join(f"<ul><li>level-{number}" for number in range(60)))

    assert all(f"level-{number}\n" in text + "\n" for number in range(60))
    assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) < 30


def test_one_link_around_everything_marks_only_its_beginning() -> None:
    text = markdown("<a href=/x>" + "<p>word</p>" * 100)

    assert text.count("](https://example.org/x)") == 16
    assert text.count("word") == 100


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>Usage<a href=#usage>¶</a></h2>", "## Usage"),
        ("<h2>Usage <a href=https://a.example/guide#usage>#</a></h2>", "## Usage"),
        ("<h2><a href=/guide#usage>Usage</a></h2>", "## Usage"),
        ("<h2>\n <a href=#usage>Permalink</a> Usage</h2>", "## Usage"),
        ("<h2>Usage <a href=#usage>Link to this heading</a></h2>", "## Usage"),
        ("<h2>\n <a href=#link>Link</a></h2>", "## Link"),
        ("<a href=#usage><h2>Usage</h2></a>", "## Usage"),
        ("<h2><a href=/other#usage>Usage</a></h2>", "## [Usage](https://a.example/other#usage)"),
        ("<p>See <a href=#usage>Usage</a></p>", "See [Usage](https://a.example/guide#usage)"),
    ],
)
def test_the_anchor_of_a_heading_is_no_link(html: str, expected: str) -> None:
    assert markdown(html, "https://a.example/guide") == expected


def test_a_cell_that_ends_in_a_backslash_does_not_swallow_the_next() -> None:
    cell = "c:" + "\\"

    shown = markdown(f"<table><tr><th>a<th>b<tr><td>{cell}<td>d</table>")

    assert shown.endswith(f"|{cell}\\ |d|")
