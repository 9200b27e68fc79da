"""Interface of search providers: they build requests and parse replies, and open no socket.

A provider whose reply is JSON implements `parse_hit` and, where they differ, `hits`, `has_more`,
`has_failed` and `failure`; others override `parse_reply`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, ClassVar, Protocol, TypeVar

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.replies import failure, json_object, parse_hits, quote_words
from webquarry._search.service import Service, at_origin
from webquarry._search.text import plain
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.models import Reply

__all__ = ["EVERY_FILTER", "Provider", "at_origin"]

EVERY_FILTER = frozenset(  # fields of Query that narrow a search
    {
        "allowed_domains",
        "blocked_domains",
        "time_range",
        "safe",
        "language",
        "country",
        "exact_terms",
        "exclude_terms",
    }
)
_DAYS = {"day": 1, "week": 7, "month": 31, "year": 365}
_QUOTED = r'"[^"]*"'

Value = TypeVar("Value")


class KeptPages(Protocol):
    """Pages that were read on this machine before."""

    async def find(self, query: Query) -> list[Result]:
        """Return the pages that match a query, best first."""


class Provider(Service):
    """One provider. A subclass in `providers/` is registered by its file."""

    package = "webquarry._search.providers"
    plugins = "webquarry.providers"
    page_size: ClassVar[int] = 10
    max_pages: ClassVar[int] = 10
    # What is searched: "web", "encyclopedia", "community"; only "web" is asked unnamed.
    kind: ClassVar[str] = "web"
    max_characters: ClassVar[int] = 0  # of a query; 0 for no limit
    max_words: ClassVar[int] = 0
    query_limit: ClassVar[str] = ""  # the limit in words, if longer queries are rejected
    native: ClassVar[frozenset[str]] = frozenset()  # fields of Query that the provider applies
    has_site_operators: ClassVar[bool] = True  # domains are operators in the query
    takes_paths: ClassVar[bool] = False  # domains may have a path
    has_files: ClassVar[bool] = False  # results may be files of this machine
    kept_pages: KeptPages | None = None  # for the provider that searches them

    def applied(self, query: Query) -> frozenset[str]:
        """Return the part of `native` that is applied for the values of this query."""
        return self.native

    def query_text(self, query: Query) -> str:
        """Return the text with its terms as operators."""
        return with_terms(query)

    def fits(self, text: str) -> bool:
        """Return whether a text is within the limits of the provider."""
        if self.max_characters and len(text) > self.max_characters:
            return False
        return not self.max_words or len(text.split()) <= self.max_words

    def takes(self, query: Query) -> bool:
        """Return whether a request can hold the whole text, its terms and the first domain."""
        text = self.query_text(query)
        if self.has_site_operators and query.allowed_domains:
            text = f"{text} site:{query.allowed_domains[0]}"
        return not self.query_limit or self.fits(text)

    def check_length(self, query: Query) -> None:
        """Raise `BadInput` if the text is too long without domains."""
        if not self.takes(replace(query, allowed_domains=())):
            raise BadInput(
                f"{self.label} takes at most {self.query_limit} in a query.",
                suggested_action="Shorten the query, or name another provider.",
            )

    def search_text(self, query: Query) -> str:
        """Return the text with its terms and domains, or raise `BadInput` if it is too long."""
        self.check_length(query)
        text = self.query_text(query)
        if not self.has_site_operators:
            return text
        return with_sites(text, query.allowed_domains, query.blocked_domains, self.fits)

    def start_of(self, query: Query) -> datetime | None:
        """Return the time at which the time range of a query starts, or None."""
        if query.time_range not in _DAYS:
            return None
        return self.clock.now() - timedelta(days=_DAYS[query.time_range])

    @abstractmethod
    def build_request(self, query: Query) -> httpx2.Request:
        """Return the request for one page of results. Domains are normalised, without paths unless
        `takes_paths`.
        """

    def parse_reply(self, reply: Reply) -> Batch:
        """Return the results or raise the error; "no results" only if the provider said so."""
        if reply.status == 401 and self.credentials:
            raise self.not_accepted()
        answer = json_object(reply, self.label)
        if reply.status != 200 or self.has_failed(answer):
            raise self.failure(answer, reply)
        results = parse_hits(self.hits(answer), self.parse_hit, self.label)
        return Batch(tuple(results), more=self.has_more(answer))

    def has_failed(self, answer: dict[str, Any]) -> bool:
        """Return whether an answer is an error, whatever the status."""
        return bool(answer.get("error"))

    def failure(self, answer: dict[str, Any], reply: Reply) -> WebquarryError:
        """Return the error of an answer, or of the status."""
        return failure(reply, self.label, quote_words(answer.get("error")))

    def hits(self, answer: dict[str, Any]) -> object:
        """Return the list of results of an answer, or raise if it has an unknown shape."""
        return answer.get("results")

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        """Return a result, or None for another shape."""
        raise NotImplementedError

    def has_more(self, answer: dict[str, Any]) -> bool:
        """Return whether there is a next page."""
        return False

    def fallback_request(self, query: Query, error: WebquarryError) -> httpx2.Request | None:
        """Return a second request for the same page after an error, if there is another way."""
        return None

    def results_wanted(self, query: Query) -> int:
        """Return how many results to request: a full page if domains will be filtered."""
        if query.allowed_domains or query.blocked_domains:
            return self.page_size
        return min(query.count, self.page_size)

    def result(
        self,
        title: object,
        url: object,
        snippet: object,
        published: str | None = None,
        clean: Callable[[str], str] = plain,
    ) -> Result | None:
        """Return the result of raw fields, or None if one is no text or there is no URL."""
        texts = [value or "" for value in (title, url, snippet) if isinstance(value, str | None)]
        if len(texts) < 3 or not texts[1].strip():
            return None
        return Result(
            title=clean(texts[0]) or plain(texts[1]),
            url=texts[1].strip(),
            snippet=clean(texts[2]),
            provider=self.name,
            published=published,
        )

    def parse_probe(self, reply: Reply) -> None:
        """Raise the error of the reply to a probe."""
        self.parse_reply(reply)


def drop_empty(parameters: Mapping[str, Value | None]) -> dict[str, Value]:
    """Return the parameters that have a value."""
    return {name: value for name, value in parameters.items() if value}


def with_sites(
    text: str, allowed: Sequence[str], blocked: Sequence[str], fits: Callable[[str], bool]
) -> str:
    """Return the text with `site:` operators as far as they fit: the allowed domains all or none,
    blocked domains one by one. Results are filtered anyway.
    """
    choice = " OR ".join(f"site:{domain}" for domain in allowed)
    if choice and fits(f"{text} {choice}"):
        text = f"{text} {choice}"
    for domain in blocked:
        if fits(f"{text} -site:{domain}"):
            text = f"{text} -site:{domain}"
    return text


def with_terms(query: Query) -> str:
    """Return the text with exact terms as a phrase and excluded terms with a minus."""
    parts = [query.text]
    exact = (query.exact_terms or "").replace('"', " ").split()
    if exact:
        parts.append(f'"{" ".join(exact)}"')
    for word in (query.exclude_terms or "").replace('"', " ").split():
        parts.append(f"-{word}")
    return " ".join(filter(None, parts))


def without_commands(text: str, marks: str) -> str:
    """Return the text with quotation marks around words that start with a mark (`!bang`)."""

    def quote_command(found: re.Match[str]) -> str:
        word = found[0]
        return word if word.startswith('"') else '"' + word.replace('"', "") + '"'

    return re.sub(rf"{_QUOTED}|(?<!\S)[{re.escape(marks)}]\S*", quote_command, text)
