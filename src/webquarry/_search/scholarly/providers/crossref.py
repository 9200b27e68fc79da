"""Crossref: records that publishers register for their DOIs, with notices. Needs no key.

API: GET https://api.crossref.org/works. `query` searches (any word matches, so papers are sorted by
relevance and dates are ordered on our side); `/works/{doi}` or `filter=doi:a,doi:b` looks up, but a
DOI with a comma never goes into a filter; `filter=updates:{doi}` returns notices about a work that
its own record may lack. A contact address (WEBQUARRY_CONTACT) gives a better rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import quote

import httpx2

from webquarry._search.addresses import normal_doi
from webquarry._search.replies import (
    array_at,
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quote_words,
    text_at,
    unknown_shape_failure,
    unreadable_failure,
)
from webquarry._search.scholarly.models import (
    Author,
    Notice,
    Paper,
    PaperQuery,
    Record,
    WorkQuestion,
    crossref_notices,
)
from webquarry._search.scholarly.provider import (
    CANDIDATES,
    Scholarly,
    build_author,
    date_of,
    paper_of,
)
from webquarry._search.scholarly.text import abstract_from_markup, from_markup
from webquarry.errors import BadInput, WebquarryError
from webquarry.net.models import Reply
from webquarry.settings import Settings

_SEARCH_FIELDS = (
    "DOI,URL,title,author,container-title,issued,published,published-print,published-online,posted,"
    "created,abstract,type,volume,issue,page,publisher,license,link,is-referenced-by-count,"
    "updated-by"
)
_LOOKUP_FIELDS = (
    "DOI,URL,title,subtitle,original-title,short-title,author,editor,container-title,"
    "short-container-title,event,issued,published,published-print,published-online,posted,"
    "abstract,type,volume,issue,page,publisher,relation,ISBN,updated-by,update-to"
)
# The best first; `created` is the date of the registration.
_DATES = ("issued", "published", "published-online", "published-print", "posted", "created")
_KINDS = {
    "journal-article": "article-journal",
    "proceedings-article": "paper-conference",
    "posted-content": "article",
    "book-chapter": "chapter",
    "book-section": "chapter",
    "reference-entry": "chapter",
    "book": "book",
    "monograph": "book",
    "edited-book": "book",
    "reference-book": "book",
    "dissertation": "thesis",
    "report": "report",
    "dataset": "dataset",
}
_NO_PAPER_TYPES = """
component grant journal journal-issue journal-volume peer-review book-series book-set
report-series database
"""
_NO_PAPERS = frozenset(_NO_PAPER_TYPES.split())
_MAX_NOTICES = 50


class Crossref(Scholarly):
    name = "crossref"
    label = "Crossref"
    origin = "https://api.crossref.org"
    topics = frozenset({"doi", "title", "text", "updates"})
    most_at_once: ClassVar[Mapping[str, int]] = {"doi": 20, "updates": 20}
    min_interval_seconds = 1.0  # one list a second

    def apply_settings(self, settings: Settings) -> None:
        super().apply_settings(settings)
        if self.contact:
            self.min_interval_seconds = 1 / 3

    def build_request(self, query: PaperQuery) -> httpx2.Request:
        filters = []
        if query.year_from is not None:
            filters.append(f"from-pub-date:{query.year_from:04}")
        if query.year_to is not None:
            filters.append(f"until-pub-date:{query.year_to:04}")
        parameters = {"query": query.text, "rows": str(query.records), "select": _SEARCH_FIELDS}
        if filters:
            parameters["filter"] = ",".join(filters)
        return self._request(parameters)

    def build_lookup(self, questions: Sequence[WorkQuestion]) -> httpx2.Request:
        first = questions[0]
        if _is_single(questions):
            return self._request({}, f"/works/{quote(first.value, safe='/')}")
        if first.topic in ("doi", "updates"):
            conditions = [f"{first.topic}:{question.value}" for question in questions]
            rows = len(questions) if first.topic == "doi" else _MAX_NOTICES
            parameters = {"filter": ",".join(conditions), "rows": str(rows)}
        else:
            name = "query.title" if first.topic == "title" else "query.bibliographic"
            parameters = {name: first.value, "rows": str(CANDIDATES)}
        return self._request({**parameters, "select": _LOOKUP_FIELDS})

    def _request(self, parameters: Mapping[str, str], path: str = "/works") -> httpx2.Request:
        sent = dict(parameters)
        if self.contact:
            sent["mailto"] = self.contact
        return self.get(path, sent)

    def parse_reply(self, reply: Reply) -> list[Paper]:
        items = self._read_message(reply).get("items")

        def parse(work: dict[str, Any]) -> Paper | None:
            return None if text_at(work, "type") in _NO_PAPERS else paper_of(self.parse_work(work))

        return parse_hits(items, parse, self.label)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        is_single = _is_single(questions)
        if is_single and reply.status == 404:
            return []
        message = self._read_message(reply)
        works = [message] if is_single else message.get("items")

        def parse(work: dict[str, Any]) -> Record:
            record = self.parse_work(work)
            return replace(record, notices=(*record.notices, *_read_own_notices(work)))

        return parse_hits(works, parse, self.label)

    def _read_message(self, reply: Reply) -> dict[str, Any]:
        """Return the `message` of the envelope; raise the error of any other reply."""
        if reply.status != 200:
            raise self._read_failure(reply)
        message = object_at(json_object(reply, self.label), "message")
        if not message:
            raise unknown_shape_failure(self.label)
        return message

    def _read_failure(self, reply: Reply) -> WebquarryError:
        if reply.content_type != "application/json":
            return unreadable_failure(reply, self.label)
        problems = objects(json_object(reply, self.label).get("message"))
        if problems:
            words = quote_words(problems[0].get("message"))
            return BadInput(f"Crossref did not accept the request: {words}")
        return failure(reply, self.label)

    def parse_work(self, work: dict[str, Any]) -> Record:
        dates = _list_dates(work)
        stated = sorted(_list_dates({**work, "created": None}))
        kind = text_at(work, "type")
        event = object_at(work, "event")
        updates = objects(work.get("update-to"))
        # Without such a licence it is unknown; other links are for text mining under contract.
        licences = [text_at(licence, "URL") for licence in objects(work.get("license"))]
        is_open = any("creativecommons.org" in url for url in licences)
        links = objects(work.get("link")) if is_open else []
        pdfs = [link for link in links if link.get("content-type") == "application/pdf"]
        isbn = next(iter(_texts_at(work, "ISBN")), "")
        titles = ("title", "original-title", "short-title")
        venues = ("container-title", "short-container-title")
        return self.build_record(
            titles=[_join_subtitle(work), *_list_texts(work, titles)],
            url=work.get("URL"),
            doi=work.get("DOI"),
            authors=_list_people(work.get("author")) or _list_people(work.get("editor")),
            journal=_first(work.get("container-title")),
            venues=[*_list_texts(work, venues), event.get("name"), event.get("acronym")],
            published=dates[0] if dates else "",
            date=stated[0] if stated else "",
            years=stated,
            abstract=abstract_from_markup(work.get("abstract")),
            kind=_KINDS.get(kind, kind),
            volume=work.get("volume"),
            issue=work.get("issue"),
            pages=work.get("page"),
            publisher=from_markup(work.get("publisher")),
            isbn=isbn.rpartition("/")[2].replace("-", ""),
            citation_count=work.get("is-referenced-by-count"),
            open_access=is_open or None,
            pdf_url=pdfs[0].get("URL") if pdfs else None,
            notices=crossref_notices(work.get("updated-by")),
            is_preprint=kind == "posted-content",
            published_doi=_find_related_doi(work, "is-preprint-of"),
            updates=tuple(filter(None, [normal_doi(entry.get("DOI")) for entry in updates])),
        )


def _is_single(questions: Sequence[WorkQuestion]) -> bool:
    return questions[0].topic == "doi" and len(questions) == 1


def _list_people(entries: object) -> list[Author | None]:
    return [
        build_author(entry.get("name"), entry.get("family"), entry.get("given"))
        for entry in objects(entries)
    ]


def _list_dates(work: dict[str, Any]) -> list[str]:
    """Return the stated dates, the best first."""
    parts = [_first(object_at(work, name).get("date-parts")) for name in _DATES]
    return list(filter(None, map(date_of, parts)))


def _join_subtitle(work: dict[str, Any]) -> str:
    """Return the title with its subtitle."""
    title = next(iter(_texts_at(work, "title")), "")
    subtitle = next(iter(_texts_at(work, "subtitle")), "")
    if title and subtitle and subtitle.lower() not in title.lower():
        return f"{title}: {subtitle}"
    return title


def _read_own_notices(work: dict[str, Any]) -> list[Notice]:
    """Return what a notice says about the works that it updates."""
    doi = normal_doi(work.get("DOI"))
    stated = crossref_notices(work.get("update-to"))
    return [Notice(notice.type, notice.date, doi, notice.source) for notice in stated]


def _find_related_doi(work: dict[str, Any], relation: str) -> str:
    for entry in objects(object_at(work, "relation").get(relation)):
        doi = normal_doi(entry.get("id"))
        if doi:
            return doi
    return ""


def _list_texts(work: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [text for name in names for text in _texts_at(work, name)]


def _texts_at(work: dict[str, Any], name: str) -> list[str]:
    return [value for value in array_at(work, name) if isinstance(value, str) and value.strip()]


def _first(values: object) -> object:
    if isinstance(values, list) and values:
        return values[0]
    return None
