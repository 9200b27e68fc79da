"""Hacker News, by Algolia's search over it: what programmers talk about, needs no key. Not asked
unless it is named.

API: GET https://hn.algolia.com/api/v1/search. A story leads to the page it is about, and its
snippet to the talk about that page; a story without a page, and a comment, lead to themselves. The
date of a story is that of its submission, so only what was published on Hacker News itself has a
date here.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import httpx2

from webquarry._search.filters import with_terms
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider
from webquarry._search.replies import (
    asks_for_proof,
    failure,
    json_object,
    optional_text,
    parse_hits,
    quote_words,
    rate_limit_failure,
)
from webquarry._search.text import iso_date, plain, shorten_text, unescape_entities
from webquarry.net.models import Reply

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
        parameters = {
            "query": with_terms(query),
            "tags": "story",
            "page": str(query.page),
            "hitsPerPage": str(self.results_wanted(query)),
            "advancedSyntax": "true",  # phrases in quotation marks, and words to leave out
        }
        if query.time_range in _DAYS:
            since = self.clock.now() - timedelta(days=_DAYS[query.time_range])
            parameters["numericFilters"] = f"created_at_i>{int(since.timestamp())}"
        return self._request(parameters)

    def build_probe(self) -> httpx2.Request:
        return self._request({"query": "", "tags": "story", "hitsPerPage": "1"})

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status in (403, 429) and not asks_for_proof(reply.body):
            raise rate_limit_failure(reply, self.label, at_least=REST_SECONDS)
        answer = json_object(reply, self.label)
        if reply.status != 200:
            words = quote_words(answer.get("message") or answer.get("error"))
            raise failure(reply, self.label, words)
        results = parse_hits(answer.get("hits"), self._result, self.label)
        page = answer.get("page")
        pages = answer.get("nbPages")
        more = False
        if isinstance(page, int) and isinstance(pages, int):
            more = page + 1 < pages
        return Batch(tuple(results), more=more)

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
            number = optional_text(hit.get("objectID"))
            url = optional_text(hit.get("url")).strip()
            title = optional_text(hit.get("title")) or optional_text(hit.get("story_title"))
            markup = optional_text(hit.get("comment_text")) or optional_text(hit.get("story_text"))
        except ValueError:
            return None
        if not number.isascii() or not number.isdigit():
            return None
        title = plain(title)
        # Of the little HTML that Hacker News knows, plain text, cut as snippets are.
        unmarked = _MARKS.sub("", _BREAKS.sub(" ", markup))
        text = shorten_text(plain(unescape_entities(unmarked)), SNIPPET_CHARACTERS)
        item = ITEM + number
        published = iso_date(hit.get("created_at"))
        if not url:
            return Result(title or item, item, text, provider=self.name, published=published)
        if not text:  # only a link: where it is talked about, and how much
            facts = []
            points = hit.get("points")
            if isinstance(points, int):
                facts.append(f"{points} points")
            comments = hit.get("num_comments")
            if isinstance(comments, int):
                facts.append(f"{comments} comments")
            if published:
                facts.append(f"submitted {published[:10]}")
            facts.append(item)
            text = f"On Hacker News: {', '.join(facts)}"
        return Result(title or plain(url), url, text, provider=self.name)
