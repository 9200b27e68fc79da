"""Hacker News, by Algolia's search over it: what programmers talk about, needs no key. Not asked
unless it is named.

API: GET https://hn.algolia.com/api/v1/search. A story leads to the page it is about, and its
snippet to the talk about that page; a story without a page, and a comment, lead to themselves. The
date of a story is that of its submission, so only what was published on Hacker News itself has a
date here.
"""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import httpx2

from webquarry.errors import ProviderFailure
from webquarry.net.models import Reply
from webquarry.search.models import Batch, Query, Result
from webquarry.search.provider import Provider
from webquarry.search.query.operators import with_terms
from webquarry.search.replies.body import (
    asks_for_proof,
    failure,
    json_object,
    objects,
    optional_text,
    quote_words,
    rate_limit_failure,
)
from webquarry.search.replies.text import iso_date, plain, shorten_text

ITEM = "https://news.ycombinator.com/item?id="
REST_SECONDS = 10.0
SNIPPET_CHARACTERS = 500
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 365}
_BREAKS = re.compile(r"</?p>", re.IGNORECASE)
_MARKS = re.compile(r"<(?:/?(?:i|b|em|pre|code)|a\s[^<>]*|/a)>", re.IGNORECASE)


class HackerNews(Provider):
    name = "hackernews"
    aliases = ("hn",)
    label = "Hacker News"
    origin = "https://hn.algolia.com"
    kind = "community"
    page_size = 50
    max_pages = 10
    native = frozenset({"time_range", "exact_terms", "exclude_terms"})

    def build_request(self, query: Query) -> httpx2.Request:
        filtered = bool(query.allowed_domains or query.blocked_domains)
        parameters = {
            "query": with_terms(query),
            "tags": "story",
            "page": str(query.page),
            "hitsPerPage": str(self.page_size if filtered else min(query.count, self.page_size)),
            "advancedSyntax": "true",  # phrases in quotation marks, and words to leave out
        }
        if days := _DAYS.get(query.time_range or ""):
            since = self.clock.now() - timedelta(days=days)
            parameters["numericFilters"] = f"created_at_i>{int(since.timestamp())}"
        return self._request(parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request({"query": "", "tags": "story", "hitsPerPage": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status in (403, 429) and not asks_for_proof(reply.body):
            raise rate_limit_failure(reply, self.label, at_least=REST_SECONDS)
        found = json_object(reply, self.label)
        if reply.status != 200:
            raise failure(
                reply, self.label, quote_words(found.get("message") or found.get("error"))
            )
        if not isinstance(found.get("hits"), list):
            raise ProviderFailure("Hacker News answered with JSON of an unknown shape (HTTP 200).")
        hits = [result for hit in objects(found["hits"]) if (result := self._result(hit))]
        page, pages = found.get("page"), found.get("nbPages")
        return Batch(
            tuple(hits), more=isinstance(page, int) and isinstance(pages, int) and page + 1 < pages
        )

    def _request(self, parameters: dict[str, str]) -> httpx2.Request:
        return httpx2.Request(
            "GET",
            self.endpoint("/api/v1/search"),
            params=parameters,
            headers={"Accept": "application/json"},
        )

    def _result(self, hit: dict[str, Any]) -> Result | None:
        """One hit, or None when it is not in the form of one."""
        try:
            number, url = optional_text(hit.get("objectID")), optional_text(hit.get("url")).strip()
            title = plain(optional_text(hit.get("title")) or optional_text(hit.get("story_title")))
            text = _text(
                optional_text(hit.get("comment_text")) or optional_text(hit.get("story_text"))
            )
        except ValueError:
            return None
        if not number.isascii() or not number.isdigit():
            return None
        item = ITEM + number
        published = iso_date(hit.get("created_at"))
        if url:
            return Result(
                title or plain(url), url, text or _talk(hit, item, published), provider=self.name
            )
        return Result(title or item, item, text, provider=self.name, published=published)


def _talk(hit: dict[str, Any], item: str, submitted: str | None) -> str:
    """What there is to say of a story that is only a link: where it is talked about, and how much."""
    counts = {"points": hit.get("points"), "comments": hit.get("num_comments")}
    said = [f"{number} {name}" for name, number in counts.items() if isinstance(number, int)]
    day = [f"submitted {submitted[:10]}"] if submitted else []
    return f"On Hacker News: {', '.join([*said, *day, item])}"


def _text(fragment: str) -> str:
    """Plain text of the little HTML that Hacker News knows; a long text is cut as snippets are."""
    return shorten_text(
        plain(html.unescape(_MARKS.sub("", _BREAKS.sub(" ", fragment)))), SNIPPET_CHARACTERS
    )
