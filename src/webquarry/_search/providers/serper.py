"""Serper: Google's results by way of another company, needs a key. One page holds 10 results.

API: POST https://google.serper.dev/search. A bad key is a 403 and an empty account a 400: the words
tell them apart. Its dates are display text ("Aug 17, 2026", "2 days ago") in the language of the
results, so there are none here.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.filters import with_sites, with_terms
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider, drop_empty
from webquarry._search.providers.google import fits_in_query, language_code
from webquarry._search.replies import (
    failure,
    json_object,
    parse_hits,
    quota_failure,
    quote_words,
    unknown_shape_failure,
)
from webquarry.credentials import Credential
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply

KEY = "SERPER_API_KEY"
_PERIODS = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


class Serper(Provider):
    name = "serper"
    label = "Serper"
    origin = "https://google.serper.dev"
    credentials = (Credential(KEY, "serper-api-key"),)
    sign_up = "https://serper.dev/api-key"
    page_size = 10
    max_pages = 10
    takes_paths = True  # as Google's `site:` does
    native = frozenset(
        {
            "allowed_domains",
            "blocked_domains",
            "time_range",
            "language",
            "country",
            "exact_terms",
            "exclude_terms",
        }
    )

    def build_request(self, query: Query) -> httpx2.Request:
        text = with_terms(query)
        text = with_sites(text, query.allowed_domains, query.blocked_domains, fits_in_query)
        options = {
            "tbs": _PERIODS.get(query.time_range or ""),
            "gl": (query.country or "").lower(),
            "hl": language_code(query) or query.language,
        }
        # More than 10 on a page cost double, where they are to be had at all.
        return self._request({"q": text, "page": query.page + 1, **drop_empty(options)})

    def build_probe(self) -> httpx2.Request:
        """A real search: nothing less is known to tell a good key. Costs one credit."""
        return self._request({"q": "test"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        answer = json_object(reply, self.label)
        is_complaint = "message" in answer and "searchParameters" not in answer
        if reply.status != 200 or is_complaint:
            raise self._failure(answer, reply)
        if not isinstance(answer.get("searchParameters"), dict):
            raise unknown_shape_failure(self.label)
        # Without results there is no `organic`.
        results = parse_hits(answer.get("organic", []), self._result, self.label)
        return Batch(tuple(results), more=bool(results))

    def _request(self, body: dict[str, Any]) -> httpx2.Request:
        """One search; the key goes into a header."""
        headers = {
            "Accept": "application/json",
            "X-API-KEY": self.credential(KEY),
        }
        url = self.endpoint("/search")
        return httpx2.Request("POST", url, json=body, headers=headers)

    def _result(self, hit: dict[str, Any]) -> Result | None:
        return self.result(
            title=hit.get("title"),
            url=hit.get("link"),
            snippet=hit.get("snippet"),
        )

    def _failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        """The error that the words stand for, or the status where they say nothing of ours."""
        words = quote_words(answer.get("message"))
        if reply.status == 403:
            return self.not_accepted()
        if "not enough credits" in words.lower():
            return quota_failure(self.label, words)
        return failure(reply, self.label, words)
