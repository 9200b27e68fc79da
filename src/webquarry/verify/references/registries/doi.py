"""doi.org: whether a DOI is registered, by whichever agency. Needs no key.

API: GET https://doi.org/api/handles/{doi}; `responseCode` 1 is registered, 100 (HTTP 404) is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import httpx2

from webquarry._search.replies.body import failure, json_object
from webquarry.errors import ProviderFailure
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import Registry, build_record

_REGISTERED = 1
_UNKNOWN = 100


class DoiHandles(Registry):
    name = "doi"
    label = "doi.org"
    origin = "https://doi.org"
    topics = frozenset({"doi"})
    lanes = 4

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        return self.get(f"/api/handles/{quote(questions[0].value, safe='/')}")

    def build_probe(self) -> httpx2.Request:
        return self.get("/api/handles/10.1000/1")

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        code = answer.get("responseCode")
        if code == _REGISTERED:
            return [build_record(self.name, doi=questions[0].value)]
        if code == _UNKNOWN:
            return []
        if reply.status not in (200, 404):
            raise failure(reply, self.label)
        raise ProviderFailure(
            f"The resolver doi.org answered with the code {code!r}, which says neither."
        )
