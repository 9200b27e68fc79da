"""The bytes of a page -> what it says of itself, if it is one of a MediaWiki, wherever that runs.

MediaWiki names itself in its head (`generator`, `EditURI`), in the classes of the body and in the
settings for its scripts (`RLCONF`, `mw.config`, in old ones variables). Two of these four are
wanted, since anybody can write one of them into a page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from webquarry._read.html.head_tags import find_tags
from webquarry._read.html.sheet_links import join_address
from webquarry._read.text.search import holds_folded

_LONGEST_HEAD = 1_000_000  # bytes
_LEAST_SIGNS = 2
_CONFIG = re.compile(rb"RLCONF\b|mw\.config\.set|\bvar wg[A-Z]")
_NUMBER = re.compile(
    rb'\b(wgNamespaceNumber|wgCurRevisionId|wgRevisionId|wgArticleId|wgDiffNewId)"?\s{0,4}[:=]'
    rb'\s{0,4}"?(-?[0-9]{1,12})'
)
_WORD = re.compile(
    rb'\b(wgPageName|wgAction|wgPageContentModel)"?\s{0,4}[:=]\s{0,4}'
    rb'("(?:[^"\\<>]|\\.){0,800}+")'
)
_LIST = re.compile(rb'"wgCategories":\s{0,4}(\[(?:"(?:[^"\\<>]|\\.){0,800}+",?\s{0,4})*+\])')
_NAMESPACE = re.compile(r"ns-(-?[0-9]{1,6})")
_ACTION = re.compile(r"action-([a-z]{1,30})")
_VIEWS = frozenset({"", "view", "render"})
_MODELS = frozenset({"", "wikitext"})
# Files, texts of the software, templates and categories show more than an article, or other things.
_NO_ARTICLES = frozenset({6, 8, 10, 14, 828})
_OTHER_PAGES = frozenset({"diff", "search", "undo", "veaction"})


@dataclass(frozen=True)
class WikiSigns:
    """What a page of a MediaWiki says of itself before its text."""

    title: str = ""  # as the wiki names it, with underscores
    namespace: int | None = None
    action: str = ""
    model: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    interface: str = ""  # the address of its api.php; empty where it is not on the page's own host

    def is_article(self, url: str) -> bool:
        """Whether the page shows an article: no talk, no file, no list, no comparison."""
        namespace = self.namespace
        if namespace is None or namespace < 0 or namespace % 2 or namespace in _NO_ARTICLES:
            return False
        if self.action not in _VIEWS or self.model not in _MODELS:
            return False
        if "wgDiffNewId" in self.numbers:
            return False
        parameters = dict(parse_qsl(urlsplit(url).query))
        return parameters.get("action", "") in _VIEWS and not parameters.keys() & _OTHER_PAGES

    @property
    def is_missing(self) -> bool:
        """Whether the wiki has no such page."""
        return self.numbers.get("wgArticleId") == 0

    @property
    def revision(self) -> int:
        """The number of the revision that is shown; 0 where it is not told."""
        return self.numbers.get("wgRevisionId") or self.newest

    @property
    def newest(self) -> int:
        """The number of the newest revision; 0 where it is not told."""
        return self.numbers.get("wgCurRevisionId", 0)


def read_signs(page: bytes, url: str) -> WikiSigns | None:
    """What a page at a URL says of itself; None where it is none of a MediaWiki."""
    beginning = page[:_LONGEST_HEAD]
    if not holds_folded(beginning, b"mediawiki") and not holds_folded(beginning, b"wgpagename"):
        return None  # as nearly all
    head = _cut_head(page, beginning.lower())
    if b"mediawiki" not in head.lower() and b"wgPageName" not in head:
        return None
    signs = 0
    interface = ""
    classes: set[str] = set()
    for tag, attributes in find_tags(head, "meta", "link", "body"):
        if tag == "body":
            classes = set(attributes.get("class", "").split())
            signs += "mediawiki" in classes
        elif tag == "meta" and attributes.get("name", "").lower() == "generator":
            signs += attributes.get("content", "").startswith("MediaWiki")
        elif tag == "link" and attributes.get("rel", "").lower() == "edituri":
            signs += 1
            interface = interface or find_interface(attributes.get("href", ""), url)
    config = _CONFIG.search(head)
    settings = b""
    if config is not None:
        settings = head[config.start() :]
    numbers = _read_numbers(settings)
    words = _read_words(settings)
    signs += "wgPageName" in words
    if signs < _LEAST_SIGNS:
        return None
    namespace = numbers.get("wgNamespaceNumber")
    if namespace is None:
        namespace = _read_namespace(classes)
    return WikiSigns(
        title=words.get("wgPageName", ""),
        namespace=namespace,
        action=words.get("wgAction", "") or _read_action(classes),
        model=words.get("wgPageContentModel", ""),
        numbers=numbers,
        categories=_read_categories(settings),
        interface=interface,
    )


def find_interface(address: str, url: str) -> str:
    """The api.php that a page at a URL names, without its query; empty where it is not on the same
    host, by the same scheme and port: nothing that a page names sends us elsewhere.
    """
    joined = join_address(url, address)
    try:
        named, own = urlsplit(joined), urlsplit(url)
    except ValueError:
        return ""
    is_own = (named.scheme, named.netloc.lower()) == (own.scheme, own.netloc.lower())
    if not is_own or not named.path.endswith("/api.php"):
        return ""
    return named._replace(query="", fragment="").geturl()


def _cut_head(page: bytes, lowered: bytes) -> bytes:
    """A page up to the end of its body's tag; its beginning in lower case tells where that is."""
    head = page[: len(lowered)]
    start = lowered.find(b"<body")
    if start < 0:
        return head
    end = head.find(b">", start)
    if end < 0:
        return head
    return head[: end + 1]


def _read_numbers(settings: bytes) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for name, value in _NUMBER.findall(settings):
        numbers.setdefault(name.decode(), int(value))
    return numbers


def _read_words(settings: bytes) -> dict[str, str]:
    words: dict[str, str] = {}
    for name, value in _WORD.findall(settings):
        word = _load_json(value)
        if isinstance(word, str):
            words.setdefault(name.decode(), word)
    return words


def _read_categories(settings: bytes) -> tuple[str, ...]:
    found = _LIST.search(settings)
    if found is None:
        return ()
    names = _load_json(found[1])
    if not isinstance(names, list):
        return ()
    return tuple(name for name in names if isinstance(name, str))


def _load_json(value: bytes) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return None


def _read_namespace(classes: set[str]) -> int | None:
    for name in classes:
        found = _NAMESPACE.fullmatch(name)
        if found is not None:
            return int(found[1])
    return None


def _read_action(classes: set[str]) -> str:
    for name in classes:
        found = _ACTION.fullmatch(name)
        if found is not None:
            return found[1]
    return ""
