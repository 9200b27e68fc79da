"""Titles and abstracts as the indexes write them (HTML, JATS, an inverted index) -> plain text in
one line.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import Any

from webquarry.search.replies.text import plain, shorten_text

LONGEST_TITLE = 1000  # characters
LONGEST_ABSTRACT = 10_000
_READ = 100_000  # characters of a field that are looked at
_MOST_WORDS = 20_000
# Only names that publishers use, so that "x <y and z> w" stays what it is.
_INLINE = r"i|b|u|em|strong|sub|sup|sc|scp|tt|span|a|font|small|big|italic|bold|underline|monospace|roman|sans-serif"
_INLINE += r"|styled-content|named-content|ext-link|uri|xref|inline-formula|alternatives|math|tex-math|email"
_INLINE += r"|mi|mn|mo|mrow|msub|msup|msubsup|mfrac|mtext|mspace|mover|munder|msqrt|mstyle"
_BLOCK = r"p|br|div|sec|section|abstract|list|list-item|li|ul|ol|disp-formula|disp-quote|table|tr|td|label|fn"
_TEX_DOCUMENT = re.compile(
    r"<(?:jats:)?tex-math\b[^>]*>[^<]*\\documentclass[^<]*</(?:jats:)?tex-math>", re.IGNORECASE
)
_HEADING = re.compile(
    r"<(?:jats:)?(title|h[1-6])\b[^<>]*>([^<]{0,200})</(?:jats:)?\1>", re.IGNORECASE
)
_INLINE_TAG = re.compile(rf"</?(?:(?:jats|mml):[\w-]+|{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_TAG = re.compile(rf"</?(?:jats:)?(?:{_BLOCK}|title|h[1-6])(?:\s[^<>]*)?/?>", re.IGNORECASE)


def from_markup(text: object, longest: int = LONGEST_TITLE) -> str:
    """Plain text of a title or a name with a little markup in it; entities are decoded once."""
    if not isinstance(text, str):
        return ""
    bare = _INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", text[:_READ]))
    return shorten_text(plain(html.unescape(bare)), longest)


def abstract_from_markup(text: object) -> str:
    """An abstract: headings of its parts stand before them with a colon, the word "Abstract" itself
    is left out.
    """
    if not isinstance(text, str):
        return ""
    parts = _HEADING.sub(
        lambda found: f"<p>{_headed(found[2])} ", _TEX_DOCUMENT.sub(" ", text[:_READ])
    )
    return from_markup(parts, LONGEST_ABSTRACT)


def join_sections(parts: list[tuple[str, str]]) -> str:
    """An abstract in parts with labels as one text."""
    whole = " ".join(
        f"{label.strip()}: {text}" if label.strip() else text
        for label, text in parts
        if text.strip()
    )
    return shorten_text(plain(whole[:_READ]), LONGEST_ABSTRACT)


def from_inverted_index(index: object) -> str:
    """OpenAlex keeps an abstract as its words with their places."""
    if not isinstance(index, Mapping):
        return ""
    placed = [(place, word) for word, places in index.items() for place in _places(places)][
        :_MOST_WORDS
    ]
    return from_markup(" ".join(word for _, word in sorted(placed)), LONGEST_ABSTRACT)


def _places(places: Any) -> list[int]:
    if isinstance(places, list):
        return [place for place in places if type(place) is int]
    return []


def _headed(heading: str) -> str:
    words = " ".join(heading.split()).rstrip(":. ")
    if not words or words.lower() in ("abstract", "summary"):
        return ""
    return f"{words}:"
