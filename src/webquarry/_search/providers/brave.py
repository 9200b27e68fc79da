"""Brave Search: an index of its own, needs a key. One page holds up to 20 results, and there are 10
pages.

API: GET https://api.search.brave.com/res/v1/web/search. The status of errors is ambiguous (a bad
key is a 422), so their code decides. Domain lists are sent as `site:` operators, which every plan
includes, unlike goggles.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.models import Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    quota_failure,
    quote_words,
    unknown_shape_failure,
)
from webquarry._search.text import iso_date, plain_from_html, read_shown_date
from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, BadInput, RateLimited, WebquarryError
from webquarry.net.failures import retry_after_seconds
from webquarry.net.models import Reply

_LISTED_COUNTRIES = """
AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB GR HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE
TR TW US ZA
"""
_LISTED_LANGUAGES = """
ar bg bn ca cs da de el en es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa
pl pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant
"""
_COUNTRIES = frozenset(_LISTED_COUNTRIES.split())
_LANGUAGES = frozenset(_LISTED_LANGUAGES.split())
_OWN = {"ja": "jp", "no": "nb", "nn": "nb"}
_TRADITIONAL = frozenset({"HK", "MO", "TW"})

KEY = "BRAVE_API_KEY"
_KEY_HEADER = "X-Subscription-Token"
_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_SAFE = {"off": "off", "high": "strict"}  # medium is the default


def country_code(query: Query) -> str | None:
    """Return the country of the query if Brave knows it."""
    return query.country if query.country in _COUNTRIES else None


def language_code(query: Query) -> str | None:
    """Return the language of the query if Brave knows it."""
    if query.language == "pt":
        return "pt-pt" if query.country == "PT" else "pt-br"
    if query.language == "zh":
        return "zh-hant" if query.country in _TRADITIONAL else "zh-hans"
    language = _OWN.get(query.language or "", query.language)
    return language if language in _LANGUAGES else None


class Brave(Provider):
    name = "brave"
    label = "Brave Search"
    origin = "https://api.search.brave.com"
    credentials = (Credential(KEY, "brave-api-key"),)
    credentials_text = (
        "Authentication required: BRAVE_API_KEY not found. Set environment variable or create "
        "~/.config/ikigai/brave-api-key file. Get API key from https://brave.com/search/api/"
    )
    sign_up = "https://brave.com/search/api/"
    page_size = 20
    native = EVERY_FILTER
    max_characters = 400  # operators included; Brave answers 422 above
    max_words = 50
    query_limit = "400 characters and 50 words"

    def applied(self, query: Query) -> frozenset[str]:
        unknown = {
            "language": language_code(query) is None,
            "country": country_code(query) is None,
        }
        return self.native - {name for name, is_unknown in unknown.items() if is_unknown}

    def build_request(self, query: Query) -> httpx2.Request:
        parameters = {
            "q": self.search_text(query),
            "count": str(self.results_wanted(query)),
            "offset": str(query.page),  # counts pages, not results
            "text_decorations": "false",
            "result_filter": "web,query",
            "freshness": _FRESHNESS.get(query.time_range or ""),
            "safesearch": _SAFE.get(query.safe or ""),
            "search_lang": language_code(query),
            "country": country_code(query),
        }
        return self._request(drop_empty(parameters))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        headers = {"Accept": "application/json", _KEY_HEADER: self.credential(KEY)}
        url = self.endpoint("/res/v1/web/search")
        return httpx2.Request("GET", url, params=parameters, headers=headers)

    def build_probe(self) -> httpx2.Request:
        """Return a request without a query: Brave checks the key first, so a good key leads to a
        validation error, which is free.
        """
        return self._request({"count": "1"})

    def parse_probe(self, reply: Reply) -> None:
        if reply.status == 401:
            raise self.not_accepted()
        problem = _find_problem(json_object(reply, self.label))
        if problem.get("code") != "VALIDATION" or _is_about_key(problem):
            self.parse_reply(reply)

    def has_failed(self, answer: dict[str, Any]) -> bool:
        return bool(_find_problem(answer))

    def hits(self, answer: dict[str, Any]) -> object:
        query = answer.get("query")
        web = answer.get("web")  # missing if there are no results
        is_answer = isinstance(query, dict) or isinstance(web, dict)
        if not is_answer or not isinstance(web, dict | None):
            raise unknown_shape_failure(self.label)
        return [] if web is None else web.get("results")

    def has_more(self, answer: dict[str, Any]) -> bool:
        return object_at(answer, "query").get("more_results_available") is True

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        published = iso_date(hit.get("page_age"))
        return self.result(
            title=hit.get("title"),
            url=hit.get("url"),
            snippet=hit.get("description"),
            published=published or read_shown_date(hit.get("age"), self.clock.now()),
            clean=plain_from_html,
        )

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        problem = _find_problem(answer)
        code = problem.get("code")
        words = quote_words(problem.get("detail"))
        if code == "SUBSCRIPTION_TOKEN_INVALID" or _is_about_key(problem):
            return self.not_accepted()
        if code == "VALIDATION":
            return BadInput(f"Brave Search did not accept the request: {words}")
        if code in ("OPTION_NOT_IN_PLAN", "SUBSCRIPTION_NOT_FOUND"):
            return AuthFailure(
                f"The plan of this Brave key does not cover the search: {words}",
                suggested_action="Subscribe the key to a Search plan on "
                "https://api-dashboard.search.brave.com.",
            )
        if code == "QUOTA_LIMITED":
            return quota_failure("Brave", words)
        if code == "RATE_LIMITED" or reply.status == 429:
            # The first value is that of the window of one second; the second is the month's.
            reset = reply.headers.get("x-ratelimit-reset", "").partition(",")[0].strip()
            is_number = reset.isascii() and reset.isdigit() and len(reset) < 10
            wait = float(min(int(reset), 3600)) if is_number else 1.0
            asked = retry_after_seconds(reply.headers, reply.fetched_at) or 0.0
            return RateLimited(
                f"Brave Search asked us to slow down: {words or 'too many requests.'}",
                retry_after_seconds=max(wait, asked),
            )
        return failure(reply, self.label, words)


def _find_problem(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the error in either form: `error` as served, `errors[]` as documented."""
    single = answer.get("error")
    if isinstance(single, dict):
        return single
    listed = objects(answer.get("errors"))
    return listed[0] if listed else {"detail": single} if single else {}


def _is_about_key(problem: dict[str, Any]) -> bool:
    """Return whether a validation error is about the header of the key."""
    return _KEY_HEADER.lower() in str(problem).lower()
