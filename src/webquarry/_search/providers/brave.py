"""Brave Search: an index of its own, needs a key. One page holds up to 20 results, and there are 10
pages.

API: GET https://api.search.brave.com/res/v1/web/search. Errors are told apart by their code,
because the status says little: a bad key is a 422. Domain lists go out as `site:` operators, which
are part of the query and so belong to every plan; a goggle, Brave's other way, is an option that a
plan may not have, and then the whole search would fail.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.filters import with_first_site, with_sites, with_terms
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, drop_empty
from webquarry._search.replies import (
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    unknown_shape_failure,
)
from webquarry._search.text import iso_date, plain_from_html, read_shown_date
from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, BadInput, ProviderFailure, RateLimited, WebquarryError
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


def country_code(query: Query) -> str | None:
    """The country of the query; None when there is none, or none that Brave knows."""
    if query.country in _COUNTRIES:
        return query.country
    return None


def language_code(query: Query) -> str | None:
    """The language of the query; None when there is none, or none that Brave knows."""
    if query.language == "pt":
        return "pt-pt" if query.country == "PT" else "pt-br"
    if query.language == "zh":
        return "zh-hant" if query.country in _TRADITIONAL else "zh-hans"
    language = _OWN.get(query.language or "", query.language)
    if language in _LANGUAGES:
        return language
    return None


KEY = "BRAVE_API_KEY"
MAX_CHARACTERS = 400  # of the query, operators included; Brave answers 422 above
MAX_WORDS = 50
_FRESHNESS = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_SAFE = {"off": "off", "high": "strict"}  # the middle is Brave's own default
_KEY_PLACE = ["header", "x-subscription-token"]


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
    max_pages = 10
    native = EVERY_FILTER
    query_limit = f"{MAX_CHARACTERS} characters and {MAX_WORDS} words"

    def takes(self, query: Query) -> bool:
        return _fits(with_first_site(with_terms(query), query.allowed_domains))

    def applied(self, query: Query) -> frozenset[str]:
        """All filters, but for a language or a country that Brave does not know."""
        unknown = set()
        if language_code(query) is None:
            unknown.add("language")
        if country_code(query) is None:
            unknown.add("country")
        return self.native - unknown

    def build_request(self, query: Query) -> httpx2.Request:
        text = with_terms(query)
        if not _fits(text):
            raise self.too_long_failure()
        parameters = {
            "q": with_sites(text, query.allowed_domains, query.blocked_domains, _fits),
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

    def build_probe(self) -> httpx2.Request:
        """Without a query: Brave checks the key first, so that a good one is told by the complaint,
        at no cost.
        """
        return self._request({"count": "1"})

    def parse_probe(self, reply: Reply) -> None:
        if reply.status == 401:
            raise self.not_accepted()
        problem = _find_problem(json_object(reply, self.label))
        if problem.get("code") != "VALIDATION" or _complains_of_key(problem):
            self.parse_reply(reply)

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        answer = json_object(reply, self.label)
        problem = _find_problem(answer)
        if problem or reply.status != 200:
            raise self._failure(problem, reply)
        query = answer.get("query")
        web = answer.get("web")
        # Without results there is no `web`, so that `query` alone tells an answer from something
        # else.
        is_answer = isinstance(query, dict) or isinstance(web, dict)
        if not is_answer or not isinstance(web, dict | None):
            raise unknown_shape_failure(self.label)
        hits: object = []
        if web is not None:
            hits = web.get("results")
        results = parse_hits(hits, self._result, self.label)
        more = isinstance(query, dict) and query.get("more_results_available") is True
        return Batch(tuple(results), more=more)

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        """One search; the key goes into a header."""
        headers = {
            "Accept": "application/json",
            "X-Subscription-Token": self.credential(KEY),
        }
        url = self.endpoint("/res/v1/web/search")
        return httpx2.Request("GET", url, params=parameters, headers=headers)

    def _result(self, hit: dict[str, Any]) -> Result | None:
        published = iso_date(hit.get("page_age"))
        if published is None:  # `age` is display text, such as "2 days ago"
            published = read_shown_date(hit.get("age"), self.clock.now())
        return self.result(
            title=hit.get("title"),
            url=hit.get("url"),
            snippet=hit.get("description"),
            published=published,
            clean=plain_from_html,
        )

    def _failure(self, problem: dict[str, Any], reply: Reply) -> WebquarryError:
        """The error that a code of Brave's stands for."""
        code = problem.get("code")
        words = quote_words(problem.get("detail"))
        if code == "SUBSCRIPTION_TOKEN_INVALID" or _complains_of_key(problem):
            return self.not_accepted()
        if code == "VALIDATION":
            complaints = []
            for detail in _details(problem):
                place = ".".join(map(str, detail["loc"]))
                message = detail.get("msg")
                complaints.append(f"{place}: {message}")
            reason = quote_words("; ".join(complaints)) or words
            return BadInput(f"Brave Search did not accept the request: {reason}")
        if code in ("OPTION_NOT_IN_PLAN", "SUBSCRIPTION_NOT_FOUND"):
            return AuthFailure(
                f"The plan of this Brave key does not cover the search: {words}",
                suggested_action="Subscribe the key to a Search plan on "
                "https://api-dashboard.search.brave.com.",
            )
        if code == "QUOTA_LIMITED":
            return RateLimited(
                f"The quota of this Brave key is used up: {words}",
                retryable=False,
                suggested_action="Wait for the quota to be renewed, raise it, or name another "
                "provider.",
            )
        if code == "RATE_LIMITED" or reply.status == 429:
            # The first value is that of the window of one second; the second is the month's.
            reset = reply.headers.get("x-ratelimit-reset", "").partition(",")[0].strip()
            wait = 1.0
            if reset.isascii() and reset.isdigit() and len(reset) < 10:
                wait = float(min(int(reset), 3600))
            return RateLimited(
                f"Brave Search asked us to slow down: {words or 'too many requests.'}",
                retry_after_seconds=wait,
            )
        message = f"Brave Search failed (HTTP {reply.status}). {words}".rstrip()
        return ProviderFailure(message, retryable=reply.status >= 500)


def _fits(text: str) -> bool:
    """Whether Brave takes the text as a query."""
    return len(text) <= MAX_CHARACTERS and len(text.split()) <= MAX_WORDS


def _find_problem(answer: dict[str, Any]) -> dict[str, Any]:
    """What is wrong, from either form: `error` as served, `errors[]` as documented; empty when
    nothing is.
    """
    single = answer.get("error")
    if isinstance(single, dict):
        return single
    listed = objects(answer.get("errors"))
    if listed:
        return listed[0]
    if single:
        return {"detail": single}
    return {}


def _details(problem: dict[str, Any]) -> list[dict[str, Any]]:
    """The complaints about single parameters: each has its place in `loc`."""
    meta = object_at(problem, "meta")
    details = objects(meta.get("errors"))
    return [detail for detail in details if isinstance(detail.get("loc"), list)]


def _complains_of_key(problem: dict[str, Any]) -> bool:
    """A request without the key's header is a VALIDATION like any other, but for the place it
    names.
    """
    for detail in _details(problem):
        place = [str(part).lower() for part in detail["loc"]]
        if place == _KEY_PLACE:
            return True
    return False
