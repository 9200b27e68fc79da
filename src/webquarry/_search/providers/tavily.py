"""Tavily: search made for language models, needs a key. One answer holds up to 20 results, and
there are no pages.

API: POST https://api.tavily.com/search, a basic search: one credit. An exhausted plan is a status
432 or 433.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import httpx2

from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider, drop_empty, with_terms
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    quota_failure,
    quote_words,
    text_at,
)
from webquarry._search.text import iso_date, rfc_date
from webquarry.credentials import Credential
from webquarry.errors import RateLimited, WebquarryError
from webquarry.net.models import Reply

KEY = "TAVILY_API_KEY"
MAX_CHARACTERS = 400
MAX_ALLOWED = 300  # domains
MAX_BLOCKED = 150


class Tavily(Provider):
    name = "tavily"
    label = "Tavily"
    origin = "https://api.tavily.com"
    credentials = (Credential(KEY, "tavily-api-key"),)
    sign_up = "https://app.tavily.com/"
    page_size = 20
    max_pages = 1
    native = frozenset({"allowed_domains", "blocked_domains", "time_range", "exact_terms"})
    max_characters = MAX_CHARACTERS
    query_limit = f"{MAX_CHARACTERS} characters"
    has_site_operators = False

    def query_text(self, query: Query) -> str:
        return with_terms(replace(query, exclude_terms=None))  # there is no operator for these

    def build_request(self, query: Query) -> httpx2.Request:
        allowed = list(query.allowed_domains)
        options = {
            "time_range": query.time_range,
            "exact_match": bool(query.exact_terms),  # of the phrases in quotation marks
            "include_domains": allowed if len(allowed) <= MAX_ALLOWED else [],
            "exclude_domains": list(query.blocked_domains[:MAX_BLOCKED]),
        }
        body = {"query": self.search_text(query), "max_results": self.results_wanted(query)}
        return httpx2.Request(
            "POST",
            self.endpoint("/search"),
            json=body | drop_empty(options),
            headers=self._headers(),
        )

    def _headers(self) -> dict[str, str]:
        return {"Accept": "application/json", "Authorization": f"Bearer {self.credential(KEY)}"}

    def build_probe(self) -> httpx2.Request:
        """Return the request for the usage of the plan, which is free."""
        return httpx2.Request("GET", self.endpoint("/usage"), headers=self._headers())

    def parse_probe(self, reply: Reply) -> None:
        if reply.status != 200:
            self.parse_reply(reply)
        json_object(reply, self.label)

    def has_failed(self, answer: dict[str, Any]) -> bool:
        return bool(answer.get("detail") or answer.get("error"))

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        words = _quote_problem(answer)
        wait = object_at(answer, "error").get("retry_after_seconds", "")
        if wait != "":
            is_known = isinstance(wait, int | float) and wait > 0
            return RateLimited(
                f"Tavily's limit is reached: {words}",
                retry_after_seconds=float(wait) if is_known else None,
            )
        if reply.status in (432, 433):
            return quota_failure(self.label, words)
        if reply.status == 403:
            return self.no_access(words, "Check the key on https://app.tavily.com/")
        return failure(reply, self.label, words)

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        date = hit.get("published_date")
        published = rfc_date(date) or iso_date(date)
        return self.result(hit.get("title"), hit.get("url"), hit.get("content"), published)


def _quote_problem(answer: dict[str, Any]) -> str:
    """Return the error message: `detail` is an object, a list of complaints or a text."""
    detail = answer.get("detail") or answer.get("error")
    if isinstance(detail, list):
        detail = "; ".join(text_at(part, "msg") for part in objects(detail))
    if isinstance(detail, dict):
        detail = detail.get("error") or detail.get("message")
    return quote_words(detail)
