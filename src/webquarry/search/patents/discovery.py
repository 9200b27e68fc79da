"""Patents by an ordinary web search, where no register can be asked: pages of patent sites in,
patents out.

A page is a patent where its address says so, or else its title; whatever has no publication number
is dropped. What such a result tells is little: number, title, and what the search engine quotes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, unquote, urlsplit

from webquarry.search.models import Query, Result
from webquarry.search.patents.models import Patent, PatentQuery
from webquarry.search.patents.numbers import PatentNumber, number_of, read_number
from webquarry.search.patents.words import bare

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
_SITE_NAMES = re.compile(
    r"\s*[-–—|:]\s*(?:google patents?|espacenet.*|the lens.*|patentscope.*|wipo.*|uspto.*)\s*$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^\s*([A-Z]{2}\s?[A-Z]{0,2}[\d/,. ]{5,16}\s?(?:[A-Z]\d?)?)\s*(?:[-–—|:]\s*|$)"
)


def web_query(query: PatentQuery) -> Query:
    """The question as a web search takes it. The words that were meant for a field are words like
    others.
    """
    names = [f'"{name}"' for name in (bare(query.assignee), bare(query.inventor)) if name]
    text = " ".join(filter(None, [query.text, *names, query.cpc, "" if query.text else "patent"]))
    filtered = query.office or query.year_from or query.year_to
    return Query(
        text, max(query.count, _RESERVE) if filtered else query.count, allowed_domains=SITES
    )


def number_query(number: PatentNumber) -> Query:
    """The search for the page of one patent."""
    return Query(number.google, 10, allowed_domains=SITES)


def patent_of(result: Result) -> Patent | None:
    """The patent that a result is about; None where it is about none, or does not say which."""
    leading = _LEADING.match(result.title)
    number = number_in(result.url) or (read_number(leading[1]) if leading else None)
    if number is None:
        return None
    is_pdf = urlsplit(result.url).path.lower().endswith(".pdf") or "downloadPdf" in result.url
    return Patent(
        number=number,
        title=_title(result.title) or number.google,
        url=result.url,
        status=number.stage,
        pdf=result.url if is_pdf else None,
        snippet=result.snippet,
        provider=result.provider,
    )


def number_in(url: str) -> PatentNumber | None:
    """The publication number in an address of one of the sites."""
    try:
        parts = urlsplit(url)
        host, path = (parts.hostname or "").lower(), unquote(parts.path)
        asked = parse_qs(parts.query, max_num_fields=50)
    except ValueError:
        return None
    if host.endswith("uspto.gov"):
        found = re.search(r"/downloadPdf/(\d{6,11})(?:/|$)", path)
        if found:
            return number_of("US", found[1])
        return None
    if host.endswith("espacenet.com"):
        return _at_espacenet(path, asked)
    if host.endswith("wipo.int"):
        return read_number(asked.get("docId", [""])[0].partition("_")[0])
    found = re.search(r"/patent/([^/]+)", path)
    if found:
        return read_number(found[1])
    return None


def _at_espacenet(path: str, asked: dict[str, list[str]]) -> PatentNumber | None:
    if "CC" in asked and "NR" in asked:
        return read_number(asked["CC"][0] + asked["NR"][0]) or number_of(
            asked["CC"][0], asked["NR"][0]
        )
    if found := re.search(r"/publication/([^/]+)", path):
        return read_number(found[1])
    found = re.fullmatch(
        r"pn\s*=\s*\"?([\w .]+)\"?", asked.get("q", [""])[0].strip(), re.IGNORECASE
    )
    if found:
        return read_number(found[1])
    return None


def _title(title: str) -> str:
    """Without the number before it and the name of the site behind it."""
    title = _SITE_NAMES.sub("", title)
    found = _LEADING.match(title)
    if found and read_number(found[1]):
        title = title[found.end() :]
    return " ".join(title.split()).strip(" -–—|")


def each_once(patents: list[Patent]) -> list[Patent]:
    """Each publication once, at its best rank; one whose kind is not given is any of its number
    that came before.
    """
    kept: list[Patent] = []
    for patent in patents:
        same = next((n for n, one in enumerate(kept) if _are_same(one.number, patent.number)), None)
        if same is None:
            kept.append(patent)
        elif kept[same].pdf is None and patent.pdf:
            kept[same] = replace(kept[same], pdf=patent.pdf)
    return kept


def _are_same(one: PatentNumber, other: PatentNumber) -> bool:
    return one.covers(other) or other.covers(one)
