"""What a browser made of a page, as something to be parsed like every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry._read.reader import FetchedPage
from webquarry.net.models import Reply

if TYPE_CHECKING:
    from webquarry._read.browser.page import RenderedPage

RENDER_ADVICE = (
    "Call again with render auto, which runs the scripts of the page, or choose another source."
)
SHORT_SECONDS = 6.0  # for a page that is something without its scripts too
_LARGEST = 5_000_000  # bytes; a browser takes minutes to lay out more
_KINDS = ("text/html", "application/xhtml+xml", "")
_UNSETTLED_NOTE = (
    "The page was read before its scripts came to an end: something may be missing or about to "
    "change."
)
_BUDGET_NOTE = (
    "The page asked for more than one page may (requests, bytes or posts): something may be "
    "missing."
)


def is_rendered_kind(reply: Reply) -> bool:
    """Whether a browser can make more of an answer."""
    is_ok = 200 <= reply.status < 300
    return is_ok and reply.content_type in _KINDS and len(reply.body) <= _LARGEST


def names_view(url: str) -> bool:
    """Whether the fragment of a URL names a view that scripts make, as `#/letters/2` does."""
    _, _, fragment = url.partition("#")
    return fragment.startswith(("/", "!"))


def describe_render(url: str, rendered: RenderedPage) -> FetchedPage:
    """A page that a browser has run, to be parsed."""
    lost: list[str] = []
    notes: list[str] = []
    if not rendered.is_settled:
        lost.append(_UNSETTLED_NOTE)
    if not rendered.is_whole:
        lost.append(_BUDGET_NOTE)
    if rendered.blocked_frames:
        notes.append(f"Frames that robots.txt does not allow: {rendered.blocked_frames}.")
    return FetchedPage(url, rendered.reply, notes=tuple(notes), is_rendered=True, lost=tuple(lost))
