"""Texts that a page states about itself, on one clean line of limited length."""

from __future__ import annotations

import re

from webquarry._read.text.characters import clean
from webquarry._search.text import shorten_text, unescape_entities

MAX_LINE = 1000  # characters of a title or a name
_MARKUP = re.compile(
    r"</?(?:i|b|em|strong|sub|sup|span|scp|tt|u|br)(?:\s[^<>]*)?/?>", re.IGNORECASE
)


def clean_line(text: object, longest: int = MAX_LINE) -> str:
    """Return a text on one line without invisible characters and chat delimiters; empty if it is
    not a string.
    """
    if not isinstance(text, str):
        return ""
    return shorten_text(" ".join(clean(text[: longest * 4]).split()), longest)


def clean_html_line(text: object, longest: int = MAX_LINE) -> str:
    """Do the same for fields in which entities and inline tags are used, such as JSON-LD."""
    if not isinstance(text, str):
        return ""
    return clean_line(unescape_entities(_MARKUP.sub("", text[: longest * 4])), longest)
