"""The Lens: patents of the whole world with their legal status, needs a token (free for trials and
science).

API: POST https://api.lens.org/patent/search with a query in JSON; no value is ever part of a query
string but a class symbol that was checked before.
"""

from __future__ import annotations

from typing import Any

import httpx2

from webquarry.credentials import Credential
from webquarry.errors import AuthFailure, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.search.patents.models import Patent, PatentBatch, PatentQuery
from webquarry.search.patents.numbers import PatentNumber, number_of
from webquarry.search.patents.provider import PatentProvider
from webquarry.search.replies.body import (
    failure,
    json_object,
    objects,
    quota_failure,
    quote_words,
    rate_limit_failure,
)
from webquarry.search.replies.text import iso_date, plain

KEY = "LENS_API_TOKEN"
_FIELDS = [
    "lens_id",
    "jurisdiction",
    "doc_number",
    "kind",
    "date_published",
    "biblio.application_reference",
    "biblio.invention_title",
    "biblio.parties",
    "biblio.classifications_cpc",
    "legal_status",
    "abstract",
]


class LensPatents(PatentProvider):
    name = "lens"
    aliases = ("lensorg", "lens.org", "thelens")
    label = "The Lens"
    origin = "https://api.lens.org"
    credentials = (Credential(KEY, "lens-api-token"),)
    sign_up = "https://www.lens.org/lens/user/subscriptions"

    def build_search(self, query: PatentQuery) -> httpx2.Request:
        return self._request(_conditions(query), min(query.count, self.most))

    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        spellings = list(dict.fromkeys([number.number, number.docdb_number]))
        wanted: list[dict[str, Any]] = [
            {"term": {"jurisdiction": number.office}},
            {"terms": {"doc_number": spellings}},
        ]
        return self._request(
            [*wanted, *([{"term": {"kind": number.kind}}] if number.kind else [])], 10
        )

    def build_probe(self) -> httpx2.Request:
        """How much of the plan is used: it takes a good token, and costs nothing."""
        return httpx2.Request(
            "GET", self.endpoint("/subscriptions/patent_api/usage"), headers=self._headers()
        )

    def parse_probe(self, reply: Reply) -> None:
        if reply.status != 200:
            raise self._failure(reply)

    def rest_after(self, reply: Reply) -> float:
        """Until the minute is over, where this was its last request."""
        left = reply.headers.get("x-rate-limit-remaining-request-per-minute", "").strip()
        return _seconds(reply) or 60.0 if left == "0" and reply.status == 200 else 0.0

    def parse_reply(self, reply: Reply) -> PatentBatch:
        if reply.status in (204, 404):
            return PatentBatch((), 0)
        if reply.status != 200:
            raise self._failure(reply)
        found = json_object(reply, self.label)
        if not isinstance(found.get("data"), list):
            if found.get("total") == 0:
                return PatentBatch((), 0)
            raise ProviderFailure(
                f"{self.label} answered with JSON of an unknown shape (HTTP 200).", retryable=False
            )
        patents = tuple(patent for part in objects(found["data"]) if (patent := self._patent(part)))
        if found["data"] and not patents:
            raise ProviderFailure(
                f"{self.label} answered with JSON of an unknown shape (HTTP 200).", retryable=False
            )
        total = found.get("total")
        return PatentBatch(patents, total if isinstance(total, int) else None)

    def _request(self, conditions: list[dict[str, Any]], size: int) -> httpx2.Request:
        body = {"query": {"bool": {"must": conditions}}, "size": size, "include": _FIELDS}
        return httpx2.Request(
            "POST", self.endpoint("/patent/search"), json=body, headers=self._headers()
        )

    def _headers(self) -> dict[str, str]:
        return {"Accept": "application/json", "Authorization": f"Bearer {self.credential(KEY)}"}

    def _failure(self, reply: Reply) -> WebquarryError:
        if reply.status == 401:
            return self.not_accepted()
        try:
            said = quote_words(json_object(reply, self.label).get("message"))
        except WebquarryError as error:
            return error
        if reply.status == 403:
            return AuthFailure(
                f"{self.label} does not open the search to this token: "
                f"{said or 'no reason was given.'}",
                suggested_action=f"Check the plan on {self.sign_up}, or name another provider.",
            )
        if reply.status == 429 and _is_month_over(reply):
            return quota_failure(self.label, said)
        return (
            rate_limit_failure(reply, self.label, said, at_least=_seconds(reply))
            if reply.status == 429
            else failure(reply, self.label, said)
        )

    def _patent(self, part: dict[str, Any]) -> Patent | None:
        """One record, or None when it is not in the form of one."""
        number = number_of(
            _string(part, "jurisdiction"), _string(part, "doc_number"), _string(part, "kind")
        )
        if number is None:
            return None
        biblio, legal = _object(part, "biblio"), _object(part, "legal_status")
        parties = _object(biblio, "parties")
        published = iso_date(part.get("date_published"))
        granted = iso_date(legal.get("grant_date"))
        status = plain(_string(legal, "patent_status")).lower().replace("_", " ")
        return Patent(
            number=number,
            title=_said(biblio.get("invention_title")) or number.google,
            url=number.url,
            abstract=_said(part.get("abstract")),
            assignees=_names(parties.get("applicants")) or _names(parties.get("owners_all")),
            inventors=_names(parties.get("inventors")),
            filed=iso_date(_object(biblio, "application_reference").get("date")),
            published=published,
            granted=granted or (published if number.is_dated_by_grant else None),
            status=status if status not in ("", "unknown") else number.stage,
            cpc=_symbols(biblio),
            provider=self.name,
        )


