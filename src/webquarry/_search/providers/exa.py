"""Exa: search by meaning over an index of its own, needs a key. Up to 25 results cost the same, and
there are no pages.

API: POST https://api.exa.ai/search. Snippets come only when they are asked for, as highlights.
Allowed and blocked domains may not stand in one request; the allowed ones go first, and the others
are left to us.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider, drop_empty
from webquarry._search.replies import (
    failure,
    json_object,
    optional_text,
    parse_hits,
    quota_failure,
    quote_words,
    rate_limit_failure,
)
from webquarry._search.text import iso_date, plain, shorten_text
from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, BadInput, SiteRefused, WebquarryError
from webquarry.net.models import Reply

KEY = "EXA_API_KEY"
SNIPPET_CHARACTERS = 500
MAX_PHRASE_WORDS = 5
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 365}
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
        """All filters, but for phrases that are too long for Exa, and for blocked domains where
        some are allowed: it takes one of the two lists.
        """
        left_out = set()
        if _phrase(query.exact_terms, MAX_PHRASE_WORDS) is None:
            left_out.add("exact_terms")
        if _phrase(query.exclude_terms, 1) is None:
            left_out.add("exclude_terms")
        if query.allowed_domains:
            left_out.add("blocked_domains")
        return self.native - left_out

    def build_request(self, query: Query) -> httpx2.Request:
        blocked: list[str] = []
        if not query.allowed_domains:
            blocked = list(query.blocked_domains)
        since = None
        if query.time_range in _DAYS:
            moment = self.clock.now() - timedelta(days=_DAYS[query.time_range])
            since = f"{moment:%Y-%m-%dT%H:%M:%S.000Z}"
        options = {
            "includeDomains": list(query.allowed_domains),
            "excludeDomains": blocked,
            "startPublishedDate": since,
            "includeText": _phrase(query.exact_terms, MAX_PHRASE_WORDS),
            # A phrase as a whole, so several words would mean another thing.
            "excludeText": _phrase(query.exclude_terms, 1),
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

    def build_probe(self) -> httpx2.Request:
        """One result of a real search, without its contents; costs half a cent."""
        return self._request({"query": "test", "type": "auto", "numResults": 1})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        answer = json_object(reply, self.label)
        if reply.status != 200 or answer.get("error"):
            raise self._failure(answer, reply)
        results = parse_hits(answer.get("results"), self._result, self.label)
        return Batch(tuple(results), more=False)

    def _request(self, body: dict[str, Any]) -> httpx2.Request:
        """One search; the key goes into a header."""
        headers = {
            "Accept": "application/json",
            "x-api-key": self.credential(KEY),
        }
        url = self.endpoint("/search")
        return httpx2.Request("POST", url, json=body, headers=headers)

    def _result(self, hit: dict[str, Any]) -> Result | None:
        """One hit, or None when it is not in the form of one."""
        try:
            snippet = _snippet(hit)
        except ValueError:
            return None
        published = iso_date(hit.get("publishedDate"))
        return self.result(hit.get("title"), hit.get("url"), snippet, published)

    def _failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        """The error that a tag of Exa's stands for, or the status where there is none."""
        tag = str(answer.get("tag"))
        words = quote_words(answer.get("error"))
        if tag == "INVALID_API_KEY":
            return self.not_accepted()
        if tag in _USED_UP or reply.status == 402:
            return quota_failure(self.label, words)
        if tag in _NO_ACCESS:
            return AuthFailure(
                f"Exa does not open the search to this key: {words}",
                suggested_action="Check the key on https://dashboard.exa.ai/, or name another "
                "provider.",
            )
        if tag == "RATE_LIMITED":
            return rate_limit_failure(reply, self.label, words)
        if tag == "PROHIBITED_CONTENT":
            return SiteRefused(
                f"Exa does not search for this: {words}", suggested_action="Name another provider."
            )
        if tag.startswith("INVALID_"):
            return BadInput(f"Exa did not accept the request: {words}")
        return failure(reply, self.label, words)


def _phrase(terms: str | None, most_words: int) -> list[str] | None:
    """The one phrase that Exa takes in a list, if it is short enough."""
    words = (terms or "").replace('"', " ").split()
    if 0 < len(words) <= most_words:
        return [" ".join(words)]
    return None


def _snippet(hit: dict[str, Any]) -> str:
    """The passages that Exa picked; its summary or the beginning of the text where it picked
    none.
    """
    highlights = hit.get("highlights")
    passages = []
    if isinstance(highlights, list):
        passages = [plain(part) for part in highlights if isinstance(part, str)]
    picked = " ... ".join(filter(None, passages))
    if picked:
        return picked
    summary = plain(optional_text(hit.get("summary")))
    if summary:
        return summary
    text = plain(optional_text(hit.get("text")))
    return shorten_text(text, SNIPPET_CHARACTERS)
