"""Blocks composed of values that an API returned, as safe as those of a page.

Inline values (name, strong, link) are strings of inline Markdown without invisible characters and
markup of their own. Blocks (heading, item, table, code, ...) are lists of `Block`. Where content is
expected, a string is text of paragraphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from webquarry._read.markdown.blocks import Block, Blocks, Container, mark_link
from webquarry._read.markdown.links import Links
from webquarry._read.text.characters import clean
from webquarry._read.text.escape import escape, escape_line_starts
from webquarry._search.text import unescape_entities

if TYPE_CHECKING:
    from lxml import etree

    from webquarry._read.html.parse import Document

Content = str | Sequence[Block]  # a string is paragraphs of inline Markdown

MAX_DEPTH = 8  # levels of nested lists; deeper items are written at this level
_MAX_MARKDOWN = 2_000_000  # characters that are parsed; a second per million


def one_line(content: Content) -> str:
    """Return content as one line of inline Markdown."""
    if not isinstance(content, str):
        content = " ".join(
            " ".join([block.text, *(cell for row in block.rows for cell in row)])
            for block in content
        )
    return " ".join(content.split())


class Composer:
    """Composes the blocks of one page and counts what it removes."""

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
        return " ".join(clean(value, self.removed).split())

    def name(self, value: object, *, is_html: bool = False) -> str:
        """Return a value as one line of escaped text."""
        return escape(self.plain(value, is_html=is_html))

    def strong(self, text: str) -> str:
        """Mark inline text as strong; empty without text."""
        return f"**{text}**" if text else ""

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
        return mark_link(escaped, target) if target and text else escaped

    def link_url(self, url: str) -> str:
        """Return a link whose text is its URL."""
        return self.link(self.plain(url), url)

    def code_span(self, value: str) -> str:
        """Return a value as inline code."""
        from webquarry._read.markdown.code import format_code_span

        return format_code_span(self.plain(value), self.removed)

    def paragraphs(self, value: object) -> str:
        """Return plain text of several lines, with its line breaks."""
        if not isinstance(value, str):
            return ""
        lines: list[str] = []
        for raw in clean(value, self.removed).strip().split("\n"):
            line = escape_line_starts(escape(raw.strip()))
            if line and lines and lines[-1]:
                lines[-1] += "\\"  # a hard line break
            lines.append(line)
        return "\n".join(lines)

    # Blocks

    def heading(self, level: int, text: str) -> list[Block]:
        """Return a heading of inline text."""
        return [Block("heading", text, level)]

    def section(self, level: int, title: str, body: Content) -> list[Block]:
        """Return a heading and a body; empty without a body."""
        return self.join([self.heading(level, title), body]) if body else []

    def count_heading(self, title: str, shown: int, total: int | None) -> list[Block]:
        """Return the heading of a list that can be incomplete: `## Comments (20 of 312)`."""
        return self.heading(2, f"{title} ({shown} of {max(total or 0, shown)})") if shown else []

    def facts(self, facts: Iterable[str]) -> str:
        """Return a line of inline facts; empty facts are omitted."""
        return " · ".join(filter(None, facts))

    def items(self, items: Iterable[str]) -> list[Block]:
        """Return a list of inline texts."""
        return [
            Block("paragraph", item, around=(Container("- ", "  "),), is_tight=number > 0)
            for number, item in enumerate(items)
        ]

    def numbered_items(self, items: Iterable[str]) -> list[Block]:
        """Return a numbered list of inline texts."""
        return [
            Block(
                "paragraph", item, around=(Container(f"{number}. ", "    "),), is_tight=number > 1
            )
            for number, item in enumerate(items, 1)
        ]

    def item(self, head: str, body: Content = "", depth: int = 0) -> list[Block]:
        """Return a list item that holds an inline head and a body."""
        indent = "    " * min(depth, MAX_DEPTH)
        blocks = Blocks()
        blocks.open(f"{indent}-   ", f"{indent}    ")
        blocks.extend(self.join([head, body]))
        return blocks.blocks

    def rows(self, rows: Iterable[tuple[str, str]]) -> list[Block]:
        """Return a table of names and plain values; rows without a value are omitted."""
        cells = [(name, self.name(value)) for name, value in rows]
        shown = [row for row in cells if row[1]]
        return [Block("table", rows=[("", ""), *shown])] if shown else []

    def code(self, text: str, language: str = "") -> list[Block]:
        """Return a code block."""
        from webquarry._read.markdown.code import clean_code

        cleaned = clean_code(text, self.removed)
        return [Block("code", cleaned, language=language)] if cleaned else []

    def markdown(self, value: object, url: str) -> list[Block]:
        """Convert Markdown written by others; its links are resolved against `url`. Very long
        Markdown is shown as code.
        """
        from webquarry._read.markdown.foreign import read_markdown

        if not isinstance(value, str) or not value.strip():
            return []
        if len(value) > _MAX_MARKDOWN:
            return self.code(value, "markdown")
        page = read_markdown(value, url)
        self.removed.update(page.removed)
        return list(page.blocks)

    def fragment(self, value: object) -> list[Block]:
        """Convert HTML. The parser is imported here, because a process that only fetches does not
        need it.
        """
        from webquarry._read.html.parse import parse_html

        if not isinstance(value, str) or not value.strip():
            return []
        return self.document(parse_html(value))

    def document(self, document: Document, elements: Sequence[etree._Element] = ()) -> list[Block]:
        """Convert a parsed document, or some of its elements."""
        from webquarry._read.markdown.convert import render, to_markdown

        if elements:
            page = render(document, self._base, elements)
        else:
            page = to_markdown(document, self._base)
        self.removed.update(page.removed)
        return list(page.blocks)

    def join(self, contents: Iterable[Content]) -> list[Block]:
        """Return the blocks of some contents; blank paragraphs are omitted."""
        blocks: list[Block] = []
        for content in contents:
            if isinstance(content, str):
                texts = map(str.strip, content.split("\n\n"))
                blocks += [Block("paragraph", text) for text in texts if text]
            else:
                blocks += content
        return blocks
