"""The replies of the search engines in the recorded web, in the shape in which the real ones
answer.

The requests are those that our providers build, so that the recording and the code cannot drift
apart. What DuckDuckGo's page and links to it send in other words is recorded besides.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from webquarry._search import instant
from webquarry._search.lenses import load_lenses
from webquarry._search.models import Query
from webquarry._search.paging import split_domains
from webquarry._search.provider import Provider
from webquarry.registry import members_of
from webquarry.settings import Settings

SOURCES = Path(__file__).parent / "recorded_web"
COUNTS = (3, 5, 10, 20)  # what callers may ask for
KEYS = {
    "BRAVE_API_KEY": "recorded-web-brave-key",
    "GOOGLE_SEARCH_API_KEY": "recorded-web-google-key",
    "GOOGLE_SEARCH_ENGINE_ID": "recorded-web-engine-id",
    "HOME": "/nowhere",
}
Hit = dict[str, str]
Exchange = tuple[httpx2.Request, httpx2.Response]


def search_exchanges() -> Iterator[Exchange]:
    """Every search of the list, as every provider asks it."""
    catalogue = tomllib.loads((SOURCES / "search.toml").read_text("utf-8"))
    for provider in _providers():
        yield provider.build_probe(), _PROBES[provider.name]()
        for search in catalogue["search"]:
            if provider.name not in search:
                continue
            hits = [catalogue["hits"][name] for name in search[provider.name]]
            for count in search.get("counts", COUNTS):
                for query in _queries(provider, search, count):
                    yield provider.build_request(query), _REPLIES[provider.name](query, hits)
    for search in catalogue["search"]:
        hits = [catalogue["hits"][name] for name in search["duckduckgo"]]
        if "counts" not in search:
            yield from _duckduckgo_forms(search, hits)
    for question, known in _INSTANT.items():
        yield instant.build_request(question), _instant(known)


def _providers() -> list[Provider]:
    kinds = members_of("webquarry._search.providers", Provider)
    return [kind.configure(Settings(), KEYS) for kind in kinds if kind.name in _REPLIES]


def _queries(provider: Provider, search: dict[str, Any], count: int) -> Iterator[Query]:
    """A search of the list as the provider is asked it: plainly, and as the tool `web_search` asks.
    The domains of a lens may take several requests.
    """
    domains = tuple(search.get("allowed", ()))
    if "lens" in search:
        domains = tuple(load_lenses()[search["lens"]].domains)
    query = Query(
        search["query"], count, allowed_domains=domains, time_range=search.get("time_range")
    )
    for form in (query, replace(query, safe="medium")):
        for group in split_domains(provider, form):
            yield replace(form, allowed_domains=group)


# Brave


def _brave(query: Query, hits: list[Hit]) -> httpx2.Response:
    shown = hits if query.allowed_domains else hits[: query.count]
    body: dict[str, Any] = {
        "query": {
            "original": query.text,
            "show_strict_warning": False,
            "is_navigational": False,
            "is_news_breaking": False,
            "spellcheck_off": True,
            "country": "us",
            "bad_results": not hits,
            "should_fallback": not hits,
            "postal_code": "",
            "city": "",
            "header_country": "",
            "more_results_available": len(shown) < len(hits),
            "state": "",
        },
        "mixed": {
            "type": "mixed",
            "main": [{"type": "web", "index": index, "all": False} for index in range(len(shown))],
            "top": [],
            "side": [],
        },
        "type": "search",
    }
    if shown:
        results = [_brave_result(hit) for hit in shown]
        body["web"] = {
            "type": "search",
            "results": results,
            "family_friendly": True,
            "mutated_by_goggles": False,
        }
    return _json_response(body, _BRAVE_LIMITS)


def _brave_result(hit: Hit) -> dict[str, Any]:
    host, path = urlsplit(hit["url"]).netloc, urlsplit(hit["url"]).path
    result = {
        "title": escape(hit["title"]),
        "url": hit["url"],
        "is_source_local": False,
        "is_source_both": False,
        "description": escape(hit["snippet"]),
        "profile": {
            "name": hit["site"],
            "url": hit["url"],
            "long_name": host,
            "img": f"https://imgs.search.brave.com/profile/{host}",
        },
        "language": "ja" if host == "umi-denki.example" else "en",
        "family_friendly": True,
        "type": "search_result",
        "subtype": "article" if host == "tidelines.example" else "generic",
        "is_live": False,
        "meta_url": {
            "scheme": "https",
            "netloc": host,
            "hostname": host,
            "favicon": f"https://imgs.search.brave.com/favicon/{host}",
            "path": "".join(f"› {part}  " for part in path.strip("/").split("/")).rstrip(),
        },
    }
    if "date" in hit:
        day = datetime.fromisoformat(hit["date"])
        result |= {"page_age": hit["date"], "age": f"{day:%B} {day.day}, {day.year}"}
    return result


def _brave_probe() -> httpx2.Response:
    """What a good key gets for a request without a query."""
    problem = {
        "id": "0f3c2f6e-6d1c-4a7a-9c55-0a4a4f4b7d10",
        "status": 422,
        "code": "VALIDATION",
        "detail": "Unable to validate request parameter(s)",
        "meta": {
            "errors": [
                {"type": "missing", "loc": ["query", "q"], "msg": "Field required", "input": None}
            ]
        },
    }
    return _json_response(
        {"type": "ErrorResponse", "error": problem, "time": 1794301200}, _BRAVE_LIMITS, status=422
    )


_BRAVE_LIMITS = {
    "X-RateLimit-Limit": "50, 0",
    "X-RateLimit-Policy": "50;w=1, 0;w=2592000",
    "X-RateLimit-Remaining": "49, 0",
    "X-RateLimit-Reset": "1, 1419704",
}


# Google


def _google(query: Query, hits: list[Hit]) -> httpx2.Response:
    count = 10 if query.allowed_domains else min(query.count, 10)
    shown = hits[:count]
    request = {
        "title": f"Google Custom Search - {query.text}",
        "totalResults": str(len(hits)),
        "searchTerms": query.text,
        "count": len(shown),
        "startIndex": 1,
        "inputEncoding": "utf8",
        "outputEncoding": "utf8",
        "safe": "off",
        "cx": "0123456789abcdef0",
    }
    queries = {"request": [request]}
    if len(shown) < len(hits):
        queries["nextPage"] = [{**request, "startIndex": count + 1}]
    body: dict[str, Any] = {
        "kind": "customsearch#search",
        "url": {
            "type": "application/json",
            "template": "https://www.googleapis.com/customsearch/v1?q={searchTerms}&num={count?}&start={startIndex?}&cx={cx?}&alt=json",
        },
        "queries": queries,
        "context": {"title": "The recorded web"},
        "searchInformation": {
            "searchTime": 0.312457,
            "formattedSearchTime": "0.31",
            "totalResults": str(len(hits)),
            "formattedTotalResults": str(len(hits)),
        },
    }
    if shown:
        body["items"] = [_google_item(hit) for hit in shown]
    return _json_response(body, {"Vary": "Origin, X-Origin, Referer", "Server": "ESF"})


def _google_item(hit: Hit) -> dict[str, Any]:
    host = urlsplit(hit["url"]).netloc
    tags = {"og:title": hit["title"], "viewport": "width=device-width"}
    if "date" in hit:
        tags["article:published_time"] = hit["date"] + "+00:00"
    item = {
        "kind": "customsearch#result",
        "title": hit["title"],
        "htmlTitle": escape(hit["title"]),
        "link": hit["url"],
        "displayLink": host,
        "snippet": f"{hit['snippet']} ...",
        "htmlSnippet": f"{escape(hit['snippet'])}&nbsp;...",
        "formattedUrl": hit["url"],
        "htmlFormattedUrl": hit["url"],
        "pagemap": {"metatags": [tags]},
    }
    return item | (
        {"mime": "application/pdf", "fileFormat": "PDF/Adobe Acrobat"}
        if hit["url"].endswith(".pdf")
        else {}
    )


def _google_probe() -> httpx2.Response:
    return _google(Query("test", 1), [_TEST_HIT])


_TEST_HIT = {
    "title": "Getting started",
    "url": "https://docs.tidemill.example/en/stable/",
    "snippet": "A test.",
    "site": "",
}


# DuckDuckGo


def _duckduckgo_forms(search: dict[str, Any], hits: list[Hit]) -> Iterator[Exchange]:
    """Other words for the same search: a bare query, a form with its region, and a link, which
    carries `q` alone.
    """
    text = " ".join([search["query"], *(f"site:{domain}" for domain in search.get("allowed", ()))])
    query, url = Query(text), "https://html.duckduckgo.com/html/"
    for fields in (
        {"q": text},
        {"q": text, "b": "", "kl": "wt-wt"},
        {"q": text, "b": "", "kl": "us-en"},
    ):
        yield httpx2.Request("POST", url, data=fields), _duckduckgo(query, hits)
    yield httpx2.Request("GET", url, params={"q": text}), _duckduckgo(query, hits, wrapped=True)


def _duckduckgo(query: Query, hits: list[Hit], *, wrapped: bool = False) -> httpx2.Response:
    """Links are bare in the answer to a POST, and lead over DuckDuckGo in the answer to a GET."""
    advertised = "https://duckduckgo.com/y.js?ad_domain=shop.chandlery.example&ad_provider=bingv7aa&ad_type=txad&u3=https%3A%2F%2Fwww.bing.com%2Faclick"
    if hits:
        advertisement = _template(
            "advertisement.html", link=escape(_wrapped(advertised) if wrapped else advertised)
        )
        results = advertisement + "".join(_duckduckgo_result(hit, wrapped) for hit in hits)
    else:
        results = _template("no-results.html", query=escape(query.text))
    page = _template("page.html", query=escape(query.text), results=results)
    return httpx2.Response(
        200,
        headers={"Content-Type": "text/html; charset=UTF-8", "Server": "nginx"},
        content=page.encode(),
    )


def _duckduckgo_probe() -> httpx2.Response:
    return _duckduckgo(Query("duckduckgo"), [_TEST_HIT])


def _duckduckgo_result(hit: Hit, wrapped: bool) -> str:
    parts = urlsplit(hit["url"])
    return _template(
        "result.html",
        link=escape(_wrapped(hit["url"]) if wrapped else hit["url"]),
        title=escape(hit["title"]),
        host=parts.netloc,
        shown=parts.netloc + parts.path,
        date=f"<span>&nbsp; &nbsp; {hit['date']}.0000000</span>" if "date" in hit else "",
        snippet=escape(hit["snippet"]).replace("storage", "<b>storage</b>"),
    )


def _instant(known: dict[str, Any]) -> httpx2.Response:
    """DuckDuckGo's Instant Answer: every field is there, and empty where nothing is known."""
    texts = "Abstract AbstractSource AbstractText AbstractURL Answer AnswerType Definition DefinitionSource DefinitionURL"
    shell = dict.fromkeys(
        (*texts.split(), "Entity", "Heading", "Image", "Infobox", "Redirect", "Type"), ""
    )
    body = {**shell, "RelatedTopics": [], "Results": [], "meta": None, **known}
    return _json_response(body, {"Content-Type": "application/x-javascript"})


