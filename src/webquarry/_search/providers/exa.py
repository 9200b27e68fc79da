"""Exa: semantic search over an index of its own, needs a key. Up to 25 results cost the same, and
there are no pages.

API: POST https://api.exa.ai/search. Snippets are requested as highlights. Allowed and blocked
domains are mutually exclusive; if both are given, the blocked ones are filtered on our side.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.models import Query, Result
from webquarry._search.provider import Provider, drop_empty
from webquarry._search.replies import (
    array_at,
    failure,
    quota_failure,
    quote_words,
    rate_limit_failure,
    string_at,
)
from webquarry._search.text import iso_date, plain, shorten_text
from webquarry.credentials import Credential
from webquarry.errors import BadInput, SiteRefused, WebquarryError
from webquarry.net.models import Reply

KEY = "EXA_API_KEY"
SNIPPET_CHARACTERS = 500
MAX_PHRASE_WORDS = 5
_NO_ACCESS = {"ACCESS_DENIED", "FEATURE_DISABLED"}
_USED_UP = {"NO_MORE_CREDITS", "API_KEY_BUDGET_EXCEEDED"}


class Exa(Provider):
    name = "exa"
    label = "Exa"
    origin = "https://api.exa.ai"
    credentials = (Credential(KEY, "exa-api-key"),)
    sign_up = "https://dashboard.exa.ai/api-keys"
    page_size = 25
    max_pages = 1
    has_site_operators = False
    native = frozenset(
        {
            "allowed_domains",
            "blocked_domains",
            "time_range",
            "safe",
            "country",
            "exact_terms",
            "exclude_terms",
        }
    )

    def applied(self, query: Query) -> frozenset[str]:
        left_out = {
            "exact_terms": _phrase(query.exact_terms, MAX_PHRASE_WORDS) is None,
            "exclude_terms": _phrase(query.exclude_terms, 1) is None,
            "blocked_domains": bool(query.allowed_domains),
        }
        return self.native - {name for name, is_out in left_out.items() if is_out}

    def build_request(self, query: Query) -> httpx2.Request:
        since = self.start_of(query)
        options = {
            "includeDomains": list(query.allowed_domains),
            "excludeDomains": [] if query.allowed_domains else list(query.blocked_domains),
            "startPublishedDate": f"{since:%Y-%m-%dT%H:%M:%S.000Z}" if since else None,
            "includeText": _phrase(query.exact_terms, MAX_PHRASE_WORDS),
            "excludeText": _phrase(query.exclude_terms, 1),  # several words would be one phrase
            "userLocation": query.country,
            "moderation": query.safe != "off",
        }
        body = {
            "query": query.text,
            "type": "auto",
            "numResults": self.results_wanted(query),
            "contents": {"highlights": {"maxCharacters": SNIPPET_CHARACTERS}},
        }
        return self._request(body | drop_empty(options))

    def _request(self, body: dict[str, Any]) -> httpx2.Request:
        headers = {"Accept": "application/json", "x-api-key": self.credential(KEY)}
        return httpx2.Request("POST", self.endpoint("/search"), json=body, headers=headers)

    def build_probe(self) -> httpx2.Request:
        """Return a search for one result without its contents; costs half a cent."""
        return self._request({"query": "test", "type": "auto", "numResults": 1})

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        tag = str(answer.get("tag"))
        words = quote_words(answer.get("error"))
        if tag == "INVALID_API_KEY":
            return self.not_accepted()
        if tag in _USED_UP or reply.status == 402:
            return quota_failure(self.label, words)
        if tag in _NO_ACCESS:
            return self.no_access(words, "Check the key on https://dashboard.exa.ai/")
        if tag == "RATE_LIMITED":
            return rate_limit_failure(reply, self.label, words)
        if tag == "PROHIBITED_CONTENT":
            return SiteRefused(
                f"Exa does not search for this: {words}", suggested_action="Name another provider."
            )
        if tag.startswith("INVALID_"):
            return BadInput(f"Exa did not accept the request: {words}")
        return failure(reply, self.label, words)

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        passages = [plain(part) for part in array_at(hit, "highlights") if isinstance(part, str)]
        snippet = " ... ".join(filter(None, passages)) or plain(string_at(hit, "summary"))
        if not snippet:
            snippet = shorten_text(plain(string_at(hit, "text")), SNIPPET_CHARACTERS)
        return self.result(
            hit.get("title"), hit.get("url"), snippet, iso_date(hit.get("publishedDate"))
        )


def _phrase(terms: str | None, most_words: int) -> list[str] | None:
    """Return the one phrase that Exa accepts, in a list, if it is short enough."""
    words = (terms or "").replace('"', " ").split()
    return [" ".join(words)] if 0 < len(words) <= most_words else None
