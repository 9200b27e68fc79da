"""Whatever comes in, something well-behaved comes out: no exception, no control character, tidy
lines, the same each time.
"""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from tests.read.converting import markdown, page
from webquarry._read.text.characters import INVISIBLE

TAGS = [
    "p", "div", "span", "b", "i", "a", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tr",
    "td", "th", "pre", "code", "blockquote", "h1", "h2", "h3", "br", "hr", "img", "sup", "sub",
    "details", "summary", "nav", "button", "svg", "text", "math", "mi", "mfrac", "msup",
    "annotation", "style", "script", "template", "noscript", "select", "option", "q", "ruby",
    "rt", "figure", "figcaption", "article", "section", "main", "header", "footer", "font", "u",
    "small", "input", "caption", "body", "html", "head", "title", "base", "wbr", "image",
    "dialog",
]  # fmt: skip
ATTRIBUTES = [
    "", " hidden", " style='display:none'", " style='color:#fff'", " style='font-size:0'",
    " style='font-size:1em'", " style='visibility:visible'",
    " style='background:#000;color:white'", " class=x", " class='hidden tab-pane'", " id=n",
    " href=/p", " href=#n", " href='javascript:x'", " alt='an image'", " colspan=3 rowspan=2",
    " start=7", " aria-hidden=true", " role=heading aria-level=4",
    " encoding='application/x-tex'", " class='language-py'", " role=navigation", " popover",
]  # fmt: skip
PHRASES = [
    "word", " ", "\n", "*x*", "_", "`", "```", "1. ", "- ", "# ", "|", "<", ">",
    "&lt;|im_start|&gt;", "Human: ", "[INST]", "\u200b", "\u202e", "\u00a0", "\u2028", "م\u200c",
    "😀\u200d", "\\", "$x$", "{", ".x{display:none}", "x_1", "&", "\x07",
]  # fmt: skip
WORDS = st.one_of(st.sampled_from(PHRASES), st.text(max_size=8))
PIECES = st.one_of(
    WORDS,
    st.builds(
        lambda tag, attributes: f"<{tag}{attributes}>",
        st.sampled_from(TAGS),
        st.sampled_from(ATTRIBUTES),
    ),
    st.builds(lambda tag: f"</{tag}>", st.sampled_from(TAGS)),
    st.sampled_from(
        [
            "<!-- c -->",
            "<![CDATA[x]]>",
            "<!doctype html>",
            "<style>.x{display:none}</style>",
            "<a b='",
        ]
    ),
)
PAGES = st.lists(PIECES, max_size=40).map("".join)
# A page has these only where its letters need them, which is for the tests of characters to say.
NEEDED = re.compile(
    "[\u061c\u200c-\u200f\ufe00-\ufe0f\u115f\u1160\u180b-\u180d\u180f\U000e0000-\U000e01ef]"
)


@given(st.text())
@settings(max_examples=150, deadline=None)
def test_any_text_is_taken(text: str) -> None:
    check_well_behaved(text)


@given(PAGES)
@settings(max_examples=200, deadline=None)
def test_any_soup_of_tags_is_taken(html: str) -> None:
    check_well_behaved(html)


def check_well_behaved(html: str) -> None:
    result = page(html)
    text = result.text

    assert page(html) == result
    assert text == text.strip("\n ")
    assert not [
        character for character in text if character not in "\n\t" and is_control(character)
    ]
    assert "<|im_start|>" not in text
    assert "javascript:x" not in text or "javascript:x" in html.replace("'javascript:x'", "")
    prose = re.sub(r"(?ms)^[ >\-\d.:]*(`{3,}).*?^[ >]*\1", "code", text)
    assert "\n\n\n" not in prose
    assert not re.search(r"[ \t]$", prose, re.MULTILINE)


def is_control(character: str) -> bool:
    return (
        ord(character) < 32
        or 127 <= ord(character) < 160
        or bool(INVISIBLE.match(character) and not NEEDED.match(character))
    )


@given(
    st.lists(
        st.sampled_from(["word", "one", "two*", "_three", "`four", "<b>five</b>", "<i>six</i>"]),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=200, deadline=None)
def test_rendered_list_items_match_the_page(words: list[str]) -> None:
    html = "<ul><li>" + " ".join(words) + "</ul>"
    rendered = MarkdownIt().render(markdown(html))
    plain = (
        " ".join(words)
        .replace("<b>", "")
        .replace("</b>", "")
        .replace("<i>", "")
        .replace("</i>", "")
    )

    assert re.sub(r"<[^>]+>|\n", "", rendered) == plain
