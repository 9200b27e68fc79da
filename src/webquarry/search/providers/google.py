"""Google Custom Search JSON API: needs a key and an engine id. One page holds 10 results, and there
are 10 pages.

API: GET https://www.googleapis.com/customsearch/v1. The service is closed to new customers and ends
on 2027-01-01. The key goes into a header, so that no URL holds it. One domain goes out as
`siteSearch`, which takes exactly one; others as operators in the query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote_plus

import httpx2

from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.models import Batch, Query, Result
from webquarry.search.provider import EVERY_FILTER, Provider
from webquarry.search.providers._google_codes import country_code, language_code
from webquarry.search.query.operators import with_sites
from webquarry.search.replies.body import json_object, objects, optional_text, quote_words
from webquarry.search.replies.text import iso_date, plain, plain_from_html

KEY = "GOOGLE_SEARCH_API_KEY"
ENGINE = "GOOGLE_SEARCH_ENGINE_ID"
MAX_URL_CHARACTERS = 2048  # of the query as it stands in the URL
MAX_WORDS = 32  # Google passes over the words after these, and operators are words

# Where pages say when they were published, best first. Dates of modification are none.
_META_DATES = (
    "article:published_time", "og:published_time", "datepublished", "date", "dc.date", "dc.date.issued",
    "citation_publication_date", "sailthru.date", "parsely-pub-date",
)  # fmt: skip
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")

_PERIODS = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
_SAFE = {
    "off": "off",
    "medium": "active",
    "high": "active",
}  # Google knows no middle, and is off by default

_BAD_CREDENTIALS = {"API_KEY_INVALID", "API_KEY_EXPIRED", "keyInvalid", "keyExpired", "authError"}
_NO_ACCESS = {"forbidden", "accessNotConfigured", "SERVICE_DISABLED", "PERMISSION_DENIED"}
_DAILY = {"dailyLimitExceeded", "dailyLimitExceededUnreg"}
_BURST = {"rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED", "RESOURCE_EXHAUSTED"}


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
    page_size = 10
    max_pages = 10
    native = EVERY_FILTER

    def applied(self, query: Query) -> frozenset[str]:
        if language_code(query):
            return self.native
        return self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        if len(quote_plus(query.text)) > MAX_URL_CHARACTERS:
            raise BadInput(
                f"Google takes at most {MAX_URL_CHARACTERS} characters in a query, as they stand "
                "in a URL."
            )
        allowed, blocked = list(query.allowed_domains), list(query.blocked_domains)
        site: dict[str, str] = {}
        if len(allowed) == 1:
            site = {"siteSearch": allowed.pop(), "siteSearchFilter": "i"}
        elif not allowed and len(blocked) == 1:
            site = {"siteSearch": blocked.pop(), "siteSearchFilter": "e"}
        filtered = bool(query.allowed_domains or query.blocked_domains)
        if filtered:
            num = self.page_size
        else:
            num = min(query.count, self.page_size)
        text = with_sites(query.text, allowed, blocked, _fits)
        return self._request(
            {
                "q": text,
                "num": str(num),
                "start": str(query.page * num + 1),
                **site,
                **_wishes(query),
            }
        )

    def build_probe(self) -> httpx2.Request:
        """One result of a real search: nothing less tells that the engine id is good. Costs one
        query of the day's.
        """
        return self._request({"q": "test", "num": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        found = json_object(reply, self.label)
        if found.get("error") or reply.status != 200:
            raise self._failure(found, reply.status)
        items = found.get("items")
        # Without results there are no `items`, so that the others tell an answer from something
        # else.
        known = items or found.get("searchInformation") or found.get("queries")
        if not isinstance(known, dict | list) or not isinstance(items, list | None):
            raise ProviderFailure(
                "Google Custom Search answered with JSON of an unknown shape (HTTP 200)."
            )
        hits = [result for item in objects(items) if (result := self._result(item))]
        queries = found.get("queries")
        return Batch(
            tuple(hits),
            more=bool(hits) and isinstance(queries, dict) and bool(queries.get("nextPage")),
        )

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        key, engine = self.credential(KEY), parameters.get("cx") or self.credential(ENGINE)
        return httpx2.Request(
            "GET",
            self.endpoint("/customsearch/v1"),
            params={"cx": engine, **parameters},
            headers={"Accept": "application/json", "X-Goog-Api-Key": key},
        )

    def _result(self, item: dict[str, Any]) -> Result | None:
        """One hit, or None when it is not in the form of one."""
        try:
            url = optional_text(item.get("link"))
            title = _text(item, "title", "htmlTitle")
            snippet = _text(item, "snippet", "htmlSnippet")
        except ValueError:
            return None
        published = next(_dates(item.get("pagemap")), None)
        return Result(
            title or plain(url), url.strip(), snippet, provider=self.name, published=published
        )

    def _failure(self, found: dict[str, Any], status: int) -> WebquarryError:
        """The error that Google's reasons stand for; they count for more than the status."""
        problem = {}
        if isinstance(found.get("error"), dict):
            problem = found["error"]
        said, reasons = quote_words(problem.get("message")), _reasons(problem)
        culprits = {part.get("location") for part in objects(problem.get("errors"))} - {None}
        # Our counts and pages are always in range: where Google names no culprit, it is the engine
        # id.
        bad_engine = "cx" in culprits or (
            status == 400 and "INVALID_ARGUMENT" in reasons and not culprits
        )
        if reasons & _BAD_CREDENTIALS or bad_engine:
            return self.not_accepted()
        if reasons & (_DAILY | _BURST) or status == 429:
            return _quota(said, reasons, problem)
        if (
            reasons & _NO_ACCESS
            or any(reason.endswith("_BLOCKED") for reason in reasons)
            or status == 403
        ):
            return AuthFailure(
                f"Google does not open the search to this key: {said or 'no reason was given.'}",
                suggested_action="Check the key's project and restrictions in the Google Cloud "
                "console, "
                "or name another provider.",
            )
        words = " ".join(filter(None, [f"Google Custom Search failed (HTTP {status}).", said]))
        if status == 400:
            return BadInput(words)
        return ProviderFailure(words, retryable=status >= 500)


