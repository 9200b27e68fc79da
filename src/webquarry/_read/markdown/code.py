"""Code as it stands in a page -> a fenced block or a code span, and which language it is in.

Below: what the tags inside of code do.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

from webquarry._native import WordSearch
from webquarry._read.html.tree import first_texts, get_value
from webquarry._read.markdown.actions import SKIP, Action, Element, Leave
from webquarry._read.markdown.inline import BREAK
from webquarry._read.text.characters import strip_invisible
from webquarry._read.text.delimiters import defuse_verbatim

if TYPE_CHECKING:
    from webquarry._read.markdown.walker import Walker

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?:text-)?|mw-highlight-lang-"
    r"|brush:\s*|sourcecode\s+|src-|code-)([a-z][a-z0-9+#._-]{0,30})",
    re.IGNORECASE,
)
_HIGHLIGHTER_CLASS = re.compile(
    r"(?:^|\s)(?:hljs|sourceCode|highlight|prettyprint|prism|shiki)\s+"
    r"([a-z][a-z0-9+#.]{0,20})(?:\s|$)"
)
_LANGUAGE = re.compile(r"[a-z][a-z0-9+#._-]{0,30}")
_NOT_LANGUAGES = re.compile(
    r"default|none|plain|plaintext|text|txt|nohighlight|source|wrapper|block|inner|toolbar|box"
    r"|container|snippet|content|table|copy|example|linenums|lines?|code|hljs|highlight"
    r"|github-\w+|nord|notranslate|numbers"
)
_LONGEST_CLASS = 500  # characters of a class attribute that are looked at
_BOXES_AROUND = 2  # around a block of code that may name its language
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:gutter|lineno|linenos|linenodiv|line-?numbers?(?:-rows)?|hljs-ln-numbers"
    r"|blob-num|crayon-nums?|ln)(?:\s|$)"
)
_GUTTER_WORDS = WordSearch(("gutter", "line", "ln", "num"))  # quicker than the pattern
_COPY_BUTTON = re.compile(r"(?:^|[\s_-])(?:code-?copy\S*|copy-?(?:code|button|btn)\S*)(?:\s|$)")
_MOST_NUMBERS = 5_000  # looked at in one column
_LONGEST_NUMBERS = 50_000  # characters of them
_NUMBERS = re.compile(r"[\d\s.:|+-]*")
_BLOCKS = frozenset(
    "p h1 h2 h3 h4 ul table section article header footer blockquote".split()  # noqa: SIM905
)
_MOST_INSIDE = 200  # elements that are looked at in what should be a few words
_BLANK_LINES = re.compile(r"(?:[ \t]*+\n)*+")  # at the beginning
_SPACES = re.compile(r"[ \t\n\f\r\u2028\u2029\u00a0]+")
_TICKS = re.compile("`+")
_OTHER_BREAK_SIGNS = "\r\f\u2028\u2029"
_OTHER_BREAKS = re.compile("\r\n?|[\f\u2028\u2029]")


def is_beside_code(element: etree._Element) -> bool:
    """Whether an element is a column of line numbers or a button to copy, by its class names and
    its text.
    """
    names = get_value(element, "class")
    if not names:
        return False
    names = names.lower()
    if "copy" in names and _COPY_BUTTON.search(names):
        return True
    if not _GUTTER_WORDS.is_any_in(names) or not _GUTTER.search(names):
        return False
    texts = first_texts(element, _MOST_NUMBERS, _LONGEST_NUMBERS)
    return all(map(_NUMBERS.fullmatch, texts))


def find_language(pre: etree._Element) -> str:
    """The language that the classes of a block of code, of the code in it or of the boxes around it
    name.
    """
    around = islice(pre.iterancestors(), _BOXES_AROUND)
    for place in (pre, *pre.iterchildren("code"), *around):
        for name in ("data-lang", "data-language"):
            value = (get_value(place, name) or "").strip().lower()
            if value and _is_language(value):
                return value
        names = (get_value(place, "class") or "")[:_LONGEST_CLASS]
        if not names:
            continue
        for pattern in (_LANGUAGE_CLASS, _HIGHLIGHTER_CLASS):
            for found in pattern.findall(names):
                value = str(found).lower()
                if _is_language(value):
                    return value
    return ""


def _is_language(value: str) -> bool:
    if _LANGUAGE.fullmatch(value) is None:
        return False
    return _NOT_LANGUAGES.fullmatch(value) is None


def clean_code(raw: str, removed: Counter[str]) -> str:
    """Return the text of a code block; empty for a blank one."""
    text = raw
    if any(sign in raw for sign in _OTHER_BREAK_SIGNS):
        text = _OTHER_BREAKS.sub("\n", raw)
    text = text.replace("\u00a0", " ")
    beginning = _BLANK_LINES.match(text)
    assert beginning is not None
    text = text[beginning.end() :].rstrip()
    text = strip_invisible(text, removed)
    text = defuse_verbatim(text, removed)
    return text if text.strip() else ""


def format_code_span(raw: str, removed: Counter[str]) -> str:
    """A code span with the blanks that stood around it, or blanks only."""
    text = raw
    if "  " in raw or not raw.isprintable():
        text = _SPACES.sub(" ", raw)
    text = strip_invisible(text, removed)
    text = defuse_verbatim(text, removed)
    inner = text.strip(" ")
    if not inner:
        return text
    ticks = "`"
    if ticks in inner:
        runs = set(_TICKS.findall(inner))
        while ticks in runs:
            ticks += "`"
        if inner[0] == "`" or inner[-1] == "`":
            inner = f" {inner} "
    lead = " " if text[0] == " " else ""
    trail = " " if text[-1] == " " else ""
    return f"{lead}{ticks}{inner}{ticks}{trail}"


def split_lines(raw: str) -> list[str]:
    """The lines of collected code."""
    text = _OTHER_BREAKS.sub("\n", raw)
    return text.split("\n")


def has_blocks(element: etree._Element) -> bool:
    """Whether an element that should hold a few words of code holds paragraphs and lists."""
    if not len(element):
        return False  # as most
    descendants = islice(element.iterdescendants(), _MOST_INSIDE)
    return any(inner.tag in _BLOCKS for inner in descendants)


def has_lines(raw: str) -> bool:
    """Whether code that is not marked as a block has lines of its own."""
    inner = raw.strip(" \n\t" + BREAK)
    return BREAK in inner


def break_code_line(walker: Walker, element: Element) -> Leave:
    """A line break in code, which is never folded into a blank."""
    walker.pieces.append(BREAK)
    return SKIP


def start_code_line(walker: Walker, element: Element) -> Leave:
    """A box in code is a line of it."""
    if is_beside_code(element):
        return SKIP
    end_code_line(walker, element)
    return end_code_line


def end_code_line(walker: Walker, element: Element) -> None:
    """End the line, unless it has just ended."""
    last = next(filter(None, reversed(walker.pieces)), None)
    if not isinstance(last, str):
        return
    if not last.endswith(("\n", BREAK)):
        walker.pieces.append(BREAK)


def start_code_part(walker: Walker, element: Element) -> Leave:
    """A part of a line of code, or what stands beside the code."""
    if is_beside_code(element):
        return SKIP
    return None


CODE_ACTIONS: dict[object, Action] = {
    **dict.fromkeys(
        ("p", "div", "li", "tr", "ol", "ul", "table", "pre", "blockquote", "h1", "h2", "h3"),
        start_code_line,
    ),
    **dict.fromkeys(("span", "td", "th", "a"), start_code_part),
    "br": break_code_line,
}
