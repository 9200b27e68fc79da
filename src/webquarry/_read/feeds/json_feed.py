"""Parser of JSON Feed."""

from __future__ import annotations

import json
from typing import Any

from webquarry._read.feeds.models import (
    LONGEST_NAME,
    Feed,
    FeedEntry,
    FeedText,
    normalise_date,
)

VERSION = "https://jsonfeed.org/version/"


def parse_json_feed(text: str) -> Feed | None:
    """Return the feed; None for any other document."""
    try:
        data = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or not _get_text(data, "version").startswith(VERSION):
        return None
    return Feed(
        title=FeedText(_get_text(data, "title")),
        description=FeedText(_get_text(data, "description")),
        link=_get_text(data, "home_page_url"),
        author=_join_authors(data),
        entries=tuple(_parse_entry(item) for item in _get_objects(data, "items")),
    )


def _parse_entry(item: dict[str, Any]) -> FeedEntry:
    html = _get_text(item, "content_html")
    content = html or _get_text(item, "content_text") or _get_text(item, "summary")
    attachments = _get_objects(item, "attachments")
    return FeedEntry(
        title=FeedText(_get_text(item, "title")),
        link=_get_text(item, "url") or _get_text(item, "external_url"),
        date=normalise_date(_get_text(item, "date_published") or _get_text(item, "date_modified")),
        author=_join_authors(item),
        content=FeedText(content, is_html=bool(html)),
        enclosures=tuple(_get_text(one, "url") for one in attachments),
    )


def _join_authors(data: dict[str, Any]) -> str:
    """Return the names of the authors; version 1 has a single `author`."""
    people = _get_objects(data, "authors") or _get_objects({"x": [data.get("author")]}, "x")
    return ", ".join(filter(None, (_get_text(one, "name") for one in people)))[:LONGEST_NAME]


def _get_objects(data: dict[str, Any], key: str) -> list[dict[str, Any]]:
    values = data.get(key)
    if not isinstance(values, list):
        return []
    return [value for value in values if isinstance(value, dict)]


def _get_text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""
