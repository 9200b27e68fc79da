"""The head of a page -> its title, the words for its subject, and whether its metadata call it an
article.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from webquarry.read.html.parse import Document

_ARTICLE = re.compile(r'"@type"\s*:\s*\[?\s*"(?:\w*Article|BlogPosting|Report|Review)"')
_LONGEST_DATA = 200_000  # characters of structured data that are looked at
_LONGEST_TITLE = 500
_LONGEST_DESCRIPTION = 300
_WORD = re.compile(r"\w{4,}")
_MOST_WORDS = 24
_DESCRIPTIONS = frozenset({"description", "og:description", "og:title", "twitter:description"})


@dataclass(frozen=True, slots=True)
class Head:
    """What a page says about itself."""

    title: str = ""
    topic: tuple[str, ...] = ()  # longer words of title and description
    # 0 for no article, 1 for one by its Open Graph type, 2 for one by structured data
    kind: int = 0


def read_head(document: Document) -> Head:
    """What the first root's head says; structured data may stand anywhere."""
    if not document.roots:
        return Head()
    page_info = document.page_info
    title = page_info.title[:_LONGEST_TITLE]
    about, kind = [title], 0
    for head in document.roots[0].iterchildren("head"):
        for meta in head.iterchildren("meta"):
            name = meta.get("property") or meta.get("name")
            content = meta.get("content") or ""
            if name in _DESCRIPTIONS:
                about.append(content[:_LONGEST_DESCRIPTION])
            elif name == "og:type" and "article" in content:
                kind = 1
    if any(_ARTICLE.search(data, 0, _LONGEST_DATA) for data in page_info.data):
        kind = 2
    words = _WORD.findall(" ".join(about).lower())
    topic = tuple(dict.fromkeys(words))[:_MOST_WORDS]
    return Head(title, topic, kind)
