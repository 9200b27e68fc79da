"""The library: every page that was read on this machine before, found again without the network.
Not asked unless it is named; where nobody else answers, what it finds may stand in for them.

It is on this machine: its requests are answered by `answer`, never sent.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2

from webquarry._search.models import LIBRARY, Batch, Query, Result
from webquarry._search.provider import Provider
from webquarry._search.replies import failure, json_object, parse_hits
from webquarry.errors import BadInput
from webquarry.net.models import Reply

_OK = 200
_MISSING = "There is no library here: it is off, or exchanges are recorded or replayed."
_CURE = "Unset WEBQUARRY_LIBRARY, WEBQUARRY_RECORD and WEBQUARRY_REPLAY, or name another provider."


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
        """Whether there is a library to be asked."""
        return self.kept_pages is not None

    def describe_missing(self) -> str:
        return _MISSING

    def build_request(self, query: Query) -> httpx2.Request:
        fields = {
            "text": query.text,
            "count": self.results_wanted(query),
            "allowed_domains": query.allowed_domains,
            "blocked_domains": query.blocked_domains,
            "exact_terms": query.exact_terms,
            "exclude_terms": query.exclude_terms,
        }
        return httpx2.Request("POST", self.endpoint("/find"), json=fields)

    def build_probe(self) -> httpx2.Request:
        return self.build_request(Query("anything", count=1))

    async def answer(self, request: httpx2.Request) -> Reply:
        """What the pages that were read say to a request of ours."""
        if self.kept_pages is None:
            raise BadInput(_MISSING, suggested_action=_CURE)
        fields: dict[str, Any] = json.loads(request.read())
        for name in ("allowed_domains", "blocked_domains"):
            fields[name] = tuple(fields[name])
        found = await self.kept_pages.find(Query(**fields))
        body = json.dumps({"results": [vars(result) for result in found]}).encode()
        return Reply(str(request.url), _OK, httpx2.Headers(), body, self.clock.now())

    def parse_reply(self, reply: Reply) -> Batch:
        answer = json_object(reply, self.label)
        if reply.status != _OK:
            raise failure(reply, self.label, "")
        results = parse_hits(answer.get("results"), self._result, self.label)
        return Batch(tuple(results), more=False)

    def _result(self, hit: dict[str, Any]) -> Result | None:
        """One hit, or None when it is not in the form of one."""
        found = self.result(
            hit.get("title"), hit.get("url"), hit.get("snippet"), hit.get("published")
        )
        age = hit.get("age_seconds")
        if found is None or not isinstance(age, int):
            return None
        return Result(**(vars(found) | {"age_seconds": age}))
