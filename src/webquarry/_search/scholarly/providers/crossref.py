"""Crossref: records that publishers register for their DOIs, with notices. Needs no key.

API: GET https://api.crossref.org/works. `query` searches (any word matches, so papers are sorted by
relevance and dates are ordered on our side); `/works/{doi}` or `filter=doi:a,doi:b` looks up, but a
DOI with a comma never goes into a filter; `filter=updates:{doi}` returns notices about a work that
its own record may lack. A contact address (WEBQUARRY_CONTACT) gives a better rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    RECORDS,
    Scholarly,
    build_author,
    build_record,
    date_of,
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
        parameters = {"query": query.text, "rows": str(RECORDS), "select": _SEARCH_FIELDS}
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

    def build_probe(self) -> httpx2.Request:
        return self._request({"query": "test", "rows": "0"})

    def _request(self, parameters: Mapping[str, str], path: str = "/works") -> httpx2.Request:
        sent = dict(parameters)
        if self.contact:
            sent["mailto"] = self.contact
        return self.get(path, sent)

    def parse_reply(self, reply: Reply) -> list[Paper]:
        items = self._read_message(reply).get("items")
        return parse_hits(items, self._build_paper, self.label)

    def parse_lookup(self, questions: Sequence[WorkQuestion], reply: Reply) -> list[Record]:
        if _is_single(questions):
            if reply.status == 404:
                return []
            return parse_hits([self._read_message(reply)], self._build_record, self.label)
        items = self._read_message(reply).get("items")
        return parse_hits(items, self._build_record, self.label)

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

    def _read_fields(self, work: dict[str, Any]) -> dict[str, Any]:
        dates = _list_dates(work)
        return {
            "title": from_markup(_first(work.get("title"))),
            "url": work.get("URL"),
            "doi": work.get("DOI"),
            "authors": _list_people(work.get("author")),
            "journal": from_markup(_first(work.get("container-title"))),
            "published": dates[0] if dates else "",
            "abstract": abstract_from_markup(work.get("abstract")),
            "kind": _KINDS.get(str(work.get("type")), ""),
            "volume": work.get("volume"),
            "issue": work.get("issue"),
            "pages": work.get("page"),
            "publisher": from_markup(work.get("publisher")),
            "notices": crossref_notices(work.get("updated-by")),
        }

    def _build_paper(self, work: dict[str, Any]) -> Paper | None:
        if str(work.get("type")) in _NO_PAPERS:
            return None
        licences = [str(licence.get("URL")) for licence in objects(work.get("license"))]
        # Without such a licence it is unknown: it may not have been registered.
        is_open = any("creativecommons.org" in url for url in licences) or None
        pdf_url = None
        if is_open:  # other links are for text mining under contract
            links = objects(work.get("link"))
            pdfs = [link for link in links if link.get("content-type") == "application/pdf"]
            pdf_url = pdfs[0].get("URL") if pdfs else None
        return self.record(
            **self._read_fields(work),
            citation_count=work.get("is-referenced-by-count"),
            open_access=is_open,
            pdf_url=pdf_url,
        )

    def _build_record(self, work: dict[str, Any]) -> Record:
        fields = self._read_fields(work)
        if not fields["authors"]:
            fields["authors"] = _list_people(work.get("editor"))
        event = object_at(work, "event")
        dates = sorted(_list_dates({**work, "created": None}))
        kind = str(work.get("type") or "")
        isbn = next(iter(_texts_at(work, "ISBN")), "")
        updates = objects(work.get("update-to"))
        fields |= {
            "title": _join_subtitle(work),
            "published": next(iter(dates), ""),
            "kind": fields["kind"] or kind,
            "notices": [*fields["notices"], *_read_own_notices(work, updates)],
        }
        return build_record(
            self.name,
            **fields,
            titles=[
                *_texts_at(work, "title"),
                *_texts_at(work, "original-title"),
                *_texts_at(work, "short-title"),
            ],
            venues=[
                *_texts_at(work, "container-title"),
                *_texts_at(work, "short-container-title"),
                event.get("name"),
                event.get("acronym"),
            ],
            years=dates,
            isbn=isbn.rpartition("/")[2].replace("-", ""),
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


def _read_own_notices(work: dict[str, Any], updates: list[dict[str, Any]]) -> list[Notice]:
    """Return what a notice says about the works that it updates."""
    doi = normal_doi(work.get("DOI"))
    stated = crossref_notices(updates)
    return [Notice(notice.type, notice.date, doi, notice.source) for notice in stated]


def _find_related_doi(work: dict[str, Any], relation: str) -> str:
    for entry in objects(object_at(work, "relation").get(relation)):
        doi = normal_doi(entry.get("id"))
        if doi:
            return doi
    return ""


def _texts_at(work: dict[str, Any], name: str) -> list[str]:
    return [value for value in array_at(work, name) if isinstance(value, str) and value.strip()]


def _first(values: object) -> object:
    if isinstance(values, list) and values:
        return values[0]
    return None
