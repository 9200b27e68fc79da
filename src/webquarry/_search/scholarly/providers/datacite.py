"""DataCite: DOIs of preprints, data and software (arXiv, Zenodo, figshare). Needs no key.

API: GET https://api.datacite.org/dois/{doi}, or `/dois?query=titles.title:"..."`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._search.addresses import normal_doi
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    text_at,
    unknown_shape_failure,
)
from webquarry._search.scholarly.models import Notice, Record, WorkQuestion
from webquarry._search.scholarly.provider import CANDIDATES, WorkIndex, build_author
from webquarry.net.models import Reply

_NO_WORD = re.compile(r"[^\w\s]+")
_PUBLISHED = ("IsPreprintOf", "IsPreviousVersionOf", "IsVersionOf")


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
        words = " ".join(_NO_WORD.sub(" ", question.value).split())
        parameters = {
            "query": f'titles.title:"{words}"',
            "page[size]": str(CANDIDATES),
            "disable-facets": "true",
        }
        return self.get("/dois", parameters, accept)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        is_single = questions[0].topic == "doi"
        answer = json_object(reply, self.label)
        if is_single and reply.status == 404 and "errors" in answer:
            return []
        if reply.status != 200:
            raise failure(reply, self.label)
        data = answer.get("data")
        if is_single and isinstance(data, dict):
            return [self._record(object_at(data, "attributes"))]
        if not is_single and isinstance(data, list):
            return [self._record(object_at(item, "attributes")) for item in objects(data)]
        raise unknown_shape_failure(self.label)

    def _record(self, work: dict[str, Any]) -> Record:
        authors = []
        for person in objects(work.get("creators")):
            family = person.get("familyName")
            given = person.get("givenName")
            name = None if family else person.get("name")
            authors.append(build_author(name, family, given))
        stated = [text_at(one, "date") for one in objects(work.get("dates"))]
        dates = sorted(date for date in stated if date[:4].isdigit())
        types = object_at(work, "types")
        is_preprint = types.get("resourceTypeGeneral") == "Preprint"
        descriptions = [one.get("description") for one in objects(work.get("descriptions"))]
        publisher = _read_publisher(work)
        notices = []
        if any(one.get("dateType") == "Withdrawn" for one in objects(work.get("dates"))):
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
            published_doi=_find_published(work) if is_preprint else "",
            abstract=str(next(iter(descriptions), ""))[:10_000],
            publisher=publisher,
            notices=notices,
        )


def _read_publisher(work: dict[str, Any]) -> str:
    """The publisher, which is a text or an object with a name."""
    publisher = work.get("publisher")
    if isinstance(publisher, dict):
        publisher = publisher.get("name")
    return publisher if isinstance(publisher, str) else ""


def _find_published(work: dict[str, Any]) -> str:
    """The DOI of the article that a preprint became."""
    for related in objects(work.get("relatedIdentifiers")):
        doi = normal_doi(related.get("relatedIdentifier"))
        if doi and related.get("relationType") in _PUBLISHED:
            return doi
    return ""
