"""Wikipedia and its sister projects by MediaWiki's REST interface: the article as Parsoid renders
it, with tables, infobox and references whose marks lead somewhere.

Their hosts are fixed. Other wikis run on any host, at any path, and are read as pages.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import httpx2

from webquarry.errors import WebquarryError
from webquarry.read.markdown.compose import Composer
from webquarry.read.models import Page
from webquarry.read.special._parts.article_html import (
    find_by_class,
    parse_article,
    take_out,
    text_in,
    write_article,
)
from webquarry.read.special._parts.json_fields import get_day, get_number, get_text
from webquarry.read.special._parts.site_markdown import join_blocks, join_facts
from webquarry.read.special._parts.site_request import SiteRequest, SiteWriter, check_status
from webquarry.read.special_reader import SiteContext, SiteReply, SpecialReader

if TYPE_CHECKING:
    from webquarry.read.html.parse import Document

_PROJECTS = (
    "wikipedia", "wiktionary", "wikivoyage", "wikibooks", "wikisource", "wikiversity", "wikinews",
    "wikiquote",
)  # fmt: skip
_HOST = re.compile(rf"(?:([a-z-]{{2,12}})\.)?(?:m\.)?((?:{'|'.join(_PROJECTS)})\.org)")
_TITLE = re.compile(r"/wiki/(.{1,500})", re.DOTALL)
_REVISION = re.compile(r"[0-9]{1,12}")
_SPECIAL = re.compile(
    r"(?:Special|Spezial|Spécial|Especial|Speciale|Talk|User|File|Media|Template|Module|MediaWiki)"
    r"(?:[_ ]talk)?:",
    re.IGNORECASE,
)
_NO_TEXT = (
    "navbox", "mw-editsection", "noprint", "shortdescription", "mw-cite-backlink", "metadata",
    "mw-empty-elt", "sistersitebox", "authority-control", "navbar",
)  # fmt: skip


class MediaWikiReader(SpecialReader):
    name = "mediawiki"

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

    def write(self, reply: SiteReply, url: str) -> Page:
        origin = get_text(reply.data, "origin")
        document = parse_article(reply.body)
        title = _read_title(document) or get_text(reply.data, "title").replace("_", " ")
        key = title.replace(" ", "_")
        home = f"{origin}/wiki/{quote(key, safe='/:(),!')}"
        writer = SiteWriter(reply, url, home)
        description = _clean_article(document, key)
        revision = get_number(reply.data, "facts", "latest", "id")
        shown_revision = get_text(reply.data, "revision") or str(revision or "")
        day = get_day(reply.data, "facts", "latest", "timestamp") or _read_day(document)
        categories = _read_categories(document)
        composer = writer.composer
        article = write_article(document, home, composer)
        markdown = join_blocks(
            [
                f"# {composer.name(title)}",
                _write_facts(origin, key, shown_revision, day, description, composer),
                _put_section_first(article, httpx2.URL(url).fragment),
                _write_categories(categories, composer),
            ]
        )
        return writer.build_page(markdown, title, url=home, modified=day)


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
    if _SPECIAL.match(title):
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


def _clean_article(document: Document, key: str) -> str:
    """Take out what is no part of the article, and have its own links point into it; the short
    description comes back.
    """
    description = ""
    for element in find_by_class(document, "shortdescription"):
        description = description or text_in(element)
    for element in find_by_class(document, *_NO_TEXT):
        take_out(element)
    own = f"./{key}#"
    for element in document.elements():
        target = element.get("href") or ""
        if unquote(target).startswith(own):
            element.set("href", "#" + target.partition("#")[2])
    return description


def _write_facts(
    origin: str, key: str, revision: str, day: str, description: str, composer: Composer
) -> str:
    facts = [composer.name(description), day]
    if revision:
        link = f"{origin}/w/index.php?title={quote(key, safe='')}&oldid={revision}"
        facts.append(composer.link(f"revision {revision}", link))
    return join_facts(facts)


def _put_section_first(article: str, fragment: str) -> str:
    """The article with the section that a URL names in front."""
    wanted = unquote(fragment).replace("_", " ").strip()
    if not wanted:
        return article
    lines = article.split("\n")
    for start, line in enumerate(lines):
        if line.startswith("#") and line.lstrip("# ").strip() == wanted:
            level = len(line) - len(line.lstrip("#"))
            stop = _find_end(lines, start + 1, level)
            section = "\n".join(lines[start:stop]).strip()
            rest = "\n".join(lines[:start] + lines[stop:]).strip()
            return f"{section}\n\n---\n\n{rest}"
    return article


def _find_end(lines: list[str], start: int, level: int) -> int:
    """The line behind a section: that of the next heading which is as high."""
    for number in range(start, len(lines)):
        line = lines[number]
        depth = len(line) - len(line.lstrip("#"))
        if 0 < depth <= level and line[depth : depth + 1] == " ":
            return number
    return len(lines)


def _write_categories(categories: list[str], composer: Composer) -> str:
    if not categories:
        return ""
    names = ", ".join(composer.name(category) for category in categories)
    return f"Categories: {names}"
