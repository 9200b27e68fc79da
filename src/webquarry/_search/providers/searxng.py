"""SearXNG: a metasearch engine that people run themselves; needs the address of an instance that
gives JSON.

API: GET {SEARXNG_URL}/search?format=json. An instance gives HTML only unless its settings.yml lists
json among `search.formats`. When the engines behind it are blocked it still answers 200, with
nothing in it but their names.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import httpx2

from webquarry._search.filters import with_sites, with_terms, without_commands
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider, drop_empty
from webquarry._search.replies import (
    asks_for_proof,
    failure,
    json_object,
    parse_hits,
    quote_words,
)
from webquarry._search.text import iso_date
from webquarry.errors import AuthFailure, ProviderFailure, SiteRefused
from webquarry.net.models import Reply

URL = "SEARXNG_URL"
MAX_CHARACTERS = 2000  # of the query; the engines behind it take less, and pass over the rest
_SAFE = {"off": "0", "medium": "1", "high": "2"}
_CURE = "Set SEARXNG_URL to the address of an instance, such as http://127.0.0.1:8888."
_JSON_OFF = (
    "List json under search.formats in the settings.yml of the instance; public instances mostly "
    "refuse it."
)


class SearXNG(Provider):
    name = "searxng"
    label = "SearXNG"
    origin = ""  # there is no instance for everybody
    sign_up = "https://docs.searxng.org/"
    page_size = 10
    max_pages = 10
    # Domains and terms go out as operators too, but it depends on the engines behind whether they
    # hold.
    native = frozenset({"time_range", "safe", "language", "country"})

    @property
    def missing(self) -> list[str]:
        if self.base:
            return []
        return [URL]

    def applied(self, query: Query) -> frozenset[str]:
        if query.language:
            return self.native
        return self.native - {"country"}

    def build_request(self, query: Query) -> httpx2.Request:
        text = without_commands(with_terms(query), "!:<?")
        locale = query.language
        if query.language and query.country:
            locale = f"{query.language}-{query.country}"
        parameters = {
            "q": with_sites(
                text,
                query.allowed_domains,
                query.blocked_domains,
                lambda longer: len(longer) <= MAX_CHARACTERS,
            ),
            "pageno": str(query.page + 1),
            "safesearch": _SAFE.get(query.safe or ""),
            "time_range": query.time_range,
            "language": locale,
        }
        return self._request(drop_empty(parameters))

    def build_probe(self) -> httpx2.Request:
        return self._request({"q": "searxng", "pageno": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 403 and not asks_for_proof(reply.body):
            raise SiteRefused(
                "SearXNG refused to answer in JSON (HTTP 403): the format is off, or the "
                "instance takes us for a robot.",
                suggested_action=_JSON_OFF,
            )
        answer = json_object(reply, self.label)
        problem = answer.get("error")
        if reply.status != 200 or problem:
            raise failure(reply, self.label, quote_words(problem))
        results = parse_hits(answer.get("results"), self._result, self.label)
        silent = _name_silent_engines(answer)
        if not results and silent:
            raise ProviderFailure(
                "None of the engines behind SearXNG found anything, and some did not answer: "
                f"{silent}"
            )
        return Batch(tuple(results), more=bool(results))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        if not self.base:
            raise AuthFailure(
                "SearXNG needs the address of an instance in SEARXNG_URL.", suggested_action=_CURE
            )
        # Put together here: httpx2 reads an address twice that it is given with parameters.
        query = urlencode({**parameters, "format": "json"})
        return httpx2.Request(
            "GET",
            f"{self.endpoint('/search')}?{query}",
            # The limiter blocks bare clients.
            headers={"Accept": "application/json", "Accept-Language": "en,*;q=0.5"},
        )

    def _result(self, hit: dict[str, Any]) -> Result | None:
        """One hit, or None when it is not in the form of one."""
        return self.result(
            title=hit.get("title"),
            url=hit.get("url"),
            snippet=hit.get("content"),
            published=iso_date(hit.get("publishedDate")),
        )


def _name_silent_engines(answer: dict[str, Any]) -> str:
    """The engines that did not answer, each with its reason."""
    listed = answer.get("unresponsive_engines")
    if not isinstance(listed, list):
        return ""
    names = []
    for pair in listed:
        if not isinstance(pair, list) or not pair:
            continue
        name = str(pair[0])
        if len(pair) > 1:
            name = f"{name} ({pair[1]})"
        names.append(name)
    return quote_words(", ".join(names))
