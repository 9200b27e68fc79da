"""Text of a page -> whether it is plain, and the same with its white space folded. `_fold.pyx` is
the same, compiled.
"""

from __future__ import annotations

import re

# Characters that everybody sees, and blanks, from one to another: letters of the larger scripts and
# common punctuation. Others may be seen as well; those are for `characters.py` to judge.
SEEN = (
    (0x20, 0x7E),
    (0xA0, 0xAC),
    (0xAE, 0x24F),
    (0x391, 0x3A1),
    (0x3A3, 0x3FF),
    (0x400, 0x481),
    (0x5D0, 0x5EA),
    (0x621, 0x63A),
    (0x641, 0x64A),
    (0x904, 0x939),
    (0xE01, 0xE3A),
    (0x1EA0, 0x1EFF),
    (0x2010, 0x2028),
    (0x2030, 0x205E),
    (0x20AC, 0x20AC),
    (0x2122, 0x2122),
    (0x2190, 0x21FF),
    (0x2500, 0x25FF),
    (0x3001, 0x3002),
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0x30FC, 0x30FC),
    (0x4E00, 0x9FA5),
    (0xAC00, 0xD7A3),
    (0xFF01, 0xFF5E),
)
_RANGES = "".join(rf"\u{first:04x}-\u{last:04x}" for first, last in SEEN)
_SEEN = re.compile(f"[{_RANGES}]*")
# What may mean something in the middle of a line of Markdown.
MARKS = "_[*&]<`~\\"
_MARK = re.compile(f"[{re.escape(MARKS)}]")
PLAIN_IN_ADDRESS = (
    "!#$%&'*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
)
_PLAIN_ADDRESS = re.compile(f"[{re.escape(PLAIN_IN_ADDRESS)}]*")


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


def find_mark(text: str, start: int) -> int:
    """The next place of a character that may mean something in Markdown; -1 where none is."""
    found = _MARK.search(text, start)
    if found is None:
        return -1
    return found.start()


def is_plain_address(text: str) -> bool:
    """Whether an address has none but signs of ASCII that Markdown takes as they are."""
    return _PLAIN_ADDRESS.fullmatch(text) is not None
