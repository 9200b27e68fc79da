"""Texts and URLs from the web, made safe for answers: nothing invisible, no bidi controls, no chat
delimiters.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from webquarry._read.text.characters import INVISIBLE, clean
from webquarry._read.text.delimiters import BRACKETS
from webquarry.evidence.page import text as page_text

MAX_LINE = 10_000  # characters
_NOT_PLAIN = re.compile(r"[^!#-;=?-Z\\-~]")
_ENCODED_IN_URLS = re.compile(rf'[<>"\s]|{BRACKETS}|{INVISIBLE.pattern}')


def clean_line(text: str) -> str:
    """Return a title, a name, a snippet or an abstract on one line of limited length."""
    return page_text.clean_line(text, MAX_LINE)


def clean_text(text: str) -> str:
    """Return a text of several lines."""
    return clean(text).strip()


def clean_url(url: str) -> str:
    """Return a URL with its invisible and unsafe characters percent-encoded."""
    if _NOT_PLAIN.search(url) is None:
        return url
    return _ENCODED_IN_URLS.sub(lambda match: quote(match[0], safe="", errors="replace"), url)
