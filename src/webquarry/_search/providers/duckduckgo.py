"""DuckDuckGo: needs no key, and is easily offended. Its two pages for browsers without scripts are
what we read.

POST https://html.duckduckgo.com/html/, and https://lite.duckduckgo.com/lite/ as the second way. A
further page is asked for with all the hidden fields of the form that leads to it. There is no
status for "too often": a page with ducks to pick comes instead, mostly with HTTP 202, and nothing
but time helps. So calls go one after the other, with a pause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import parse_qs, urlsplit

import httpx2

from webquarry._search.domains import host_of
from webquarry._search.filters import (
    with_first_site,
    with_sites,
    with_terms,
    without_commands,
)
from webquarry._search.models import Batch, Query, Result
from webquarry._search.provider import EVERY_FILTER, Provider, at_origin, drop_empty
from webquarry._search.replies import asks_for_proof, failure
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
# Arabia is asked for as Saudi Arabia, and Catalonia as a part of Spain.
_COUNTRIES = {"uk": "GB", "sl": "SI", "xa": "SA", "ct": "ES"}
_LANGUAGES = {"tzh": "zh", "jp": "ja", "kr": "ko"}
_ALSO = {"nb": "no", "nn": "no", "fil": "tl"}


_BY_BOTH: dict[tuple[str, str], str] = {}
_BY_LANGUAGE: dict[str, str] = {}
_BY_COUNTRY: dict[str, str] = {}
for _region in _KNOWN.split():
    _country_part, _, _language_part = _region.partition("-")
    _language = _LANGUAGES.get(_language_part, _language_part)
    _country = _COUNTRIES.get(_country_part, _country_part.upper())
    _BY_BOTH.setdefault((_language, _country), _region)  # the first of several stays
    _BY_LANGUAGE.setdefault(_language, _region)
    _BY_COUNTRY.setdefault(_country, _region)


def region_of(language: str | None, country: str | None) -> tuple[str | None, frozenset[str]]:
    """The region, and which of the two it stands for: the language, the country or both.

    Where a country is not had in the language asked for, the language counts: the reader has to
    understand the page.
    """
    if language:
        language = _ALSO.get(language, language)
    if language and country:
        region = _BY_BOTH.get((language, country))
        if region:
            return region, frozenset({"language", "country"})
    if language in _BY_LANGUAGE:
        return _BY_LANGUAGE[language], frozenset({"language"})
    if country in _BY_COUNTRY:
        return _BY_COUNTRY[country], frozenset({"country"})
    return None, frozenset()


_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.(\d+))?")
_NOTHING = re.compile(r"No\s+(?:more\s+)?results(?:\s+found\b.*)?\.?", re.IGNORECASE)
_LARGEST = 500_000  # bytes that are looked at; a real page has a tenth of that
_MOST_FIELDS = 40
_LONGEST_FIELD = 4000


@dataclass(frozen=True)
class Hit:
    """One result as it stands on the page, its link already out of the redirect."""

    title: str
    url: str
    snippet: str
    published: str | None


class ResultPage:
    """One page of results, of either kind."""

    def __init__(self, body: bytes) -> None:
        from lxml import etree  # which whoever asks another provider does not need

        # libxml2 ends a document silently at a byte that it cannot convert, so every byte must be
        # good UTF-8.
        data = body[:_LARGEST].decode("utf-8", "replace").replace("\x00", "").encode()
        parser = etree.HTMLParser(
            encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False
        )
        try:
            root: etree._Element | None = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:
            root = None
        if root is None:  # nothing was in it
            root = etree.Element("html")
        self._root = root

    @property
    def is_challenge(self) -> bool:
        """Whether the page wants ducks to be picked."""
        forms = '//form[@id="challenge-form" or contains(@action, "anomaly.js")]'
        return bool(self._find(f'{forms} | //*[contains(@class, "anomaly-modal")]'))

    @property
    def has_results(self) -> bool:
        """Whether there are results, if only some that are left out."""
        return bool(self._boxes() or self._links())

    @property
    def says_nothing_found(self) -> bool:
        """Whether the page itself says that there are no results."""
        if not self._find('//form[@action="/html/" or @action="/lite/"]'):
            return False  # somebody else's page, with nothing found of its own
        if self._find(
            f"//*[{_class('result--no-result')} or {_class('no-results')} or "
            f"{_class('no-results__message')}]"
        ):
            return True
        path = '(//div[@id="links"])[1]//*'
        if self.is_lite:
            path = "//td"
        # A sentence, and no box of them.
        sentences = [cell for cell in self._find(path) if len(cell) < 3]
        return any(_NOTHING.fullmatch(_text(sentence)) for sentence in sentences)

    def hits(self) -> Iterator[Hit]:
        """The results in their order."""
        boxes = self._boxes()
        if boxes:
            yield from filter(None, map(_parse_box, boxes))
        else:
            yield from filter(None, map(_parse_row, self._links()))

    def next_fields(self) -> dict[str, str]:
        """The hidden fields of the form that leads to the next page; empty when there is none."""
        forms = self._find(
            f'//form[{_class("next_form")}] | //div[{_class("nav-link")}]//form[@action="/html/"]'
        )
        for form in reversed(forms):
            buttons = _find(form, './/input[@type="submit"]')
            label = " ".join(button.get("value") or "" for button in buttons).lower()
            fields = {}
            for field in _find(form, './/input[@type="hidden"][@name]')[:_MOST_FIELDS]:
                fields[str(field.get("name"))] = field.get("value") or ""
            leads_on = "prev" not in label and fields.get("s", "0") != "0"
            if leads_on and all(len(value) <= _LONGEST_FIELD for value in fields.values()):
                return fields
        return {}

    @property
    def is_lite(self) -> bool:
        """Whether this is the lite page, and not the html one."""
        return bool(self._find('//form[@action="/lite/"]'))

    def _boxes(self) -> list[etree._Element]:
        """The boxes of the html page that hold a result, advertisements aside."""
        conditions = (
            _class("web-result"),
            f"not({_class('result--ad')})",
            f"not(.//*[{_class('badge--ad')}])",
        )
        link = f".//a[{_class('result__a')}]"
        return self._find(f"//div[{' and '.join(conditions)}][{link}]")

    def _links(self) -> list[etree._Element]:
        """The links of the lite page that lead to results, advertisements aside."""
        return self._find(
            f"//a[{_class('result-link')}][not(ancestor::tr[{_class('result-sponsored')}])]"
        )

    def _find(self, path: str) -> list[etree._Element]:
        return _find(self._root, path)


def target_of(href: str) -> str | None:
    """Where a link of the page leads: out of DuckDuckGo's redirect, and None when it stays there or
    leads nowhere.
    """
    if href.startswith("//"):
        url = f"https:{href}"
    else:
        url = href.strip()
    host = host_of(url)
    if host and _is_duckduckgo(host) and urlsplit(url).path == "/l/":
        try:
            parameters = parse_qs(urlsplit(url).query, max_num_fields=_MOST_FIELDS)
        except ValueError:
            return None
        url = parameters.get("uddg", [""])[0]
        host = host_of(url)
    if host is None or _is_duckduckgo(host):
        return None
    return url


def _parse_box(box: etree._Element) -> Hit | None:
    """A result of the html page, which has a box of its own."""
    link = _find(box, f".//a[{_class('result__a')}]")[0]
    snippets = _find(box, f".//*[{_class('result__snippet')}]")
    dates = _find(box, f".//*[{_class('result__extras__url')}]/span[not(@class)]")
    return _build_hit(link, snippets, dates)


def _parse_row(link: etree._Element) -> Hit | None:
    """A result of the lite page: the row of its link and the rows below it, up to the next
    link.
    """
    snippets: list[etree._Element] = []
    dates: list[etree._Element] = []
    row = next(link.iterancestors("tr"), None)
    if row is not None:
        for below in row.itersiblings("tr"):
            if _find(below, f".//a[{_class('result-link')}]"):
                break
            snippets += _find(below, f".//td[{_class('result-snippet')}]")
            dates += _find(below, f".//span[{_class('timestamp')}]")
    return _build_hit(link, snippets, dates)


def _build_hit(
    link: etree._Element, snippets: list[etree._Element], dates: list[etree._Element]
) -> Hit | None:
    """The hit of a link and what belongs to it; None for a link that stays on DuckDuckGo."""
    url = target_of(link.get("href") or "")
    if url is None:
        return None
    snippet = ""
    if snippets:
        snippet = _text(snippets[0])
    published = next(filter(None, map(_parse_moment, dates)), None)
    return Hit(_text(link) or plain(url), url, snippet, published)


def _parse_moment(element: etree._Element) -> str | None:
    """The moment in a span: seven digits of a second are one too many, and midnight means that only
    the day is known.
    """
    found = _MOMENT.fullmatch(_text(element))
    if not found:
        return None
    date, time, digits = found.groups()
    fraction = (digits or "")[:6].rstrip("0")
    if fraction:
        return iso_date(f"{date}T{time}.{fraction}")
    if time == "00:00:00":
        return iso_date(date)
    return iso_date(f"{date}T{time}")


def _is_duckduckgo(host: str) -> bool:
    return host == "duckduckgo.com" or host.endswith(".duckduckgo.com")


def _class(name: str) -> str:
    """The XPath condition for an element of this class."""
    return f'contains(concat(" ", normalize-space(@class), " "), " {name} ")'


def _find(element: etree._Element, path: str) -> list[etree._Element]:
    return cast("list[etree._Element]", element.xpath(path))


def _text(element: etree._Element) -> str:
    """All the text in an element, in one line."""
    parts = [str(part) for part in element.itertext()]
    return plain("".join(parts))


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
