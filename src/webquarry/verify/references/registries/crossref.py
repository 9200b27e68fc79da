"""Crossref: the publishers' own records of their DOIs, and the notices about them. Needs no key.

API: GET https://api.crossref.org/works/{doi}, or `/works?filter=doi:a,doi:b` for several;
`query.title` for a title, `filter=updates:{doi}` for notices that name a work (which the work's own
record does not always do). A DOI with a comma never goes into a filter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import quote

import httpx2

from webquarry._search.replies.body import (
    array_at,
    json_object,
    object_at,
    objects,
    text_at,
    unknown_shape_failure,
)
from webquarry._search.replies.doi import normal_doi
from webquarry._search.scholarly.crossref_service import KINDS, CrossrefService, list_people
from webquarry._search.scholarly.notices import Notice, crossref_notices
from webquarry._search.scholarly.provider import date_of
from webquarry._search.scholarly.text import abstract_from_markup
from webquarry.net import models as net
from webquarry.verify.references.models import Record, WorkQuestion
from webquarry.verify.references.registry import CANDIDATES, Registry, build_record

_DATES = ("issued", "published", "published-online", "published-print", "posted")
_KINDS = {**KINDS, "standard": "standard"}
_SELECTED = (
    "DOI,URL,title,subtitle,original-title,short-title,author,editor,container-title,"
    "short-container-title,event,issued,published,published-print,published-online,posted,"
    "abstract,type,volume,issue,page,publisher,relation,ISBN,updated-by,update-to"
)
_MOST_NOTICES = 50


class CrossrefRegistry(CrossrefService, Registry):
    topics = frozenset({"doi", "title", "text", "updates"})
    most_at_once: ClassVar[Mapping[str, int]] = {"doi": 20, "updates": 20}

    def build_request(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        first = questions[0]
        if first.topic == "doi" and len(questions) == 1:
            return self.build_works_request({}, f"/works/{quote(first.value, safe='/')}")
        values = [question.value for question in questions]
        if first.topic in ("doi", "updates"):
            conditions = ",".join(f"{first.topic}:{value}" for value in values)
            rows = len(values) if first.topic == "doi" else _MOST_NOTICES
            parameters = {"filter": conditions, "rows": str(rows)}
        elif first.topic == "title":
            parameters = {"query.title": first.value, "rows": str(CANDIDATES)}
        else:
            parameters = {"query.bibliographic": first.value, "rows": str(CANDIDATES)}
        return self.build_works_request({**parameters, "select": _SELECTED})

    def parse_reply(self, questions: Sequence[WorkQuestion], reply: net.Reply) -> list[Record]:
        is_single = questions[0].topic == "doi" and len(questions) == 1
        if is_single and reply.status == 404:
            return []
        if reply.status != 200:
            raise self.read_failure(reply)
        message = object_at(json_object(reply, self.label), "message")
        if is_single:
            if not message:
                raise unknown_shape_failure(self.label)
            return [self._record(message)]
        items = message.get("items")
        if not isinstance(items, list):
            raise unknown_shape_failure(self.label)
        return [self._record(item) for item in objects(items)]

    def _record(self, work: dict[str, Any]) -> Record:
        people = objects(work.get("author")) or objects(work.get("editor"))
        event = object_at(work, "event")
        venues = [
            *_texts_at(work, "container-title"),
            *_texts_at(work, "short-container-title"),
            event.get("name"),
            event.get("acronym"),
        ]
        kind = text_at(work, "type")
        dates = _list_dates(work)
        isbn = next(iter(_texts_at(work, "ISBN")), "")
        return build_record(
            self.name,
            titles=_list_titles(work),
            authors=list_people(people),
            years=dates,
            venues=venues,
            doi=work.get("DOI"),
            url=text_at(work, "URL"),
            isbn=isbn.rpartition("/")[2].replace("-", ""),
            kind=_KINDS.get(kind, kind),
            date=next(iter(dates), ""),
            is_preprint=kind == "posted-content",
            published_doi=_find_related_doi(work, "is-preprint-of"),
            abstract=abstract_from_markup(work.get("abstract")),
            volume=text_at(work, "volume"),
            issue=text_at(work, "issue"),
            pages=text_at(work, "page"),
            publisher=text_at(work, "publisher"),
            notices=tuple(_read_notices(work)),
            updates=tuple(_list_updated(work)),
        )


def _list_titles(work: dict[str, Any]) -> list[str]:
    """The title with its subtitle first, then whatever else the work is called."""
    titles = _texts_at(work, "title")
    names = titles + _texts_at(work, "original-title") + _texts_at(work, "short-title")
    for subtitle in _texts_at(work, "subtitle")[:1]:
        if titles and subtitle.lower() not in titles[0].lower():
            names.insert(0, f"{titles[0]}: {subtitle}")
    return names


def _list_dates(work: dict[str, Any]) -> list[str]:
    """Every date of appearance that is stated, the earliest first."""
    dates = []
    for name in _DATES:
        parts = object_at(work, name).get("date-parts")
        if isinstance(parts, list) and parts:
            dates.append(date_of(parts[0]))
    return sorted(filter(None, dates))


def _list_updated(work: dict[str, Any]) -> list[str]:
    """The works that a notice is about."""
    found = [normal_doi(entry.get("DOI")) for entry in objects(work.get("update-to"))]
    return [doi for doi in found if doi]


def _read_notices(work: dict[str, Any]) -> list[Notice]:
    """The notices about a work; of a notice, what it says of the works that it names."""
    notices = crossref_notices(work.get("updated-by"))
    for entry in objects(work.get("update-to")):
        (said,) = crossref_notices([entry])
        notice_doi = normal_doi(work.get("DOI"))
        notices.append(Notice(said.type, said.date, notice_doi, said.source))
    return notices


def _find_related_doi(work: dict[str, Any], relation: str) -> str:
    for entry in objects(object_at(work, "relation").get(relation)):
        doi = normal_doi(entry.get("id"))
        if doi:
            return doi
    return ""


def _texts_at(work: dict[str, Any], name: str) -> list[str]:
    """The texts of a list."""
    values = array_at(work, name)
    return [value for value in values if isinstance(value, str) and value.strip()]
