"""Google Custom Search JSON API: needs a key and an engine id. One page holds 10 results, and there
are 10 pages.

API: GET https://www.googleapis.com/customsearch/v1. The service is closed to new customers and ends
on 2027-01-01; from then on it is still asked, and every error says so. The key goes into a header,
so that no URL holds it. One domain goes out as `siteSearch`, which takes exactly one; others, and
those with a path, as operators in the query.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote_plus

import httpx2

from webquarry._search.filters import with_sites
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty
from webquarry._search.replies import (
    json_object,
    object_at,
    objects,
    optional_text,
    parse_hits,
    quote_words,
    unknown_shape_failure,
)
from webquarry._search.text import iso_date, plain, plain_from_html, read_snippet_date
from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply

MAX_CHARACTERS = 2048  # of a query
MAX_WORDS = 32  # Google passes over the words after these, and operators are words
# Google takes these for the language of a page (`lr=lang_..`), and no others.
_KNOWN = """
ar bg ca cs da de el en es et fi fr hr hu id is it iw ja ko lt lv nl no pl pt ro ru sk sl sr sv tr
zh-CN zh-TW
"""
_LANGUAGES = frozenset(_KNOWN.split())
_OWN = {"he": "iw", "nb": "no", "nn": "no", "zh": "zh-CN"}
_TRADITIONAL = frozenset({"HK", "MO", "TW"})


def language_code(query: Query) -> str | None:
    """The language of the query in Google's spelling; None when there is none, or none that Google
    can tell.
    """
    if query.language == "zh" and query.country in _TRADITIONAL:
        return "zh-TW"
    language = _OWN.get(query.language or "", query.language)
    if language in _LANGUAGES:
        return language
    return None


def country_code(query: Query) -> str | None:
    """The country of the query as `gl` takes it."""
    if query.country:
        return {"GB": "uk"}.get(query.country, query.country.lower())
    return None


def fits_in_query(text: str) -> bool:
    """Whether Google reads a query of this length to its end."""
    return len(text) <= MAX_CHARACTERS and len(text.split()) <= MAX_WORDS


KEY = "GOOGLE_SEARCH_API_KEY"
ENGINE = "GOOGLE_SEARCH_ENGINE_ID"
END = datetime(2027, 1, 1, tzinfo=UTC)
_ENDED = (
    "Google ended its Custom Search JSON API on 2027-01-01: use web-search-brave-tool instead, "
    "with a key from https://brave.com/search/api/, or another provider (brave, tavily, exa, "
    "serper, searchapi, searxng, duckduckgo)."
)
MAX_URL_CHARACTERS = 2048  # of the query as it stands in the URL
MAX_WORDS = 32  # Google passes over the words after these, and operators are words

# Where pages say when they were published, best first. Dates of modification are none.
_META_DATES = (
    "article:published_time",
    "og:published_time",
    "datepublished",
    "date",
    "dc.date",
    "dc.date.issued",
    "citation_publication_date",
    "sailthru.date",
    "parsely-pub-date",
)
_SLASHED = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2})")

_PERIODS = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}
# Google knows no middle, and is off by default.
_SAFE = {"off": "off", "medium": "active", "high": "active"}

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
    takes_paths = True  # as Google's `site:` does
    native = EVERY_FILTER
    query_limit = f"{MAX_URL_CHARACTERS} characters, counted as in a URL,"

    def takes(self, query: Query) -> bool:
        return len(quote_plus(query.text)) <= MAX_URL_CHARACTERS

    @property
    def current_notice(self) -> str:
        if self._has_ended:
            return _ENDED
        return self.notice

    def explain(self, error: WebquarryError) -> None:
        super().explain(error)
        if self._has_ended:
            error.suggested_action = _ENDED
            if _ENDED not in error.message:  # new credentials are not to be had any more
                error.args = (f"{error.message} {_ENDED}",)

    @property
    def _has_ended(self) -> bool:
        return self.clock.now() >= END

    def applied(self, query: Query) -> frozenset[str]:
        """All filters, but for a language that Google has no code for."""
        if language_code(query):
            return self.native
        return self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        if not self.takes(query):
            raise self.too_long_failure()
        allowed = list(query.allowed_domains)
        blocked = list(query.blocked_domains)
        site: dict[str, str] = {}
        if len(allowed) == 1 and "/" not in allowed[0]:
            site = {"siteSearch": allowed.pop(), "siteSearchFilter": "i"}
        elif not allowed and len(blocked) == 1 and "/" not in blocked[0]:
            site = {"siteSearch": blocked.pop(), "siteSearchFilter": "e"}
        count = self.results_wanted(query)
        language = language_code(query)
        options = {
            "cx": query.engine,
            "dateRestrict": _PERIODS.get(query.time_range or ""),
            "safe": _SAFE.get(query.safe or ""),
            "lr": f"lang_{language}" if language else None,
            "gl": country_code(query),
            "exactTerms": query.exact_terms,
            "excludeTerms": query.exclude_terms,
        }
        parameters = {
            "q": with_sites(query.text, allowed, blocked, _fits),
            "num": str(count),
            "start": str(query.page * count + 1),
        }
        return self._request(parameters | site | drop_empty(options))

    def build_probe(self) -> httpx2.Request:
        """One result of a real search: nothing less tells that the engine id is good. Costs one
        query of the day's.
        """
        return self._request({"q": "test", "num": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        answer = json_object(reply, self.label)
        if answer.get("error") or reply.status != 200:
            raise self._failure(object_at(answer, "error"), reply.status)
        items = answer.get("items", [])
        # Without results there are no `items`, so that the others tell an answer from something
        # else.
        known = items or answer.get("searchInformation") or answer.get("queries")
        if not isinstance(known, dict | list):
            raise unknown_shape_failure(self.label)
        results = parse_hits(items, self._result, self.label)
        next_page = object_at(answer, "queries").get("nextPage")
        return Batch(tuple(results), more=bool(results) and bool(next_page))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        """One search in the engine of the lens, or else in our own."""
        key = self.credential(KEY)
        engine = parameters.get("cx") or self.credential(ENGINE)
        return httpx2.Request(
            "GET",
            self.endpoint("/customsearch/v1"),
            params={"cx": engine, **parameters},
            headers={"Accept": "application/json", "X-Goog-Api-Key": key},
        )

    def _result(self, item: dict[str, Any]) -> Result | None:
        """One hit, or None when it is not in the form of one."""
        try:
            title = _text(item, "title", "htmlTitle")
            snippet = _text(item, "snippet", "htmlSnippet")
        except ValueError:
            return None
        published = next(_dates(item.get("pagemap")), None)
        if published is None:
            published = read_snippet_date(snippet, self.clock.now())
        return self.result(title, item.get("link"), snippet, published)

    def _failure(self, problem: dict[str, Any], status: int) -> WebquarryError:
        """The error that Google's reasons stand for; they count for more than the status."""
        words = quote_words(problem.get("message"))
        errors = objects(problem.get("errors"))
        details = objects(problem.get("details"))
        # Every reason that the envelope names: in the status, the old list and the new one.
        reasons = _collect_texts([problem], "status")
        reasons |= _collect_texts([*errors, *details], "reason")
        culprits = _collect_texts(errors, "location")
        # Our counts and pages are always in range: where Google names no culprit, it is the engine
        # id.
        is_unnamed = status == 400 and "INVALID_ARGUMENT" in reasons and not culprits
        if reasons & _BAD_CREDENTIALS or "cx" in culprits or is_unnamed:
            return self.not_accepted()
        if reasons & (_DAILY | _BURST) or status == 429:
            limits = [str(object_at(part, "metadata").get("quota_limit")) for part in details]
            return _build_quota_error(words, reasons, limits)
        is_blocked = any(reason.endswith("_BLOCKED") for reason in reasons)
        if reasons & _NO_ACCESS or is_blocked or status == 403:
            return AuthFailure(
                f"Google does not open the search to this key: {words or 'no reason was given.'}",
                suggested_action="Check the key's project and restrictions in the Google Cloud "
                "console, or name another provider.",
            )
        message = f"Google Custom Search failed (HTTP {status}). {words}".rstrip()
        if status == 400:
            return BadInput(message)
        return ProviderFailure(message, retryable=status >= 500)


