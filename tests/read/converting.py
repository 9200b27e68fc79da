"""What the tests of the serialiser share: HTML in, Markdown out."""

from __future__ import annotations

from webquarry._read.html.parse import parse_html
from webquarry._read.markdown.convert import Markdown, to_markdown

BASE = "https://example.org/a/b.html"


def page(html: str, base: str = BASE) -> Markdown:
    result = to_markdown(parse_html(html), base)
    _ = result.written  # which counts the delimiters that it escapes
    return result


def markdown(html: str, base: str = BASE) -> str:
    return page(html, base).text
