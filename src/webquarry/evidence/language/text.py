"""Text that a page states about itself -> one clean line: nothing invisible, no delimiter of a
chat, not endless.
"""

from __future__ import annotations

import re

from webquarry._read.text.characters import clean
from webquarry._search.text import shorten_text, unescape_entities

LONGEST = 1000  # characters of a title or a name
_MARKUP = re.compile(
    r"</?(?:i|b|em|strong|sub|sup|span|scp|tt|u|br)(?:\s[^<>]*)?/?>", re.IGNORECASE
)


def clean_line(text: object, longest: int = LONGEST) -> str:
    """A text in one line; what is no text is none. Longer ones end in dots."""
    if not isinstance(text, str):
        return ""
    text = text[: longest * 4]
    is_clean = text.isascii() and text.isprintable() and "<" not in text and "[" not in text
    if not is_clean:
        text = clean(text)
    return shorten_text(" ".join(text.split()), longest)


def clean_html_line(text: object, longest: int = LONGEST) -> str:
    """The same for places where entities and a little markup are written into plain text, such as
    JSON-LD.
    """
    if not isinstance(text, str):
        return ""
    bare = text[: longest * 4]
    if "<" in bare:
        bare = _MARKUP.sub("", bare)
    if "&" in bare:
        bare = unescape_entities(bare)
    return clean_line(bare, longest)
