"""The Lens: patents of all offices with legal status; needs a token (free for trials and science).

API: POST https://api.lens.org/patent/search with a query in JSON; the only value in a query string
is a validated class symbol.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry._search.patents.numbers import PatentNumber, number_of
from webquarry._search.patents.provider import Patent, PatentProvider, PatentQuery
from webquarry._search.replies import (
    failure,
    json_object,
    object_at,
    objects,
    parse_hits,
    quota_failure,
    quote_words,
    rate_limit_failure,
    string_at,
)
from webquarry._search.text import iso_date, plain
from webquarry.credentials import Credential
from webquarry.errors import WebquarryError
from webquarry.net.models import Reply

KEY = "LENS_API_TOKEN"
_MOST_NAMES = 6  # words of an inventor's name
_FIELDS = (
    "lens_id jurisdiction doc_number kind date_published biblio.application_reference "
    "biblio.invention_title biblio.parties biblio.classifications_cpc legal_status abstract"
)


class LensPatents(PatentProvider):
    name = "lens"
    aliases = ("lensorg", "thelens")
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
            escaped = query.cpc.replace("/", "\\/")
            # A main group includes its subgroups.
            symbol = escaped.removesuffix("00") if escaped.endswith("/00") else escaped
            conditions.append({"query_string": {"query": f"class_cpc.symbol:{symbol}*"}})
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

    def build_probe(self) -> httpx2.Request:
        """Return the request for the usage of the plan, which is free."""
        url = self.endpoint("/subscriptions/patent_api/usage")
        return httpx2.Request("GET", url, headers=self._headers())

    def parse_probe(self, reply: Reply) -> None:
        if reply.status != 200:
            raise self._failure(reply)

    def parse_reply(self, reply: Reply) -> list[Patent]:
        if reply.status in (204, 404):
            return []
        if reply.status != 200:
            raise self._failure(reply)
        answer = json_object(reply, self.label)
        if answer.get("data") is None and answer.get("total") == 0:
            return []
        return parse_hits(answer.get("data"), self._patent, self.label)

    def _failure(self, reply: Reply) -> WebquarryError:
        """Return the error of the status and the counters in the headers."""
        if reply.status == 401:
            return self.not_accepted()
        try:
            words = quote_words(json_object(reply, self.label).get("message"))
        except WebquarryError as error:
            return error
        if reply.status == 403:
            return self.no_access(words, f"Check the plan on {self.sign_up}")
        if reply.status != 429:
            return failure(reply, self.label, words)
        counters = [f"x-rate-limit-remaining-{unit}-per-month" for unit in ("request", "record")]
        if "0" in [reply.headers.get(name, "").strip() for name in counters]:
            return quota_failure(self.label, words)
        return rate_limit_failure(reply, self.label, words, at_least=_seconds_to_wait(reply))

    def _patent(self, part: dict[str, Any]) -> Patent | None:
        """Return the patent of one record, or None if it is not one."""
        number = number_of(
            string_at(part, "jurisdiction"), string_at(part, "doc_number"), string_at(part, "kind")
        )
        if number is None:
            return None
        biblio = object_at(part, "biblio")
        legal = object_at(part, "legal_status")
        parties = object_at(biblio, "parties")
        published = iso_date(part.get("date_published"))
        granted = published if number.is_dated_by_grant else None
        status = plain(string_at(legal, "patent_status")).lower().replace("_", " ")
        classes = objects(object_at(biblio, "classifications_cpc").get("classifications"))
        symbols = ["".join(string_at(entry, "symbol").split()) for entry in classes]
        owners = _read_names(parties.get("applicants")) or _read_names(parties.get("owners_all"))
        return Patent(
            number=number,
            title=_choose_english(biblio.get("invention_title")) or number.google,
            url=number.url,
            abstract=_choose_english(part.get("abstract")),
            assignees=owners,
            inventors=_read_names(parties.get("inventors")),
            filed=iso_date(object_at(biblio, "application_reference").get("date")),
            published=published,
            granted=iso_date(legal.get("grant_date")) or granted,
            status=number.stage if status in ("", "unknown") else status,
            cpc=tuple(dict.fromkeys(filter(None, symbols))),
            provider=self.name,
        )


def _choose_english(value: object) -> str:
    """Return a text of a list with languages, the English one first."""
    parts = sorted(objects(value), key=lambda part: string_at(part, "lang").lower() != "en")
    return next(filter(None, (plain(string_at(part, "text")) for part in parts)), "")


def _read_names(value: object) -> tuple[str, ...]:
    parties = [object_at(party, "extracted_name") for party in objects(value)]
    names = [plain(string_at(name, "value")) for name in parties]
    return tuple(dict.fromkeys(filter(None, names)))


def _seconds_to_wait(reply: Reply) -> float | None:
    """Return the requested pause in seconds, if any."""
    value = reply.headers.get("x-rate-limit-retry-after-seconds", "").strip()
    if value.isdecimal() and value.isascii() and len(value) < 8:
        return float(value)
    return None