def _conditions(query: PatentQuery) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if query.text:
        fields = ("title",) if query.search_type == "specific" else ("title", "abstract", "claim")
        found.append({"bool": {"should": [{"match": {field: query.text}} for field in fields]}})
    found += [{"match_phrase": {"applicant.name": query.assignee}}] if query.assignee else []
    # Registers have the family name first, people the given name: the words count, not their order.
    found += [{"match": {"inventor.name": word}} for word in query.inventor.split()[:6]]
    found += [{"term": {"jurisdiction": query.office}}] if query.office else []
    if query.cpc:
        below = query.cpc.removesuffix("/00").replace("/", "\\/") + (
            "\\/*" if query.cpc.endswith("/00") else "*"
        )
        found.append({"query_string": {"query": f"class_cpc.symbol:{below}"}})
    years: dict[str, str] = {}
    years |= {"gte": f"{query.year_from:04}-01-01"} if query.year_from else {}
    years |= {"lte": f"{query.year_to:04}-12-31"} if query.year_to else {}
    return [*found, *([{"range": {"date_published": years}}] if years else [])]


def _object(value: dict[str, Any], name: str) -> dict[str, Any]:
    found = value.get(name)
    return found if isinstance(found, dict) else {}


def _string(value: dict[str, Any], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _said(value: object) -> str:
    """A text in whatever form it comes: a text, an object with its language, or a list of either;
    English first.
    """
    parts = value if isinstance(value, list) else [value]
    texts = [("", part) if isinstance(part, str) else (part.get("lang"), part.get("text")) for part in parts
             if isinstance(part, str | dict)]  # fmt: skip
    ordered = sorted(texts, key=lambda pair: str(pair[0]).lower() != "en")
    return next((plain(text) for _, text in ordered if isinstance(text, str) and plain(text)), "")


def _names(value: object) -> tuple[str, ...]:
    names = [plain(_string(_object(one, "extracted_name"), "value")) for one in objects(value)]
    return tuple(dict.fromkeys(filter(None, names)))


def _symbols(biblio: dict[str, Any]) -> tuple[str, ...]:
    every = objects(_object(biblio, "classifications_cpc").get("classifications"))
    return tuple(
        dict.fromkeys(filter(None, ("".join(_string(one, "symbol").split()) for one in every)))
    )


def _seconds(reply: Reply) -> float | None:
    value = reply.headers.get("x-rate-limit-retry-after-seconds", "").strip()
    return float(value) if value.isdecimal() and value.isascii() and len(value) < 8 else None


def _is_month_over(reply: Reply) -> bool:
    names = ("request", "record")
    return any(
        reply.headers.get(f"x-rate-limit-remaining-{name}-per-month", "").strip() == "0"
        for name in names
    )
