"""SearchAPI.io: Google's results by way of another company, needs a key. One page holds some 10
results.

API: GET https://www.searchapi.io/api/v1/search?engine=google. The key goes into a header, so that
no URL holds it. "Nothing found" comes as an error in an answer with HTTP 200. Dates are display
text, so there are none here.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.filters import with_sites, with_terms
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty
from webquarry._search.providers.google import country_code, fits_in_query, language_code
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    parse_hits,
    quota_failure,
    quote_words,
)
from webquarry._search.text import plain_from_html
from webquarry.credentials import Credential
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.net.models import Reply

KEY = "SEARCHAPI_API_KEY"
_PERIODS = {"day": "last_day", "week": "last_week", "month": "last_month", "year": "last_year"}
# Google knows no middle, and is off by default.
_SAFE = {"off": "off", "medium": "active", "high": "active"}
_NOTHING = "didn't return any results"


class SearchApi(Provider):
    name = "searchapi"
    aliases = ("searchapiio",)
    label = "SearchAPI.io"
    origin = "https://www.searchapi.io"
    credentials = (Credential(KEY, "searchapi-api-key"),)
    sign_up = "https://www.searchapi.io/"
    page_size = 10
    max_pages = 10
    takes_paths = True  # as Google's `site:` does
    native = EVERY_FILTER

    def applied(self, query: Query) -> frozenset[str]:
        """All filters, but for a language that Google has no code for."""
        if language_code(query):
            return self.native
        return self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        language = language_code(query)
        text = with_terms(query)
        parameters = {
            "q": with_sites(text, query.allowed_domains, query.blocked_domains, fits_in_query),
            "page": str(query.page + 1),
            "time_period": _PERIODS.get(query.time_range or ""),
            "safe": _SAFE.get(query.safe or ""),
            "lr": f"lang_{language}" if language else None,
            "gl": country_code(query),
        }
        return self._request(drop_empty(parameters))

    def build_probe(self) -> httpx2.Request:
        """A real search: nothing less is known to tell a good key. Costs one search."""
        return self._request({"q": "test"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        answer = json_object(reply, self.label)
        error = answer.get("error")
        if reply.status == 200 and isinstance(error, str) and _NOTHING in error:
            return Batch((), more=False)
        if reply.status != 200 or error:
            raise self._failure(quote_words(error), reply)
        if object_at(answer, "search_metadata").get("status") != "Success":
            raise ProviderFailure(
                "SearchAPI.io did not finish the search, or answered in an unknown shape (HTTP "
                "200)."
            )
        # Without results there are no `organic_results`.
        results = parse_hits(answer.get("organic_results", []), self._result, self.label)
        next_page = object_at(answer, "pagination").get("next")
        return Batch(tuple(results), more=bool(results) and bool(next_page))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        key = self.credential(KEY)
        return httpx2.Request(
            "GET",
            self.endpoint("/api/v1/search"),
            params={"engine": "google", **parameters},
            headers={
                "Accept": "application/json",
                "Authorization": f"Bearer {key}",
            },
        )

    def _result(self, hit: dict[str, Any]) -> Result | None:
        return self.result(
            title=hit.get("title"),
            url=hit.get("link"),
            snippet=hit.get("snippet"),
            clean=plain_from_html,
        )

    def _failure(self, words: str, reply: Reply) -> WebquarryError:
        """A 429 is either too many at once, which passes, or the end of the plan, which does not;
        the words tell.
        """
        lowered = words.lower()
        is_used_up = "used all" in lowered or "for the month" in lowered
        if reply.status == 429 and is_used_up:
            return quota_failure(self.label, words)
        return failure(reply, self.label, words)
