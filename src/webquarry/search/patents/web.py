"""Patents from web pages: a web search limited to patent sites, and the page of one patent by its
number.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from webquarry.clock import Clock
from webquarry.errors import NotFound, WebquarryError
from webquarry.progress import note
from webquarry.search.models import Attempt, Found, Query
from webquarry.search.patents.discovery import each_once, number_query, patent_of, web_query
from webquarry.search.patents.filters import admits
from webquarry.search.patents.models import FoundPatents, Patent, PatentQuery
from webquarry.search.patents.numbers import PatentNumber
from webquarry.search.router import Router

PAGES = "google_patents"  # who is said to have answered where the page of a patent was read
_UNCOUNTED = "A web search does not tell whose the patents are, so no assignees could be counted."

ReadPage = Callable[
    [PatentNumber], Awaitable[Patent | None]
]  # the patent's own page; None: it is about another


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
        found = await self._routed(web_query(query), provider)
        patents = each_once(
            [one for hit in found.results if (one := patent_of(hit)) and admits(one, query)]
        )
        notes = (_UNCOUNTED,) if query.search_type == "landscape" else ()
        return _found(found, patents[: query.count], _unapplied(query), notes)

    async def look_up(self, number: PatentNumber, provider: str | None = None) -> FoundPatents:
        """By the page of the patent; where it cannot be read, by one that a web search finds under
        the same number.
        """
        if provider is not None:
            return await self._searched(number, provider)
        note("reading the page of the patent")
        started = self._clock.monotonic()
        try:
            patent = await self._read_page(number)
        except NotFound:
            patent = None
        except WebquarryError as error:
            return await self._searched_instead(number, error)
        known = patent is not None and number.covers(patent.number)
        took = self._clock.monotonic() - started
        attempt = Attempt(
            PAGES, *(("ok", "1 result.") if known else ("empty", "There is no such page.")), took
        )
        patents = (patent,) if patent is not None and known else ()
        return FoundPatents(
            patents,
            PAGES,
            (attempt,),
            order=(PAGES,),
            because="the query is a number",
            discovered=True,
        )

    async def _searched_instead(self, number: PatentNumber, error: WebquarryError) -> FoundPatents:
        """What a search finds where the page could not be read; where it finds nothing, nobody
        knows if there is one.
        """
        try:
            found = await self._searched(number, None)
        except WebquarryError:
            raise error from None
        if not found.patents:
            raise error
        return found

    async def _searched(self, number: PatentNumber, provider: str | None) -> FoundPatents:
        found = await self._routed(number_query(number), provider)
        patents = [
            one for hit in found.results if (one := patent_of(hit)) and number.covers(one.number)
        ]
        return _found(found, patents[:1])

    async def _routed(self, query: Query, provider: str | None) -> Found:
        return await self._router.route(query, provider=provider, kind="patents")


def _unapplied(query: PatentQuery) -> tuple[str, ...]:
    """The filters that a web search does not know, and that we can apply only here and there."""
    wanted = {"cpc_code": query.cpc, "year_from": query.year_from, "year_to": query.year_to}
    return tuple(name for name, value in wanted.items() if value)


def _found(
    found: Found,
    patents: list[Patent],
    unapplied: tuple[str, ...] = (),
    about: tuple[str, ...] = (),
) -> FoundPatents:
    notes = list(about)
    if "cpc_code" in unapplied:
        notes.append("A web search cannot filter by cpc_code: it was searched for as a word.")
    if years := [name for name in unapplied if name != "cpc_code"]:
        notes.append(
            f"A web search cannot filter by {' and '.join(years)}: applied where the number "
            "tells the year."
        )
    return FoundPatents(
        patents=tuple(patents),
        provider=found.provider,
        attempts=found.attempts,
        notes=(*found.notes, *notes),
        unapplied=unapplied,
        order=found.order,
        because=found.because,
        partial=found.partial,
        discovered=True,
    )
