"""Words and links -> HTML, Markdown and plain text, in which nothing from the web is markup.

HTML is escaped, Markdown has a backslash before each sign that could mean something, and only web
addresses are links. Control characters and marks that turn the direction of reading are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from webquarry.cli.layout import link_target
from webquarry.surfaces.terminal import one_line

# Whatever means something to one of the readers of Markdown; `$` begins a formula in a notebook.
_MARKS = re.compile(r"[\\`*_{}\[\]()#+\-.!|<>&~$:@^=]")


@dataclass(frozen=True)
class Link:
    """Words that lead to an address; to none, where it is no address of the web."""

    text: str
    url: str


Inline = str | Link


def escape_html(text: str) -> str:
    """The text as it is, in HTML and in the values of its attributes."""
    return escape(text, quote=True)


def escape_markdown(text: str) -> str:
    """One line that every reader of Markdown shows as it is."""
    return _MARKS.sub(r"\\\g<0>", one_line(text))


def write_html(parts: Sequence[Inline]) -> str:
    """The parts of one line as HTML."""
    return "".join(map(_write_html_part, parts))


def write_markdown(parts: Sequence[Inline]) -> str:
    """The parts of one line as Markdown."""
    return "".join(map(_write_markdown_part, parts))


def write_plain(parts: Sequence[Inline]) -> str:
    """The parts of one line as text; addresses stand behind their words."""
    return "".join(map(_write_plain_part, parts))


def _write_html_part(part: Inline) -> str:
    if isinstance(part, str):
        return escape_html(_keep_blanks(part))
    words = escape_html(one_line(part.text))
    target = link_target(part.url)
    if target is None:
        return words
    address = escape_html(target)
    return f'<a href="{address}" target="_blank" rel="noopener noreferrer">{words}</a>'


def _write_markdown_part(part: Inline) -> str:
    if isinstance(part, str):
        return _MARKS.sub(r"\\\g<0>", _keep_blanks(part))
    words = escape_markdown(part.text)
    target = link_target(part.url)
    if target is None:
        return words
    target = target.replace("$", "%24")  # the end of a formula, for those who look for it first
    return f"[{words}](<{target}>)"


def _write_plain_part(part: Inline) -> str:
    if isinstance(part, str):
        return _keep_blanks(part)
    words = one_line(part.text)
    address = one_line(part.url)
    if words == address:
        return words
    return f"{words} <{address}>"


def _keep_blanks(text: str) -> str:
    """One line, with a blank at its ends where there was one: it stands between other parts."""
    line = one_line(text)
    before = " " if text[:1].isspace() else ""
    after = " " if line and text[-1:].isspace() else ""
    return f"{before}{line}{after}"
