"""Code as it stands in a page -> a fenced block or a code span, and which language it is in."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice

from lxml import etree

from webquarry.read.html.tree import texts_of
from webquarry.read.markdown.inline import BREAK
from webquarry.read.text.characters import strip_invisible
from webquarry.read.text.delimiters import defuse_verbatim
from webquarry.read.text.fence import fence

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-(?:text-)?|mw-highlight-lang-|brush:\s*|sourcecode\s+|src-|code-)"
    r"([a-z][a-z0-9+#._-]{0,30})",
    re.IGNORECASE,
)
_HIGHLIGHTER_CLASS = re.compile(
    r"(?:^|\s)(?:hljs|sourceCode|highlight|prettyprint|prism|shiki)\s+([a-z][a-z0-9+#.]{0,20})(?:\s|$)"
)
_NOT_LANGUAGES = re.compile(
    r"default|none|plain|plaintext|text|txt|nohighlight|source|wrapper|block|inner|toolbar|box|container|snippet|content|table|copy"
    r"|example|linenums|lines?|code|hljs|highlight|github-\w+|nord|notranslate|numbers"
)
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:gutter|lineno|linenos|linenodiv|line-?numbers?(?:-rows)?|hljs-ln-numbers|blob-num|crayon-nums?|ln)(?:\s|$)"
)
_COPY_BUTTON = re.compile(r"(?:^|[\s_-])(?:code-?copy\S*|copy-?(?:code|button|btn)\S*)(?:\s|$)")
_MOST_NUMBERS = 5_000  # looked at in one column
_NUMBERS = re.compile(r"[\d\s.:|+-]*")
_BLOCKS = frozenset(
    {
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "ul",
        "table",
        "section",
        "article",
        "header",
        "footer",
        "blockquote",
    }
)
_EMPTY_EDGES = re.compile(r"\A(?:[ \t]*\n)+|\s+\Z")
_SPACES = re.compile(r"[ \t\n\f\r\u2028\u2029\u00a0]+")
_TICKS = re.compile("`+")
_OTHER_BREAKS = re.compile("\r\n?|[\f\u2028\u2029]")


def is_beside_code(element: etree._Element) -> bool:
    """Whether an element is a column of line numbers or a button to copy, by its class names and
    its text.
    """
    names = element.get("class")
    if not names:
        return False
    names = names.lower()
    if _COPY_BUTTON.search(names):
        return True
    return _GUTTER.search(names) is not None and all(
        map(_NUMBERS.fullmatch, islice(texts_of(element), _MOST_NUMBERS))
    )


def language_of(pre: etree._Element) -> str:
    """The language that the classes of a block of code, of the code in it or of the boxes around it
    name.
    """
    places = [
        pre,
        *pre.iterchildren("code"),
        *(box for _, box in zip(range(2), pre.iterancestors(), strict=False)),
    ]
    for place in places:
        for name in ("data-lang", "data-language"):
            if _is_language(value := (place.get(name) or "").strip().lower()):
                return value
        names = place.get("class") or ""
        for pattern in (_LANGUAGE_CLASS, _HIGHLIGHTER_CLASS):
            for value in pattern.findall(names[:500]):
                if _is_language(value.lower()):
                    return str(value.lower())
    return ""


def _is_language(value: str) -> bool:
    return bool(re.fullmatch(r"[a-z][a-z0-9+#._-]{0,30}", value)) and not _NOT_LANGUAGES.fullmatch(
        value
    )


def fenced(raw: str, language: str, removed: Counter[str]) -> str:
    """A block of code, or an empty text."""
    text = _OTHER_BREAKS.sub("\n", raw).replace("\u00a0", " ")
    text = _EMPTY_EDGES.sub("", text)
    text = defuse_verbatim(strip_invisible(text, removed), removed)
    if text.strip():
        return fence(text, language)
    return ""


def span(raw: str, removed: Counter[str]) -> str:
    """A code span with the blanks that stood around it, or blanks only."""
    text = defuse_verbatim(strip_invisible(_SPACES.sub(" ", raw), removed), removed)
    inner = text.strip(" ")
    if not inner:
        return text
    runs = set(_TICKS.findall(inner))
    ticks = next(ticks for ticks in map("`".__mul__, range(1, len(runs) + 2)) if ticks not in runs)
    pad = " " if inner[0] == "`" or inner[-1] == "`" else ""
    lead, trail = (" " if text[0] == " " else ""), (" " if text[-1] == " " else "")
    return f"{lead}{ticks}{pad}{inner}{pad}{ticks}{trail}"


def lines_of(raw: str) -> list[str]:
    """The lines of collected code."""
    return _OTHER_BREAKS.sub("\n", raw).split("\n")


def has_blocks(element: etree._Element) -> bool:
    """Whether an element that should hold a few words of code holds paragraphs and lists instead."""
    return any(inner.tag in _BLOCKS for inner in islice(element.iterdescendants(), 200))


def has_lines(raw: str) -> bool:
    """Whether code that is not marked as a block has lines of its own."""
    return BREAK in raw.strip(" \n\t" + BREAK)
