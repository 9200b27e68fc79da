"""Text of a page -> whether it is plain, and the same with its white space folded. `_fold.pyx` is
the same, compiled.
"""

from __future__ import annotations

import re

# Nothing but characters that everybody sees, and blanks: letters of the larger alphabets, common
# punctuation. Others may be seen as well.
_SEEN = re.compile(
    "[ -~\xa1-\xac\xae-\u024f\u0400-\u0481\u2010-\u2027\u2030-\u205e\u20ac\u2122\u3001\u3002"
    "\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff5e]*"
)
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


def is_seen(text: str) -> bool:
    """Whether a text has none but characters that everybody sees, at a first look."""
    return _SEEN.fullmatch(text) is not None


def may_mark(text: str) -> bool:
    """Whether a text has a character that may mean something in Markdown."""
    return any(mark in text for mark in _MARKS)
