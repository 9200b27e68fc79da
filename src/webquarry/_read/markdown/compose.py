"""Markdown composed of values that an API returned, as safe as the Markdown of a page.

The composed text has no invisible characters, no chat delimiters and no markup of its own making.
Blocks (heading, item, table, code, ...) and inline values (name, strong, link) are written here
only, so that their output form can change in one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import clean
from webquarry._read.text.delimiters import defuse_prose
from webquarry._read.text.escape import escape, escape_line_starts
from webquarry._search.replies.text import unescape_entities

if TYPE_CHECKING:
    from lxml import etree

    from webquarry._read.html.parse import Document

MAX_DEPTH = 8  # levels of nested lists; deeper items are written at this level
_MAX_MARKDOWN = 2_000_000  # characters that are parsed; a second per million


class Composer:
    """Writes the Markdown of one page and counts what it removes."""

    def __init__(self, base_url: str) -> None:
        self._base = base_url
        self._links = Links(base_url)
        self.removed: Counter[str] = Counter()

    # Inline

    def plain(self, value: object, *, is_html: bool = False) -> str:
        """Return a value as one line of plain text; empty unless it is a string."""
        if not isinstance(value, str):
            return ""
        if is_html:
            value = unescape_entities(value)
        cleaned = clean(value)
        self.removed.update(cleaned.removed)
        return " ".join(cleaned.text.split())

    def line(self, text: str) -> str:
        """Escape plain text for use inside a line."""
        return escape(text)

    def name(self, value: object, *, is_html: bool = False) -> str:
        """Return a value as one line of escaped text."""
        return escape(self.plain(value, is_html=is_html))

    def strong(self, text: str) -> str:
        """Mark inline text as strong; empty without text."""
        return f"**{text}**" if text else ""

    def emphasis(self, text: str) -> str:
        """Mark inline text as emphasized; empty without text."""
        return f"*{text}*" if text else ""

    def label(self, prefix: str, text: str) -> str:
        """Put a prefix before inline text; empty without text."""
        return f"{prefix}{text}" if text else ""

    def attribution(self, name: str, *details: str) -> str:
        """Return the inline name of an author with details; empty details are omitted."""
        return f"{self.strong(name)} ({', '.join(filter(None, details))})"

    def link(self, text: str, url: str) -> str:
        """Return a link, or the text alone if the URL is not usable."""
        target = self._links.absolute(url)
        escaped = escape(text)
        if target and text:
            return f"[{escaped}]({target})"
        return escaped

    def link_url(self, url: str) -> str:
        """Return a link whose text is its URL."""
        return self.link(self.plain(url), url)

    def code_span(self, value: str) -> str:
        """Return a value as inline code."""
        from webquarry._read.markdown.code import format_code_span

        return format_code_span(self.plain(value), self.removed)

    # Blocks

    def heading(self, level: int, text: str) -> str:
        """Write a heading of inline text."""
        return f"{'#' * level} {text}"

    def section(self, level: int, title: str, body: str) -> str:
        """Write a heading and a body; empty without a body."""
        return self.join([self.heading(level, title), body]) if body else ""

    def count_heading(self, title: str, shown: int, total: int | None) -> str:
        """Write the heading of a list that can be incomplete: `## Comments (20 of 312)`."""
        return self.heading(2, f"{title} ({shown} of {max(total or 0, shown)})") if shown else ""

    def facts(self, facts: Iterable[str]) -> str:
        """Write a line of inline facts; empty facts are omitted."""
        return " · ".join(filter(None, facts))

    def paragraphs(self, value: object) -> str:
        """Write plain text of several lines, with its line breaks."""
        if not isinstance(value, str):
            return ""
        cleaned = clean(value)
        self.removed.update(cleaned.removed)
        lines: list[str] = []
        for raw in cleaned.text.strip().split("\n"):
            escaped = escape(raw.strip())
            line = escape_line_starts(escaped)
            if line and lines and lines[-1]:
                lines[-1] += "\\"  # a hard line break
            lines.append(line)
        return defuse_prose("\n".join(lines), self.removed)

    def items(self, items: Iterable[str]) -> str:
        """Write a list of inline texts."""
        return "\n".join(f"- {item}" for item in items)

    def numbered_items(self, items: Iterable[str], first: int = 1) -> str:
        """Write a numbered list of inline texts; further lines of an item are indented."""
        lines = [item.replace("\n", "\n    ") for item in items]
        return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, first))

    def item(self, head: str, body: str = "", depth: int = 0) -> str:
        """Write a list item that holds blocks: an inline head and a body of Markdown."""
        indent = "    " * min(depth, MAX_DEPTH)
        first, *others = f"{head}\n\n{body}".rstrip().split("\n")
        lines = [f"{indent}-   {first}"]
        lines += [f"{indent}    {line}" if line else "" for line in others]
        return "\n".join(lines)

    def rows(self, rows: Iterable[tuple[str, str]]) -> str:
        """Write a table of names and plain values; rows without a value are omitted."""
        lines = []
        for name, value in rows:
            cell = self.name(value).replace("|", "\\|")
            if cell:
                lines.append(f"| {name} | {cell} |")
        if not lines:
            return ""
        return "\n".join(["| | |", "| --- | --- |", *lines])

    def code(self, text: str, language: str = "") -> str:
        """Write a fenced code block."""
        from webquarry._read.markdown.code import fence_code

        return fence_code(text, language, self.removed)

    def markdown(self, value: object, url: str) -> str:
        """Filter Markdown written by others; its links are resolved against `url`. Very long
        Markdown is written as code.
        """
        from webquarry._read.markdown.foreign import filter_markdown

        if not isinstance(value, str) or not value.strip():
            return ""
        if len(value) > _MAX_MARKDOWN:
            return self.code(value, "markdown")
        text, removed = filter_markdown(value, url)
        self.removed.update(removed)
        return text.strip()

    def fragment(self, value: object) -> str:
        """Convert HTML. The parser is imported here, because a process that only fetches does not
        need it.
        """
        from webquarry._read.html.parse import parse_html

        if not isinstance(value, str) or not value.strip():
            return ""
        return self.document(parse_html(value))

    def document(self, document: Document, elements: Sequence[etree._Element] = ()) -> str:
        """Convert a parsed document, or some of its elements."""
        from webquarry._read.markdown.convert import render, to_markdown

        if elements:
            page = render(elements, self._base, document.roots)
        else:
            page = to_markdown(document, self._base)
        self.removed.update(page.removed)
        return page.text

    def join(self, blocks: Iterable[str]) -> str:
        """Join blocks; empty blocks are omitted."""
        return "\n\n".join(filter(None, blocks))
