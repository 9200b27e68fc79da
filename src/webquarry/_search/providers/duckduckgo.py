"""DuckDuckGo: needs no key. Its two pages for browsers without scripts are parsed.

POST https://html.duckduckgo.com/html/, and https://lite.duckduckgo.com/lite/ as the fallback. A
further page is requested with all hidden fields of the form that leads to it. The rate limit is
strict and has no status of its own: a page with a challenge is returned, usually with HTTP 202, for
minutes to an hour. So requests are not concurrent, with a pause between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

import httpx2

from webquarry._search.domains import host_of
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import (
    EVERY_FILTER,
    Provider,
    at_origin,
    drop_empty,
    with_terms,
    without_commands,
)
from webquarry._search.replies import asks_for_proof, failure, text_of
from webquarry._search.text import iso_date, plain
from webquarry.errors import Challenge, ProviderFailure, SiteRefused, WebquarryError
from webquarry.net.models import Reply
from webquarry.net.sender import REPEATABLE
from webquarry.settings import Settings

if TYPE_CHECKING:
    from lxml import etree

_KNOWN = """
us-en uk-en de-de fr-fr es-es it-it nl-nl pt-pt ru-ru jp-jp kr-kr cn-zh pl-pl cz-cs dk-da se-sv
no-no fi-fi gr-el hu-hu bg-bg hr-hr ee-et lv-lv lt-lt ro-ro sk-sk sl-sl tr-tr ua-uk il-he is-is
id-id my-ms th-th vn-vi xa-ar ct-ca ph-tl ar-es at-de au-en be-nl be-fr br-pt ca-en ca-fr ch-de
ch-fr ch-it cl-es co-es hk-tzh ie-en id-en in-en mx-es my-en nz-en pe-es ph-en pk-en sg-en tw-tzh
us-es ve-es xa-en za-en
"""
# Arabia is Saudi Arabia here, and Catalonia a part of Spain.
_COUNTRIES = {"uk": "GB", "sl": "SI", "xa": "SA", "ct": "ES"}
_LANGUAGES = {"tzh": "zh", "jp": "ja", "kr": "ko"}
_ALSO = {"nb": "no", "nn": "no", "fil": "tl"}
_REGIONS: dict[tuple[str, str], str] = {}  # by language and country, in this order
for _region in _KNOWN.split():
    _country, _, _language = _region.partition("-")
    _key = (_LANGUAGES.get(_language, _language), _COUNTRIES.get(_country, _country.upper()))
    _REGIONS.setdefault(_key, _region)

_TIME_LENGTH = len("2026-08-17T04:17:55")
_NOTHING = re.compile(r"No\s+(?:more\s+)?results(?:\s+found\b.*)?\.?", re.IGNORECASE)
_LARGEST = 500_000  # bytes that are parsed; a real page has a tenth of that
_MOST_FIELDS = 40
_LONGEST_FIELD = 4000
MAX_CHARACTERS = 499
REST_SECONDS = 300.0
_WAY = "@way"  # in a cursor: which of the two pages it is from
_PERIODS = {"day": "d", "week": "w", "month": "m", "year": "y"}
_SAFE = {"off": "-2", "high": "1"}  # medium is the default


def region_of(language: str | None, country: str | None) -> tuple[str | None, frozenset[str]]:
    """Return the region, and whether it stands for the language, the country or both. The language
    takes precedence.
    """
    language = _ALSO.get(language or "", language)
    wanted = {"language": language, "country": country}
    for names in (("language", "country"), ("language",), ("country",)):
        for (one_language, one_country), region in _REGIONS.items():
            known = {"language": one_language, "country": one_country}
            if all(known[name] == wanted[name] for name in names):
                return region, frozenset(names)
    return None, frozenset()


class ResultPage:
    """One page of results, of either kind."""

    def __init__(self, body: bytes) -> None:
        from lxml import etree

        # libxml2 ends a document at an invalid byte, so the text is valid UTF-8.
        data = body[:_LARGEST].decode("utf-8", "replace").replace("\x00", "").encode()
        parser = etree.HTMLParser(
            encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False
        )
        try:
            root: etree._Element | None = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            root = None
        self._root = etree.Element("html") if root is None else root
        self.is_lite = bool(self._find('//form[@action="/lite/"]'))
        conditions = f"{_class('web-result')} and not({_class('result--ad')})"
        self._boxes = self._find(  # results of the html page without advertisements
            f"//div[{conditions} and not(.//*[{_class('badge--ad')}])][.//a[{_class('result__a')}]]"
        )
        self._links = self._find(  # results of the lite page without advertisements
            f"//a[{_class('result-link')}][not(ancestor::tr[{_class('result-sponsored')}])]"
        )

    @property
    def is_challenge(self) -> bool:
        """Whether the page is a challenge for robots."""
        forms = '//form[@id="challenge-form" or contains(@action, "anomaly.js")]'
        return bool(self._find(f'{forms} | //*[contains(@class, "anomaly-modal")]'))

    @property
    def has_results(self) -> bool:
        """Whether there are results."""
        return bool(self._boxes or self._links)

    @property
    def says_nothing_found(self) -> bool:
        """Whether the page itself says that there are no results."""
        if not self._find('//form[@action="/html/" or @action="/lite/"]'):
            return False  # not a page of DuckDuckGo
        names = ("result--no-result", "no-results", "no-results__message")
        if self._find(f"//*[{' or '.join(map(_class, names))}]"):
            return True
        cells = self._find("//td" if self.is_lite else '(//div[@id="links"])[1]//*')
        return any(len(cell) < 3 and _NOTHING.fullmatch(text_of(cell)) for cell in cells)

    def results(self, provider: str) -> Iterator[Result]:
        """Yield the results that lead to other sites."""
        for box in self._boxes:
            link = _find(box, f".//a[{_class('result__a')}]")[0]
            snippets = _find(box, f".//*[{_class('result__snippet')}]")
            dates = _find(box, f".//*[{_class('result__extras__url')}]/span[not(@class)]")
            yield from _build_result(provider, link, snippets, dates)
        for link in [] if self._boxes else self._links:
            snippets, dates = [], []
            own_row = next(link.iterancestors("tr"), None)
            for row in () if own_row is None else own_row.itersiblings("tr"):
                if _find(row, f".//a[{_class('result-link')}]"):
                    break
                snippets += _find(row, f".//td[{_class('result-snippet')}]")
                dates += _find(row, f".//span[{_class('timestamp')}]")
            yield from _build_result(provider, link, snippets, dates)

    def next_fields(self) -> dict[str, str]:
        """Return the hidden fields of the form that leads to the next page, if there is one."""
        forms = self._find(
            f'//form[{_class("next_form")}] | //div[{_class("nav-link")}]//form[@action="/html/"]'
        )
        for form in reversed(forms):
            buttons = _find(form, './/input[@type="submit"]')
            label = " ".join(button.get("value") or "" for button in buttons).lower()
            hidden = _find(form, './/input[@type="hidden"][@name]')[:_MOST_FIELDS]
            fields = {str(field.get("name")): field.get("value") or "" for field in hidden}
            leads_on = "prev" not in label and fields.get("s", "0") != "0"
            if leads_on and all(len(value) <= _LONGEST_FIELD for value in fields.values()):
                return fields
        return {}

    def _find(self, path: str) -> list[etree._Element]:
        return _find(self._root, path)


def target_of(href: str) -> str | None:
    """Return the target of a link, out of DuckDuckGo's redirect; None if it is not another site."""
    url = f"https:{href}" if href.startswith("//") else href.strip()
    host = host_of(url)
    if host and _is_duckduckgo(host) and urlsplit(url).path == "/l/":
        try:
            parameters = parse_qs(urlsplit(url).query, max_num_fields=_MOST_FIELDS)
        except ValueError:
            return None
        url = parameters.get("uddg", [""])[0]
        host = host_of(url)
    return None if host is None or _is_duckduckgo(host) else url


