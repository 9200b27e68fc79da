"""Identifiers of works found in a text, in one form.

A DOI may contain brackets and end in a view of the publisher (`/full`, `/pdf`): it is returned as
written and without that end. An ISBN with a wrong check digit is a typing error, not an unknown
book.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from webquarry._search.addresses import DOI, trim_doi
from webquarry._search.scholarly.models import ARXIV_DOI
from webquarry._search.scholarly.provider import parse_arxiv_id
from webquarry.verify.references.models import Identifiers

_LABELLED_ARXIV = re.compile(
    r"(?:arxiv(?:\.org)?\s{0,3}[:/]\s{0,3}(?:abs/|pdf/|html/)?|arxiv\.)"
    r"([a-z-]{2,12}(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d{1,3})?",
    re.IGNORECASE,
)
_BARE_ARXIV = re.compile(r"(?:[a-z-]{2,12}(?:\.[a-z]{2})?/\d{7}|\d{4}\.\d{4,5})(?:v\d{1,3})?", re.I)
_PMID = re.compile(r"(?:\bpmid\b\s{0,3}:?\s{0,3}|pubmed\.ncbi\.nlm\.nih\.gov/)(\d{1,9})\b", re.I)
_PMCID = re.compile(r"\b(PMC\d{3,9})\b", re.I)
_ISBN = re.compile(
    r"\bisbn(?:-1[03])?\b\s{0,3}:?\s{0,3}((?:97[89][\s-]?)?(?:\d[\s-]?){9}[\dX])", re.I
)
_BARE_ISBN = re.compile(r"(?:97[89][\s-]?)?(?:\d[\s-]?){9}[\dXx]")
_RFC = re.compile(r"\bRFC[\s-]?(\d{1,5})\b")
_URL = re.compile(r"(https?://[^\s<>\"{}|\\^`]{1,2000})", re.I)
_VIEW = re.compile(
    r"(?:/(?:full|abstract|abs|pdf|epdf|html|summary|meta|fulltext|full-text|references)/?"
    r"|\.pdf|\.full|\.abstract|v\d{1,2}\.full)$",
    re.I,
)
_VERSION = re.compile(r"v\d{1,3}$")


def find_identifiers(text: str) -> Identifiers:
    """Return the identifiers of a text, labelled or in URLs."""
    doi, other = find_doi(text)
    arxiv = ""
    if doi.startswith(ARXIV_DOI):
        arxiv = parse_arxiv_id(doi.removeprefix(ARXIV_DOI)) or ""
    labelled = _LABELLED_ARXIV.search(text)
    if labelled and not arxiv:
        arxiv = labelled[1].lower()
    return Identifiers(
        doi=doi,
        other_doi=other,
        arxiv_id=arxiv,
        pmid=_find_first(_PMID, text),
        pmcid=_find_first(_PMCID, text).upper(),
        isbn=clean_isbn(_find_first(_ISBN, text)),
        rfc=_find_first(_RFC, text),
        url=trim_url(_find_first(_URL, text)),
    )


def _find_first(pattern: re.Pattern[str], text: str) -> str:
    """Return the first match of a pattern, or an empty string."""
    found = pattern.search(text)
    if found is None:
        return ""
    return found[1]


def find_doi(text: str) -> tuple[str, str]:
    """Return the first DOI of a text, and the same without a view of the publisher at its end."""
    if "%2f" in text.lower():
        text = unquote(text)
    found = DOI.search(text)
    if not found:
        return "", ""
    path = re.split(r"[?#]", found[0], maxsplit=1)[0]
    doi = trim_doi(path or found[0]).lower()
    other = _VIEW.sub("", doi)
    if doi.startswith(ARXIV_DOI):
        doi = _VERSION.sub("", other)
        other = doi
    if other == doi:
        other = ""
    return doi, other


def classify_identifier(text: str) -> Identifiers | None:
    """Return the identifier that a text consists of, or None."""
    bare = text.strip().rstrip(".")
    found = find_identifiers(bare)
    lowered = bare.lower()
    if found.doi and (lowered.startswith("10.") or "doi" in lowered[:12]) and " " not in bare[8:]:
        return found
    if _BARE_ARXIV.fullmatch(bare):
        return Identifiers(arxiv_id=parse_arxiv_id(bare) or "")
    if _LABELLED_ARXIV.fullmatch(bare):
        return Identifiers(arxiv_id=found.arxiv_id)
    if _PMCID.fullmatch(bare):
        return Identifiers(pmcid=bare.upper())
    if _PMID.fullmatch(bare):
        return Identifiers(pmid=found.pmid)
    if _ISBN.fullmatch(bare):
        return Identifiers(isbn=found.isbn)
    if _BARE_ISBN.fullmatch(bare) and len(clean_isbn(bare)) in (10, 13):
        return Identifiers(isbn=clean_isbn(bare))
    if _RFC.fullmatch(bare):
        return Identifiers(rfc=found.rfc)
    if _URL.fullmatch(bare):
        return found
    return None


def clean_isbn(text: str) -> str:
    """Return the digits of an ISBN."""
    return re.sub(r"[^0-9Xx]", "", text).upper()


def is_valid_isbn(isbn: str) -> bool:
    """Return whether the check digit is right."""
    if len(isbn) == 13 and isbn.isdigit():
        digits = [int(digit) for digit in isbn]
        total = sum(digits[::2]) + 3 * sum(digits[1::2])
        return total % 10 == 0
    if len(isbn) == 10 and isbn[:9].isdigit():
        digits = [10 if digit == "X" else int(digit) for digit in isbn]
        total = sum(digit * (10 - place) for place, digit in enumerate(digits))
        return total % 11 == 0
    return False


def trim_url(url: str) -> str:
    """Return a URL without the punctuation of its sentence."""
    url = url.rstrip(".,;:!?'\"*]>")
    while url.endswith(")") and url.count(")") > url.count("("):
        url = url[:-1].rstrip(".,;:")
    return url
