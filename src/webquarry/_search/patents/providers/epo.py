"""EPO Open Patent Services 3.2: patents of all offices by title, abstract, parties and class; needs
a key and a secret, which are free.

API: OAuth2 token (about twenty minutes), queries in CQL, answers in XML. No result is a 404, an
exceeded quota a 403 with a header; a traffic light in a header states the allowed rate.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from datetime import date

import httpx2
from lxml import etree

from webquarry._search.patents.numbers import PatentNumber, number_of
from webquarry._search.patents.provider import (
    Patent,
    PatentProvider,
    PatentQuery,
    bare,
    terms,
)
from webquarry._search.replies import (
    failure,
    json_object,
    parse_each,
    quota_failure,
    quote_words,
    rate_limit_failure,
    text_of,
    unknown_shape_failure,
    xml_root,
)
from webquarry.credentials import Credential
from webquarry.errors import ProviderFailure, WebquarryError
from webquarry.net.archive.recorder import LOGIN
from webquarry.net.models import Reply
from webquarry.secret import Secret

KEY, SECRET = "EPO_OPS_KEY", "EPO_OPS_SECRET"
_REST = "/3.2/rest-services/published-data"
_LOGIN_PATH = "/3.2/auth/accesstoken"
MOST_WORDS, MOST_NAMES = 10, 4  # OPS accepts 10 terms a field and 20 in all
_MARGIN = 60  # seconds before its expiry at which a token is replaced
_MINUTE = 60  # seconds
_HOUR = 3600
_TOKEN = re.compile(r"[\x21-\x7e]+")
_LIGHT = re.compile(r"(\w+)=(green|yellow|red|black):(\d{1,6})")
_COUNTRY = re.compile(r"(?<!\s)\s*\[[A-Z]{2}\]\s*$")
_SYMBOL_PARTS = ("section", "class", "subclass", "main-group", "subgroup")


class Epo(PatentProvider):
    name = "epo"
    aliases = ("ops", "epoops", "espacenet")
    label = "EPO OPS"
    origin = "https://ops.epo.org"
    credentials = (Credential(KEY, "epo-ops-key"), Credential(SECRET, "epo-ops-secret"))
    sign_up = "https://developers.epo.org/"

    _token: Secret | None = None
    _token_end = 0.0  # on the monotonic clock

    def build_probe(self) -> httpx2.Request:
        """Return the request for a token, which checks key and secret."""
        credentials = f"{self.credential(KEY)}:{self.credential(SECRET)}"
        pair = base64.b64encode(credentials.encode()).decode("ascii")
        Secret(pair)  # masked in all output from now on
        return httpx2.Request(
            "POST",
            self.endpoint(_LOGIN_PATH),
            data={"grant_type": "client_credentials"},
            headers={"Authorization": f"Basic {pair}", "Accept": "application/json"},
            extensions={LOGIN: True},
        )

    def parse_probe(self, reply: Reply) -> None:
        """Store the token of a reply, or raise the error."""
        if reply.status in (400, 401, 403) and not reply.headers.get("x-rejection-reason"):
            raise self.not_accepted()
        if reply.status != 200:
            raise self._failure(reply)
        answer = json_object(reply, self.label)
        token = answer.get("access_token")
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise ProviderFailure(f"{self.label} gave no token.", retryable=False)
        seconds = str(answer.get("expires_in"))
        lifetime = int(seconds) if seconds.isascii() and seconds.isdigit() else 0
        self._token = Secret(token)
        self._token_end = self.clock.monotonic() + max(1, lifetime - _MARGIN)

    def must_repeat(self, reply: Reply) -> bool:
        if reply.url.endswith(_LOGIN_PATH):
            self.parse_probe(reply)
            return True
        if _is_token_expired(reply):
            self._token = None
            return True
        return False

    def build_search(self, query: PatentQuery) -> httpx2.Request:
        headers = {"X-OPS-Range": f"1-{min(query.count, self.most)}"}
        return self._request("/search/biblio", {"q": cql(query)}, headers)

    def build_lookup(self, number: PatentNumber) -> httpx2.Request:
        reference = f"docdb/{number.docdb}" if number.kind else f"epodoc/{number.epodoc}"
        return self._request(f"/publication/{reference}/biblio", {}, {})

    def _request(
        self, path: str, parameters: dict[str, str], headers: dict[str, str]
    ) -> httpx2.Request:
        """Return the request with the token or, if there is none, the one for a token."""
        if self._token is None or self.clock.monotonic() >= self._token_end:
            return self.build_probe()
        headers["Accept"] = "application/xml"
        headers["Authorization"] = f"Bearer {self._token.reveal()}"
        url = self.endpoint(_REST + path)
        return httpx2.Request("GET", url, params=parameters, headers=headers)

    def notes_on(self, query: PatentQuery) -> tuple[str, ...]:
        if len(terms(query.text)) > MOST_WORDS:
            return (f"{self.label} was asked with the first {MOST_WORDS} words of the query.",)
        return ()

    def rest_after(self, reply: Reply) -> float:
        """Return a pause unless the light is green; a minute if it is black."""
        service = "search" if "/search" in reply.url else "retrieval"
        for name, colour, rate in _LIGHT.findall(reply.headers.get("x-throttling-control", "")):
            if name == service and colour != "green":
                is_stop = colour == "black" or not int(rate)
                return float(_MINUTE) if is_stop else _MINUTE / int(rate)
        return 0.0

    def parse_reply(self, reply: Reply) -> list[Patent]:
        if reply.headers.get("x-rejection-reason"):
            raise self._failure(reply)
        root = xml_root(reply, self.label)
        code = text_of(root.find(".//{*}code"))
        words = quote_words(text_of(root.find(".//{*}message")))
        if reply.status == 404 and code == "SERVER.EntityNotFound":
            return []
        if reply.status != 200 or etree.QName(root).localname != "world-patent-data":
            raise self._failure(reply, code, words)
        patents = parse_each(root.iterfind(".//{*}exchange-document"), self._patent)
        if not patents and root.find(".//{*}biblio-search[@total-result-count='0']") is None:
            raise unknown_shape_failure(self.label, "XML")
        return patents

    def _failure(self, reply: Reply, code: str = "", words: str = "") -> WebquarryError:
        """Return the error of the rejection header, the code or the status."""
        reason = reply.headers.get("x-rejection-reason", "")
        if reply.status == 401 or _is_token_expired(reply):
            return self.not_accepted()
        if "PerWeek" in reason:
            return quota_failure(self.label, "the quota of the week.")
        if reply.status == 403 and (reason or "RobotDetected" in code or "Fair Use" in words):
            at_least = _HOUR if "PerHour" in reason else _MINUTE
            return rate_limit_failure(reply, self.label, words, at_least=at_least)
        if reply.status == 200:
            return unknown_shape_failure(self.label, "XML")
        return failure(reply, self.label, words)

    def _patent(self, part: etree._Element) -> Patent | None:
        """Return the patent of one document, or None if it is not one."""
        office = part.get("country") or ""
        number = number_of(office, part.get("doc-number") or "", part.get("kind") or "")
        if number is None or part.get("status") == "not found":
            return None
        published = _read_date(part.find(".//{*}publication-reference//{*}date"))
        return Patent(
            number=number,
            title=_choose_english(part.findall(".//{*}invention-title")) or number.google,
            url=number.url,
            abstract=_choose_english(part.findall("{*}abstract")),
            assignees=_read_parties(part, "applicant"),
            inventors=_read_parties(part, "inventor"),
            filed=_read_date(part.find(".//{*}application-reference//{*}date")),
            published=published,
            granted=published if number.is_dated_by_grant else None,
            status=number.stage,
            cpc=tuple(dict.fromkeys(_read_symbols(part))),
            provider=self.name,
        )


def _is_token_expired(reply: Reply) -> bool:
    if reply.status == 400:
        return b"invalid_access_token" in reply.body[:2000]
    return reply.status == 401


def cql(query: PatentQuery) -> str:
    """Return the query in CQL; values are quoted and hold no syntax."""
    field = "ti" if query.search_type == "specific" else "ta"
    asked = terms(query.text)[:MOST_WORDS]
    parts = [f'{field}="{term}"' for term in asked if " " in term]
    values = (
        (field, [term for term in asked if " " not in term]),
        ("pa", bare(query.assignee).split()[:MOST_NAMES]),
        ("in", bare(query.inventor).split()[:MOST_NAMES]),
    )
    parts += [f'{name} all "{" ".join(words)}"' for name, words in values if words]
    if query.office:
        parts.append(f"pn={query.office}")
    if query.cpc:
        parts.append(f"cpc=/low {query.cpc}")
    if query.year_from and query.year_to:
        parts.append(f'pd within "{query.year_from:04}0101 {query.year_to:04}1231"')
    elif query.year_from:
        parts.append(f"pd>={query.year_from:04}")
    elif query.year_to:
        parts.append(f"pd<={query.year_to:04}")
    return " AND ".join(parts)


def _choose_english(elements: list[etree._Element]) -> str:
    """Return the English text, otherwise the first one."""
    ordered = sorted(elements, key=lambda element: element.get("lang") != "en")
    return next(filter(None, map(text_of, ordered)), "")


def _read_date(element: etree._Element | None) -> str | None:
    try:
        return date.fromisoformat(text_of(element)).isoformat()  # 20190320
    except ValueError:
        return None


def _read_parties(part: etree._Element, kind: str) -> tuple[str, ...]:
    """Return the names as written; each is also listed in capitals with its country."""
    every = part.findall(f".//{{*}}{kind}")
    written = [party for party in every if party.get("data-format") == "original"]
    names = [text_of(party.find(".//{*}name")) for party in written or every]
    return tuple(filter(None, [_COUNTRY.sub("", name).strip(" ,;") for name in names]))


def _read_symbols(part: etree._Element) -> Iterator[str]:
    """Yield the CPC symbols, which are given in five parts."""
    for classification in part.iterfind(".//{*}patent-classification"):
        scheme = classification.find("{*}classification-scheme")
        if scheme is None or not (scheme.get("scheme") or "").startswith("CPC"):
            continue
        pieces = [text_of(classification.find(f"{{*}}{name}")) for name in _SYMBOL_PARTS]
        group = "/".join(pieces[3:]) if all(pieces[3:]) else ""
        yield "".join(pieces[:3]) + group
