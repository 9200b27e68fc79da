"""The Wayback Machine: an archived copy of an address. Needs no key.

API: GET https://archive.org/wayback/available?url=...&timestamp=...; its "none" is not always true,
so that the index of captures is asked before none is said.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import httpx2

from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    text_at,
    unknown_shape_failure,
    unreadable_failure,
)
from webquarry._search.scholarly.models import Record, WorkQuestion
from webquarry._search.scholarly.provider import WorkIndex
from webquarry._search.service import at_origin
from webquarry.net.models import Reply

_WEB_ORIGIN = "https://web.archive.org"
_STAMP = len("20240102")  # digits of a date


class Wayback(WorkIndex):
    name = "wayback"
    label = "Wayback Machine"
    origin = "https://archive.org"
    topics = frozenset({"archive"})
    min_interval_seconds = 2.0

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        parameters = {"url": questions[0].value}
        near = questions[0].near.replace("-", "")
        if near.isdigit():
            parameters["timestamp"] = near
        return self.get("/wayback/available", parameters)

    def next_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> httpx2.Request | None:
        if reply.status != 200 or _is_cdx(reply) or self._closest(reply):
            return None
        url = at_origin(self._web_origin, "/cdx/search/cdx", "WEBQUARRY_WAYBACK_URL")
        parameters = {
            "url": questions[0].value,
            "output": "json",
            "filter": "statuscode:200",
            "limit": "-1",
        }
        return self.get_url(url, parameters)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if reply.status != 200:
            raise failure(reply, self.label)
        if _is_cdx(reply):
            return self._parse_captures(questions[0], reply)
        stamp = self._closest(reply)
        return [self._record(questions[0].value, stamp)] if stamp else []

    @property
    def _web_origin(self) -> str:
        """The origin of captures and of their index; a user's origin serves both."""
        if self.base == self.origin:
            return _WEB_ORIGIN
        return self.base.replace("/archive.org", "/web.archive.org")

    def _closest(self, reply: Reply) -> str:
        """The timestamp of the nearest good capture, or "" if there is none."""
        answer = json_object(reply, self.label)
        if "archived_snapshots" not in answer:
            raise unknown_shape_failure(self.label)
        closest = object_at(object_at(answer, "archived_snapshots"), "closest")
        stamp = text_at(closest, "timestamp")
        is_good = closest.get("available") and str(closest.get("status") or "200") == "200"
        return stamp if is_good and _is_stamp(stamp) else ""

    def _parse_captures(self, question: WorkQuestion, reply: Reply) -> list[Record]:
        try:
            rows = json.loads(reply.body)
        except ValueError as error:
            raise unreadable_failure(reply, self.label) from error
        captures = [row for row in rows[1:] if isinstance(row, list) and len(row) > 1]
        stamp = str(captures[-1][1]) if captures else ""
        return [self._record(question.value, stamp)] if _is_stamp(stamp) else []

    def _record(self, page: str, stamp: str) -> Record:
        url = f"{self._web_origin}/web/{stamp}/{page}"
        date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
        return Record(source=self.name, url=url, date=date)


def _is_stamp(text: str) -> bool:
    return len(text) >= _STAMP and text.isascii() and text.isdigit()


def _is_cdx(reply: Reply) -> bool:
    return reply.body.lstrip().startswith(b"[")
