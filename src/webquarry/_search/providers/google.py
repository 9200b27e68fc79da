"""Google Custom Search JSON API: needs a key and an engine id. One page holds 10 results, and there
are 10 pages.

API: GET https://www.googleapis.com/customsearch/v1. The service is closed to new customers and ends
on 2027-01-01; from then on all errors say so. The key is sent in a header. One domain is sent as
`siteSearch`, which accepts exactly one; others, and those with a path, as operators in the query.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote_plus

import httpx2

from webquarry._search.models import Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty, with_sites
from webquarry._search.replies import (
    failure,
    object_at,
    objects,
    quota_failure,
    quote_words,
    rate_limit_failure,
    string_at,
    unknown_shape_failure,
)
from webquarry._search.text import iso_date, plain, plain_from_html, read_snippet_date
from webquarry.credentials import Credential
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply

MAX_CHARACTERS = 2048  # of a query
MAX_WORDS = 32  # further words are ignored, and operators are words
# The languages of pages that Google knows (`lr=lang_..`).
_KNOWN = """
ar bg ca cs da de el en es et fi fr hr hu id is it iw ja ko lt lv nl no pl pt ro ru sk sl sr sv tr
zh-CN zh-TW
"""
_LANGUAGES = frozenset(_KNOWN.split())
_OWN = {"he": "iw", "nb": "no", "nn": "no", "zh": "zh-CN"}
_TRADITIONAL = frozenset({"HK", "MO", "TW"})
# Google has no medium, and is off by default.
SAFE = {"off": "off", "medium": "active", "high": "active"}

KEY = "GOOGLE_SEARCH_API_KEY"
ENGINE = "GOOGLE_SEARCH_ENGINE_ID"
END = datetime(2027, 1, 1, tzinfo=UTC)
_ENDED = (
    "Google ended its Custom Search JSON API on 2027-01-01: use web-search-brave-tool instead, "
    "with a key from https://brave.com/search/api/, or another provider."
)
# Tags with the date of publication, best first.
_META_DATES = ("article:published_time", "datepublished", "date", "citation_publication_date")
_PERIODS = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_BAD_CREDENTIALS = {"API_KEY_INVALID", "API_KEY_EXPIRED", "keyInvalid", "keyExpired", "authError"}
_NO_ACCESS = {"forbidden", "accessNotConfigured", "SERVICE_DISABLED", "PERMISSION_DENIED"}
_DAILY = {"dailyLimitExceeded", "dailyLimitExceededUnreg"}
_BURST = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}


def language_code(query: Query) -> str | None:
    """Return Google's code of the language, if it has one."""
    if query.language == "zh" and query.country in _TRADITIONAL:
        return "zh-TW"
    language = _OWN.get(query.language or "", query.language)
    return language if language in _LANGUAGES else None


def locale_parameters(query: Query) -> dict[str, str | None]:
    """Return the parameters of safe search, language and country."""
    language = language_code(query)
    country = (query.country or "").lower()
    return {
        "safe": SAFE.get(query.safe or ""),
        "lr": f"lang_{language}" if language else None,
        "gl": "uk" if country == "gb" else country,
    }


