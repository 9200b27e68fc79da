"""Items of Hacker News -> one shape, whichever of its two APIs gave them; and a thread as a flat
list with depths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webquarry._read.markdown.compose import parse_timestamp, whole_number
from webquarry._search.replies.body import objects


@dataclass(frozen=True)
class Item:
    """A story, a job, a poll, one of its options, or a comment. Texts are HTML, as they came."""

    number: int
    kind: str = ""
    author: str = ""
    when: datetime | None = None
    title: str = ""
    url: str = ""
    text: str = ""
    points: int | None = None
    comments: int | None = None  # below it, at any depth, where the API says so
    story: int | None = None  # the story a comment belongs to
    state: str = ""  # deleted or dead; nobody sees the text then


@dataclass(frozen=True)
class ThreadComment:
    """A comment and how deep it stands in its thread, from 0."""

    item: Item
    depth: int
    has_replies: bool


@dataclass(frozen=True)
class Thread:
    """An item with the comments below it, in reading order."""

    root: Item
    comments: tuple[ThreadComment, ...] = ()
    options: tuple[Item, ...] = ()  # of a poll
    unread: int = 0  # comments that could not be fetched


def parse_algolia_item(fields: Mapping[str, Any]) -> Item | None:
    """An item as Algolia gives it; a deleted one has neither author nor text nor title."""
    number = whole_number(fields.get("id"))
    if number is None:
        return None
    author = _get_text(fields, "author")
    text = _get_text(fields, "text")
    title = _get_text(fields, "title")
    state = ""
    if not author and not text and not title:
        state = "deleted"
    return Item(
        number,
        kind=_get_text(fields, "type"),
        author=author,
        when=parse_timestamp(fields.get("created_at_i")),
        title=title,
        url=_get_text(fields, "url"),
        text=text,
        points=whole_number(fields.get("points")),
        story=whole_number(fields.get("story_id")),
        state=state,
    )


def parse_algolia_thread(fields: Mapping[str, Any]) -> Thread | None:
    """The whole tree that came with an item, without recursion: threads may be hundreds of levels
    deep.
    """
    root = parse_algolia_item(fields)
    if root is None:
        return None
    comments: list[ThreadComment] = []
    waiting = [(child, 0) for child in reversed(objects(fields.get("children")))]
    while waiting:
        child, depth = waiting.pop()
        replies = objects(child.get("children"))
        item = parse_algolia_item(child)
        if item is not None and item.kind != "pollopt":
            comments.append(ThreadComment(item, depth, bool(replies)))
        waiting += [(reply, depth + 1) for reply in reversed(replies)]

    options: list[Item] = []
    for option in objects(fields.get("options")):
        item = parse_algolia_item(option)
        if item is not None:
            options.append(item)
    return Thread(root, tuple(comments), tuple(options))


def parse_firebase_item(fields: Mapping[str, Any]) -> Item | None:
    """An item as Firebase gives it."""
    number = whole_number(fields.get("id"))
    if number is None:
        return None
    state = ""
    if fields.get("deleted") is True:
        state = "deleted"
    elif fields.get("dead") is True:
        state = "dead"
    return Item(
        number,
        kind=_get_text(fields, "type"),
        author=_get_text(fields, "by"),
        when=parse_timestamp(fields.get("time")),
        title=_get_text(fields, "title"),
        url=_get_text(fields, "url"),
        text=_get_text(fields, "text"),
        points=whole_number(fields.get("score")),
        comments=whole_number(fields.get("descendants")),
        story=whole_number(fields.get("parent")),
        state=state,
    )


def arrange_firebase_comments(
    root: Mapping[str, Any], fetched: Mapping[int, Mapping[str, Any]]
) -> tuple[ThreadComment, ...]:
    """The comments that were fetched, in the order in which the site ranks them."""
    comments: list[ThreadComment] = []
    seen: set[int] = set()
    waiting = [(number, 0) for number in reversed(parse_numbers(root.get("kids")))]
    while waiting:
        number, depth = waiting.pop()
        fields = fetched.get(number)
        if fields is None or number in seen:
            continue
        seen.add(number)
        item = parse_firebase_item(fields)
        if item is None:
            continue
        replies = parse_numbers(fields.get("kids"))
        comments.append(ThreadComment(item, depth, bool(replies)))
        waiting += [(reply, depth + 1) for reply in reversed(replies)]
    return tuple(comments)


def parse_numbers(value: object) -> list[int]:
    """The whole numbers of a JSON array; none for what is no array."""
    if not isinstance(value, list):
        return []
    numbers: list[int] = []
    for member in value:
        number = whole_number(member)
        if number is not None:
            numbers.append(number)
    return numbers


def _get_text(fields: Mapping[str, Any], name: str) -> str:
    """The text under a name; empty where there is none."""
    value = fields.get(name)
    if isinstance(value, str):
        return value
    return ""
