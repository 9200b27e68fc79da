"""Wikipedia by MediaWiki's search, needs no key. Asked only by name.

API: GET https://en.wikipedia.org/w/api.php. Errors are HTTP 200 with a code. The language of a
query selects the edition, unless the user has set an address.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider
from webquarry._search.replies import (
    asks_for_proof,
    failure,
    json_object,
    object_at,
    parse_hits,
    quote_words,
    rate_limit_failure,
    string_at,
)
from webquarry._search.text import plain, plain_from_html
from webquarry.errors import BadInput, ProviderFailure, SiteRefused, WebquarryError
from webquarry.net.models import Reply

_LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
_BUSY = {"maxlag", "ratelimited", "cirrussearch-too-busy-error"}
# Codes of server errors.
_WIKI_FAULTS = ("internal_api_error", "readonly", "search-error", "cirrussearch-backend-error")


class MediaWiki(Provider):
    name = "mediawiki"
    aliases = ("wikipedia",)
    label = "Wikipedia"
    origin = "https://en.wikipedia.org"
    kind = "encyclopedia"
    page_size = 50
    native = frozenset({"language", "exact_terms", "exclude_terms"})
    max_characters = 300
    query_limit = "300 characters"
    has_site_operators = False

    def applied(self, query: Query) -> frozenset[str]:
        return self.native if self._has_edition(query.language) else self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        return self._request(
            self.search_text(query),
            min(query.count, self.page_size),
            query.language,
            query.cursor.get("sroffset", "0"),
        )

    def _request(
        self, text: str, limit: int, language: str | None = None, offset: str = "0"
    ) -> httpx2.Request:
        parameters = {
            "action": "query",
            "list": "search",
            "srsearch": text,
            "srlimit": str(limit),
            "sroffset": offset,
            "srnamespace": "0",
            "srprop": "snippet",
            "format": "json",
            "formatversion": "2",
        }
        url = self.endpoint("/w/api.php")
        if self._has_edition(language):
            url = url.replace("//en.", f"//{language}.", 1)
        return httpx2.Request("GET", url, params=parameters, headers={"Accept": "application/json"})

    def build_probe(self) -> httpx2.Request:
        return self._request("wiki", 1)

    def _has_edition(self, language: str | None) -> bool:
        """Return whether the language selects the wiki."""
        return self.base == self.origin and bool(_LANGUAGE.fullmatch(language or ""))

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 403 and not asks_for_proof(reply.body):
            raise SiteRefused(
                "Wikipedia refused the request (HTTP 403): it wants a User-Agent that says whom "
                "to write to.",
                suggested_action="Set WEBQUARRY_USER_AGENT to a name with an address, such as "
                "'webquarry (you@example.org)', or name another provider.",
            )
        answer = json_object(reply, self.label)
        if reply.status != 200 or self.has_failed(answer):
            raise self.failure(answer, reply)
        wiki = urlsplit(reply.url)

        def parse(hit: dict[str, Any]) -> Result | None:
            title = plain(string_at(hit, "title"))
            path = quote(title.replace(" ", "_"), safe=";@$!*(),/~:")
            url = title and f"{wiki.scheme}://{wiki.netloc}/wiki/{path}"
            return self.result(title, url, hit.get("snippet"), clean=plain_from_html)

        results = parse_hits(object_at(answer, "query").get("search"), parse, self.label)
        offset = object_at(answer, "continue").get("sroffset")
        cursor = {"sroffset": str(offset)} if isinstance(offset, int) and offset > 0 else {}
        return Batch(tuple(results), more=bool(cursor), cursor=cursor)

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        problem = object_at(answer, "error")
        code = str(problem.get("code")) if problem else ""
        words = quote_words(problem.get("info"))
        if code in _BUSY:
            return rate_limit_failure(reply, self.label, words)
        if code.startswith(_WIKI_FAULTS):
            return ProviderFailure(f"Wikipedia failed: {words or code}")
        if code and reply.status == 200:
            return BadInput(f"Wikipedia did not accept the request: {words or code}")
        return failure(reply, self.label, words)
