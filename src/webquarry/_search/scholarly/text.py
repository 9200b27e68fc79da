"""Texts of the indexes as plain text on one line: HTML, JATS, inverted indexes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from webquarry._search.text import plain, shorten_text, unescape_entities

LONGEST_TITLE = 1000  # characters
LONGEST_ABSTRACT = 10_000
_READ = 100_000  # characters of a field that are looked at
_MOST_WORDS = 20_000
# Only names that publishers use, so that "x <y and z> w" stays what it is.
_INLINE = (
    r"i|b|u|em|strong|sub|sup|sc|scp|tt|span|a|font|small|big|italic|bold|underline|monospace"
    r"|roman|sans-serif|styled-content|named-content|ext-link|uri|xref|inline-formula|alternatives"
    r"|math|tex-math|email"
    r"|mi|mn|mo|mrow|msub|msup|msubsup|mfrac|mtext|mspace|mover|munder|msqrt|mstyle"
)
_BLOCK = (
    r"p|br|div|sec|section|abstract|list|list-item|li|ul|ol|disp-formula|disp-quote"
    r"|table|tr|td|label|fn"
)
_TEX_DOCUMENT = re.compile(
    r"<(?:jats:)?tex-math\b[^<>]*+>(?:[^<\\]|\\(?!documentclass))*+\\documentclass[^<]*+"
    r"</(?:jats:)?tex-math>",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"<(?:jats:)?(title|h[1-6])\b[^<>]*>([^<]{0,200})</(?:jats:)?\1>", re.IGNORECASE
)
_INLINE_TAG = re.compile(rf"</?(?:(?:jats|mml):[\w-]+|{_INLINE})(?:\s[^<>]*)?/?>", re.IGNORECASE)
_BLOCK_TAG = re.compile(rf"</?(?:jats:)?(?:{_BLOCK}|title|h[1-6])(?:\s[^<>]*)?/?>", re.IGNORECASE)


def from_markup(text: object, longest: int = LONGEST_TITLE) -> str:
    """Return plain text of a title or name with markup; entities are decoded once."""
    if not isinstance(text, str):
        return ""
    spaced = _BLOCK_TAG.sub(" ", text[:_READ])
    bare = _INLINE_TAG.sub("", spaced)
    return shorten_text(plain(unescape_entities(bare)), longest)


def abstract_from_markup(text: object) -> str:
    """Return an abstract with headings followed by a colon, without the word "Abstract"."""
    if not isinstance(text, str):
        return ""
    readable = _TEX_DOCUMENT.sub(" ", text[:_READ])
    return from_markup(_HEADING.sub(_mark_heading, readable), LONGEST_ABSTRACT)


def _mark_heading(found: re.Match[str]) -> str:
    """Return a heading as the start of a paragraph."""
    words = " ".join(found[2].split()).rstrip(":. ")
    if not words or words.lower() in ("abstract", "summary"):
        return "<p> "
    return f"<p>{words}: "


def join_sections(sections: list[tuple[str, str]]) -> str:
    """Return labelled parts of an abstract as one text."""
    texts = []
    for label, text in sections:
        if not text.strip():
            continue
        label = label.strip()
        texts.append(f"{label}: {text}" if label else text)
    whole = " ".join(texts)
    return shorten_text(plain(whole[:_READ]), LONGEST_ABSTRACT)


def from_inverted_index(index: object) -> str:
    """Return the text of an inverted index."""
    if not isinstance(index, Mapping):
        return ""
    placed: list[tuple[int, str]] = []
    for word, places in index.items():
        if isinstance(places, list):
            placed += [(place, word) for place in places if type(place) is int]
    words = [word for _, word in sorted(placed[:_MOST_WORDS])]
    return from_markup(" ".join(words), LONGEST_ABSTRACT)
