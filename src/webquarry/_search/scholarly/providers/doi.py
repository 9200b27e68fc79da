"""doi.org: whether a DOI is registered, by whichever agency. Needs no key.

API: GET https://doi.org/api/handles/{doi}; `responseCode` 1 is registered, 100 (HTTP 404) is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

import httpx2

from webquarry._search.replies import failure, json_object
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import WorkIndex
from webquarry.errors import ProviderFailure
from webquarry.net.models import Reply

_REGISTERED = 1
_UNKNOWN = 100


class DoiHandles(WorkIndex):
    name = "doi"
    label = "doi.org"
    origin = "https://doi.org"
    topics = frozenset({"doi"})
    lanes = 4

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        return self.get(f"/api/handles/{quote(questions[0].value, safe='/')}")

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        code = answer.get("responseCode")
        if code == _REGISTERED:
            return [self.build_record(doi=questions[0].value)]
        if code == _UNKNOWN:
            return []
        if reply.status not in (200, 404):
            raise failure(reply, self.label)
        raise ProviderFailure(
            f"The resolver doi.org answered with the code {code!r}, which says neither."
        )
