"""Hacker News by Algolia's search, needs no key. Asked only by name.

API: GET https://hn.algolia.com/api/v1/search. The URL of a story is the linked page, its snippet
points to the discussion; stories without a link, and comments, are pages of Hacker News. Only those
have a date: that of a story is of its submission, not of the linked page.
"""

from __future__ import annotations

import re
from typing import Any

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider, with_terms
from webquarry._search.replies import (
    asks_for_proof,
    failure,
    quote_words,
    rate_limit_failure,
    string_at,
)
from webquarry._search.text import iso_date, plain, shorten_text, unescape_entities
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply

ITEM = "https://news.ycombinator.com/item?id="
REST_SECONDS = 10.0
SNIPPET_CHARACTERS = 500
_BREAKS = re.compile(r"</?p>", re.IGNORECASE)
_MARKS = re.compile(r"<(?:/?(?:i|b|em|pre|code)|a\s[^<>]*|/a)>", re.IGNORECASE)


class HackerNews(Provider):
    name = "hackernews"
    aliases = ("hn",)
    label = "Hacker News"
    origin = "https://hn.algolia.com"
    kind = "community"
    page_size = 50
    native = frozenset({"time_range", "exact_terms", "exclude_terms"})

    def build_request(self, query: Query) -> httpx2.Request:
        parameters = {
            "query": with_terms(query),
            "tags": "story",
            "page": str(query.page),
            "hitsPerPage": str(self.results_wanted(query)),
            "advancedSyntax": "true",  # phrases in quotation marks, and excluded words
        }
        since = self.start_of(query)
        if since:
            parameters["numericFilters"] = f"created_at_i>{int(since.timestamp())}"
        return self._request(parameters)

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        url = self.endpoint("/api/v1/search")
        headers = {"Accept": "application/json"}
        return httpx2.Request("GET", url, params=parameters, headers=headers)

    def build_probe(self) -> httpx2.Request:
        return self._request({"query": "", "tags": "story", "hitsPerPage": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status in (403, 429) and not asks_for_proof(reply.body):
            raise rate_limit_failure(reply, self.label, at_least=REST_SECONDS)
        return super().parse_reply(reply)

    def has_failed(self, answer: dict[str, Any]) -> bool:
        return False

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        words = quote_words(answer.get("message") or answer.get("error"))
        return failure(reply, self.label, words)

    def hits(self, answer: dict[str, Any]) -> object:
        return answer.get("hits")

    def has_more(self, answer: dict[str, Any]) -> bool:
        page, pages = answer.get("page"), answer.get("nbPages")
        return isinstance(page, int) and isinstance(pages, int) and page + 1 < pages

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        number = string_at(hit, "objectID")
        if not number.isascii() or not number.isdigit():
            return None
        item = ITEM + number
        published = iso_date(hit.get("created_at"))
        title = string_at(hit, "title") or string_at(hit, "story_title")
        markup = string_at(hit, "comment_text") or string_at(hit, "story_text")
        unmarked = plain(unescape_entities(_MARKS.sub("", _BREAKS.sub(" ", markup))))
        text = shorten_text(unmarked, SNIPPET_CHARACTERS)
        url = string_at(hit, "url").strip()
        if not url:
            return self.result(title, item, text, published)
        if not text:  # a link: its discussion and popularity
            facts = []
            for name, unit in (("points", "points"), ("num_comments", "comments")):
                if isinstance(hit.get(name), int):
                    facts.append(f"{hit[name]} {unit}")
            if published:
                facts.append(f"submitted {published[:10]}")
            text = f"On Hacker News: {', '.join([*facts, item])}"
        return self.result(title, url, text)
