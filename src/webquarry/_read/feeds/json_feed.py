"""JSON Feed -> a feed."""

from __future__ import annotations

import json
from typing import Any

from webquarry._read.feeds.dates import iso_date
from webquarry._read.feeds.models import Feed, FeedEntry, FeedText

VERSION = "https://jsonfeed.org/version/"
_LONGEST_NAME = 500  # characters
_LONGEST_DATE = 60


def parse_json_feed(text: str) -> Feed | None:
    """The feed that a text is; None for any other document."""
    try:
        data = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not _get_text(data, "version").startswith(VERSION):
        return None

    # Texts of a feed itself are plain; those of its entries may be HTML.
    return Feed(
        title=FeedText(_get_text(data, "title")),
        description=FeedText(_get_text(data, "description")),
        link=_get_text(data, "home_page_url"),
        author=_join_authors(data),
        entries=tuple(_parse_entry(item) for item in _get_objects(data, "items")),
    )


def _parse_entry(item: dict[str, Any]) -> FeedEntry:
    """An item of the array -> an entry; HTML is preferred to plain text."""
    html = _get_text(item, "content_html")
    if html:
        content = FeedText(html, is_html=True)
    else:
        content = FeedText(_get_text(item, "content_text") or _get_text(item, "summary"))
    date = _get_text(item, "date_published") or _get_text(item, "date_modified")
    attachments = _get_objects(item, "attachments")
    return FeedEntry(
        title=FeedText(_get_text(item, "title")),
        link=_get_text(item, "url") or _get_text(item, "external_url"),
        date=iso_date(date) or date[:_LONGEST_DATE],
        author=_join_authors(item),
        content=content,
        enclosures=tuple(_get_text(one, "url") for one in attachments),
    )


def _join_authors(data: dict[str, Any]) -> str:
    """The names of those who wrote a feed or an entry; `author` is how version 1 gave the one."""
    people = data.get("authors")
    if not isinstance(people, list):
        people = [data.get("author")]
    names: list[str] = []
    for person in people:
        if isinstance(person, dict):
            names.append(_get_text(person, "name"))
    return ", ".join(filter(None, names))[:_LONGEST_NAME]


def _get_objects(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The objects in an array; none where there is no array."""
    values = data.get(key)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, dict)]


def _get_text(data: dict[str, Any], key: str) -> str:
    """The text under a key; empty where there is none."""
    value = data.get(key)
    if isinstance(value, str):
        return value
    return ""
