"""The head of a page -> its title, the words for its subject, and whether its metadata call it an
article.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webquarry.read.html.parse import Document

_ARTICLE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting|Report|Review)"')
_LONGEST = 200_000  # characters of structured data that are looked at
_WORD = re.compile(r"\w{4,}")
_MOST_WORDS = 24
_DESCRIPTIONS = frozenset({"description", "og:description", "og:title", "twitter:description"})


@dataclass(frozen=True, slots=True)
class Head:
    """What a page says about itself."""

    title: str = ""
    topic: tuple[str, ...] = ()  # longer words of title and description
    kind: int = (
        0  # 0 for no article, 1 for one by its Open Graph type, 2 for one by structured data
    )


def read_head(document: Document) -> Head:
    """What the first root's head says; structured data may stand anywhere."""
    if not document.roots:
        return Head()
    furniture = document.page_info
    title = furniture.title[:500]
    about, kind = [title], 0
    heads = document.roots[0].iterchildren("head")
    for meta in [one for head in heads for one in head.iterchildren("meta")]:
        name = meta.get("property") or meta.get("name")
        if name in _DESCRIPTIONS:
            about.append((meta.get("content") or "")[:300])
        elif name == "og:type" and "article" in (meta.get("content") or ""):
            kind = 1
    if any(_ARTICLE.search(data, 0, _LONGEST) for data in furniture.data):
        kind = 2
    words = dict.fromkeys(_WORD.findall(" ".join(about).lower()))
    return Head(title, tuple(words)[:_MOST_WORDS], kind)
