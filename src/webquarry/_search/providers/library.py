"""The library: pages that were read on this machine before, searched without the network. Asked
only by name, or if no other provider answers.

Its requests are not sent; `answer` returns the reply.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import httpx2

from webquarry._search.models import LIBRARY, Query, Result
from webquarry._search.provider import Provider
from webquarry.errors import BadInput
from webquarry.net.models import Reply

_MISSING = "There is no library here: it is off, or exchanges are recorded or replayed."
_CURE = "Unset WEBQUARRY_LIBRARY, WEBQUARRY_RECORD and WEBQUARRY_REPLAY, or name another provider."
_FIELDS = ("text", "allowed_domains", "blocked_domains", "exact_terms", "exclude_terms")


class LibraryOfPages(Provider):
    name = LIBRARY
    label = "The library"
    origin = "https://library.invalid"
    kind = "library"
    page_size = 50
    max_pages = 1
    native = frozenset({"allowed_domains", "blocked_domains", "exact_terms", "exclude_terms"})
    takes_paths = True
    has_files = True

    @property
    def configured(self) -> bool:
        """Whether there is a library."""
        return self.kept_pages is not None

    def describe_missing(self) -> str:
        return _MISSING

    def build_request(self, query: Query) -> httpx2.Request:
        fields = {name: getattr(query, name) for name in _FIELDS}
        fields["count"] = self.results_wanted(query)
        return httpx2.Request("POST", self.endpoint("/find"), json=fields)

    def build_probe(self) -> httpx2.Request:
        return self.build_request(Query("anything", count=1))

    async def answer(self, request: httpx2.Request) -> Reply:
        if self.kept_pages is None:
            raise BadInput(_MISSING, suggested_action=_CURE)
        fields: dict[str, Any] = json.loads(request.read())
        for name in ("allowed_domains", "blocked_domains"):
            fields[name] = tuple(fields[name])
        found = await self.kept_pages.find(Query(**fields))
        body = json.dumps({"results": [vars(result) for result in found]}).encode()
        return Reply(str(request.url), 200, httpx2.Headers(), body, self.clock.now())

    def parse_hit(self, hit: dict[str, Any]) -> Result | None:
        found = self.result(
            hit.get("title"), hit.get("url"), hit.get("snippet"), hit.get("published")
        )
        age = hit.get("age_seconds")
        if found is None or not isinstance(age, int):
            return None
        return replace(found, age_seconds=age)
