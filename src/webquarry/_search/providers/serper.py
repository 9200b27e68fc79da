"""Serper: Google's results from another company, needs a key. One page holds 10 results.

API: POST https://google.serper.dev/search. A bad key is a 403 and an empty account a 400, which
only the message distinguishes. Dates are text in the language of the results and not read.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.models import Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty
from webquarry._search.providers.google import MAX_CHARACTERS, MAX_WORDS, language_code
from webquarry._search.replies import failure, quota_failure, quote_words, unknown_shape_failure
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
    max_characters = MAX_CHARACTERS
    max_words = MAX_WORDS
    takes_paths = True  # of `site:`
    native = EVERY_FILTER - {"safe"}

    def build_request(self, query: Query) -> httpx2.Request:
        options = {
            "tbs": _PERIODS.get(query.time_range or ""),
            "gl": (query.country or "").lower(),
            "hl": language_code(query) or query.language,
        }
        # More than 10 results on a page cost double.
        body = {"q": self.search_text(query), "page": query.page + 1}
        return self._request(body | drop_empty(options))

    def _request(self, body: dict[str, Any]) -> httpx2.Request:
        headers = {"Accept": "application/json", "X-API-KEY": self.credential(KEY)}
        return httpx2.Request("POST", self.endpoint("/search"), json=body, headers=headers)

    def build_probe(self) -> httpx2.Request:
        """Return a search, for want of a free request that checks the key; costs one credit."""
        return self._request({"q": "test"})

    def has_failed(self, answer: dict[str, Any]) -> bool:
        return "message" in answer and "searchParameters" not in answer

    def hits(self, answer: dict[str, Any]) -> object:
        if not isinstance(answer.get("searchParameters"), dict):
            raise unknown_shape_failure(self.label)
        return answer.get("organic", [])  # missing if there are no results

    def has_more(self, answer: dict[str, Any]) -> bool:
        return bool(answer.get("organic"))

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        return self.result(hit.get("title"), hit.get("link"), hit.get("snippet"))

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        words = quote_words(answer.get("message"))
        if reply.status == 403:
            return self.not_accepted()
        if "not enough credits" in words.lower():
            return quota_failure(self.label, words)
        return failure(reply, self.label, words)