_INSTANT: dict[str, dict[str, Any]] = {
    "tidal energy storage": {
        "Heading": "Tidal energy storage",
        "Abstract": "Tidal energy storage is the keeping of electricity from tidal streams until "
        "it is needed.",
        "AbstractText": "Tidal energy storage is the keeping of electricity from tidal streams "
        "until it is needed.",
        "AbstractSource": "Open Waters",
        "AbstractURL": "https://wiki.openwaters.example/wiki/Tidal_energy_storage",
        "Type": "A",
        "RelatedTopics": [
            {
                "FirstURL": "https://duckduckgo.com/Slack_water",
                "Icon": {"Height": "", "URL": "", "Width": ""},
                "Result": '<a href="https://duckduckgo.com/Slack_water">Slack water</a> - The '
                "pause between two tides.",
                "Text": "Slack water - The pause between two tides.",
            }
        ],
    },
    "zqxv kplm nothing": {},
}


def _wrapped(url: str) -> str:
    return f"//duckduckgo.com/l/?uddg={quote(url, safe='').replace('-', '%2D')}&rut={sha256(url.encode()).hexdigest()}"


def _template(name: str, **values: str) -> str:
    text = (SOURCES / "html.duckduckgo.com" / name).read_text("utf-8")
    return Template(text.rstrip("\n")).substitute(values)


def _json_response(body: object, headers: dict[str, str], status: int = 200) -> httpx2.Response:
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    return httpx2.Response(
        status, headers={"Content-Type": "application/json; charset=UTF-8", **headers}, content=data
    )


_REPLIES: dict[str, Callable[[Query, list[Hit]], httpx2.Response]] = {
    "brave": _brave,
    "google": _google,
    "duckduckgo": _duckduckgo,
}
_PROBES: dict[str, Callable[[], httpx2.Response]] = {
    "brave": _brave_probe,
    "google": _google_probe,
    "duckduckgo": _duckduckgo_probe,
}
