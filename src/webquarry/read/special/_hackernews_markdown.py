"""Items of Hacker News -> Markdown: a thread as nested lists, a list of stories, a user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webquarry.read.markdown.compose import Composer, format_time, parse_timestamp, whole_number
from webquarry.read.special._hackernews_items import Item, Thread, ThreadComment, numbers

SITE = "https://news.ycombinator.com/"
_DEEPEST = 8  # levels of lists; what lies deeper stays there and says whom it answers


def item_url(number: int) -> str:
    return f"{SITE}item?id={number}"


def thread_markdown(thread: Thread, composer: Composer) -> str:
    """A story or a comment with everything said below it."""
    root = thread.root
    said = _said(thread.replies, composer)
    if root.comments is not None:
        count = root.comments
    else:
        count = len(thread.replies)
    parts = [f"# {composer.line(title_of(root, composer))}"]
    if root.url:
        parts.append(f"Link: {composer.link(composer.plain(root.url), root.url)}")
    if root.kind == "comment" and root.story is not None and root.story != root.number:
        parts.append(f"In reply to: {composer.link(item_url(root.story), item_url(root.story))}")
    parts += [_about(root, composer, _counted(count, "comment")), composer.fragment(root.text)]
    parts += [_option(option, composer) for option in thread.options]
    if said:
        parts += ["## Comments", f"Each has an address: {item_url(0)[:-1]}NUMBER", *said]
    return "\n\n".join(part for part in parts if part)


def title_of(item: Item, composer: Composer) -> str:
    """Its title; a comment has none of its own."""
    return (
        composer.plain(item.title, is_html=True)
        or f"Comment by {composer.plain(item.author) or 'somebody'}"
    )


def list_markdown(heading: str, first: int, items: Sequence[Item], composer: Composer) -> str:
    """Stories by rank."""
    lines = []
    for rank, item in enumerate(items, first):
        target = item.url or item_url(item.number)
        about = _about(item, composer, "")
        talk = composer.link(_counted(item.comments or 0, "comment"), item_url(item.number))
        lines.append(
            f"{rank}. {composer.link(title_of(item, composer), target)}\n    {about}, {talk}"
        )
    return f"# {heading}\n\n" + "\n".join(lines)


def user_markdown(fields: Mapping[str, Any], composer: Composer) -> str:
    """What is known of a user."""
    name = composer.plain(fields.get("id") or fields.get("username"))
    facts = [
        f"- Karma: {karma}" if (karma := whole_number(fields.get("karma"))) is not None else "",
        f"- Since: {since}"
        if (
            since := format_time(
                parse_timestamp(fields.get("created") or fields.get("created_at_i"))
            )
        )
        else "",
        f"- Submissions: {len(posts)}" if (posts := numbers(fields.get("submitted"))) else "",
    ]
    about = composer.fragment(fields.get("about"))
    blocks = [f"# {composer.line(name)}", "\n".join(filter(None, facts)), about]
    return "\n\n".join(block for block in blocks if block)


def _said(replies: Sequence[ThreadComment], composer: Composer) -> list[str]:
    """Every comment somebody can see; a hidden one only where others have answered it."""
    blocks: list[str] = []
    authors: dict[int, str] = {}
    for reply in replies:
        item = reply.item
        authors[reply.depth] = composer.plain(item.author) or item.state
        if item.state and not reply.answers:
            composer.removed[f"{item.state} comment"] += 1
            continue
        level = min(reply.depth, _DEEPEST)
        answered = ""
        if reply.depth > _DEEPEST:
            answered = authors.get(reply.depth - 1, "")
        blocks.append(_comment(item, "    " * level, answered, composer))
    return blocks


def _comment(item: Item, indent: str, answered: str, composer: Composer) -> str:
    when = format_time(item.when)
    details = ", ".join(
        filter(None, [f"#{item.number}", when, f"to {composer.line(answered)}" if answered else ""])
    )
    if item.author and not item.state:
        name = f"**{composer.line(composer.plain(item.author))}**"
    else:
        name = f"*{item.state}*"
    body = "" if item.state else composer.fragment(item.text)
    text = f"{name} ({details})" + (f"\n\n{body}" if body else "")
    rest = "\n".join(f"{indent}    {line}" if line else "" for line in text.split("\n")[1:])
    first = text.split("\n", 1)[0]
    return f"{indent}-   {first}" + (f"\n{rest}" if rest else "")


def _about(item: Item, composer: Composer, comments: str) -> str:
    if item.points is not None:
        points = _counted(item.points, "point")
    else:
        points = ""
    author = composer.plain(item.author)
    if author:
        by = f"{points} by {composer.line(author)}".strip()
    else:
        by = points
    return ", ".join(filter(None, [by, format_time(item.when), comments]))


def _option(option: Item, composer: Composer) -> str:
    votes = ""
    if option.points is not None:
        votes = f" ({_counted(option.points, 'point')})"
    return f"- {' '.join(composer.fragment(option.text).split())}{votes}"


def _counted(count: int, what: str) -> str:
    if count == 1:
        return f"{count} {what}"
    return f"{count} {what}s"
