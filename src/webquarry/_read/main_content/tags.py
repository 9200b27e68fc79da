"""What a tag means to the walk that makes blocks, and which boxes are never the point of a page."""

from __future__ import annotations

import re
from functools import lru_cache

from lxml import etree

from webquarry._native import PageTags
from webquarry._read.html.class_names import judge_classes
from webquarry._read.html.panel_buttons import is_panel_button

# Kinds: nothing to do for the first, the next ones are walked into, the others are not.
INLINE, LINK, BLOCK, PRE, BUTTON, DROP, BREAK, ATOM, SVG = range(9)

_INLINE = """
    abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rt ruby
    s samp small span strike strong sub sup time tt u var g text tspan textpath switch slot
""".split()  # noqa: SIM905
_DROPPED = """
    applet area audio base canvas col colgroup datalist embed frame frameset head iframe img image
    input link meta meter nav object optgroup option param picture progress rp script select
    source style template textarea title track video wbr desc metadata defs symbol mask pattern
    clippath marker noembed noframes
""".split()  # noqa: SIM905

KINDS: dict[object, int] = {
    etree.Comment: DROP,
    etree.ProcessingInstruction: DROP,
    etree.Entity: DROP,
    **dict.fromkeys(_INLINE, INLINE),
    **dict.fromkeys(_DROPPED, DROP),
    "a": LINK,
    "br": BREAK,
    "button": BUTTON,
    "math": ATOM,
    "pre": PRE,
    "svg": SVG,
}
_BOXES_IN_PRE = """
    p div li tr td th ol ul table tbody pre blockquote h1 h2 h3 h4 figure section
""".split()  # noqa: SIM905
IN_PRE: dict[object, int] = {
    **KINDS,
    **dict.fromkeys(_BOXES_IN_PRE, INLINE),
    "button": DROP,
    "br": ATOM,
}

# A drawing with one of these is walked: it contains text, or the rest of a page.
BLOCKS_IN_SVG = (
    "p", "div", "h1", "h2", "h3", "ul", "ol", "table", "section", "article", "main", "text",
    "foreignobject",
)  # fmt: skip
# The class of every image of a formula contains one of these.
FORMULA_CLASSES = (b"math", b"tex", b"ql-img-")

_HIDING_STYLE = re.compile(r"(?i)display\s*:\s*none|visibility\s*:\s*hidden")
_judge_classes = lru_cache(maxsize=4096)(judge_classes)

MAIN_FLAG = 1
ARTICLE_FLAG = 2
ASIDE_FLAG = 4
FOOTER_FLAG = 8
HEADER_FLAG = 16
CAPTION_FLAG = 32
PARAGRAPH_FLAG = 64
ITEM_FLAG = 128
CELL_FLAG = 256
QUOTE_FLAG = 512
HIDDEN_FLAG = 1024  # by its own attributes; something on the page may open it
FALLBACK_FLAG = 2048
FORM_FLAG = 4096
CHROME_FLAG = 8192
TERM_FLAG = 16384
TABLE_ROLE_FLAG = 32768  # a table, its rows and its cells, by their roles alone
ROW_ROLE_FLAG = 65536
CELL_ROLE_FLAG = 131072
OUTSIDE = FOOTER_FLAG | HEADER_FLAG | CHROME_FLAG

FLAGS: dict[object, int] = {
    "article": ARTICLE_FLAG,
    "aside": ASIDE_FLAG,
    "blockquote": QUOTE_FLAG,
    "caption": CAPTION_FLAG,
    "dd": TERM_FLAG,
    "dialog": CHROME_FLAG,
    "dt": TERM_FLAG,
    "figcaption": CAPTION_FLAG,
    "footer": FOOTER_FLAG,
    "form": FORM_FLAG,
    "header": HEADER_FLAG,
    "li": ITEM_FLAG,
    "main": MAIN_FLAG,
    "noscript": FALLBACK_FLAG,
    "p": PARAGRAPH_FLAG,
    "td": CELL_FLAG,
    "th": CELL_FLAG,
}
FLAG_OF_ROLE = {
    "alertdialog": CHROME_FLAG,
    "article": ARTICLE_FLAG,
    "cell": CELL_ROLE_FLAG,
    "columnheader": CELL_ROLE_FLAG,
    "complementary": ASIDE_FLAG,
    "contentinfo": FOOTER_FLAG,
    "dialog": CHROME_FLAG,
    "grid": TABLE_ROLE_FLAG,
    "gridcell": CELL_ROLE_FLAG,
    "main": MAIN_FLAG,
    "navigation": CHROME_FLAG,
    "row": ROW_ROLE_FLAG,
    "rowheader": CELL_ROLE_FLAG,
    "table": TABLE_ROLE_FLAG,
}
HEADINGS: dict[object, int] = {f"h{level}": level for level in range(1, 7)}


def is_hiding_style(style: str) -> bool:
    """Whether a style attribute hides its element."""
    return _HIDING_STYLE.search(style) is not None


def is_hiding_class(label: str) -> bool:
    """Whether a class, as it is written at an element, is one that hides."""
    return ("hid" in label or "none" in label) and _judge_classes(label) is not None


PAGE_TAGS = PageTags(
    kinds=KINDS,
    kinds_in_pre=IN_PRE,
    flags=FLAGS,
    role_flags=FLAG_OF_ROLE,
    headings=HEADINGS,
    blocks_in_svg=BLOCKS_IN_SVG,
    is_hiding_style=is_hiding_style,
    is_hiding_class=is_hiding_class,
    is_panel_button=is_panel_button,
)
