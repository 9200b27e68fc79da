"""How a forum received a post: the JSON-LD of a Reddit page -> its votes and comments; nothing for
any other page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from webquarry.evidence.models import ForumSignals
from webquarry.evidence.page.dates import read_date
from webquarry.evidence.page.jsonld import Graph, Node, types_of
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
_COUNT = re.compile(r"-?\d{1,12}")


def read_forum_signals(page_url: str, graph: Graph) -> ForumSignals | None:
    """The signals of a Reddit post; None where the page states no votes."""
    if registrable_domain(host_of_page(page_url)) != "reddit.com":
        return None
    post = next((node for node in graph.nodes if types_of(node) & _POSTS), None)
    if post is None:
        return None
    upvotes = _count_actions(graph, post, _UP, "upvoteCount")
    if upvotes is None:
        return None
    comments = _count_actions(graph, post, _COMMENTS, "commentCount")
    authors = [graph.name_of(author) for author in graph.get_values(post, "author")]
    author = next(filter(None, authors), None)
    if author == "[deleted]":
        author = None
    note = None
    if upvotes < FEW_VOTES:
        note = _NOTE
    return ForumSignals(
        platform="reddit",
        upvotes=upvotes,
        comments=comments or 0,
        date_published=read_date(post.get("datePublished")),
        author_name=author,
        credibility_note=note,
    )


def _count_actions(graph: Graph, post: Node, actions: tuple[str, ...], plain: str) -> int | None:
    """The count of one kind of action, else the property that says the same."""
    counters = graph.get_values(post, "interactionStatistic")
    for counter in counters:
        if not isinstance(counter, Mapping):
            continue
        # an action is given as an address, as a name, or as a thing with a type
        action = counter.get("interactionType")
        name = ""
        if isinstance(action, Mapping):
            types = sorted(types_of(action))
            if types:
                name = types[0]
        elif isinstance(action, str):
            address = action.rstrip("/").lower()
            name = address.rpartition("/")[2]
        if name in actions:
            count = counter.get("userInteractionCount")
            return _parse_count(count)
    return _parse_count(post.get(plain))


def _parse_count(value: Any) -> int | None:
    """A count that is given as a number or as a text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, str) and _COUNT.fullmatch(value.strip()):
        return int(value)
    return None
