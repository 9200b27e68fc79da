"""Sources made of a few words, for tests of quotes."""

from __future__ import annotations

from webquarry._read.html.parse import parse_html
from webquarry._read.plain.html import read_html_words
from webquarry.verify.quotes.check import check_quote
from webquarry.verify.quotes.findings import QuoteFinding
from webquarry.verify.quotes.source import SourceText

URL = "https://ferry.example/report"


def page(html: str, url: str = URL, title: str = "") -> SourceText:
    """A source that is a page of HTML."""
    return SourceText(url, read_html_words(parse_html(html), title))


def text(words: str, url: str = URL) -> SourceText:
    """A source that is a plain text."""
    return SourceText.of_text(url, words)


def check(quote: str, words: str) -> QuoteFinding:
    """A quote beside a plain text."""
    return check_quote(quote, [text(words)])
