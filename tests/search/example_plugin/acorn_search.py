"""Acorn: an invented search provider in a package of its own, as a third party would write one.

Its package announces it in pyproject.toml; that is all it takes:

    [project.entry-points."webquarry.providers"]
    acorn = "acorn_search:Acorn"
"""

from __future__ import annotations

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import Provider, with_sites
from webquarry._search.replies import failure, json_object, objects, string_at
from webquarry._search.text import plain
from webquarry.credentials import Credential
from webquarry.errors import ProviderFailure
from webquarry.net.models import Reply

KEY = "ACORN_API_KEY"


class Acorn(Provider):
    name = "acorn"
    label = "Acorn Search"
    origin = "https://api.acorn.example"
    credentials = (Credential(KEY, "acorn-api-key"),)
    sign_up = "https://acorn.example/keys"
    native = frozenset({"allowed_domains", "blocked_domains"})

    def build_request(self, query: Query) -> httpx2.Request:
        text = with_sites(
            query.text, query.allowed_domains, query.blocked_domains, lambda text: len(text) <= 500
        )
        return httpx2.Request(
            "GET",
            self.endpoint("/search"),
            params={"q": text, "page": str(query.page)},
            headers={"X-Key": self.credential(KEY)},
        )

    def build_probe(self) -> httpx2.Request:
        return self.build_request(Query("acorn"))

    def parse_reply(self, reply: Reply) -> Batch:
        if reply.status == 401:
            raise self.not_accepted()
        found = json_object(reply, self.label)
        if reply.status != 200:
            raise failure(reply, self.label)
        if not isinstance(found.get("hits"), list):
            raise ProviderFailure("Acorn Search answered with JSON of an unknown shape.")
        hits = [
            Result(
                plain(string_at(hit, "title")),
                string_at(hit, "link"),
                "",
                provider=self.name,
            )
            for hit in objects(found["hits"])
        ]
        return Batch(tuple(hits), more=found.get("more") is True)
