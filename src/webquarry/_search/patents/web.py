"""Patents from the results of a web search that is limited to patent sites.

A result is a patent if its address or its title has a publication number; other results are
dropped. Such a result has a number, a title and the snippet of the search engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import unquote

from webquarry._search.models import Query, Result
from webquarry._search.patents.numbers import PatentNumber, number_of, read_number
from webquarry._search.patents.provider import Patent, PatentQuery, bare

SITES = (
    "patents.google.com",
    "worldwide.espacenet.com",
    "lens.org",
    "patentscope.wipo.int",
    "ppubs.uspto.gov",
    "image-ppubs.uspto.gov",
    "patentcenter.uspto.gov",
)
_RESERVE = 20  # results requested if some will be filtered out
_SITE_NAMES = re.compile(
    r"\s*[-–—|:]\s*(?:google patents?|espacenet.*|the lens.*|patentscope.*|wipo.*|uspto.*)\s*$",
    re.IGNORECASE,
)
_USPTO_PDF = re.compile(r"/downloadPdf/(\d{6,11})(?:/|$)")
_IN_ADDRESS = re.compile(
    r"(?:/patent/|/publication/|\bdocId=|\bpn\s*=\s*\"?|\bCC=)([A-Z]{2}[\w.]*)(?:&NR=(\w+))?"
)
_PDF_PATH = re.compile(r"[^?#]*\.pdf(?:[?#]|\Z)", re.IGNORECASE)
_LEADING = re.compile(
    r"^\s*([A-Z]{2}\s?[A-Z]{0,2}[\d/,. ]{5,16}\s?(?:[A-Z]\d?)?)\s*(?:[-–—|:]\s*|$)"
)


def web_query(query: PatentQuery) -> Query:
    """Return the query of a web search; values of fields are words like others."""
    words = [query.text]
    words += [f'"{name}"' for name in (bare(query.assignee), bare(query.inventor)) if name]
    words.append(query.cpc or "")
    if not query.text:
        words.append("patent")
    count = query.count
    if query.office or query.year_from or query.year_to:
        count = max(query.count, _RESERVE)
    return Query(" ".join(filter(None, words)), count, allowed_domains=SITES)


def patent_of(result: Result) -> Patent | None:
    """Return the patent of a result, or None if it has no publication number."""
    title = _SITE_NAMES.sub("", result.title)
    leading = _LEADING.match(title)
    named = read_number(leading[1]) if leading else None
    number = number_in(result.url) or named
    if number is None:
        return None
    if leading and named:
        title = title[leading.end() :]
    title = " ".join(title.split()).strip(" -–—|")
    is_pdf = _PDF_PATH.match(result.url) or "downloadPdf" in result.url
    return Patent(
        number=number,
        title=title or number.google,
        url=result.url,
        status=number.stage,
        pdf=result.url if is_pdf else None,
        snippet=result.snippet,
        provider=result.provider,
    )


def number_in(url: str) -> PatentNumber | None:
    """Return the publication number in the URL of a patent site."""
    address = unquote(url)
    of_uspto = _USPTO_PDF.search(address)
    if of_uspto:
        return number_of("US", of_uspto[1])
    found = _IN_ADDRESS.search(address)
    return read_number(found[1] + (found[2] or "")) if found else None


def each_once(patents: Iterable[Patent]) -> list[Patent]:
    """Return each publication once, at its first place; a number without a kind equals any kind."""
    kept: list[Patent] = []
    for patent in patents:
        number = patent.number
        for place, earlier in enumerate(kept):
            if earlier.number.covers(number) or number.covers(earlier.number):
                kept[place] = replace(earlier, pdf=earlier.pdf or patent.pdf)
                break
        else:
            kept.append(patent)
    return kept
