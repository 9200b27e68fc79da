"""MediaWiki: Wikipedia and its sister projects through the REST API; other wikis through the page
itself (`_wiki.py`), or through their api.php if the page is refused.

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
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry.errors import NotFound, ProviderFailure
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
_PATH = r"(?s)((?:/[^/]{1,100}){0,4}?)/(?:wiki|title|index\.php)/(.{1,500})"
_SCRIPT = r"((?:/[^/]{1,100}){0,4})/index\.php"
_PARAMETERS = (
    "action=parse&format=json&formatversion=2&prop=text%7Cdisplaytitle%7Crevid"
    "&redirects=1&disableeditsection=1&disabletoc=1&disablelimitreport=1"
)
_MISSING = frozenset({"missingtitle", "nosuchrevid", "missingcontent-revid", "pagecannotexist"})
_NOTE = "The site blocks programs: the article is from its API."


class Article(NamedTuple):
    """An article that a URL names."""

    apis: list[str]  # possible URLs of api.php
    title: str
    revision: str


class MediaWikiReader(SiteReader):
    name = "mediawiki"

    def match(self, url: httpx2.URL) -> tuple[str, str, str] | None:
        """Return the host of the project, the title and the revision."""
        found = re.fullmatch(_HOST, url.host)
        article = find_article(str(url)) if found else None
        if not found or not article:
            return None
        return f"{found[1] or 'en'}.{found[2]}", article.title, article.revision

    async def fetch(self, request: SiteRequest) -> SiteReply:
        host, title, revision = request.target
        origin = f"https://{host}"
        path = f"revision/{revision}/html" if revision else f"page/{quote(title, safe='')}/html"
        missing = f"{host} has no article {revision or title!r}."
        url = request.at("mediawiki", origin, f"/w/rest.php/v1/{path}")
        reply = await request.get(url, missing, {"Accept": "text/html"})
        return request.build_reply({"origin": origin, "title": title}, reply.body)

    def recognizes(self, page: Reply) -> bool:
        return page.status in (401, 403) and find_article(page.url) is not None

    async def fetch_instead(self, request: SiteRequest, page: Reply) -> SiteReply:
        article = find_article(page.url)
        assert article is not None
        wanted = {"oldid": article.revision} if article.revision else {"page": article.title}
        for api in article.apis:
            reply = await request.fetch(f"{api}?{_PARAMETERS}&{urlencode(wanted)}")
            if reply.status not in (404, 410):
                break
        answer = _check_answer(request, reply, article, httpx2.URL(api).host)
        data = {
            "home": page.url,
            "title": answer.text("title"),
            "heading": answer.text("displaytitle"),  # HTML, such as `<i>Homo</i>` or `iPod`
            "revision": str(answer.number("revid") or ""),
            "note": _NOTE,
        }
        return request.build_reply(data, answer.text("text").encode())

    def write(self, reply: SiteReply, url: str) -> Page:
        from webquarry._read.html.parse import parse_html
        from webquarry._read.sites import _wiki

        data = JsonData(reply.data)
        document = parse_html(reply.body.decode("utf-8", "replace"))
        if data.text("origin"):
            data = _read_metadata(document, data)
        title, home, day = data.text("title"), data.text("home"), data.text("day")
        page = SiteWriter(reply, url, home)
        for root in document.roots:
            _wiki.prepare_article(root)
        text = page.document(document)
        revision = page.label("revision ", data.text("revision"))
        blocks: list[Content] = [
            page.facts([page.name(data.text("description")), day, revision]),
            _wiki.put_section_first(text, httpx2.URL(url).fragment),
        ]
        heading = one_line(page.fragment(data.text("heading"))) or page.name(title)
        return page.build_page(blocks, title, heading=heading, url=home, modified=day)


def find_article(url: str) -> Article | None:
    """Return what a URL names, and where the API of its wiki can be."""
    parts = urlsplit(url)
    parameters = dict(parse_qsl(parts.query))
    if parameters.get("action", "view") != "view" or "diff" in parameters:
        return None
    path = unquote(parts.path)
    script, short = re.fullmatch(_SCRIPT, path), re.fullmatch(_PATH, path)
    if script:
        folder, title = script[1], parameters.get("title", "")
    elif short and not re.match(_OTHER_SOFTWARE, short[2]):
        folder, title = short.groups()
    else:
        return None
    title = title.strip("_ ")
    if not title or re.match(_OTHER_PAGES, title):
        return None
    base = f"{parts.scheme}://{parts.netloc}{folder}"
    apis = [f"{base}/api.php"] if script else [f"{base}/api.php", f"{base}/w/api.php"]
    revision = parameters.get("oldid", "")
    return Article(apis, title, revision if re.fullmatch("[0-9]{1,12}", revision) else "")


def _check_answer(request: SiteRequest, reply: Reply, article: Article, host: str) -> JsonData:
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
        raise NotFound(f"{host} has no article {article.revision or article.title!r}.")
    if not answer.text("parse", "text"):
        reason = code or "not an article of MediaWiki"
        raise ProviderFailure(f"Unexpected response from {host}: {reason}.")
    return answer.object("parse")


def _read_metadata(document: Document, data: JsonData) -> JsonData:
    """Read what HTML of the REST API states about the article, and make links of the article to
    itself (notes) fragments.
    """
    from webquarry._read.html.tree import find_by_class, get_text

    title, day, revision = data.text("title").replace("_", " "), "", ""
    titles = [get_text(one) for one in document.elements() if one.tag == "title"]
    title = next(filter(None, titles), title)
    key = title.replace(" ", "_")
    for element in document.elements():
        if element.tag == "html":
            revision = (element.get("about") or "").rpartition("revision/")[2]
        elif element.get("property") == "dc:modified":
            day = JsonData({"day": element.get("content")}).day("day")
        elif unquote(element.get("href") or "").startswith(f"./{key}#"):
            element.set("href", "#" + element.get("href", "").partition("#")[2])
    descriptions = [get_text(one) for one in find_by_class(document, "shortdescription")]
    read = {
        "title": title,
        "home": f"{data.text('origin')}/wiki/{quote(key, safe='/:(),!')}",
        "description": next(filter(None, descriptions), ""),
        "day": day,
        "revision": revision if revision.isdigit() else "",
    }
    return JsonData({**data.fields(), **read})
