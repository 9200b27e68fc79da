"""Text for a terminal of any width: words wrap, what goes on stands below what it goes on from, and
addresses are links.

All texts that come in are clean already: nothing in them commands a terminal. Where there is no
width, as in a pipe, nothing is wrapped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote

from rich.console import Console
from rich.style import Style
from rich.text import Text

_URL = re.compile(r"https?://[^\s<>\"'`|\\]+")
_CLOSING = {")": "(", "]": "["}
_KEPT_IN_LINKS = "%/:?#[]@!$&'()*+,;=~-._"
_NARROWEST = 20  # columns that text needs beside its indent
_SMALL_INDENT = 2


def text_width(console: Console) -> int | None:
    """How wide text may be; None where there is no terminal."""
    if console.is_terminal:
        return console.width
    return None


def link_target(url: str) -> str | None:
    """What a terminal may be given as the target of a link; None where it is no web address."""
    if not url.lower().startswith(("http://", "https://")):
        return None
    return quote(url, safe=_KEPT_IN_LINKS)


def link(url: str, style: str = "cyan", text: str = "") -> Text:
    """An address as a link to itself, or a text that leads there."""
    linked = Text(text or url, style)
    target = link_target(url)
    if target is not None:
        linked.stylize(Style(link=target))
    return linked


def link_urls(text: str, style: str = "") -> Text:
    """A text in which every address is a link."""
    linked = Text(text, style)
    for found in _URL.finditer(text):
        url = _trim_url(found[0])
        target = link_target(url)
        if target is not None:
            linked.stylize(Style(link=target), found.start(), found.start() + len(url))
    return linked


def _trim_url(url: str) -> str:
    """An address without the punctuation of the sentence that it stands in."""
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
    """Print a lead and one line of text behind it; where that wraps, it goes on below its
    beginning, or `indent` columns in.
    """
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
        # The lead may be longer or shorter than the indent of what follows.
        first, *_ = _wrap(console, text, width - lead.cell_len)
        console.print(Text.assemble(lead, first), soft_wrap=True)
        text = text[len(first) :]
        text = text[len(text) - len(text.plain.lstrip()) :]
    if not text.plain:
        return
    for line in _wrap(console, text, width - indent):
        console.print(Text.assemble(" " * indent, line), soft_wrap=True)


def _wrap(console: Console, text: Text, width: int) -> list[Text]:
    """The lines of a text; a word that is wider than a line is folded."""
    lines = text.wrap(console, max(width, 1), justify="left", overflow="fold")
    wrapped = list(lines) or [Text("")]
    for line in wrapped:
        line.rstrip()
    return wrapped


def print_command(console: Console, lead: Text | str, words: Sequence[str], style: str) -> None:
    """Print a command that may be copied: lines that do not fit end in a backslash, as a shell
    takes them.
    """
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