class Google(Provider):
    name = "google"
    label = "Google Custom Search"
    origin = "https://www.googleapis.com"
    credentials = (
        Credential(KEY, "google-api-key"),
        Credential(ENGINE, "google-engine-id", secret=False),
    )
    credentials_text = (
        "Authentication required: GOOGLE_SEARCH_API_KEY or GOOGLE_SEARCH_ENGINE_ID not found. "
        "Set environment "
        "variables or create ~/.config/ikigai/google-api-key and "
        "~/.config/ikigai/google-engine-id files. "
        "Get credentials from https://developers.google.com/custom-search"
    )
    sign_up = "https://developers.google.com/custom-search"
    notice = "Google's Custom Search JSON API ends on 2027-01-01 and is closed to new customers."
    takes_paths = True  # of `site:`
    native = EVERY_FILTER
    query_limit = f"{MAX_CHARACTERS} characters, counted as in a URL,"

    def takes(self, query: Query) -> bool:
        return len(quote_plus(query.text)) <= MAX_CHARACTERS

    def query_text(self, query: Query) -> str:
        return query.text  # terms are parameters

    def fits(self, text: str) -> bool:
        return len(quote_plus(text)) <= MAX_CHARACTERS and len(text.split()) <= MAX_WORDS

    def explain(self, error: WebquarryError) -> None:
        super().explain(error)
        if self.clock.now() >= END:
            error.args = (f"{error.message} {_ENDED}",)

    def applied(self, query: Query) -> frozenset[str]:
        return self.native if language_code(query) else self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        self.check_length(query)
        allowed = list(query.allowed_domains)
        blocked = list(query.blocked_domains)
        site: dict[str, str] = {}
        if len(allowed) == 1 and "/" not in allowed[0]:
            site = {"siteSearch": allowed.pop(), "siteSearchFilter": "i"}
        elif not allowed and len(blocked) == 1 and "/" not in blocked[0]:
            site = {"siteSearch": blocked.pop(), "siteSearchFilter": "e"}
        count = self.results_wanted(query)
        options = {
            "cx": query.engine,
            "dateRestrict": _PERIODS.get(query.time_range or ""),
            **locale_parameters(query),
            "exactTerms": query.exact_terms,
            "excludeTerms": query.exclude_terms,
        }
        parameters = {
            "q": with_sites(query.text, allowed, blocked, self.fits),
            "num": str(count),
            "start": str(query.page * count + 1),
        }
        return self._request(parameters | site | drop_empty(options))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        """Return a search in the engine of the lens or, by default, of the user."""
        headers = {"Accept": "application/json", "X-Goog-Api-Key": self.credential(KEY)}
        engine = parameters.get("cx") or self.credential(ENGINE)
        url = self.endpoint("/customsearch/v1")
        return httpx2.Request("GET", url, params={"cx": engine, **parameters}, headers=headers)

    def build_probe(self) -> httpx2.Request:
        """Return a search for one result, which also checks the engine id; costs one query."""
        return self._request({"q": "test", "num": "1"})

    def hits(self, answer: dict[str, Any]) -> object:
        items = answer.get("items", [])  # missing if there are no results
        known = items or answer.get("searchInformation") or answer.get("queries")
        if not isinstance(known, dict | list):
            raise unknown_shape_failure(self.label)
        return items

    def has_more(self, answer: dict[str, Any]) -> bool:
        return bool(answer.get("items") and object_at(answer, "queries").get("nextPage"))

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        title = hit.get("title") or plain_from_html(string_at(hit, "htmlTitle"))
        snippet = hit.get("snippet") or plain_from_html(string_at(hit, "htmlSnippet"))
        tags = next(iter(objects(object_at(hit, "pagemap").get("metatags"))), {})
        dates = [iso_date(tags.get(name)) for name in _META_DATES]
        dates.append(read_snippet_date(plain(str(snippet)), self.clock.now()))
        published = next(filter(None, dates), None)
        return self.result(title, hit.get("link"), snippet, published)

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        """Return the error of Google's reasons, which are more exact than the status."""
        status = reply.status
        problem = object_at(answer, "error")
        words = quote_words(problem.get("message"))
        errors = objects(problem.get("errors"))
        details = objects(problem.get("details"))
        # All reasons in the envelope: the status, the old list and the new one.
        reasons = {string_at(part, "reason") for part in (*errors, *details)}
        reasons.add(string_at(problem, "status"))
        culprits = {string_at(part, "location") for part in errors} - {""}
        # Our counts and pages are always in range: without a culprit it is the engine id.
        is_unnamed = status == 400 and "INVALID_ARGUMENT" in reasons and not culprits
        if reasons & _BAD_CREDENTIALS or "cx" in culprits or is_unnamed:
            return self.not_accepted()
        if reasons & (_DAILY | _BURST) or status == 429:
            limits = [str(object_at(part, "metadata").get("quota_limit")) for part in details]
            is_daily = bool(reasons & _DAILY) or any("PerDay" in limit for limit in limits)
            if is_daily or "per day" in words.lower():
                return quota_failure("Google", words)
            return rate_limit_failure(reply, "Google", words, at_least=60)
        is_blocked = any(reason.endswith("_BLOCKED") for reason in reasons)
        if reasons & _NO_ACCESS or is_blocked or status == 403:
            return self.no_access(
                words, "Check the key's project and restrictions in the Google Cloud console"
            )
        return failure(reply, self.label, words)
