"""A page of a MediaWiki that does not hold its article -> what to ask of the wiki's interface, if
there is one that may be asked.

That is so where the site refuses its pages to programs, where scripts fill the page in, and where
the source of an article was asked for. The interface is on the host of the page, always.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from webquarry._read.wiki.signs import read_signs
from webquarry.net.models import Reply

NO_ARTICLE = re.compile(
    r"(?:Special|Spezial|Spécial|Especial|Speciale|Talk|User|File|Media|Template|Module|MediaWiki)"
    r"(?:[_ ]talk)?:",
    re.IGNORECASE,
)
_REFUSED = frozenset({401, 403})
_SOURCE_TYPE = "text/x-wiki"
_SCRIPT = re.compile(r"((?:/[^/]{1,100}){0,4})/index\.php(?:/(.{0,500}))?", re.DOTALL)
_SHORT = re.compile(r"((?:/[a-z]{2,3}(?:-[a-z]{2,8})?)?)/(wiki|title)/(.{1,500})", re.DOTALL)
# Wikis of these farms have their scripts at the root; elsewhere they are in a folder, mostly.
_FARMS = ("fandom.com", "wikia.com", "wikia.org", "gamepedia.com", "wiki.gg", "huijiwiki.com")
_OTHER_SOFTWARE = re.compile(r"(?:spaces|pages|display)/")  # which has its pages below /wiki/ too
_REVISION = re.compile(r"[0-9]{1,12}")
_VIEWS = frozenset({"", "view", "raw"})
_BODIES = (b"mw-parser-output", b"mw-content-text", b"bodyContent")
_EMPTY_BODY = re.compile(
    rb"""id=["']?(?:mw-content-text|bodyContent)["']?[^<>]{0,500}+>\s*+"""
    rb"""(?:<div[^<>]{0,500}+>\s*+)?+</div>"""
)
_PARAMETERS = {
    "action": "parse",
    "format": "json",
    "formatversion": "2",
    "prop": "text|displaytitle|categories|revid",
    "redirects": "1",
    "disableeditsection": "1",
    "disabletoc": "1",
    "disablelimitreport": "1",
}


@dataclass(frozen=True)
class WikiQuestion:
    """An article that is asked of a wiki's interface."""

    interfaces: tuple[str, ...]  # addresses at which it may be, the likelier first
    title: str
    revision: str
    reason: str  # why the page itself is not enough

    def build_url(self, interface: str) -> str:
        """The address of the article at an interface."""
        wanted = {"page": self.title}
        if self.revision:
            wanted = {"oldid": self.revision}
        return f"{interface}?{urlencode(_PARAMETERS | wanted)}"


def find_question(reply: Reply) -> WikiQuestion | None:
    """What to ask for a page that was fetched; None where it holds its text, or is no wiki's."""
    if reply.status in _REFUSED:
        reason = "The site refuses the page to programs: the interface of the wiki was asked."
        return _ask_by_address(reply.url, reason)
    if reply.status != 200:
        return None
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == _SOURCE_TYPE:
        reason = "The address is that of a source: the interface of the wiki gave the article."
        return _ask_by_address(reply.url, reason)
    if b"EditURI" not in reply.body or _holds_article(reply.body):
        return None
    signs = read_signs(reply.body, reply.url)
    if signs is None or not signs.interface or not signs.title or not signs.is_article(reply.url):
        return None
    reason = "The page does not hold its article: the interface of the wiki was asked."
    revision = _find_revision(urlsplit(reply.url))
    return WikiQuestion((signs.interface,), signs.title, revision, reason)


def _holds_article(page: bytes) -> bool:
    """Whether there is something in the element that articles stand in."""
    if not any(name in page for name in _BODIES):
        return False
    return _EMPTY_BODY.search(page) is None


def _ask_by_address(url: str, reason: str) -> WikiQuestion | None:
    """The same of a page that tells nothing of itself: its address says what it is."""
    parts = urlsplit(url)
    parameters = dict(parse_qsl(parts.query))
    if parameters.get("action", "") not in _VIEWS or "diff" in parameters:
        return None
    title = parameters.get("title", "")
    path = unquote(parts.path)
    script = _SCRIPT.fullmatch(path)
    short = _SHORT.fullmatch(path)
    if script is not None:
        title = title or script[2] or ""
        folders = [script[1]]
    elif short is not None and not _OTHER_SOFTWARE.match(short[3]):
        title = short[3]
        folders = _list_folders(parts, short[1], short[2])
    else:
        return None
    if not title or NO_ARTICLE.match(title):
        return None
    interfaces = [_build_address(parts, f"{folder}/api.php") for folder in folders]
    return WikiQuestion(tuple(interfaces), title, _find_revision(parts), reason)


def _list_folders(parts: SplitResult, prefix: str, place: str) -> list[str]:
    """The folders in which the scripts of a wiki with short addresses may be."""
    if place == "title":
        return [prefix]
    host = parts.hostname or ""
    if host.endswith(_FARMS):
        return [prefix]
    return [f"{prefix}/w", prefix]


def _build_address(parts: SplitResult, path: str) -> str:
    return parts._replace(path=path, query="", fragment="").geturl()


def _find_revision(parts: SplitResult) -> str:
    """The number of the revision that an address asks for."""
    revision = dict(parse_qsl(parts.query)).get("oldid", "")
    if _REVISION.fullmatch(revision):
        return revision
    return ""
