"""The address of a page -> that of the feed with the same text, where a site refuses its pages to
programs and has feeds for them.

Reddit answers programs with 403 since 2026. Its feeds hold the post and its comments, and no votes.
A feed is fetched as a page is: what robots.txt does not allow is not.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

REDDIT = "https://www.reddit.com"
REFUSALS = frozenset({401, 403})
_REDDIT = re.compile(r"(?:(?:www|old|new|np|m)\.)?reddit\.com")
_SHORT_REDDIT = "redd.it"
_REDDIT_PATHS = re.compile(
    r"/r/\w+(?:/(?:hot|new|top|rising))?"
    r"|(?:/r/\w+|/user/[\w-]+)?/comments/\w+(?:/[^/]+(?:/\w+)?)?"
    r"|/user/[\w-]+"
)
_SHORT_PATHS = re.compile(r"/(\w+)")
_GALLERY = re.compile(r"/gallery/(\w+)")
_USER = re.compile(r"/u/([\w-]+(?:/comments/.+)?)")


def find_feed(url: str) -> str | None:
    """The feed of a page; None where none is known."""
    if "redd" not in url.lower():
        return None  # as nearly all, told without reading the address
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    if host == _SHORT_REDDIT:
        path = _SHORT_PATHS.sub(r"/comments/\1", path, count=1)
    elif not _REDDIT.fullmatch(host):
        return None
    path = _GALLERY.sub(r"/comments/\1", path, count=1)
    path = _USER.sub(r"/user/\1", path, count=1)
    if not _REDDIT_PATHS.fullmatch(path):
        return None
    return f"{REDDIT}{path}/.rss"
