"""Code in a page: its text and its language."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from lxml import etree

from webquarry._read.html.tree import first_texts, get_value
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim

Element = etree._Element
_LANGUAGE_CLASSES = (
    re.compile(
        r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?:text-)?|mw-highlight-lang-"
        r"|brush:\s*|sourcecode\s+|src-|code-)([a-z][a-z0-9+#._-]{0,30})",
        re.IGNORECASE,
    ),
    re.compile(  # of a highlighter
        r"(?:^|\s)(?:hljs|sourceCode|highlight|prettyprint|prism|shiki)\s+"
        r"([a-z][a-z0-9+#.]{0,20})(?:\s|$)"
    ),
)
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#._-]{0,30}")
_NOT_LANGUAGES = re.compile(
    r"default|none|plain|plaintext|text|txt|nohighlight|source|wrapper|block|inner|toolbar|box"
    r"|container|snippet|content|table|copy|example|linenums|lines?|code|hljs|highlight"
    r"|github-\w+|nord|notranslate|numbers"
)
_MAX_CLASS = 500  # characters of a class attribute that are examined
_BOXES_AROUND = 2  # around a code block that may name its language
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:gutter|lineno|linenos|linenodiv|line-?numbers?(?:-rows)?|hljs-ln-numbers"
    r"|blob-num|crayon-nums?|ln)(?:\s|$)"
)
_COPY_BUTTON = re.compile(r"(?:^|[\s_-])(?:code-?copy\S*|copy-?(?:code|button|btn)\S*)(?:\s|$)")
_MAX_NUMBERS = 5_000  # texts of a column
_MAX_COLUMN = 50_000  # characters
_NUMBERS = re.compile(r"[\d\s.:|+-]*")
_BLOCKS = ("p", "h1", "h2", "h3", "h4", "ul", "table", "section", "article", "header", "footer",
    "blockquote")  # fmt: skip
_MAX_INSIDE = 200  # elements in inline code that are examined
_BLANK_LINES = re.compile(r"(?:[ \t]*+\n)*+")  # at the beginning
_SPACES = re.compile(r"[ \t\n\f\r\u2028\u2029\u00a0]+")
_TICKS = re.compile("`+")
_OTHER_BREAKS = re.compile("\r\n?|[\f\u2028\u2029]")


def is_beside_code(element: Element) -> bool:
    """Whether an element is a column of line numbers or a button to copy."""
    names = get_value(element, "class")
    if not names:
        return False
    names = names.lower()
    if _COPY_BUTTON.search(names):
        return True
    if not _GUTTER.search(names):
        return False
    return all(map(_NUMBERS.fullmatch, first_texts(element, _MAX_NUMBERS, _MAX_COLUMN)))


def find_language(pre: Element) -> str:
    """Return the language that attributes of a code block, the code in it or the boxes around it
    name; empty if there is none.
    """
    around = islice(pre.iterancestors(), _BOXES_AROUND)
    for element in (pre, *pre.iterchildren("code"), *around):
        names = [get_value(element, name) or "" for name in ("data-lang", "data-language")]
        classes = (get_value(element, "class") or "")[:_MAX_CLASS]
        for pattern in _LANGUAGE_CLASSES if classes else ():
            names += pattern.findall(classes)
        for name in names:
            language = name.strip().lower()
            if _LANGUAGE.fullmatch(language) and not _NOT_LANGUAGES.fullmatch(language):
                return language
    return ""


def clean_code(raw: str, removed: Counter[str]) -> str:
    """Return the text of a code block; empty for a blank one."""
    text = _OTHER_BREAKS.sub("\n", raw)
    text = text.replace("\u00a0", " ")
    beginning = _BLANK_LINES.match(text)
    assert beginning is not None
    text = text[beginning.end() :].rstrip()
    text = strip_invisible(text, removed)
    text = defuse_verbatim(text, removed)
    if text.strip():
        return text
    return ""


def format_code_span(raw: str, removed: Counter[str]) -> str:
    """Return inline code with the spaces around it, or only spaces."""
    text = _SPACES.sub(" ", raw)
    text = strip_invisible(text, removed)
    text = defuse_verbatim(text, removed)
    inner = text.strip(" ")
    if not inner:
        return text
    lead = " " if text[0] == " " else ""
    trail = " " if text[-1] == " " else ""
    ticks = "`"
    runs = set(_TICKS.findall(inner))
    while ticks in runs:
        ticks += "`"
    if inner[0] == "`" or inner[-1] == "`":
        inner = f" {inner} "
    return f"{lead}{ticks}{inner}{ticks}{trail}"


def split_lines(raw: str) -> list[str]:
    """Return the lines of collected code."""
    text = _OTHER_BREAKS.sub("\n", raw)
    return text.split("\n")


def has_blocks(element: Element) -> bool:
    """Whether inline code contains paragraphs and lists, because it was never closed."""
    descendants = islice(element.iterdescendants(), _MAX_INSIDE)
    return any(inner.tag in _BLOCKS for inner in descendants)
