"""SearchAPI.io: Google's results from another company, needs a key. One page holds some 10 results.

API: GET https://www.searchapi.io/api/v1/search?engine=google. "Nothing found" is an error in an
answer with HTTP 200. Dates are text in the language of the results and not read.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.models import Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty
from webquarry._search.providers.google import (
    MAX_CHARACTERS,
    MAX_WORDS,
    language_code,
    locale_parameters,
)
from webquarry._search.replies import failure, object_at, quota_failure, quote_words, text_at
from webquarry._search.text import plain_from_html
from webquarry.credentials import Credential
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.net.models import Reply

KEY = "SEARCHAPI_API_KEY"
_PERIODS = {"day": "last_day", "week": "last_week", "month": "last_month", "year": "last_year"}
_NOTHING = "didn't return any results"


class SearchApi(Provider):
    name = "searchapi"
    aliases = ("searchapiio",)
    label = "SearchAPI.io"
    origin = "https://www.searchapi.io"
    credentials = (Credential(KEY, "searchapi-api-key"),)
    sign_up = "https://www.searchapi.io/"
    max_characters = MAX_CHARACTERS
    max_words = MAX_WORDS
    takes_paths = True  # of `site:`
    native = EVERY_FILTER

    def applied(self, query: Query) -> frozenset[str]:
        return self.native if language_code(query) else self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        parameters = {
            "q": self.search_text(query),
            "page": str(query.page + 1),
            "time_period": _PERIODS.get(query.time_range or ""),
            **locale_parameters(query),
        }
        return self._request(drop_empty(parameters))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        headers = {"Accept": "application/json", "Authorization": f"Bearer {self.credential(KEY)}"}
        url = self.endpoint("/api/v1/search")
        return httpx2.Request(
            "GET", url, params={"engine": "google", **parameters}, headers=headers
        )

    def build_probe(self) -> httpx2.Request:
        """Return a search, for want of a free request that checks the key; costs one search."""
        return self._request({"q": "test"})

    def has_failed(self, answer: dict[str, Any]) -> bool:
        return bool(answer.get("error")) and _NOTHING not in text_at(answer, "error")

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        """Return the error; only the message of a 429 tells a rate limit from the end of the
        plan.
        """
        words = quote_words(answer.get("error"))
        is_used_up = "used all" in words.lower() or "for the month" in words.lower()
        if reply.status == 429 and is_used_up:
            return quota_failure(self.label, words)
        return failure(reply, self.label, words)

    def hits(self, answer: dict[str, Any]) -> object:
        if answer.get("error"):
            return []
        if object_at(answer, "search_metadata").get("status") != "Success":
            raise ProviderFailure(
                "SearchAPI.io did not finish the search, or answered in an unknown shape (HTTP "
                "200)."
            )
        return answer.get("organic_results", [])  # missing if there are no results

    def has_more(self, answer: dict[str, Any]) -> bool:
        results = answer.get("organic_results")
        return bool(results and object_at(answer, "pagination").get("next"))

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        return self.result(
            hit.get("title"), hit.get("link"), hit.get("snippet"), clean=plain_from_html
        )
