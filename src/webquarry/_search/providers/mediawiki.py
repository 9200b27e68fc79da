"""Wikipedia, or any other MediaWiki: full-text search in an encyclopedia, needs no key. Not asked
unless it is named.

API: GET https://<language>.wikipedia.org/w/api.php. Errors come with HTTP 200. The date of a hit is
that of its last edit, which is no date of publication, so there are none here. An address that the
user sets is one wiki, in one language.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from webquarry._search.filters import with_terms
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider
from webquarry._search.replies import (
    asks_for_proof,
    failure,
    json_object,
    object_at,
    optional_text,
    parse_hits,
    quote_words,
    rate_limit_failure,
)
from webquarry._search.text import plain, plain_from_html
from webquarry.errors import BadInput, ProviderFailure, SiteRefused, WebquarryError
from webquarry.net.models import Reply

MAX_CHARACTERS = 300
_LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
_BUSY = {"maxlag", "ratelimited", "cirrussearch-too-busy-error"}
# Faults of the wiki and not of the caller.
_WIKI_FAULTS = ("internal_api_error", "readonly", "search-error", "cirrussearch-backend-error")


class MediaWiki(Provider):
    name = "mediawiki"
    aliases = ("wikipedia",)
    label = "Wikipedia"
    origin = "https://en.wikipedia.org"
    kind = "encyclopedia"
    page_size = 50
    max_pages = 10
    native = frozenset({"language", "exact_terms", "exclude_terms"})

    query_limit = f"{MAX_CHARACTERS} characters"

    def takes(self, query: Query) -> bool:
        return len(with_terms(query)) <= MAX_CHARACTERS

    def applied(self, query: Query) -> frozenset[str]:
        if self._has_edition(query.language):
            return self.native
        return self.native - {"language"}

    def build_request(self, query: Query) -> httpx2.Request:
        text = with_terms(query)
        if not self.takes(query):
            raise self.too_long_failure()
        return self._request(
            text=text,
            limit=min(query.count, self.page_size),
            language=query.language,
            offset=query.cursor.get("sroffset", "0"),
        )

    def build_probe(self) -> httpx2.Request:
        return self._request("wiki", 1, None, "0")

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 403 and not asks_for_proof(reply.body):
            raise SiteRefused(
                "Wikipedia refused the request (HTTP 403): it wants a User-Agent that says whom "
                "to write to.",
                suggested_action="Set WEBQUARRY_USER_AGENT to a name with an address, such as "
                "'webquarry (you@example.org)', or name another provider.",
            )
        answer = json_object(reply, self.label)
        if answer.get("error") or reply.status != 200:
            raise self._failure(object_at(answer, "error"), reply)
        query = object_at(answer, "query")
        hits = query.get("search")
        results = parse_hits(hits, lambda hit: self._result(hit, reply), self.label)
        offset = object_at(answer, "continue").get("sroffset")
        cursor = {}
        if isinstance(offset, int) and offset > 0:
            cursor = {"sroffset": str(offset)}
        return Batch(tuple(results), more=bool(cursor), cursor=cursor)

    def _request(self, text: str, limit: int, language: str | None, offset: str) -> httpx2.Request:
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

    def _has_edition(self, language: str | None) -> bool:
        """Whether the language chooses the wiki: each has a Wikipedia, but an address that the user
        set is one wiki.
        """
        return self.base == self.origin and bool(_LANGUAGE.fullmatch(language or ""))

    def _result(self, hit: dict[str, Any], reply: Reply) -> Result | None:
        """One hit, or None when it is not in the form of one. Its address is at the host that
        answered.
        """
        try:
            title = plain(optional_text(hit.get("title")))
            snippet = plain_from_html(optional_text(hit.get("snippet")))
        except ValueError:
            return None
        if not title:
            return None
        wiki = urlsplit(reply.url)
        path = quote(title.replace(" ", "_"), safe=";@$!*(),/~:")
        url = f"{wiki.scheme}://{wiki.netloc}/wiki/{path}"
        return Result(title, url, snippet, provider=self.name)

    def _failure(self, problem: dict[str, Any], reply: Reply) -> WebquarryError:
        """The error that a code of MediaWiki's stands for; the status says nothing."""
        code = ""
        if problem:
            code = str(problem.get("code"))
        words = quote_words(problem.get("info"))
        if code in _BUSY:
            return rate_limit_failure(reply, self.label, words)
        if code.startswith(_WIKI_FAULTS):
            return ProviderFailure(f"Wikipedia failed: {words or code}")
        if code and reply.status == 200:
            return BadInput(f"Wikipedia did not accept the request: {words or code}")
        return failure(reply, self.label, words)
