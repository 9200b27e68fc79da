"""The Lens: patents of all offices with legal status; needs a token (free for trials and science).

API: POST https://api.lens.org/patent/search with a query in JSON; the only value in a query string
is a validated class symbol.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.patents.numbers import PatentNumber, number_of
from webquarry._search.patents.provider import Patent, PatentBatch, PatentProvider, PatentQuery
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quota_failure,
    quote_words,
    rate_limit_failure,
)
from webquarry._search.text import iso_date, plain
from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, WebquarryError
from webquarry.net.models import Reply

KEY = "LENS_API_TOKEN"
_MOST_NAMES = 6  # words of an inventor's name
_FIELDS = (
    "lens_id jurisdiction doc_number kind date_published biblio.application_reference "
    "biblio.invention_title biblio.parties biblio.classifications_cpc legal_status abstract"
)


class LensPatents(PatentProvider):
    name = "lens"
    aliases = ("lensorg", "lens.org", "thelens")
    label = "The Lens"
    origin = "https://api.lens.org"
    credentials = (Credential(KEY, "lens-api-token"),)
    sign_up = "https://www.lens.org/lens/user/subscriptions"

    def build_search(self, query: PatentQuery) -> httpx2.Request:
        conditions: list[dict[str, Any]] = []
        if query.text:
            fields = ["title"]
            if query.search_type != "specific":
                fields += ["abstract", "claim"]
            matches = [{"match": {field: query.text}} for field in fields]
            conditions.append({"bool": {"should": matches}})
        if query.assignee:
            conditions.append({"match_phrase": {"applicant.name": query.assignee}})
        # The register has the family name first, users write the given name first.
        for word in query.inventor.split()[:_MOST_NAMES]:
            conditions.append({"match": {"inventor.name": word}})
        if query.office:
            conditions.append({"term": {"jurisdiction": query.office}})
        if query.cpc:
            symbol = query.cpc.replace("/", "\\/") + "*"
            if query.cpc.endswith("/00"):  # a main group, with all of its subgroups
                symbol = query.cpc.removesuffix("/00").replace("/", "\\/") + "\\/*"
            conditions.append({"query_string": {"query": f"class_cpc.symbol:{symbol}"}})
        years: dict[str, str] = {}
        if query.year_from:
            years["gte"] = f"{query.year_from:04}-01-01"
        if query.year_to:
            years["lte"] = f"{query.year_to:04}-12-31"
        if years:
            conditions.append({"range": {"date_published": years}})
        return self._request(conditions, min(query.count, self.most))

    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        spellings = list(dict.fromkeys([number.number, number.docdb_number]))
        conditions: list[dict[str, Any]] = [
            {"term": {"jurisdiction": number.office}},
            {"terms": {"doc_number": spellings}},
        ]
        if number.kind:
            conditions.append({"term": {"kind": number.kind}})
        return self._request(conditions, 10)

    def build_probe(self) -> httpx2.Request:
        """Return the request for the usage of the plan, which is free."""
        return httpx2.Request(
            "GET", self.endpoint("/subscriptions/patent_api/usage"), headers=self._headers()
        )

    def parse_probe(self, reply: Reply) -> None:
        if reply.status != 200:
            raise self._failure(reply)

    def rest_after(self, reply: Reply) -> float:
        """Return the rest of the minute if this was its last request."""
        left = reply.headers.get("x-rate-limit-remaining-request-per-minute", "").strip()
        if left == "0" and reply.status == 200:
            return _seconds_to_wait(reply) or 60.0
        return 0.0

    def parse_reply(self, reply: Reply) -> PatentBatch:
        if reply.status in (204, 404):
            return PatentBatch((), 0)
        if reply.status != 200:
            raise self._failure(reply)
        answer = json_object(reply, self.label)
        data = answer.get("data")
        total = answer.get("total")
        if data is None and total == 0:
            return PatentBatch((), 0)
        patents = parse_hits(data, self._patent, self.label)
        return PatentBatch(tuple(patents), total if isinstance(total, int) else None)

    def _request(self, conditions: list[dict[str, Any]], size: int) -> httpx2.Request:
        body = {
            "query": {"bool": {"must": conditions}},
            "size": size,
            "include": _FIELDS.split(),
        }
        url = self.endpoint("/patent/search")
        return httpx2.Request("POST", url, json=body, headers=self._headers())

    def _headers(self) -> dict[str, str]:
        return {"Accept": "application/json", "Authorization": f"Bearer {self.credential(KEY)}"}

    def _failure(self, reply: Reply) -> WebquarryError:
        """Return the error of the status and the counters in the headers."""
        if reply.status == 401:
            return self.not_accepted()
        try:
            words = quote_words(json_object(reply, self.label).get("message"))
        except WebquarryError as error:
            return error
        if reply.status == 403:
            return AuthFailure(
                f"{self.label} does not open the search to this token: "
                f"{words or 'no reason was given.'}",
                suggested_action=f"Check the plan on {self.sign_up}, or name another provider.",
            )
        if reply.status != 429:
            return failure(reply, self.label, words)
        for unit in ("request", "record"):
            left = reply.headers.get(f"x-rate-limit-remaining-{unit}-per-month", "").strip()
            if left == "0":
                return quota_failure(self.label, words)
        return rate_limit_failure(reply, self.label, words, at_least=_seconds_to_wait(reply))

    def _patent(self, part: dict[str, Any]) -> Patent | None:
        """Return the patent of one record, or None if it is not one."""
        office = _string(part, "jurisdiction")
        number = number_of(office, _string(part, "doc_number"), _string(part, "kind"))
        if number is None:
            return None
        biblio = object_at(part, "biblio")
        legal = object_at(part, "legal_status")
        parties = object_at(biblio, "parties")
        published = iso_date(part.get("date_published"))
        granted = iso_date(legal.get("grant_date"))
        if not granted and number.is_dated_by_grant:
            granted = published
        status: str | None = plain(_string(legal, "patent_status")).lower().replace("_", " ")
        if status in ("", "unknown"):
            status = number.stage
        symbols = []
        classes = object_at(biblio, "classifications_cpc")
        for entry in objects(classes.get("classifications")):
            symbol = _string(entry, "symbol")
            symbols.append("".join(symbol.split()))
        return Patent(
            number=number,
            title=_choose_english(biblio.get("invention_title")) or number.google,
            url=number.url,
            abstract=_choose_english(part.get("abstract")),
            assignees=_read_names(parties.get("applicants"))
            or _read_names(parties.get("owners_all")),
            inventors=_read_names(parties.get("inventors")),
            filed=iso_date(object_at(biblio, "application_reference").get("date")),
            published=published,
            granted=granted,
            status=status,
            cpc=tuple(dict.fromkeys(filter(None, symbols))),
            provider=self.name,
        )


def _string(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _choose_english(value: object) -> str:
    """Return the text of a string, an object with a language or a list of either, English first."""
    texts: list[tuple[bool, str]] = []
    for part in value if isinstance(value, list) else [value]:
        text, language = part, ""
        if isinstance(part, dict):
            text, language = part.get("text"), str(part.get("lang"))
        if isinstance(text, str) and plain(text):
            texts.append((language.lower() != "en", plain(text)))
    return min(texts, key=lambda one: one[0], default=(False, ""))[1]


def _read_names(value: object) -> tuple[str, ...]:
    parties = [object_at(party, "extracted_name") for party in objects(value)]
    names = [plain(_string(name, "value")) for name in parties]
    return tuple(dict.fromkeys(filter(None, names)))


def _seconds_to_wait(reply: Reply) -> float | None:
    """Return the requested pause in seconds, if any."""
    value = reply.headers.get("x-rate-limit-retry-after-seconds", "").strip()
    if value.isdecimal() and value.isascii() and len(value) < 8:
        return float(value)
    return None
