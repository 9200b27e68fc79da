"""DuckDuckGo: needs no key, and is easily offended. Its two pages for browsers without scripts are
what we read.

POST https://html.duckduckgo.com/html/, and https://lite.duckduckgo.com/lite/ as the second way. A
further page is asked for with all the hidden fields of the form that leads to it. There is no
status for "too often": a page with ducks to pick comes instead, mostly with HTTP 202, and nothing
but time helps. So calls go one after the other, with a pause.
"""

from __future__ import annotations

import httpx2

from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, at_origin
from webquarry._search.providers._duckduckgo_page import Hit, ResultPage
from webquarry._search.providers._duckduckgo_regions import region_of
from webquarry._search.query.operators import (
    with_first_site,
    with_sites,
    with_terms,
    without_commands,
)
from webquarry._search.query.parameters import drop_empty
from webquarry._search.replies.body import asks_for_proof, failure
from webquarry.errors import Challenge, ProviderFailure, SiteRefused, WebquarryError
from webquarry.net.models import Reply
from webquarry.net.sender import REPEATABLE
from webquarry.settings import Settings

MAX_CHARACTERS = 499
REST_SECONDS = 300.0  # seen: from minutes to an hour; no answer ever says how long

_WAY = "@way"  # in a cursor, beside the fields of the form: which of the two pages it came from
_PERIODS = {"day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE = {"off": "-2", "high": "1"}  # the middle is DuckDuckGo's own default


class DuckDuckGo(Provider):
    name = "duckduckgo"
    aliases = ("ddg",)
    label = "DuckDuckGo"
    origin = "https://html.duckduckgo.com"
    lite_origin = "https://lite.duckduckgo.com"
    page_size = 10  # the first page; later ones hold up to 15
    max_pages = 5
    min_interval_seconds = 1.0
    native = EVERY_FILTER
    query_limit = f"{MAX_CHARACTERS} characters"

    def apply_settings(self, settings: Settings) -> None:
        super().apply_settings(settings)
        self.base = settings.origins.get("duckduckgo_html", self.origin)
        self.lite_origin = settings.origins.get("duckduckgo_lite", self.lite_origin)
        self.min_interval_seconds = settings.websearch_rate_limit_ms / 1000

    def takes(self, query: Query) -> bool:
        return _fits(with_first_site(_build_text(query), query.allowed_domains))

    def applied(self, query: Query) -> frozenset[str]:
        _, chosen_by = region_of(query.language, query.country)
        return self.native - {"language", "country"} | chosen_by

    def build_request(self, query: Query) -> httpx2.Request:
        way = query.cursor.get(_WAY, "html")
        return self._post(way, query)

    def fallback_request(self, query: Query, error: WebquarryError) -> httpx2.Request | None:
        """The lite page, once, where the html one was answered with a challenge or is no longer
        understood.
        """
        was_html = query.cursor.get(_WAY, "html") == "html"
        has_fields = bool(query.cursor) or not query.page
        if not was_html or not has_fields:
            return None
        if not isinstance(error, Challenge | ProviderFailure):
            return None
        return self._post("lite", query)

    def build_probe(self) -> httpx2.Request:
        """A real search: there is nothing cheaper that tells whether programs are answered just
        now.
        """
        return self.build_request(Query("duckduckgo"))

    def parse_reply(self, reply: Reply) -> Batch:
        page = ResultPage(reply.body)
        is_answer = page.has_results or page.says_nothing_found
        is_wall = not is_answer and asks_for_proof(reply.body)
        if reply.status == 202 or page.is_challenge or is_wall:
            raise Challenge(
                "DuckDuckGo takes us for a robot and wants a challenge solved "
                f"(HTTP {reply.status}).",
                retry_after_seconds=REST_SECONDS,
                suggested_action="Name another provider, or leave DuckDuckGo alone for some "
                "minutes; asking again and again only prolongs it.",
            )
        if reply.status in (403, 418):
            raise SiteRefused(f"DuckDuckGo refused the request (HTTP {reply.status}).")
        if reply.status != 200:
            raise failure(reply, self.label)
        if not is_answer:
            raise ProviderFailure(
                "DuckDuckGo's page holds neither results nor word that there are none: its "
                "markup has changed.",
                retryable=False,
                suggested_action="Name another provider, and look for a newer version of "
                "webquarry.",
            )
        results = tuple(map(self._result, page.hits()))
        cursor = page.next_fields()
        if cursor:
            cursor[_WAY] = "lite" if page.is_lite else "html"
        return Batch(results, more=bool(cursor), cursor=cursor)

    def _result(self, hit: Hit) -> Result:
        return Result(
            title=hit.title,
            url=hit.url,
            snippet=hit.snippet,
            provider=self.name,
            published=hit.published,
        )

    def _post(self, way: str, query: Query) -> httpx2.Request:
        """The form of one of the two pages, sent as a browser sends it."""
        fields = self._fields(query)
        base = self.base
        if way == "lite":
            base = self.lite_origin
        url = at_origin(base, f"/{way}/", f"WEBQUARRY_DUCKDUCKGO_{way.upper()}_URL")
        headers = {
            "Accept": "text/html",
            "Accept-Language": f"{query.language or 'en'},*;q=0.5",
            "Referer": url.removesuffix(f"{way}/"),
            "Sec-Fetch-Dest": "document",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Site": "same-origin",
            "Sec-Fetch-User": "?1",
        }
        return httpx2.Request(
            "POST", url, data=fields, headers=headers, extensions={REPEATABLE: True}
        )

    def _fields(self, query: Query) -> dict[str, str]:
        """The fields of the form: of the page's own for the first page, of its Next button for the
        others.
        """
        if query.page and not query.cursor:
            raise ProviderFailure("DuckDuckGo gave no way to a further page.", retryable=False)
        fields = dict(query.cursor)
        fields.pop(_WAY, None)
        if not fields:
            text = _build_text(query)
            if not _fits(text):
                raise self.too_long_failure()
            text = with_sites(text, query.allowed_domains, query.blocked_domains, _fits)
            fields = {"q": text, "b": ""}
        region, _ = region_of(query.language, query.country)
        options = {
            "kl": region,
            "df": _PERIODS.get(query.time_range or ""),
            "kp": _SAFE.get(query.safe or ""),
        }
        for name, value in drop_empty(options).items():
            fields.setdefault(name, value)
        return fields


def _build_text(query: Query) -> str:
    """The text of the query, with its terms and without commands."""
    return without_commands(with_terms(query), "!\\")


def _fits(text: str) -> bool:
    """Whether DuckDuckGo takes the text as a query."""
    return len(text) <= MAX_CHARACTERS
