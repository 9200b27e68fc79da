"""Quotes: a quote and the words of its sources in, what was found and where out.

source = SourceText(url, words, fetched_at=...)
finding = check_quote("a quote of some length", [source])
"""

from webquarry.verify.quotes.check import QuoteChecker, check_quote, check_quotes
from webquarry.verify.quotes.findings import QuoteFinding, Span, WordChange
from webquarry.verify.quotes.source import SourceText

__all__ = [
    "QuoteChecker",
    "QuoteFinding",
    "SourceText",
    "Span",
    "WordChange",
    "check_quote",
    "check_quotes",
]
