"""The Wayback Machine: an archived copy of an address. Needs no key.

API: GET https://archive.org/wayback/available?url=...&timestamp=...; its "none" is not always true,
so that the index of captures is asked before none is said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import httpx2

from webquarry._search.replies.body import (
    failure,
    json_object,
    object_at,
    text_at,
    unknown_shape_failure,
    unreadable_failure,
)
from webquarry._search.services.service import at_origin
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import Registry

_CDX_ORIGIN = "https://web.archive.org"
_STAMP = len("20240102")


class Wayback(Registry):
    name = "wayback"
    label = "Wayback Machine"
    origin = "https://archive.org"
    topics = frozenset({"archive"})
    min_interval_seconds = 2.0

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        parameters = {"url": questions[0].value}
        near = questions[0].near.replace("-", "")
        if near.isdigit():
            parameters["timestamp"] = near
        return self.get("/wayback/available", parameters)

    def build_probe(self) -> httpx2.Request:
        return self.get("/wayback/available", {"url": "example.com"})

    def next_request(
        self, questions: Sequence[WorkQuestion], reply: net.Reply
    ) -> httpx2.Request | None:
        if reply.status != 200 or _is_cdx(reply) or self._closest(reply):
            return None
        origin = _CDX_ORIGIN
        if self.base != self.origin:  # a stand-in serves both
            origin = self.base.replace("/archive.org", "/web.archive.org")
        url = at_origin(origin, "/cdx/search/cdx", "WEBQUARRY_WAYBACK_URL")
        parameters = {
            "url": questions[0].value,
            "output": "json",
            "filter": "statuscode:200",
            "limit": "-1",
        }
        return httpx2.Request("GET", url, params=parameters, headers=self.headers())

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        if reply.status != 200:
            raise failure(reply, self.label)
        if _is_cdx(reply):
            return self._parse_captures(questions[0], reply)
        closest = self._closest(reply)
        return [self._record(*closest)] if closest else []

    def _closest(self, reply: net.Reply) -> tuple[str, str] | None:
        """The address and the time of the nearest copy that was good."""
        answer = json_object(reply, self.label)
        if "archived_snapshots" not in answer:
            raise unknown_shape_failure(self.label)
        closest = object_at(object_at(answer, "archived_snapshots"), "closest")
        stamp = text_at(closest, "timestamp")
        url = text_at(closest, "url")
        if not closest.get("available") or not stamp[:_STAMP].isdigit():
            return None
        if str(closest.get("status") or "200") != "200":
            return None
        return url.replace("http://", "https://", 1), stamp

    def _parse_captures(self, question: WorkQuestion, reply: net.Reply) -> list[Record]:
        try:
            rows = json.loads(reply.body)
        except ValueError as error:
            raise unreadable_failure(reply, self.label) from error
        captures = [row for row in rows[1:] if isinstance(row, list) and len(row) > 2]
        if not captures:
            return []
        stamp = str(captures[-1][1])
        return [self._record(f"{_CDX_ORIGIN}/web/{stamp}/{question.value}", stamp)]

    def _record(self, url: str, stamp: str) -> Record:
        date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
        return Record(source=self.name, url=url, date=date)


def _is_cdx(reply: net.Reply) -> bool:
    return reply.body.lstrip().startswith(b"[")
