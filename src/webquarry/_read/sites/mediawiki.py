"""MediaWiki: Wikipedia and its sister projects through the REST API; other wikis through the page
itself (`_wiki.py`), or through their api.php if the page does not contain the article.

Other wikis run on any host, so their api.php is fetched as pages are (SSRF guard, robots.txt), and
only from the origin of the page.

API: https://www.mediawiki.org/wiki/API:REST_API and API:Parsing_wikitext
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Content, one_line
from webquarry._read.models import Page
from webquarry._read.sites._wiki_info import read_info
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry.errors import NotFound, ProviderFailure, RateLimited
from webquarry.net.models import Reply

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document

_HOST = (
    r"(?:(?:m|www|([a-z-]{2,12}))\.)?(?:m\.)?"
    r"(wiki(?:pedia|voyage|books|source|versity|news|quote)\.org|wiktionary\.org)"
)
_OTHER_PAGES = (
    r"(?i)(?:Special|Spezial|Spécial|Especial|Speciale|Talk|User|File|Media|Template|Module"
    r"|MediaWiki)(?:[_ ]talk)?:"
)
_OTHER_SOFTWARE = r"(?:spaces|pages|display)/"  # also has its pages below /wiki/
_FARMS = ("fandom.com", "wikia.com", "wikia.org", "gamepedia.com", "wiki.gg", "huijiwiki.com")
_SCRIPT = r"(?s)((?:/[^/]{1,100}){0,4})/index\.php(?:/(.{0,500}))?"
_SHORT = r"(?s)((?:/[a-z]{2,3}(?:-[a-z]{2,8})?)?)/(wiki|title)/(.{1,500})"
_VIEWS = frozenset({"", "view", "raw"})
_CONTENT = (b"mw-parser-output", b"mw-content-text", b"bodyContent")
_EMPTY_CONTENT = (
    rb"""id=["']?(?:mw-content-text|bodyContent)["']?[^<>]{0,500}+>\s*+"""
    rb"""(?:<div[^<>]{0,500}+>\s*+)?+</div>"""
)
_PARAMETERS = (
    "action=parse&format=json&formatversion=2&prop=text%7Cdisplaytitle%7Ccategories%7Crevid"
    "&redirects=1&disableeditsection=1&disabletoc=1&disablelimitreport=1"
)
_MISSING = frozenset({"missingtitle", "nosuchrevid", "missingcontent-revid", "pagecannotexist"})
_LIMITED = frozenset({"maxlag", "ratelimited", "readonly"})


class ApiQuery(NamedTuple):
    """An article to request from the api.php of a wiki."""

    apis: list[str]  # possible URLs, the likelier first
    title: str
    revision: str
    reason: str  # a note on why the page is not enough

    def build_url(self, api: str) -> str:
        wanted = {"oldid": self.revision} if self.revision else {"page": self.title}
        return f"{api}?{_PARAMETERS}&{urlencode(wanted)}"


class MediaWikiReader(SiteReader):
    name = "mediawiki"

    def match(self, url: httpx2.URL) -> tuple[str, str, str] | None:
        """Return the host of the project, and the title or the revision."""
        found = re.fullmatch(_HOST, url.host)
        article = _parse_url(str(url)) if found else None
        if not found or not article:
            return None
        title, revision = article[1], _find_revision(str(url))
        return (f"{found[1] or 'en'}.{found[2]}", title, revision) if title or revision else None

    async def fetch(self, request: SiteRequest) -> SiteReply:
        host, title, revision = request.target
        origin = f"https://{host}"
        path = f"revision/{revision}/html" if revision else f"page/{quote(title, safe='')}/html"
        missing = f"{host} has no article {revision or title!r}."
        url = request.at("mediawiki", origin, f"/w/rest.php/v1/{path}")
        reply = await request.get(url, missing, {"Accept": "text/html"})
        data = {"origin": origin, "index": f"{origin}/w/index.php", "title": title}
        return request.build_reply(data, reply.body)

    def recognizes(self, page: Reply) -> bool:
        return find_query(page) is not None

    async def fetch_instead(self, request: SiteRequest, page: Reply) -> SiteReply:
        query = find_query(page)
        assert query is not None
        for api in query.apis:
            reply = await request.fetch(query.build_url(api))
            if reply.status not in (404, 410):
                break
        article = _check_article(request, reply, query, httpx2.URL(api).host)
        data = {
            "home": page.url,
            "index": api.removesuffix("api.php") + "index.php",
            "title": article.text("title"),
            "heading": article.text("displaytitle"),  # HTML, such as `<i>Homo</i>` or `iPod`
            "revision": str(article.number("revid") or ""),
            "categories": [
                one.text("category") or one.text("*")
                for one in article.objects("categories")
                if not one.flag("hidden") and one.get("hidden") != ""
            ],
            "note": query.reason,
        }
        return request.build_reply(data, _get_html(article).encode())

    def write(self, reply: SiteReply, url: str) -> Page:
        from webquarry._read.html.parse import parse_html
        from webquarry._read.sites import _wiki

        data = JsonData(reply.data)
        document = parse_html(reply.body.decode("utf-8", "replace"))
        if data.text("origin"):
            data = _read_metadata(document, data)
        title, home, day = data.text("title"), data.text("home"), data.text("day")
        page = SiteWriter(reply, url, home)
        revision = _wiki.write_revision(data.text("revision"), data.text("index"), title, page)
        for root in document.roots:
            _wiki.prepare_article(root)
        text = page.document(document)
        blocks: list[Content] = [
            page.facts([page.name(data.text("description")), day, revision]),
            _wiki.put_section_first(text, httpx2.URL(url).fragment),
            _wiki.write_categories(data.texts("categories"), page),
        ]
        heading = one_line(page.fragment(data.text("heading"))) or page.name(title)
        return page.build_page(blocks, title, heading=heading, url=home, modified=day)


