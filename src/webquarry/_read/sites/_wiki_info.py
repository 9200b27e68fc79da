"""What a page of MediaWiki states about itself in its head, read from its bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from webquarry._read.html.sheet_links import find_tags, join_address

_MAX_HEAD = 1_000_000  # bytes
_MIN_SIGNS = 2  # of `generator`, `EditURI`, class of the body, script settings
_STRING = rb'"(?:[^"\\<>]|\\.){0,800}+"'
_SETTING = (
    rb"\b(wgNamespaceNumber|wgCurRevisionId|wgRevisionId|wgArticleId|wgDiffNewId|wgPageName"
    rb'|wgAction|wgPageContentModel|wgCategories)"?\s{0,4}[:=]\s{0,4}'
    rb"(-?[0-9]{1,12}|" + _STRING + rb"|\[(?:" + _STRING + rb",?\s{0,4})*+\])"
)
_VIEWS = frozenset({"", "view", "render"})
_OTHER_NAMESPACES = frozenset(
    {6, 8, 10, 14, 828}
)  # files, messages, templates, categories, modules
_OTHER_PARAMETERS = frozenset({"diff", "search", "undo", "veaction"})


class WikiInfo(NamedTuple):
    """What a page of MediaWiki states about itself in its head."""

    title: str  # with underscores
    is_article: bool  # not a talk page, file, list or diff
    is_missing: bool
    revision: int
    newest: int
    categories: list[str]
    api: str  # URL of api.php, if it has the origin of the page


def read_info(page: bytes, url: str) -> WikiInfo | None:
    """Read what a page states about itself; None if it is not a page of MediaWiki."""
    head = page[:_MAX_HEAD]
    lowered = head.lower()
    if b"mediawiki" not in lowered and b"wgpagename" not in lowered:
        return None
    body = re.search(rb"<body", head, re.IGNORECASE)
    head = (head[: head.find(b">", body.start()) + 1] or head) if body else head
    signs, api, classes = 0, "", ""
    for tag, attributes in find_tags(head, "meta", "link", "body"):
        if tag == "body":
            classes = attributes.get("class", "")
            signs += "mediawiki" in classes.split()
        elif tag == "meta" and attributes.get("name", "").lower() == "generator":
            signs += attributes.get("content", "").startswith("MediaWiki")
        elif tag == "link" and attributes.get("rel", "").lower() == "edituri":
            signs += 1
            api = api or find_api(attributes.get("href", ""), url)
    settings = _read_settings(head)
    if signs + ("wgPageName" in settings) < _MIN_SIGNS:
        return None
    # `ns-0 ns-subject action-view`
    stated = dict(re.findall(r"(?<!\S)(ns(?=--?[0-9])|action)-(-?\w{1,30})(?!\S)", classes))
    newest = _read_number(settings.get("wgCurRevisionId")) or 0
    return WikiInfo(
        title=str(settings.get("wgPageName", "")),
        is_article=_is_article(settings, stated, url),
        is_missing=_read_number(settings.get("wgArticleId")) == 0,
        revision=_read_number(settings.get("wgRevisionId")) or newest,
        newest=newest,
        categories=list(settings.get("wgCategories", [])),
        api=api,
    )


def _is_article(settings: Mapping[str, Any], stated: Mapping[str, str], url: str) -> bool:
    space = _read_number(settings.get("wgNamespaceNumber", stated.get("ns")))
    if space is None or space < 0 or space % 2 or space in _OTHER_NAMESPACES:
        return False
    parameters = dict(parse_qsl(urlsplit(url).query))
    action = settings.get("wgAction") or stated.get("action", "")
    is_view = {action, parameters.get("action", "")} <= _VIEWS and "wgDiffNewId" not in settings
    is_text = settings.get("wgPageContentModel", "") in ("", "wikitext")
    return is_view and is_text and not parameters.keys() & _OTHER_PARAMETERS


def _read_settings(head: bytes) -> Mapping[str, Any]:
    """Read the settings for scripts: `RLCONF`, `mw.config.set` or variables."""
    start = re.search(rb"RLCONF\b|mw\.config\.set|\bvar wg[A-Z]", head)
    settings: dict[str, Any] = {}
    for name, value in re.findall(_SETTING, head[start.start() :]) if start else ():
        try:
            settings.setdefault(name.decode(), json.loads(value))
        except ValueError:
            continue
    return settings


def _read_number(value: Any) -> int | None:
    """Read a number, which old versions write as a string."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def find_api(address: str, url: str) -> str:
    """Return the api.php that a page at `url` names, without its query; empty if its origin is not
    that of the page, so that a page cannot direct requests elsewhere.
    """
    try:
        named, own = urlsplit(join_address(url, address)), urlsplit(url)
    except ValueError:
        return ""
    is_own = (named.scheme, named.netloc.lower()) == (own.scheme, own.netloc.lower())
    if not is_own or not named.path.endswith("/api.php"):
        return ""
    return named._replace(query="", fragment="").geturl()