def _build_result(
    provider: str,
    link: etree._Element,
    snippets: list[etree._Element],
    dates: list[etree._Element],
) -> Iterator[Result]:
    """Yield the result of a link, unless it stays on DuckDuckGo."""
    url = target_of(link.get("href") or "")
    if url is not None:
        snippet = text_of(snippets[0]) if snippets else ""
        published = next(filter(None, map(_parse_moment, dates)), None)
        yield Result(text_of(link) or plain(url), url, snippet, provider, published)


def _parse_moment(element: etree._Element) -> str | None:
    """Return the date in an element, without fractions of a second; midnight means a day."""
    return iso_date(text_of(element)[:_TIME_LENGTH].removesuffix("T00:00:00"))


def _is_duckduckgo(host: str) -> bool:
    return host == "duckduckgo.com" or host.endswith(".duckduckgo.com")


def _class(name: str) -> str:
    """Return the XPath condition for an element of a class."""
    return f'contains(concat(" ", normalize-space(@class), " "), " {name} ")'


def _find(element: etree._Element, path: str) -> list[etree._Element]:
    return cast("list[etree._Element]", element.xpath(path))


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
    max_characters = MAX_CHARACTERS
    query_limit = f"{MAX_CHARACTERS} characters"

    def apply_settings(self, settings: Settings) -> None:
        self.base = settings.origins.get("duckduckgo_html", self.origin)
        self.lite_origin = settings.origins.get("duckduckgo_lite", self.lite_origin)
        self.min_interval_seconds = settings.websearch_rate_limit_ms / 1000

    def applied(self, query: Query) -> frozenset[str]:
        _, chosen_by = region_of(query.language, query.country)
        return self.native - {"language", "country"} | chosen_by

    def query_text(self, query: Query) -> str:
        return without_commands(with_terms(query), "!\\")

    def build_request(self, query: Query) -> httpx2.Request:
        return self._post(query.cursor.get(_WAY, "html"), query)

    def fallback_request(self, query: Query, error: WebquarryError) -> httpx2.Request | None:
        """Return the request of the lite page after a challenge or changed markup of the html
        page.
        """
        was_html = query.cursor.get(_WAY, "html") == "html"
        has_fields = bool(query.cursor) or not query.page
        if was_html and has_fields and isinstance(error, Challenge | ProviderFailure):
            return self._post("lite", query)
        return None

    def build_probe(self) -> httpx2.Request:
        """Return a search: nothing cheaper tells whether requests are answered."""
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
        cursor = page.next_fields()
        if cursor:
            cursor[_WAY] = "lite" if page.is_lite else "html"
        return Batch(tuple(page.results(self.name)), more=bool(cursor), cursor=cursor)

    def _post(self, way: str, query: Query) -> httpx2.Request:
        """Return the form of one of the two pages, as a browser sends it."""
        if query.page and not query.cursor:
            raise ProviderFailure("DuckDuckGo gave no way to a further page.", retryable=False)
        fields = {name: value for name, value in query.cursor.items() if name != _WAY}
        if not fields:
            fields = {"q": self.search_text(query), "b": ""}
        options = {
            "kl": region_of(query.language, query.country)[0],
            "df": _PERIODS.get(query.time_range or ""),
            "kp": _SAFE.get(query.safe or ""),
        }
        for name, value in drop_empty(options).items():
            fields.setdefault(name, value)
        base = self.lite_origin if way == "lite" else self.base
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
            "POST",
            url,
            data=fields,
            headers=headers,
            extensions={REPEATABLE: True},
        )
