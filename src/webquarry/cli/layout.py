"""Wrapped text with hanging indents and links, for a terminal of any width, and dates in words.

Texts must be printable already. In a pipe nothing is wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import quote

from rich.console import Console
from rich.style import Style
from rich.text import Text

_URL = re.compile(r"https?://[^\s<>\"'`|\\]+")
_CLOSING = {")": "(", "]": "["}
_KEPT_IN_LINKS = "%/:?#[]@!$&'()*+,;=~-._"
_NARROWEST = 20  # columns that text needs beside its indent
_SMALL_INDENT = 2
# `%B` depends on the locale.
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?![\d-])")


def text_width(console: Console) -> int | None:
    """Width of the terminal, or None without one."""
    if console.is_terminal:
        return console.width
    return None


def link_target(url: str) -> str | None:
    """Escaped target of a link, or None if it is not a web address."""
    if not url.lower().startswith(("http://", "https://")):
        return None
    return quote(url, safe=_KEPT_IN_LINKS)


def link(url: str, style: str = "cyan", text: str = "") -> Text:
    """A link with its URL, or `text`, as its text."""
    linked = Text(text or url, style)
    target = link_target(url)
    if target is not None:
        linked.stylize(Style(link=target))
    return linked


def link_urls(text: str, style: str = "") -> Text:
    """The text with every URL as a link."""
    linked = Text(text, style)
    for found in _URL.finditer(text):
        url = _trim_url(found[0])
        target = link_target(url)
        if target is not None:
            linked.stylize(Style(link=target), found.start(), found.start() + len(url))
    return linked


def _trim_url(url: str) -> str:
    """Remove the punctuation of the surrounding sentence."""
    while True:
        trimmed = url.rstrip(".,;:!?*_")
        opening = _CLOSING.get(trimmed[-1:])
        if opening and trimmed.count(opening) < trimmed.count(trimmed[-1]):
            trimmed = trimmed[:-1]
        if trimmed == url:
            return url
        url = trimmed


def print_hanging(
    console: Console, lead: Text | str, text: Text, indent: int | None = None
) -> None:
    """Print a lead and a text, whose further lines start below its beginning, or at `indent`."""
    if isinstance(lead, str):
        lead = Text(lead)
    width = text_width(console)
    if width is None:
        console.print(Text.assemble(lead, text), soft_wrap=True)
        return
    if indent is None:
        indent = lead.cell_len
    if width - indent < _NARROWEST:
        indent = min(indent, _SMALL_INDENT)
    if width - lead.cell_len < _NARROWEST and lead.plain.strip():
        console.print(lead, soft_wrap=True)
    else:
        first, *_ = _wrap(console, text, width - lead.cell_len)
        console.print(Text.assemble(lead, first), soft_wrap=True)
        text = text[len(first) :]
        text = text[len(text) - len(text.plain.lstrip()) :]
    if not text.plain:
        return
    for line in _wrap(console, text, width - indent):
        console.print(Text.assemble(" " * indent, line), soft_wrap=True)


def _wrap(console: Console, text: Text, width: int) -> list[Text]:
    """Wrap to lines without trailing spaces; fold words wider than a line."""
    lines = text.wrap(console, max(width, 1), justify="left", overflow="fold")
    wrapped = list(lines) or [Text("")]
    for line in wrapped:
        line.rstrip()
    return wrapped


def print_command(console: Console, lead: Text | str, words: Sequence[str], style: str) -> None:
    """Print a shell command that can be copied: wrapped lines end in a backslash."""
    if isinstance(lead, str):
        lead = Text(lead)
    width = text_width(console)
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".lstrip()
        room = 0
        if width is not None:
            room = width - _SMALL_INDENT * 2 - len(" \\")
            if len(lines) == 1:
                room = width - lead.cell_len - len(" \\")
        if width is None or not lines[-1] or len(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    for number, line in enumerate(lines):
        start = lead if number == 0 else Text(" " * _SMALL_INDENT * 2)
        end = "" if number == len(lines) - 1 else " \\"
        console.print(Text.assemble(start, (line + end, style)), soft_wrap=True)


def write_date(text: str) -> str:
    """`2026-09-14T06:00:00` -> `14 September 2026`, `2026-09` -> `September 2026`."""
    found = _DATE.match(text)
    if found is None:
        return text
    year, month, day = found.groups()
    if month is None:
        return year if found.end() == len(text) else text
    if not 1 <= int(month) <= len(MONTHS):
        return text
    words = [MONTHS[int(month) - 1], year]
    if day is not None:
        words.insert(0, str(int(day)))
    return " ".join(words)


def write_moment(text: str) -> str:
    """`2026-11-10T09:00:00Z` -> `10 November 2026, 09:00 UTC`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    if moment.tzinfo is None:
        return f"{write_date(text)}, {moment:%H:%M}"
    moment = moment.astimezone(UTC)
    return f"{write_date(moment.isoformat())}, {moment:%H:%M} UTC"
