"""Quotes: a quote and the words of its sources in, what was found and where out.

source = SourceText(url, words, read_at=...)                    # source.py
finding = check_quote("a quote of some length", [source])       # check.py
"""
