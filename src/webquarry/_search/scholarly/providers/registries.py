"""Registries that only look up: DataCite, doi.org, the RFC Editor and the Wayback Machine. None
needs a key.

DataCite (DOIs of preprints, data and software): GET https://api.datacite.org/dois/{doi}, or
`/dois?query=titles.title:"..."`.
doi.org (whether a DOI is registered, by any agency): GET https://doi.org/api/handles/{doi};
`responseCode` 1 is registered, 100 (HTTP 404) is not.
RFC Editor: GET https://www.rfc-editor.org/rfc/rfc{n}.json, 404 if there is none.
Wayback Machine (archived copies): GET https://archive.org/wayback/available?url=...&timestamp=...;
its "none" is not reliable, so the index of captures (CDX) is asked next.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.addresses import normal_doi
from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    text_at,
    unknown_shape_failure,
    unreadable_failure,
)
from webquarry._search.scholarly.models import Notice, Record, WorkQuestion
from webquarry._search.scholarly.provider import CANDIDATES, WorkIndex, bare_words, build_author
from webquarry._search.scholarly.text import LONGEST_ABSTRACT
from webquarry._search.service import at_origin
from webquarry.errors import ProviderFailure
from webquarry.net.models import Reply

_PUBLISHED = ("IsPreprintOf", "IsPreviousVersionOf", "IsVersionOf")
_HANDLE_EXISTS = 1
_HANDLE_UNKNOWN = 100
_CAPTURES_ORIGIN = "https://web.archive.org"
_DAY_DIGITS = len("20240102")


class DataCite(WorkIndex):
    name = "datacite"
    label = "DataCite"
    origin = "https://api.datacite.org"
    topics = frozenset({"doi", "title"})
    lanes = 2

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        question = questions[0]
        accept = "application/vnd.api+json"
        if question.topic == "doi":
            return self.get(f"/dois/{quote(question.value, safe='/')}", accept=accept)
        parameters = {
            "query": f'titles.title:"{bare_words(question.value)}"',
            "page[size]": str(CANDIDATES),
            "disable-facets": "true",
        }
        return self.get("/dois", parameters, accept)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        answer = json_object(reply, self.label)
        if reply.status == 404 and "errors" in answer and questions[0].topic == "doi":
            return []
        if reply.status != 200:
            raise failure(reply, self.label)
        data = answer.get("data")
        if not isinstance(data, dict if questions[0].topic == "doi" else list):
            raise unknown_shape_failure(self.label)
        works = data if isinstance(data, list) else [data]
        return [self._record(object_at(work, "attributes")) for work in objects(works)]

    def _record(self, work: dict[str, Any]) -> Record:
        authors = []
        for person in objects(work.get("creators")):
            family = person.get("familyName")
            name = None if family else person.get("name")
            authors.append(build_author(name, family, person.get("givenName")))
        stated = objects(work.get("dates"))
        dates = sorted(text_at(one, "date") for one in stated if text_at(one, "date")[:4].isdigit())
        types = object_at(work, "types")
        is_preprint = types.get("resourceTypeGeneral") == "Preprint"
        publisher = work.get("publisher")  # a text or an object
        if isinstance(publisher, dict):
            publisher = publisher.get("name")
        published = [
            normal_doi(related.get("relatedIdentifier"))
            for related in objects(work.get("relatedIdentifiers"))
            if is_preprint and related.get("relationType") in _PUBLISHED
        ]
        descriptions = objects(work.get("descriptions"))
        notices = []
        if any(one.get("dateType") == "Withdrawn" for one in stated):
            notices.append(Notice("withdrawal", source=self.name, preprint=is_preprint))
        return self.build_record(
            titles=[title.get("title") for title in objects(work.get("titles"))],
            authors=authors,
            years=[work.get("publicationYear"), *dates],
            venues=[object_at(work, "container").get("title"), publisher],
            doi=work.get("doi"),
            url=text_at(work, "url"),
            kind=text_at(types, "citeproc"),
            date=next(iter(dates), ""),
            is_preprint=is_preprint,
            published_doi=next(filter(None, published), ""),
            abstract=text_at(descriptions[0], "description")[:LONGEST_ABSTRACT]
            if descriptions
            else "",
            publisher=publisher,
            notices=notices,
        )


class DoiHandles(WorkIndex):
    name = "doi"
    label = "doi.org"
    origin = "https://doi.org"
    topics = frozenset({"doi"})
    lanes = 4

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        return self.get(f"/api/handles/{quote(questions[0].value, safe='/')}")

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        code = json_object(reply, self.label).get("responseCode")
        if code == _HANDLE_EXISTS:
            return [self.build_record(doi=questions[0].value)]
        if code == _HANDLE_UNKNOWN:
            return []
        if reply.status not in (200, 404):
            raise failure(reply, self.label)
        raise ProviderFailure(
            f"The resolver doi.org answered with the code {code!r}, which says neither."
        )


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
        record = self.build_record(
            titles=[answer.get("title")],
            authors=[build_author(name.removesuffix(", Ed.")) for name in names],
            years=[text_at(answer, "pub_date")[-4:]],
            doi=answer.get("doi"),
            url=f"https://www.rfc-editor.org/rfc/rfc{questions[0].value}",
            kind="standard",
        )
        return [record]


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
        url = at_origin(self._captures_origin, "/cdx/search/cdx", "WEBQUARRY_WAYBACK_URL")
        parameters = {
            "url": questions[0].value,
            "output": "json",
            "filter": "statuscode:200",
            "limit": "-1",
        }
        request = self.get("", parameters)
        return httpx2.Request("GET", url, params=parameters, headers=request.headers)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if reply.status != 200:
            raise failure(reply, self.label)
        stamp = self._last_capture(reply) if _is_cdx(reply) else self._closest(reply)
        if len(stamp) < _DAY_DIGITS or not (stamp.isascii() and stamp.isdigit()):
            return []
        url = f"{self._captures_origin}/web/{stamp}/{questions[0].value}"
        date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"
        return [Record(source=self.name, url=url, date=date)]

    @property
    def _captures_origin(self) -> str:
        """The origin of captures and of their index; a user's origin serves both."""
        if self.base == self.origin:
            return _CAPTURES_ORIGIN
        return self.base.replace("/archive.org", "/web.archive.org")

    def _closest(self, reply: Reply) -> str:
        """Return the timestamp of the nearest good capture, or an empty string."""
        answer = json_object(reply, self.label)
        if "archived_snapshots" not in answer:
            raise unknown_shape_failure(self.label)
        closest = object_at(object_at(answer, "archived_snapshots"), "closest")
        is_good = closest.get("available") and str(closest.get("status") or "200") == "200"
        return text_at(closest, "timestamp") if is_good else ""

    def _last_capture(self, reply: Reply) -> str:
        """Return the timestamp of the last capture of the index, or an empty string."""
        try:
            rows = json.loads(reply.body)
        except ValueError as error:
            raise unreadable_failure(reply, self.label) from error
        captures = [row for row in rows[1:] if isinstance(row, list) and len(row) > 1]
        return str(captures[-1][1]) if captures else ""


def _is_cdx(reply: Reply) -> bool:
    return reply.body.lstrip().startswith(b"[")