def find_query(page: Reply) -> ApiQuery | None:
    """Return what to request for a fetched page; None if it contains its text, or is not a page of
    a wiki.
    """
    if page.status in (401, 403):
        return _build_query(page.url, "The site blocks programs: the article is from its API.")
    if page.status != 200:
        return None
    if page.content_type == "text/x-wiki":
        return _build_query(page.url, "The URL is that of a source: the article is from the API.")
    if b"EditURI" not in page.body:
        return None
    is_filled = any(name in page.body for name in _CONTENT)
    if is_filled and not re.search(_EMPTY_CONTENT, page.body):
        return None
    info = read_info(page.body, page.url)
    if info is None or not info.api or not info.title or not info.is_article:
        return None
    reason = "The page does not contain its article: it is from the API of the wiki."
    return ApiQuery([info.api], info.title, _find_revision(page.url), reason)


def _build_query(url: str, reason: str) -> ApiQuery | None:
    """Derive the API of a page from its URL alone."""
    folders, title = _parse_url(url) or ([], "")
    if not title:
        return None
    parts = urlsplit(url)
    apis = [f"{parts.scheme}://{parts.netloc}{folder}/api.php" for folder in folders]
    return ApiQuery(apis, title, _find_revision(url), reason)


def _parse_url(url: str) -> tuple[list[str], str] | None:
    """Return the possible folders of the API, the likelier first, and the title of an article."""
    parts = urlsplit(url)
    parameters = dict(parse_qsl(parts.query))
    if parameters.get("action", "") not in _VIEWS or "diff" in parameters:
        return None
    path = unquote(parts.path)
    script, short = re.fullmatch(_SCRIPT, path), re.fullmatch(_SHORT, path)
    if script:
        title, folders = parameters.get("title") or script[2] or "", [script[1]]
    elif short and not re.match(_OTHER_SOFTWARE, short[3]):
        is_at_root = short[2] == "title" or (parts.hostname or "").endswith(_FARMS)
        title, folders = short[3], [short[1]] if is_at_root else [f"{short[1]}/w", short[1]]
    else:
        return None
    return None if re.match(_OTHER_PAGES, title) else (folders, title.strip("_ "))


def _check_article(request: SiteRequest, reply: Reply, query: ApiQuery, host: str) -> JsonData:
    """Return the article of a reply of api.php. Raises NotFound if the wiki has none, otherwise
    an error after which the page itself is read.
    """
    if httpx2.URL(reply.url).host != host:
        raise ProviderFailure(f"The API of {host} redirects to another host.")
    if reply.status in (401, 404, 410):
        raise ProviderFailure(f"Unexpected response from {host}: HTTP {reply.status}.")
    answer = request.parse(reply, "")
    code = answer.text("error", "code")
    if code in _MISSING:
        raise NotFound(f"{host} has no article {query.revision or query.title!r}.")
    if code in _LIMITED:
        request.pause(host, reply)
        raise RateLimited(f"Rate limited by {host} ({code}).")
    if code:
        raise ProviderFailure(f"The API of {host} refuses the article: {code}.")
    article = answer.object("parse")
    if not _get_html(article):
        raise ProviderFailure(f"Unexpected response from {host}: not an article of MediaWiki.")
    return article


def _get_html(article: JsonData) -> str:
    return article.text("text") or article.text("text", "*")  # versions before 1.25


def _read_metadata(document: Document, data: JsonData) -> JsonData:
    """Read what HTML of the REST API states about the article, and make links of the article to
    itself (notes) fragments.
    """
    from webquarry._read.html.tree import find_by_class, get_text

    title, day, revision = data.text("title").replace("_", " "), "", ""
    titles = [get_text(one) for one in document.elements() if one.tag == "title"]
    title = next(filter(None, titles), title)
    key = title.replace(" ", "_")
    categories = []
    for element in document.elements():
        target = unquote(element.get("href") or "")
        if element.tag == "html":
            revision = (element.get("about") or "").rpartition("revision/")[2]
        elif element.get("property") == "dc:modified":
            day = JsonData({"day": element.get("content")}).day("day")
        elif element.get("rel") == "mw:PageProp/Category":
            categories.append(target.partition("#")[0].rpartition(":")[2])
        elif target.startswith(f"./{key}#"):
            element.set("href", "#" + element.get("href", "").partition("#")[2])
    descriptions = [get_text(one) for one in find_by_class(document, "shortdescription")]
    read = {
        "title": title,
        "home": f"{data.text('origin')}/wiki/{quote(key, safe='/:(),!')}",
        "description": next(filter(None, descriptions), ""),
        "day": day,
        "revision": revision if revision.isdigit() else "",
        "categories": categories,
    }
    return JsonData({**data.fields(), **read})


def _find_revision(url: str) -> str:
    """Return the number of the revision that a URL names."""
    revision = dict(parse_qsl(urlsplit(url).query)).get("oldid", "")
    return revision if re.fullmatch(r"[0-9]{1,12}", revision) else ""
