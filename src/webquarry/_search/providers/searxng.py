"""SearXNG: a self-hosted metasearch engine; needs the address of an instance that gives JSON.

API: GET {SEARXNG_URL}/search?format=json. An instance gives HTML only unless its settings.yml lists
json among `search.formats`. If the engines behind it are blocked, it answers 200 with their names
and no results.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider, drop_empty, with_terms, without_commands
from webquarry._search.replies import array_at, asks_for_proof, quote_words
from webquarry._search.text import iso_date
from webquarry.errors import AuthFailure, ProviderFailure, SiteRefused
from webquarry.net.models import Reply

URL = "SEARXNG_URL"
_SAFE = {"off": "0", "medium": "1", "high": "2"}


class SearXNG(Provider):
    name = "searxng"
    label = "SearXNG"
    origin = ""  # there is no default instance
    sign_up = "https://docs.searxng.org/"
    max_characters = 2000  # the engines behind it take less, and ignore the rest
    # Domains and terms are sent as operators, but not all engines apply them.
    native = frozenset({"time_range", "safe", "language", "country"})

    @property
    def missing(self) -> list[str]:
        return [] if self.base else [URL]

    def applied(self, query: Query) -> frozenset[str]:
        return self.native if query.language else self.native - {"country"}

    def query_text(self, query: Query) -> str:
        return without_commands(with_terms(query), "!:<?")

    def build_request(self, query: Query) -> httpx2.Request:
        locale = query.language
        if query.language and query.country:
            locale = f"{query.language}-{query.country}"
        parameters = {
            "q": self.search_text(query),
            "pageno": str(query.page + 1),
            "safesearch": _SAFE.get(query.safe or ""),
            "time_range": query.time_range,
            "language": locale,
        }
        return self._request(drop_empty(parameters))

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        if not self.base:
            raise AuthFailure(
                "SearXNG needs the address of an instance in SEARXNG_URL.",
                suggested_action="Set SEARXNG_URL to the address of an instance, such as "
                "http://127.0.0.1:8888.",
            )
        query = urlencode({**parameters, "format": "json"})
        # The rate limiter blocks requests with few headers.
        headers = {"Accept": "application/json", "Accept-Language": "en,*;q=0.5"}
        return httpx2.Request("GET", f"{self.endpoint('/search')}?{query}", headers=headers)

    def build_probe(self) -> httpx2.Request:
        return self._request({"q": "searxng", "pageno": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 403 and not asks_for_proof(reply.body):
            raise SiteRefused(
                "SearXNG refused to answer in JSON (HTTP 403): the format is off, or the "
                "instance takes us for a robot.",
                suggested_action="List json under search.formats in the settings.yml of the "
                "instance; public instances mostly refuse it.",
            )
        return super().parse_reply(reply)

    def hits(self, answer: dict[str, Any]) -> object:
        hits = answer.get("results")
        engines = _name_silent_engines(answer)
        if hits == [] and engines:
            raise ProviderFailure(
                "None of the engines behind SearXNG found anything, and some did not answer: "
                f"{engines}"
            )
        return hits

    def has_more(self, answer: dict[str, Any]) -> bool:
        return bool(answer.get("results"))

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        published = iso_date(hit.get("publishedDate"))
        return self.result(hit.get("title"), hit.get("url"), hit.get("content"), published)


def _name_silent_engines(answer: dict[str, Any]) -> str:
    """Return the engines that did not answer, with their reasons."""
    names = []
    for pair in array_at(answer, "unresponsive_engines"):
        if isinstance(pair, list) and pair:
            name, *reasons = map(str, pair)
            names.append(f"{name} ({reasons[0]})" if reasons else name)
    return quote_words(", ".join(names))
