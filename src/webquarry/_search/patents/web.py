"""Patents from web pages: a web search limited to patent sites, and the page of one patent.

A result is a patent if its address or its title has a publication number; other results are
dropped. Such a result has a number, a title and the snippet of the search engine.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from urllib.parse import parse_qs, unquote

from webquarry._search.addresses import split_url
from webquarry._search.models import Attempt, Found, Query, Result
from webquarry._search.patents.numbers import PatentNumber, number_of, read_number
from webquarry._search.patents.provider import FoundPatents, Patent, PatentQuery, bare
from webquarry._search.router import Router
from webquarry.clock import Clock
from webquarry.errors import NotFound, WebquarryError
from webquarry.progress import note

SITES = (
    "patents.google.com",
    "worldwide.espacenet.com",
    "lens.org",
    "patentscope.wipo.int",
    "ppubs.uspto.gov",
    "image-ppubs.uspto.gov",
    "patentcenter.uspto.gov",
)
PAGES = "google_patents"  # the provider of a patent whose page was read
_RESERVE = 20  # results requested if some will be filtered out
_MAX_PARAMETERS = 50  # of a URL
_SITE_NAMES = re.compile(
    r"\s*[-–—|:]\s*(?:google patents?|espacenet.*|the lens.*|patentscope.*|wipo.*|uspto.*)\s*$",
    re.IGNORECASE,
)
_PDF_PATH = re.compile(r"[^?#]*\.pdf(?:[?#]|\Z)", re.IGNORECASE)
_LEADING = re.compile(
    r"^\s*([A-Z]{2}\s?[A-Z]{0,2}[\d/,. ]{5,16}\s?(?:[A-Z]\d?)?)\s*(?:[-–—|:]\s*|$)"
)

# Reads the page of a patent; None if the page is about another one.
ReadPage = Callable[[PatentNumber], Awaitable[Patent | None]]


class WebPatents:
    """Searches the web for patents, with one provider of web search or as routed."""

    def __init__(self, router: Router, read_page: ReadPage, clock: Clock) -> None:
        self._router = router
        self._read_page = read_page
        self._clock = clock

    async def search(self, query: PatentQuery, provider: str | None = None) -> FoundPatents:
        """Return patents whose pages a web search finds."""
        web = await self._router.route(web_query(query), provider=provider, kind="patents")
        patents = each_once(filter(query.admits, _patents_of(web)))
        notes = list(web.notes)
        years = [name for name in ("year_from", "year_to") if getattr(query, name)]
        if query.search_type == "landscape":
            notes.append(
                "A web search does not tell whose the patents are, so that no assignees could be "
                "counted."
            )
        if query.cpc:
            notes.append("A web search cannot filter by cpc_code: it was searched for as a word.")
        if years:
            notes.append(
                f"A web search cannot filter by {' and '.join(years)}: applied where the number "
                "tells the year."
            )
        unapplied = (*(["cpc_code"] if query.cpc else []), *years)
        found = _build_found(web, patents[: query.count])
        return replace(found, notes=tuple(notes), unapplied=unapplied)

    async def look_up(self, number: PatentNumber, provider: str | None = None) -> FoundPatents:
        """Return the patent of a page, or of a web search if the page cannot be read."""
        if provider is not None:
            return await self._search_number(number, provider)
        note("reading the page of the patent")
        started = self._clock.monotonic()
        patent = None
        try:
            patent = await self._read_page(number)
        except NotFound:
            pass
        except WebquarryError as error:
            try:
                found = await self._search_number(number)
            except WebquarryError:
                raise error from None
            if not found.patents:
                raise
            return found
        seconds = self._clock.monotonic() - started
        patents: tuple[Patent, ...] = ()
        attempt = Attempt(PAGES, "empty", "There is no such page.", seconds)
        if patent is not None and number.covers(patent.number):
            patents = (patent,)
            attempt = Attempt(PAGES, "ok", "1 result.", seconds)
        return FoundPatents(
            patents,
            PAGES,
            attempts=(attempt,),
            order=(PAGES,),
            because="the query is a number",
            discovered=True,
        )

    async def _search_number(
        self, number: PatentNumber, provider: str | None = None
    ) -> FoundPatents:
        query = Query(number.google, 10, allowed_domains=SITES)
        web = await self._router.route(query, provider=provider, kind="patents")
        patents = [one for one in _patents_of(web) if number.covers(one.number)]
        return _build_found(web, patents[:1])


def _patents_of(web: Found) -> list[Patent]:
    return list(filter(None, map(patent_of, web.results)))


def _build_found(web: Found, patents: Sequence[Patent]) -> FoundPatents:
    trace = {name: value for name, value in vars(web).items() if name != "results"}
    trace |= {"unapplied": (), "cached": False, "age_seconds": 0.0, "max_age_seconds": 0.0}
    return FoundPatents(tuple(patents), **trace, discovered=True)


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
    try:
        parts = split_url(url)
        parameters = parse_qs(parts.query, max_num_fields=_MAX_PARAMETERS)
        host = (parts.hostname or "").lower()
    except ValueError:
        return None
    path = unquote(parts.path)
    if host.endswith("uspto.gov"):
        found = re.search(r"/downloadPdf/(\d{6,11})(?:/|$)", path)
        return number_of("US", found[1]) if found else None
    if host.endswith("wipo.int"):
        return read_number(parameters.get("docId", [""])[0].partition("_")[0])
    if not host.endswith("espacenet.com"):
        found = re.search(r"/patent/([^/]+)", path)
    elif "CC" in parameters and "NR" in parameters:
        office, number = parameters["CC"][0], parameters["NR"][0]
        return read_number(office + number) or number_of(office, number)
    else:
        query = parameters.get("q", [""])[0].strip()
        found = re.search(r"/publication/([^/]+)", path)
        found = found or re.fullmatch(r"pn\s*=\s*\"?([\w .]+)\"?", query, re.IGNORECASE)
    return read_number(found[1]) if found else None


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
