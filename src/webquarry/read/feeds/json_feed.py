"""JSON Feed -> a feed."""

from __future__ import annotations

import json
from typing import Any

from webquarry.read.feeds.dates import iso_date
from webquarry.read.feeds.models import Feed, FeedEntry, FeedText

VERSION = "https://jsonfeed.org/version/"
_LONGEST_NAME = 500  # characters


def parse_json_feed(text: str) -> Feed | None:
    """The feed that a text is; None for any other document."""
    try:
        data = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not _text(data, "version").startswith(VERSION):
        return None
    items = data.get("items")
    return Feed(
        title=FeedText(_text(data, "title")),
        description=FeedText(_text(data, "description")),
        link=_text(data, "home_page_url"),
        author=_authors(data),
        entries=tuple(_entry(item) for item in items if isinstance(item, dict))
        if isinstance(items, list)
        else (),
    )


def _entry(item: dict[str, Any]) -> FeedEntry:
    html = _text(item, "content_html")
    date = _text(item, "date_published") or _text(item, "date_modified")
    attachments = item.get("attachments")
    return FeedEntry(
        title=FeedText(_text(item, "title")),
        link=_text(item, "url") or _text(item, "external_url"),
        date=iso_date(date) or date[:60],
        author=_authors(item),
        content=FeedText(html, is_html=True)
        if html
        else FeedText(_text(item, "content_text") or _text(item, "summary")),
        enclosures=tuple(_text(one, "url") for one in attachments if isinstance(one, dict))
        if isinstance(attachments, list)
        else (),
    )


def _authors(data: dict[str, Any]) -> str:
    people = data.get("authors")
    if isinstance(people, list):
        found = people
    else:
        found = [data.get("author")]
    names = [_text(one, "name") for one in found if isinstance(one, dict)]
    return ", ".join(filter(None, names))[:_LONGEST_NAME]


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if isinstance(value, str):
        return value
    return ""