def _wishes(query: Query) -> dict[str, str]:
    """The parameters for what else the caller asked for; what was not asked for is left to Google."""
    language = language_code(query)
    wishes = {
        "cx": query.engine,
        "dateRestrict": _PERIODS.get(query.time_range or ""),
        "safe": _SAFE.get(query.safe or ""),
        "lr": f"lang_{language}" if language else None,
        "gl": country_code(query),
        "exactTerms": query.exact_terms,
        "excludeTerms": query.exclude_terms,
    }
    return {name: value for name, value in wishes.items() if value}


def _fits(text: str) -> bool:
    return len(quote_plus(text)) <= MAX_URL_CHARACTERS and len(text.split()) <= MAX_WORDS


def _text(item: dict[str, Any], field: str, html_field: str) -> str:
    """The plain field as it is; the HTML one only where there is no plain one."""
    return plain(optional_text(item.get(field))) or plain_from_html(
        optional_text(item.get(html_field))
    )


def _reasons(problem: dict[str, Any]) -> set[str]:
    """Every reason that the envelope names, in the old list, the new one and the status."""
    parts = [*objects(problem.get("errors")), *objects(problem.get("details"))]
    named = [problem.get("status"), *(part.get("reason") for part in parts)]
    return {reason for reason in named if isinstance(reason, str)}


def _quota(said: str, reasons: set[str], problem: dict[str, Any]) -> RateLimited:
    """Day or minute: the reason is the same, and only the text, or the name of the limit, tells
    them apart.
    """
    limits = [
        part["metadata"].get("quota_limit")
        for part in objects(problem.get("details"))
        if _has_metadata(part)
    ]
    daily = (
        reasons & _DAILY
        or "per day" in said.lower()
        or any("PerDay" in str(limit) for limit in limits)
    )
    if daily:
        return RateLimited(
            f"Google's quota for the day is used up: {said}",
            retryable=False,
            suggested_action="Wait for midnight Pacific time, when the quota is renewed, or name "
            "another provider.",
        )
    return RateLimited(
        f"Google asked us to slow down: {said or 'too many requests.'}", retry_after_seconds=60
    )


def _has_metadata(part: dict[str, Any]) -> bool:
    return isinstance(part.get("metadata"), dict)


def _dates(pagemap: object) -> Iterator[str]:
    """The dates of publication that the page gives of itself, best first; only those in ISO 8601."""
    if not isinstance(pagemap, dict):
        return
    for tags in objects(pagemap.get("metatags"))[:1]:
        for name in _META_DATES:
            value = tags.get(name)
            if name == "citation_publication_date" and isinstance(value, str):
                value = _unslashed(value)
            if date := iso_date(value):
                yield date
    for kind in ("newsarticle", "article"):
        for thing in objects(pagemap.get(kind))[:1]:
            if date := iso_date(thing.get("datepublished")):
                yield date


def _unslashed(value: str) -> str:
    """That tag is defined as year/month/day, which is ISO 8601 but for the dashes."""
    found = _SLASHED.fullmatch(value.strip())
    if found:
        return f"{found[1]}-{int(found[2]):02}-{int(found[3]):02}"
    return value