def _collect_texts(parts: list[dict[str, Any]], name: str) -> set[str]:
    """What a field of these objects says, where it is a text."""
    values = [part.get(name) for part in parts]
    return {value for value in values if isinstance(value, str)}


def _build_quota_error(words: str, reasons: set[str], limits: list[str]) -> RateLimited:
    """Day or minute: the reason may be the same for both, and then only the text, or the name of
    the limit, tells them apart.
    """
    is_named_daily = any("PerDay" in limit for limit in limits)
    if reasons & _DAILY or "per day" in words.lower() or is_named_daily:
        return RateLimited(
            f"Google's quota for the day is used up: {words}",
            retryable=False,
            suggested_action="Wait for midnight Pacific time, when the quota is renewed, "
            "or name another provider.",
        )
    return RateLimited(
        f"Google asked us to slow down: {words or 'too many requests.'}",
        retry_after_seconds=60,
    )


def _fits(text: str) -> bool:
    """Whether Google takes the text as a query: it counts what stands in the URL."""
    return len(quote_plus(text)) <= MAX_URL_CHARACTERS and len(text.split()) <= MAX_WORDS


def _text(item: dict[str, Any], field: str, html_field: str) -> str:
    """The plain field as it is; the HTML one only where there is no plain one."""
    text = plain(optional_text(item.get(field)))
    if text:
        return text
    return plain_from_html(optional_text(item.get(html_field)))


def _dates(pagemap: object) -> Iterator[str]:
    """The dates of publication that the page gives of itself, best first; only those in ISO
    8601.
    """
    if not isinstance(pagemap, dict):
        return
    for tags in objects(pagemap.get("metatags"))[:1]:
        for name in _META_DATES:
            value = tags.get(name)
            # That tag is defined as year/month/day, which is ISO 8601 but for the dashes.
            if name == "citation_publication_date" and isinstance(value, str):
                slashed = _SLASHED.fullmatch(value.strip())
                if slashed:
                    year, month, day = slashed.groups()
                    value = f"{year}-{int(month):02}-{int(day):02}"
            date = iso_date(value)
            if date:
                yield date
    for kind in ("newsarticle", "article"):
        for thing in objects(pagemap.get(kind))[:1]:
            date = iso_date(thing.get("datepublished"))
            if date:
                yield date
