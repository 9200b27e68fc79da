"""Quotes compared with the words of their sources.

source = SourceText(url, words, read_at=...)                    # source.py
finding = check_quote("a quote of some length", [source])       # check.py
"""
