"""Items of Hacker News -> one shape, whichever of its two APIs gave them; and a thread as a flat
list with depths.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from webquarry.read.markdown.compose import parse_timestamp, whole_number
from webquarry.search.replies.body import objects


@dataclass(frozen=True)
class Item:
    """A story, a job, a poll, one of its options, or a comment. Texts are HTML, as they were given."""

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
    answers: bool  # whether anything stands below it


@dataclass(frozen=True)
class Thread:
    """An item with the comments below it, in reading order."""

    root: Item
    replies: tuple[ThreadComment, ...] = ()
    options: tuple[Item, ...] = ()  # of a poll
    unread: int = 0  # comments that could not be fetched


def algolia_item(fields: Mapping[str, Any]) -> Item | None:
    """An item as Algolia gives it; a deleted one has neither author nor text nor title."""
    number = whole_number(fields.get("id"))
    if number is None:
        return None
    author, text, title = (
        _text(fields.get("author")),
        _text(fields.get("text")),
        _text(fields.get("title")),
    )
    return Item(
        number,
        kind=_text(fields.get("type")),
        author=author,
        when=parse_timestamp(fields.get("created_at_i")),
        title=title,
        url=_text(fields.get("url")),
        text=text,
        points=whole_number(fields.get("points")),
        story=whole_number(fields.get("story_id")),
        state="" if author or text or title else "deleted",
    )


def algolia_thread(fields: Mapping[str, Any]) -> Thread | None:
    """The whole tree that came with an item, without recursion: threads may be hundreds of levels
    deep.
    """
    root = algolia_item(fields)
    if root is None:
        return None
    replies: list[ThreadComment] = []
    waiting = [(child, 0) for child in reversed(objects(fields.get("children")))]
    while waiting:
        child, depth = waiting.pop()
        below = objects(child.get("children"))
        item = algolia_item(child)
        if item is not None and item.kind != "pollopt":
            replies.append(ThreadComment(item, depth, bool(below)))
        waiting += [(one, depth + 1) for one in reversed(below)]
    options = [item for one in objects(fields.get("options")) if (item := algolia_item(one))]
    return Thread(root, tuple(replies), tuple(options))


def firebase_item(fields: Mapping[str, Any]) -> Item | None:
    """An item as Firebase gives it."""
    number = whole_number(fields.get("id"))
    if number is None:
        return None
    return Item(
        number,
        kind=_text(fields.get("type")),
        author=_text(fields.get("by")),
        when=parse_timestamp(fields.get("time")),
        title=_text(fields.get("title")),
        url=_text(fields.get("url")),
        text=_text(fields.get("text")),
        points=whole_number(fields.get("score")),
        comments=whole_number(fields.get("descendants")),
        story=whole_number(fields.get("parent")),
        state="deleted"
        if fields.get("deleted") is True
        else "dead"
        if fields.get("dead") is True
        else "",
    )


def firebase_replies(
    root: Mapping[str, Any], found: Mapping[int, Mapping[str, Any]]
) -> tuple[ThreadComment, ...]:
    """The comments that were fetched, in the order in which the site ranks them."""
    replies: list[ThreadComment] = []
    seen: set[int] = set()
    waiting = [(number, 0) for number in reversed(numbers(root.get("kids")))]
    while waiting:
        number, depth = waiting.pop()
        fields = found.get(number)
        item = None
        if fields is not None and number not in seen:
            item = firebase_item(fields)
        seen.add(number)
        if fields is None or item is None:
            continue
        below = numbers(fields.get("kids"))
        replies.append(ThreadComment(item, depth, bool(below)))
        waiting += [(one, depth + 1) for one in reversed(below)]
    return tuple(replies)


def numbers(value: object) -> list[int]:
    """The whole numbers of a JSON array."""
    members: Iterable[object] = value if isinstance(value, list) else ()
    return [number for member in members if (number := whole_number(member)) is not None]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""
