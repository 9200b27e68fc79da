"""Features of the blocks of a page, and the learned values of the words that they use.

Nearly all features are relative to the page: shares of its text and of its paragraphs, distances in
blocks. A paragraph is a block of more than 80 characters with few links. Compiled code
(`native/features.pxi`) computes the matrix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase

from webquarry._native import Features, WordSearch, WordTable
from webquarry._read.main_content.blocks import Flow

_COMMENTS = """
    comment comments commentaires kommentare kommentar comentarios commenti komentarze comentários
    reacties replies responses reviews 评论 コメント комментарии комментариев
""".split()  # noqa: SIM905
_QUOTES = "’“”"
_SEPARATORS = "".join(chr(code) for code in range(1, 128) if not chr(code).isalnum())
_LETTERS = bytes.maketrans(
    (_SEPARATORS + ascii_uppercase).encode(), (" " * len(_SEPARATORS) + ascii_lowercase).encode()
)


@dataclass(frozen=True)
class Lifts:
    """How much words speak for or against a block, learned from pages."""

    classes: Mapping[str, float]
    words: Mapping[str, float]  # of short blocks
    long_words: Mapping[str, float]

    @cached_property
    def name_table(self) -> WordTable:
        """The table of the words in classes and ids."""
        return WordTable(self.classes)

    @cached_property
    def word_table(self) -> WordTable:
        """Both tables of words in texts, and the words that announce comments."""
        return WordTable(self.words, self.long_words, dict.fromkeys(_COMMENTS, 1.0))


def build_features(flow: Flow, lifts: Lifts) -> Features:
    """Compute all features of the blocks of a page."""
    title = None
    if flow.title:
        title = WordTable(dict.fromkeys(split_words(flow.title), 1.0))
    topic = WordSearch(flow.topic)
    return Features(flow.walk, lifts.name_table, lifts.word_table, title, topic, flow.is_article)


def split_words(text: str) -> list[str]:
    """Split a text as the compiled code does: only ASCII letters are converted to lower case."""
    for quote in _QUOTES:
        text = text.replace(quote, " ")
    return text.encode("utf-8").translate(_LETTERS).decode("utf-8").split()
