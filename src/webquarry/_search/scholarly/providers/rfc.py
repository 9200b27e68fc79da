"""The RFC Editor: RFCs by their number. Needs no key.

API: GET https://www.rfc-editor.org/rfc/rfc{n}.json; 404 where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import httpx2

from webquarry._search.replies import array_at, failure, json_object, text_at
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import WorkIndex, build_author
from webquarry.net.models import Reply


class RfcEditor(WorkIndex):
    name = "rfceditor"
    label = "RFC Editor"
    origin = "https://www.rfc-editor.org"
    topics = frozenset({"rfc"})

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        return self.get(f"/rfc/rfc{questions[0].value}.json")

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if reply.status == 404:
            return []
        if reply.status != 200:
            raise failure(reply, self.label)
        answer = json_object(reply, self.label)
        names = [name for name in array_at(answer, "authors") if isinstance(name, str)]
        date = text_at(answer, "pub_date")
        record = self.build_record(
            titles=[answer.get("title")],
            authors=[build_author(name.removesuffix(", Ed.")) for name in names],
            years=[date[-4:]],
            doi=answer.get("doi"),
            url=f"https://www.rfc-editor.org/rfc/rfc{questions[0].value}",
            kind="standard",
        )
        return [record]
