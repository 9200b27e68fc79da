"""Votes and comments of a Reddit post, from its JSON-LD."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webquarry.evidence.models import ForumSignals
from webquarry.evidence.page.dates import read_date
from webquarry.evidence.page.jsonld import Graph, Node, types_of
from webquarry.evidence.page.markup import Markup
from webquarry.evidence.page.titles import host_of_page
from webquarry.net.domains import registrable_domain

FEW_VOTES = 20
_NOTE = (
    f"Fewer than {FEW_VOTES} upvotes: few people have judged this post, "
    "and so few votes are easily manipulated."
)
_POSTS = frozenset({"discussionforumposting", "socialmediaposting"})
_UP = ("likeaction", "agreeaction", "voteaction")
_COMMENTS = ("commentaction", "replyaction")
_COUNT = re.compile(r"\s*-?\d{1,12}\s*")


def read_forum_signals(markup: Markup) -> ForumSignals | None:
    """Return the signals of a Reddit post; None if the page states no votes."""
    if registrable_domain(host_of_page(markup.url)) != "reddit.com":
        return None
    graph = markup.graph
    post = next((node for node in graph.nodes if types_of(node) & _POSTS), None)
    upvotes = None if post is None else _count_actions(graph, post, _UP, "upvoteCount")
    if post is None or upvotes is None:
        return None
    names = (graph.name_of(author) for author in graph.get_values(post, "author"))
    author = next(filter(None, names), None)
    return ForumSignals(
        platform="reddit",
        upvotes=upvotes,
        comments=_count_actions(graph, post, _COMMENTS, "commentCount") or 0,
        date_published=read_date(post.get("datePublished")),
        author_name=None if author == "[deleted]" else author,
        credibility_note=_NOTE if upvotes < FEW_VOTES else None,
    )


def _count_actions(graph: Graph, post: Node, actions: tuple[str, ...], default: str) -> int | None:
    """Return the count of one kind of action, otherwise of a property."""
    for counter in graph.get_values(post, "interactionStatistic"):
        if not isinstance(counter, Mapping):
            continue
        action = counter.get("interactionType")  # a URL, a name, or a node with a type
        name = min(types_of(action), default="")
        if isinstance(action, str):
            name = action.rstrip("/").lower().rpartition("/")[2]
        if name in actions:
            return _parse_count(counter.get("userInteractionCount"))
    return _parse_count(post.get(default))


def _parse_count(value: Any) -> int | None:
    """Return a count given as a number or as a text."""
    if isinstance(value, str) and _COUNT.fullmatch(value):
        return int(value)
    return value if type(value) is int else None
