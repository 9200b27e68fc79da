"""Wikipedia and its sister projects by MediaWiki's REST interface: the article as Parsoid renders
it, with tables, infobox and references whose marks lead somewhere.

Their hosts are fixed. Other wikis run on any host, at any path: their pages are fetched as others,
known for what they are and written in the same way (`_read/wiki/`). Only where such a page does not
hold its article is the interface of the wiki asked, as pages are: guarded, and by its robots.txt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.article_html import find_by_class, parse_article, text_in
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
    get_number,
    get_objects,
    get_text,
)
from webquarry._read.special._parts.site_markdown import join_blocks, join_facts
from webquarry._read.special._parts.site_request import (
    SiteRequest,
    SiteWriter,
    check_status,
    parse_json,
)
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry._read.wiki.interface import NO_ARTICLE, WikiQuestion, find_question
from webquarry._read.wiki.sections import put_section_first
from webquarry.errors import NotFound, ProviderFailure, RateLimited, WebquarryError
from webquarry.net.models import Reply

if TYPE_CHECKING:
    from webquarry._read.html.parse import Document

_PROJECTS = (
    "wikipedia", "wiktionary", "wikivoyage", "wikibooks", "wikisource", "wikiversity", "wikinews",
    "wikiquote",
)  # fmt: skip
_HOST = re.compile(rf"(?:([a-z-]{{2,12}})\.)?(?:m\.)?((?:{'|'.join(_PROJECTS)})\.org)")
_TITLE = re.compile(r"/wiki/(.{1,500})", re.DOTALL)
_REVISION = re.compile(r"[0-9]{1,12}")
_MISSING = frozenset({"missingtitle", "nosuchrevid", "missingcontent-revid", "pagecannotexist"})
_LIMITED = frozenset({"maxlag", "ratelimited", "readonly"})


class MediaWikiReader(SpecialReader):
    name = "mediawiki"

    def knows_host(self, host: str) -> bool:
        return _HOST.fullmatch(host) is not None

    def knows(self, url: httpx2.URL) -> bool:
        if not _HOST.fullmatch(url.host):
            return False
        return bool(find_title(url) or find_revision(url))

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        address = httpx2.URL(url)
        origin = find_origin(address.host)
        request = SiteRequest(self.name, url, context)
        title = find_title(address)
        revision = find_revision(address)
        path = f"/w/rest.php/v1/page/{quote(title, safe='')}/html"
        missing = f"{httpx2.URL(origin).host} has no article {title!r}."
        if revision:
            path = f"/w/rest.php/v1/revision/{revision}/html"
            missing = f"{httpx2.URL(origin).host} has no revision {revision}."
        reply = await request.send(context.url("mediawiki", origin, path), {"Accept": "text/html"})
        check_status(reply, missing)
        data = {"origin": origin, "title": title, "revision": revision, "facts": {}}
        if title and not revision:
            bare = f"/w/rest.php/v1/page/{quote(title, safe='')}/bare"
            try:
                data["facts"] = await request.get_json(
                    context.url("mediawiki", origin, bare), missing
                )
            except WebquarryError:
                data["facts"] = {}  # they are worth nothing without the article, which is there
        return request.build_reply(data, reply.body)

    def wants(self, reply: Reply) -> bool:
        return find_question(reply) is not None

    async def read_instead(self, url: str, page: Reply, context: SiteContext) -> SiteReply:
        question = find_question(page)
        assert question is not None
        request = SiteRequest(self.name, url, context)
        for interface in question.interfaces:
            is_last = interface == question.interfaces[-1]
            reply = await request.fetch(question.build_url(interface))
            if reply.status in (404, 410) and not is_last:
                continue
            article = read_answer(request, reply, question, httpx2.URL(interface).host)
            data = {"article": article, "interface": interface, "home": page.url}
            return request.build_reply(data | {"reason": question.reason})
        raise ProviderFailure(f"{httpx2.URL(url).host} has no interface.")

    def write(self, reply: SiteReply, url: str) -> Page:
        if "article" in reply.data:
            return write_parsed(reply, url)
        return write_rendered(reply, url)


def read_answer(
    request: SiteRequest, reply: Reply, question: WikiQuestion, host: str
) -> Mapping[str, Any]:
    """The article in what an interface answered. Raises NotFound where the wiki has none, else what
    makes the page itself be read.
    """
    if httpx2.URL(reply.url).host != host:
        raise ProviderFailure(f"The interface of {host} sends on to another host.")
    if reply.status in (401, 404, 410):
        raise ProviderFailure(f"{host} answered with HTTP {reply.status}.")
    fields = get_fields(parse_json(reply, ""))
    code = get_text(fields, "error", "code")
    if code in _MISSING:
        wanted = question.revision or question.title
        raise NotFound(f"{host} has no article {wanted!r}.")
    if code in _LIMITED:
        request.keep_away(host, reply)
        raise RateLimited(f"{host} takes no more requests for now ({code}).")
    if code:
        raise ProviderFailure(f"{host} refuses the article: {code}.")
    article = get_fields(fields, "parse")
    if not _get_named(article, "text"):
        raise ProviderFailure(f"{host} is no MediaWiki.")
    return article


def write_parsed(reply: SiteReply, url: str) -> Page:
    """The page of an article that an `api.php` gave, of a version that may be old."""
    from webquarry._read.wiki.article import write_categories, write_revision

    article = get_fields(reply.data, "article")
    home = get_text(reply.data, "home")
    page_writer = SiteWriter(reply, url, home)
    composer = page_writer.composer
    document = parse_article(_get_named(article, "text").encode("utf-8", "replace"))
    title = get_text(article, "title")
    heading = composer.fragment(get_text(article, "displaytitle"))
    if not heading or "\n" in heading:
        heading = composer.name(title)
    categories = []
    for category in get_objects(article, "categories"):
        is_hidden = get_flag(category, "hidden") or category.get("hidden") == ""
        if not is_hidden:
            categories.append(get_text(category, "category") or get_text(category, "*"))
    index = get_text(reply.data, "interface").removesuffix("api.php") + "index.php"
    text = _write_article(document, home, composer)
    markdown = join_blocks(
        [
            f"# {heading.lstrip('# ')}",
            write_revision(get_number(article, "revid") or "", index, title, composer),
            put_section_first(text, httpx2.URL(url).fragment),
            write_categories(categories, composer),
        ]
    )
    notes = (get_text(reply.data, "reason"),)
    return page_writer.build_page(markdown, title, url=home, notes=notes)


def write_rendered(reply: SiteReply, url: str) -> Page:
    """The page of an article as Parsoid renders it."""
    from webquarry._read.wiki.article import write_categories, write_revision

    origin = get_text(reply.data, "origin")
    document = parse_article(reply.body)
    title = _read_title(document) or get_text(reply.data, "title").replace("_", " ")
    key = title.replace(" ", "_")
    home = f"{origin}/wiki/{quote(key, safe='/:(),!')}"
    writer = SiteWriter(reply, url, home)
    composer = writer.composer
    description = _read_description(document)
    _point_into_page(document, key)
    revision = get_text(reply.data, "revision")
    revision = revision or str(get_number(reply.data, "facts", "latest", "id") or "")
    day = get_day(reply.data, "facts", "latest", "timestamp") or _read_day(document)
    index = f"{origin}/w/index.php"
    article = _write_article(document, home, composer)
    facts = [composer.name(description), day, write_revision(revision, index, key, composer)]
    markdown = join_blocks(
        [
            f"# {composer.name(title)}",
            join_facts(facts),
            put_section_first(article, httpx2.URL(url).fragment),
            write_categories(_read_categories(document), composer),
        ]
    )
    return writer.build_page(markdown, title, url=home, modified=day)


def _write_article(document: Document, home: str, composer: Composer) -> str:
    """The text of an article; what was left out of it is counted."""
    from webquarry._read.markdown.convert import COMMENT
    from webquarry._read.wiki.article import ArticleWriter

    writer = ArticleWriter(document, home)
    text = writer.write(document.roots)
    composer.removed.update(writer.removed)
    composer.removed[COMMENT] += document.comments
    writer.close()
    return text


def _get_named(article: Mapping[str, Any], name: str) -> str:
    """A text of an article, which old versions put into an object."""
    return get_text(article, name) or get_text(article, name, "*")


def find_origin(host: str) -> str:
    """The origin of a project in its language; the mobile site is the same."""
    found = _HOST.fullmatch(host)
    assert found is not None
    language = found[1] or "en"
    if language in ("m", "www"):
        language = "en"
    return f"https://{language}.{found[2]}"


def find_title(url: httpx2.URL) -> str:
    """The title of the article that a URL asks for; empty where it asks for none."""
    title = ""
    found = _TITLE.fullmatch(unquote(url.path))
    if found:
        title = found[1]
    elif url.path == "/w/index.php" and not set(url.params) - {"title", "oldid"}:
        title = str(url.params.get("title", ""))
    if NO_ARTICLE.match(title):
        return ""
    return title.strip("_ ")


def find_revision(url: httpx2.URL) -> str:
    """The number of the revision that a URL asks for."""
    revision = str(url.params.get("oldid", ""))
    if _REVISION.fullmatch(revision):
        return revision
    return ""


def _read_title(document: Document) -> str:
    for element in document.elements():
        if element.tag == "title":
            return text_in(element)
    return ""


def _read_day(document: Document) -> str:
    for element in document.elements():
        if element.tag == "meta" and element.get("property") == "dc:modified":
            return get_day({"day": element.get("content")}, "day")
    return ""


def _read_categories(document: Document) -> list[str]:
    """The names of the categories that an article is in."""
    categories = []
    for element in document.elements():
        if element.tag == "link" and element.get("rel") == "mw:PageProp/Category":
            target = unquote(element.get("href") or "").partition("#")[0]
            categories.append(target.rpartition(":")[2].replace("_", " "))
    return categories


def _read_description(document: Document) -> str:
    """The short description of an article, which its page hides."""
    for element in find_by_class(document, "shortdescription"):
        if text_in(element):
            return text_in(element)
    return ""


def _point_into_page(document: Document, key: str) -> None:
    """Have the links of an article to itself point into it."""
    own = f"./{key}#"
    for element in document.elements():
        target = element.get("href") or ""
        if unquote(target).startswith(own):
            element.set("href", "#" + target.partition("#")[2])
