"""Pieces of text that an API gave -> Markdown put together from them, as safe as what is made of a
page.

Nothing in it is invisible, passes for a delimiter of a chat, or for markup that was not there.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import clean
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.escape import escape, escape_line_starts
from webquarry._search.replies.text import unescape_entities


class Composer:
    """Makes Markdown for one page and counts what it had to take out."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url
        self._links = Links(base_url)
        self.removed: Counter[str] = Counter()

    def plain(self, value: object, *, is_html: bool = False) -> str:
        """One line without markup; what is no text is empty."""
        if not isinstance(value, str):
            return ""
        if is_html:
            value = unescape_entities(value)
        cleaned = clean(value)
        self.removed.update(cleaned.removed)
        return " ".join(cleaned.text.split())

    def line(self, text: str) -> str:
        """Plain text for the middle of a line of Markdown."""
        return escape(text)

    def name(self, value: object, *, is_html: bool = False) -> str:
        """A name or a word of a site for the middle of a line: plain, and no markup in it."""
        return escape(self.plain(value, is_html=is_html))

    def link(self, text: str, url: str) -> str:
        """A link, or the bare text where the address leads nowhere."""
        target = self._links.absolute(url)
        escaped = escape(text)
        if target and text:
            return f"[{escaped}]({target})"
        return escaped

    def paragraphs(self, value: object) -> str:
        """Plain text of several lines, its line breaks kept."""
        if not isinstance(value, str):
            return ""
        cleaned = clean(value)
        self.removed.update(cleaned.removed)
        lines: list[str] = []
        for raw in cleaned.text.strip().split("\n"):
            escaped = escape(raw.strip())
            line = escape_line_starts(escaped)
            if line and lines and lines[-1]:
                lines[-1] += "\\"  # a backslash keeps the break between two lines of a paragraph
            lines.append(line)
        return defuse_prose("\n".join(lines), self.removed)

    def fragment(self, value: object) -> str:
        """A piece of HTML as Markdown. What parses it is loaded here: whoever only asks a site does
        not need it.
        """
        from webquarry._read.html.parse import parse_html
        from webquarry._read.markdown.convert import to_markdown

        if not isinstance(value, str) or not value.strip():
            return ""
        document = parse_html(value)
        page = to_markdown(document, self._base)
        self.removed.update(page.removed)
        return page.text


def parse_timestamp(seconds: object) -> datetime | None:
    """Seconds since the epoch as a moment; None for what is none."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def format_time(when: datetime | None) -> str:
    """A moment as it is shown; empty for none."""
    if when:
        return f"{when:%Y-%m-%d %H:%M} UTC"
    return ""


def whole_number(value: object) -> int | None:
    """A count; None for anything else, `true` included."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    return None
