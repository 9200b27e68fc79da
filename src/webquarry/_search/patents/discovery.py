"""Patents by an ordinary web search, where no register can be asked: pages of patent sites in,
patents out.

A page is a patent where its address says so, or else its title; whatever has no publication number
is dropped. What such a result tells is little: number, title, and what the search engine quotes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, unquote

from webquarry._search.models import Query, Result
from webquarry._search.patents.models import Patent, PatentQuery
from webquarry._search.patents.numbers import PatentNumber, number_of, read_number
from webquarry._search.patents.words import bare
from webquarry._search.replies.addresses import split_url

SITES = (
    "patents.google.com",
    "worldwide.espacenet.com",
    "lens.org",
    "patentscope.wipo.int",
    "ppubs.uspto.gov",
    "image-ppubs.uspto.gov",
    "patentcenter.uspto.gov",
)
_RESERVE = 20  # results asked for where we will have to drop some
_MOST_PARAMETERS = 50  # of an address that is looked at
_SITE_NAMES = re.compile(
    r"\s*[-–—|:]\s*(?:google patents?|espacenet.*|the lens.*|patentscope.*|wipo.*|uspto.*)\s*$",
    re.IGNORECASE,
)
_PDF_PATH = re.compile(r"[^?#]*\.pdf(?:[?#]|\Z)", re.IGNORECASE)
_LEADING = re.compile(
    r"^\s*([A-Z]{2}\s?[A-Z]{0,2}[\d/,. ]{5,16}\s?(?:[A-Z]\d?)?)\s*(?:[-–—|:]\s*|$)"
)


def web_query(query: PatentQuery) -> Query:
    """The question as a web search takes it. The words that were meant for a field are words like
    others.
    """
    words = [query.text]
    for name in (bare(query.assignee), bare(query.inventor)):
        if name:
            words.append(f'"{name}"')
    words.append(query.cpc or "")
    if not query.text:
        words.append("patent")
    count = query.count
    if query.office or query.year_from or query.year_to:
        count = max(query.count, _RESERVE)
    return Query(" ".join(filter(None, words)), count, allowed_domains=SITES)


def number_query(number: PatentNumber) -> Query:
    """The search for the page of one patent."""
    return Query(number.google, 10, allowed_domains=SITES)


def patent_of(result: Result) -> Patent | None:
    """The patent that a result is about; None where it is about none, or does not say which."""
    number = number_in(result.url)
    leading = _LEADING.match(result.title)
    if number is None and leading:
        number = read_number(leading[1])
    if number is None:
        return None
    # The title without the number before it and the name of the site behind it.
    title = _SITE_NAMES.sub("", result.title)
    leading = _LEADING.match(title)
    if leading and read_number(leading[1]):
        title = title[leading.end() :]
    title = " ".join(title.split()).strip(" -–—|")
    pdf = None
    if _PDF_PATH.match(result.url) or "downloadPdf" in result.url:
        pdf = result.url
    return Patent(
        number=number,
        title=title or number.google,
        url=result.url,
        status=number.stage,
        pdf=pdf,
        snippet=result.snippet,
        provider=result.provider,
    )


def number_in(url: str) -> PatentNumber | None:
    """The publication number in an address of one of the sites."""
    try:
        parts = split_url(url)
        parameters = parse_qs(parts.query, max_num_fields=_MOST_PARAMETERS)
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    path = unquote(parts.path)
    if host.endswith("uspto.gov"):
        found = re.search(r"/downloadPdf/(\d{6,11})(?:/|$)", path)
        if found:
            return number_of("US", found[1])
        return None
    if host.endswith("espacenet.com"):
        return _number_at_espacenet(path, parameters)
    if host.endswith("wipo.int"):
        document = parameters.get("docId", [""])[0]
        return read_number(document.partition("_")[0])
    found = re.search(r"/patent/([^/]+)", path)
    if found:
        return read_number(found[1])
    return None


def _number_at_espacenet(path: str, parameters: dict[str, list[str]]) -> PatentNumber | None:
    """The number in one of the three forms of its addresses."""
    if "CC" in parameters and "NR" in parameters:
        office, number = parameters["CC"][0], parameters["NR"][0]
        return read_number(office + number) or number_of(office, number)
    found = re.search(r"/publication/([^/]+)", path)
    if not found:
        query = parameters.get("q", [""])[0].strip()
        found = re.fullmatch(r"pn\s*=\s*\"?([\w .]+)\"?", query, re.IGNORECASE)
    if found:
        return read_number(found[1])
    return None


def each_once(patents: list[Patent]) -> list[Patent]:
    """Each publication once, at its best rank; one whose kind is not given is any of its number
    that came before.
    """
    kept: list[Patent] = []
    places: dict[tuple[str, str], list[int]] = {}  # of those with the same number
    for patent in patents:
        number = patent.number
        alike = places.setdefault((number.office, number.number), [])
        for place in alike:
            earlier = kept[place]
            if earlier.number.covers(number) or number.covers(earlier.number):
                if earlier.pdf is None and patent.pdf:
                    kept[place] = replace(earlier, pdf=patent.pdf)
                break
        else:
            alike.append(len(kept))
            kept.append(patent)
    return kept
