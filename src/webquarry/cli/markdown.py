"""Markdown rendered for a terminal, with links.

The parser decodes entities such as `&#27;`, so parsed text is cleaned again. HTML is shown as
text. Markdown that cannot be rendered is shown line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, ClassVar

from markdown_it import MarkdownIt
from rich.console import Console
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.segment import Segment, Segments
from rich.text import Text

from webquarry.cli.layout import link_target, link_urls, print_hanging
from webquarry.terminal import printable

if TYPE_CHECKING:
    from markdown_it.token import Token
    from rich.console import JustifyMethod

_MOST_RENDERED = 1_000_000  # characters
_TARGET = re.compile(r"(\[\d+\]: )(\S+)")
_FOOTNOTE = re.compile(r"\n(?=\[\^[^\]\s]+\]: )")
_HEADING = re.compile(r"#{1,6} ")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")


class _LeftHeading(Heading):
    """A left-aligned heading."""

    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {}


class CleanMarkdown(Markdown):
    """Untrusted Markdown without control characters."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", code_theme="ansi_dark")
        parser = MarkdownIt("commonmark", {"html": False})
        parser.enable(["table", "strikethrough"]).disable("reference")
        self.parsed = parser.parse(text)
        for token in _walk(self.parsed):
            token.content = printable(token.content)
            for name in ("href", "src"):
                if name in token.attrs:
                    token.attrs[name] = link_target(str(token.attrs[name])) or ""


def _walk(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


def show_markdown(console: Console, markdown: str) -> None:
    """Render on a terminal; elsewhere print the lines unchanged."""
    text = printable(markdown)
    if not console.is_terminal or len(text) > _MOST_RENDERED:
        _show_lines(console, text)
        return
    lines = text.rstrip("\n").split("\n")
    count = 0
    while count < len(lines) and _TARGET.fullmatch(lines[-1 - count]):
        count += 1
    targets = lines[len(lines) - count :]
    body = "\n".join(lines[: len(lines) - count])
    body = _FOOTNOTE.sub("\n\n", body)  # separate paragraphs
    try:
        rendered = console.render_lines(CleanMarkdown(body), pad=False)
    except Exception:  # such as deep nesting
        _show_lines(console, body)
    else:
        for segments in rendered:
            console.print(Segments([*_strip_line(segments), Segment.line()]), soft_wrap=True)
    for target in targets:
        number, _, url = target.partition(" ")
        print_hanging(console, f"{number} ", link_urls(url, "cyan"))


def _strip_line(segments: list[Segment]) -> list[Segment]:
    """Remove the trailing spaces that the renderer adds."""
    while segments and not segments[-1].text.strip(" "):
        segments = segments[:-1]
    if segments:
        last = segments[-1]
        segments = [*segments[:-1], Segment(last.text.rstrip(" "), last.style)]
    return segments


def _show_lines(console: Console, text: str) -> None:
    """Print the lines unchanged, with headings and code coloured."""
    in_code = False
    for line in text.split("\n"):
        is_fence = bool(_FENCE.match(line))
        if is_fence:
            style = "dim"
        elif in_code:
            style = "green"
        elif _HEADING.match(line):
            style = "bold cyan"
        else:
            style = ""
        console.print(Text(line, style), soft_wrap=True)
        if is_fence:
            in_code = not in_code
