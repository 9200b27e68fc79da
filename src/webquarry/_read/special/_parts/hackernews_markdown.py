"""Items of Hacker News -> Markdown: a thread as nested lists, a list of stories, a user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webquarry._read.markdown.compose import Composer, format_time, parse_timestamp, whole_number
from webquarry._read.special._parts.hackernews_items import (
    Item,
    Thread,
    ThreadComment,
    parse_numbers,
)
from webquarry._read.special._parts.site_markdown import DEEPEST, write_nested

SITE = "https://news.ycombinator.com/"


def item_url(number: int) -> str:
    """The address of an item on the site."""
    return f"{SITE}item?id={number}"


def write_thread(thread: Thread, composer: Composer) -> str:
    """A story or a comment with everything said below it."""
    root = thread.root
    comments = _write_comments(thread.comments, composer)
    count = root.comments
    if count is None:
        count = len(thread.comments)
    parts = [f"# {composer.line(title_of(root, composer))}"]
    if root.url:
        link = composer.link(composer.plain(root.url), root.url)
        parts.append(f"Link: {link}")
    if root.kind == "comment" and root.story is not None and root.story != root.number:
        story = item_url(root.story)
        parts.append(f"In reply to: {composer.link(story, story)}")
    parts.append(_write_details(root, composer, _count(count, "comment")))
    parts.append(composer.fragment(root.text))
    for option in thread.options:
        votes = ""
        if option.points is not None:
            votes = f" ({_count(option.points, 'point')})"
        text = " ".join(composer.fragment(option.text).split())
        parts.append(f"- {text}{votes}")
    if comments:
        parts.append("## Comments")
        parts.append(f"Each has an address: {SITE}item?id=NUMBER")
        parts += comments
    return "\n\n".join(filter(None, parts))


def title_of(item: Item, composer: Composer) -> str:
    """Its title; a comment has none of its own."""
    title = composer.plain(item.title, is_html=True)
    if title:
        return title
    author = composer.plain(item.author)
    return f"Comment by {author or 'somebody'}"


def write_list(heading: str, first: int, items: Sequence[Item], composer: Composer) -> str:
    """Stories by rank."""
    lines = []
    for rank, item in enumerate(items, first):
        address = item_url(item.number)
        details = _write_details(item, composer, "")
        comments = composer.link(_count(item.comments or 0, "comment"), address)
        title = composer.link(title_of(item, composer), item.url or address)
        lines.append(f"{rank}. {title}\n    {details}, {comments}")
    return f"# {heading}\n\n" + "\n".join(lines)


def write_user(fields: Mapping[str, Any], composer: Composer) -> str:
    """What is known of a user."""
    name = composer.plain(fields.get("id") or fields.get("username"))
    facts: list[str] = []
    karma = whole_number(fields.get("karma"))
    if karma is not None:
        facts.append(f"- Karma: {karma}")
    since = format_time(parse_timestamp(fields.get("created") or fields.get("created_at_i")))
    if since:
        facts.append(f"- Since: {since}")
    submissions = parse_numbers(fields.get("submitted"))
    if submissions:
        facts.append(f"- Submissions: {len(submissions)}")
    about = composer.fragment(fields.get("about"))
    blocks = [f"# {composer.line(name)}", "\n".join(facts), about]
    return "\n\n".join(filter(None, blocks))


def _write_comments(comments: Sequence[ThreadComment], composer: Composer) -> list[str]:
    """Every comment somebody can see; a hidden one only where others have answered it."""
    blocks: list[str] = []
    authors: dict[int, str] = {}  # of the last comment of each depth
    for comment in comments:
        item = comment.item
        authors[comment.depth] = composer.plain(item.author) or item.state
        if item.state and not comment.has_replies:
            composer.removed[f"{item.state} comment"] += 1
            continue
        parent = ""
        if comment.depth > DEEPEST:
            parent = authors.get(comment.depth - 1, "")
        text = _write_comment(item, parent, composer)
        blocks.append(write_nested(text, comment.depth))
    return blocks


def _write_comment(item: Item, parent: str, composer: Composer) -> str:
    """Who wrote a comment and when, then its text; `parent` is whom it answers, where that cannot
    be seen.
    """
    details = [f"#{item.number}", format_time(item.when)]
    if parent:
        details.append(f"to {composer.line(parent)}")
    author = f"*{item.state}*"
    if item.author and not item.state:
        author = f"**{composer.line(composer.plain(item.author))}**"
    head = f"{author} ({', '.join(filter(None, details))})"
    body = ""
    if not item.state:
        body = composer.fragment(item.text)
    if not body:
        return head
    return f"{head}\n\n{body}"


def _write_details(item: Item, composer: Composer, comments: str) -> str:
    """Points, author, time and comments in one line."""
    details = ""
    if item.points is not None:
        details = _count(item.points, "point")
    author = composer.plain(item.author)
    if author:
        details = f"{details} by {composer.line(author)}".strip()
    return ", ".join(filter(None, [details, format_time(item.when), comments]))


def _count(number: int, noun: str) -> str:
    """`1 point`, `2 points`."""
    if number == 1:
        return f"{number} {noun}"
    return f"{number} {noun}s"
