"""Text of a page -> whether it is plain, and the same with its white space folded. `_fold.pyx` is
the same, compiled.
"""

from __future__ import annotations

# what may mean something in the middle of a line of Markdown
_MARKS = "_[*&]<`~\\"


def fold_plain(text: str) -> str | None:
    """Text with one blank for all white space between words; None where it is not all printable
    ASCII, lines of it aside.
    """
    if not text.isascii() or not (text.isprintable() or "\n" in text):
        return None
    folded = " ".join(text.split())
    if not folded.isprintable():
        return None
    return folded


def may_mark(text: str) -> bool:
    """Whether a text has a character that may mean something in Markdown."""
    return any(mark in text for mark in _MARKS)
