"""Claims of a draft: of the text of Markdown, plain text, HTML and DOCX files; BibTeX, RIS and
CSL-JSON files are one reference list.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from webquarry._read.encoding.decode import decode
from webquarry._read.format import FetchedDocument
from webquarry.verify.drafts.find import find_claims
from webquarry.verify.drafts.models import DraftClaims, DraftNumber, DraftQuote, DraftReference

_REFERENCES = frozenset({".bib", ".bibtex", ".ris", ".json"})
_HTML = frozenset({".html", ".htm", ".xhtml"})
_LOOKED_FOR = 24  # characters by which a quote is found again in the file

T = TypeVar("T", DraftQuote, DraftNumber, DraftReference)


def read_claims(name: str, body: bytes) -> DraftClaims:
    """Return the claims of a file; its format is that of the suffix."""
    suffix = PurePath(name).suffix.lower()
    if suffix in _REFERENCES:
        return DraftClaims(references=(DraftReference(decode(body, "").text, 1),))
    if suffix == ".docx":
        from webquarry._read.formats.documents import read_document

        return find_claims(read_document("docx", name, body).markdown)
    text = decode(body, "").text.replace("\r\n", "\n").replace("\r", "\n")
    if suffix not in _HTML:
        return find_claims(text)
    from webquarry._read.formats.html import Html

    source = FetchedDocument("https://localhost/", body, "text/html")
    return _find_lines(find_claims(Html().to_markdown(source).markdown), text)


def _find_lines(claims: DraftClaims, text: str) -> DraftClaims:
    """The claims of a page with the lines of its file, where their words are found there."""
    return replace(
        claims,
        quotes=tuple(_find_line(one, one.text, text) for one in claims.quotes),
        numbers=tuple(_find_line(one, one.mention.text, text) for one in claims.numbers),
        references=tuple(_find_line(one, one.text, text) for one in claims.references),
    )


def _find_line(claim: T, words: str, text: str) -> T:
    place = text.find(words[:_LOOKED_FOR])
    line = 1
    if place >= 0:
        line = text.count("\n", 0, place) + 1
    return replace(claim, line=line)
