"""Interface of search providers: they build requests and parse replies, and open no socket."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Protocol, TypeVar

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.replies import optional_text
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

Value = TypeVar("Value")


class KeptPages(Protocol):
    """Pages that were read on this machine before."""

    async def find(self, query: Query) -> list[Result]:
        """Those that answer a query, best first."""


class Provider(Service):
    """One provider. A subclass in `providers/` is all that it takes to add one."""

    page_size: ClassVar[int] = 10
    max_pages: ClassVar[int] = 10
    # What is searched: "web", "encyclopedia", "community"; only "web" is asked unnamed.
    kind: ClassVar[str] = "web"
    query_limit: ClassVar[str] = ""  # the longest query that it takes, in words
    # Fields of Query that requests carry and the provider applies.
    native: ClassVar[frozenset[str]] = frozenset()
    # Whether a domain of a query may have a path; others are given the domains alone.
    takes_paths: ClassVar[bool] = False
    has_files: ClassVar[bool] = False  # whether results may be files of this machine
    kept_pages: KeptPages | None = None  # for the one that searches them

    def applied(self, query: Query) -> frozenset[str]:
        """Of `native`, what holds for the values of this query; less where the provider knows only
        some of them.
        """
        return self.native

    def takes(self, query: Query) -> bool:
        """Whether a request can hold the text of this query whole, with its terms and the first of
        the domains that are asked for.
        """
        return True

    def too_long_failure(self) -> BadInput:
        """The error for a query that it does not take."""
        return BadInput(
            f"{self.label} takes at most {self.query_limit} in a query.",
            suggested_action="Shorten the query, or name another provider.",
        )

    @abstractmethod
    def build_request(self, query: Query) -> httpx2.Request:
        """The request for one page of results. The query's domains are as
        `domains.normalise` gives them, with a path only where `takes_paths` says so.
        """

    @abstractmethod
    def parse_reply(self, reply: Reply) -> Batch:
        """The results, or the error of the right kind; "no results" only when the provider really
        said so.
        """

    def fallback_request(self, query: Query, error: WebquarryError) -> httpx2.Request | None:
        """A second way to the same page of results after this error on the first, tried once; None
        if there is none.
        """
        return None

    def results_wanted(self, query: Query) -> int:
        """How many results to ask for on one page: all it holds where a list of domains will take
        some out, because a full page costs the same as a short one.
        """
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
        """One hit of these fields as they came, or None when they are not in the form of one."""
        try:
            raw_title = optional_text(title)
            address = optional_text(url)
            raw_snippet = optional_text(snippet)
        except ValueError:
            return None
        if not address.strip():
            return None
        return Result(
            title=clean(raw_title) or plain(address),
            url=address.strip(),
            snippet=clean(raw_snippet),
            provider=self.name,
            published=published,
        )

    def parse_probe(self, reply: Reply) -> None:
        """Raise what the probe's reply says is wrong; a provider whose probe is an error by design
        overrides this.
        """
        self.parse_reply(reply)


def drop_empty(parameters: Mapping[str, Value | None]) -> dict[str, Value]:
    """Return the parameters that have a value."""
    return {name: value for name, value in parameters.items() if value}
