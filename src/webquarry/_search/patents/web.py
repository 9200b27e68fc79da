"""Patents from web pages: a web search limited to patent sites, and the page of one patent by its
number.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from webquarry._search.models import Attempt, Found
from webquarry._search.patents.discovery import each_once, number_query, patent_of, web_query
from webquarry._search.patents.filters import admits
from webquarry._search.patents.models import FoundPatents, Patent, PatentQuery
from webquarry._search.patents.numbers import PatentNumber
from webquarry._search.router import Router
from webquarry.clock import Clock
from webquarry.errors import NotFound, WebquarryError
from webquarry.progress import note

PAGES = "google_patents"  # who is said to have answered where the page of a patent was read
_UNCOUNTED = "A web search does not tell whose the patents are, so no assignees could be counted."

# The patent's own page; None: it is about another.
ReadPage = Callable[[PatentNumber], Awaitable[Patent | None]]


class WebPatents:
    """Asks the web. A `provider` is one of web search; without one, those who are asked for web
    searches are.
    """

    def __init__(self, router: Router, read_page: ReadPage, clock: Clock) -> None:
        self._router = router
        self._read_page = read_page
        self._clock = clock

    async def search(self, query: PatentQuery, provider: str | None = None) -> FoundPatents:
        """Patents whose pages a web search finds."""
        web = await self._router.route(web_query(query), provider=provider, kind="patents")
        patents = []
        for result in web.results:
            patent = patent_of(result)
            if patent and admits(patent, query):
                patents.append(patent)
        found = _build_found(web, each_once(patents)[: query.count])
        # The filters that a web search does not know, and that we can apply only here and there.
        years = []
        if query.year_from:
            years.append("year_from")
        if query.year_to:
            years.append("year_to")
        unapplied = []
        notes = list(found.notes)
        if query.search_type == "landscape":
            notes.append(_UNCOUNTED)
        if query.cpc:
            unapplied.append("cpc_code")
            notes.append("A web search cannot filter by cpc_code: it was searched for as a word.")
        if years:
            unapplied += years
            notes.append(
                f"A web search cannot filter by {' and '.join(years)}: applied where the number "
                "tells the year."
            )
        return replace(found, notes=tuple(notes), unapplied=tuple(unapplied))

    async def look_up(self, number: PatentNumber, provider: str | None = None) -> FoundPatents:
        """By the page of the patent; where it cannot be read, by one that a web search finds under
        the same number.
        """
        if provider is not None:
            return await self._search_number(number, provider)
        note("reading the page of the patent")
        started = self._clock.monotonic()
        try:
            patent = await self._read_page(number)
        except NotFound:
            patent = None
        except WebquarryError as error:
            return await self._search_unread(number, error)
        seconds = self._clock.monotonic() - started
        patents: tuple[Patent, ...] = ()
        attempt = Attempt(PAGES, "empty", "There is no such page.", seconds)
        if patent is not None and number.covers(patent.number):
            patents = (patent,)
            attempt = Attempt(PAGES, "ok", "1 result.", seconds)
        return FoundPatents(
            patents,
            PAGES,
            (attempt,),
            order=(PAGES,),
            because="the query is a number",
            discovered=True,
        )

    async def _search_unread(self, number: PatentNumber, error: WebquarryError) -> FoundPatents:
        """What a search finds where the page could not be read; where it finds nothing, nobody
        knows if there is one.
        """
        try:
            found = await self._search_number(number)
        except WebquarryError:
            raise error from None
        if not found.patents:
            raise error
        return found

    async def _search_number(
        self, number: PatentNumber, provider: str | None = None
    ) -> FoundPatents:
        """The first page of a web search that is about this patent."""
        web = await self._router.route(number_query(number), provider=provider, kind="patents")
        for result in web.results:
            patent = patent_of(result)
            if patent and number.covers(patent.number):
                return _build_found(web, [patent])
        return _build_found(web, [])


def _build_found(web: Found, patents: list[Patent]) -> FoundPatents:
    """These patents, with what the web search tells of itself."""
    return FoundPatents(
        patents=tuple(patents),
        provider=web.provider,
        attempts=web.attempts,
        notes=web.notes,
        order=web.order,
        because=web.because,
        partial=web.partial,
        discovered=True,
    )
