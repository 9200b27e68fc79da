"""The address of a page -> that of the feed with the same text, where a site refuses its pages to
programs and has feeds for them.

Reddit answers programs with 403 since 2026. Its feeds hold the post and its comments, and no votes.
A feed is fetched as a page is: what robots.txt does not allow is not.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

REFUSALS = frozenset({401, 403})
_REDDIT = re.compile(r"(?:(?:www|old|new|np|m)\.)?reddit\.com")
_REDDIT_PATHS = re.compile(
    r"/r/\w+(?:/(?:hot|new|top|rising))?"
    r"|/r/\w+/comments/\w+(?:/[^/]+(?:/\w+)?)?"
    r"|/user/[\w-]+"
)


def find_feed(url: str) -> str | None:
    """The feed of a page; None where none is known."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    if not _REDDIT.fullmatch(host) or not _REDDIT_PATHS.fullmatch(path):
        return None
    return f"https://www.reddit.com{path}/.rss"
