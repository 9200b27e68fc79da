"""What callers give and what is kept of sources: queries, claims, names, dates, bibliographies,
addresses.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any, get_args

import httpx2

from scaling_shapes.shape import Shape, number, repeat
from scaling_shapes.steps import NOW, QUESTION, WORDS
from webquarry._read.slices.pieces import find_blocks
from webquarry._read.slices.text import WrittenText, read_line
from webquarry._search.addresses import normal_doi
from webquarry._search.domains import host_of
from webquarry._search.filters import words_of
from webquarry._search.identity import identity
from webquarry._search.patents.numbers import read_number
from webquarry._search.scholarly.text import abstract_from_markup
from webquarry._search.text import plain_from_html
from webquarry.errors import WebquarryError
from webquarry.evidence.language.claims import claim_signal, split_sentences
from webquarry.evidence.language.passages import excerpt_of
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.models import CitationStyle
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.people import parse_people
from webquarry.evidence.page.titles import without_site
from webquarry.evidence.styles.bibliography import build_bibliography
from webquarry.evidence.styles.mla import title_case
from webquarry.net.failures import retry_after_seconds
from webquarry.net.strict_url import read_url
from webquarry.pages.clean import clean_text, clean_url
from webquarry.secret import Secret, redact
from webquarry.sessions.markdown import escape_block, write_link
from webquarry.sessions.references import clean_work, parse_source

_STYLES = get_args(CitationStyle)
_KEY = Secret("key-of-the-bench/0+1=2")  # so that there is something to mask
_PIECES = {
    "letters": "a",
    "words": "tide of the ",
    "different words": "tide# ",
    "blanks": " ",
    "U+3000": "\u3000",
    "newlines": "\n",
    "commas": "a, ",
    "ands": "A and ",
    "initials": "A. B. ",
    "quotes": "\u2019'",
    "dashes": "a-",
    "digits": "1",
    "numbers": "1,000.",
    "dates": "2026-01-",
    "dois": "10.1000.10.1000",
    "marks": "\u0301\u0316",
    "underscores": "_",
    "ticks": "` `` ",
    "tags": "<b ",
    "TeX": "<tex-math>\\documentclass ",
    "references": "&#1&",
    "slashes": "/",
    "amp": "/amp",
    "dots": "a.",
    "percents": "%41",
    "percents of percents": "%25",
    "backslashes": "\\",
    "numbers of JSON": "\\u0041",
    "ampersands": "&amp;",
    "base64": "VVVV",
    "lines of base64": "VVVVVVVVVVVVVVVVVVVV\n",
    "signs of a mail": "=41=\n",
    "parameters": "&a=b#",
    "logins": "https://a:b@",
    "keys": "&api_key=a",
    "Chinese": "\u6f6e\u6c50",
    "Thai": "\u0e01\u0e23\u0e38\u0e07",
    "Arabic": "\u0627\u0644",
    "brackets": "[](",
    "apostrophes": "l'",
    "stars": "*",
}


def _text(piece: str, size: int) -> str:
    if "#" in piece:
        return number(piece, size)
    return repeat(piece, size)


def _handle_text(text: str) -> object:
    """Whatever a text of a caller or a provider goes through."""
    made: list[object] = [
        split_sentences(text),
        claim_signal("The energy of the tide is lost.", text),
        Terms(text[:1_000], text).weights,
        parse_people([text, text]),
        title_case(text[:1_000]),
        without_site(text[:1_000], "bench.example"),
        plain_from_html(text),
        abstract_from_markup(text),
        normal_doi(text),
        clean_text(text),
        redact(text),
        escape_block(text),
        words_of(text),
        read_line(text),
        excerpt_of(WrittenText.of_lines(text.encode()), QUESTION, 8_000),
        find_blocks(WrittenText.of_lines(text.encode()), "a b"),
    ]
    for parse in (date_parts, read_number):
        with suppress(WebquarryError, ValueError):
            made.append(parse(text))
    return made


def _handle_address(text: str) -> object:
    """Whatever an address goes through."""
    made: list[object] = []
    for address in (f"https://a.example/{text}", f"https://{text}/", f"//{text}"):
        made += [identity(address), host_of(address), clean_url(address), write_link(address)]
        with suppress(WebquarryError):
            made.append(read_url(address))
    headers = httpx2.Headers({"retry-after": text[:60_000].encode("ascii", "ignore").decode()})
    made.append(retry_after_seconds(headers, NOW))
    return made


def _sources(size: int) -> list[dict[str, Any]]:
    return [
        {
            "title": f"Tide {place % 50}",
            "url": f"https://a.example/{place}",
            "authors": [f"Ines {place} Calloway"],
            "published": "2026",
        }
        for place in range(max(1, size // 100))
    ]


def _same_author(size: int) -> list[dict[str, Any]]:
    return [
        {
            "title": f"Tide {place}",
            "url": f"https://a.example/{place}",
            "authors": ["Calloway, Ines"],
            "published": "2026",
        }
        for place in range(max(1, size // 100))
    ]


def _many_authors(size: int) -> list[dict[str, Any]]:
    return [
        {
            "title": "Tide",
            "url": "https://a.example/",
            "authors": [f"Ines Calloway {place}" for place in range(max(1, size // 20))],
        }
    ]


def _long_fields(piece: str, size: int) -> list[dict[str, Any]]:
    text = _text(piece, size // 4)
    return [{"title": text, "url": "https://a.example/", "authors": [text], "published": text}]


def _format(sources: list[dict[str, Any]]) -> object:
    works = [clean_work(parse_source(source, place)) for place, source in enumerate(sources, 1)]
    return [build_bibliography(works, style).text for style in _STYLES]


def _claims(size: int) -> object:
    return number("tide# ", size)


def _compare(claim: object) -> object:
    terms = Terms(str(claim)[:4_000], WORDS)
    return terms.in_text(str(claim))


SHAPES = [
    *(
        Shape(f"words: {name}", partial(_text, piece), _handle_text)
        for name, piece in _PIECES.items()
    ),
    *(
        Shape(f"address: {name}", partial(_text, piece), _handle_address)
        for name, piece in _PIECES.items()
    ),
    Shape("bibliography: sources", _sources, _format),
    Shape("bibliography: one author", _same_author, _format),
    Shape("bibliography: many authors", _many_authors, _format),
    *(
        Shape(f"bibliography: {name}", partial(_long_fields, piece), _format)
        for name, piece in _PIECES.items()
    ),
    Shape("claim: words", _claims, _compare),
]
