"""Text of a page -> a line of Markdown: its white space folded, its marks escaped. `_fold.pyx` is
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
_MARKUP = re.compile(
    # a backslash in front of punctuation or at the end of a line
    r"\\(?=[!-/:-@\[-`{-~]| ?(?:[\u2028\u2029\n]|\Z))"
    r"|[`\[\]]"
    r"|\*+|_+"
    r"|<(?=[A-Za-z/!?])"
    r"|&(?=\#?\w{1,32};)"
    r"|~{2,}",
)
_WHITE = " \t\n\f\r"
_FOLDED = re.compile(r"[ \t\n\f\r]{2,}|[\t\n\f\r]")
_BLANKS = re.compile(" {2,}")
_AROUND_BREAK = re.compile("[ \u2028\u2029]*[\u2028\u2029][ \u2028\u2029]*")
_OUTER = " \u2028\u2029\u00a0\u3000\n"
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


def fold_white(text: str) -> str:
    """Text with one blank for white space of any length, at its edges too; only what HTML calls
    white space, but for ASCII that is to be folded anyway, of which all is.
    """
    if _FOLDED.search(text) is None:
        return text
    if not text.isascii():
        return _FOLDED.sub(" ", text)
    words = " ".join(text.split())
    lead = " " if text[0] in _WHITE else ""
    trail = " " if words and text[-1] in _WHITE else ""
    return f"{lead}{words}{trail}"


def finish_line(text: str) -> str:
    """A line without blanks around it and with single ones in it; breaks, with the blanks beside
    them, begin new lines.
    """
    text = _BLANKS.sub(" ", text)
    text = _AROUND_BREAK.sub("\n", text)
    return text.strip(_OUTER)


def escape(text: str) -> str:
    """Text for the middle of a line."""

    def escape_part(found: re.Match[str]) -> str:
        """One run of signs, escaped unless it can mean nothing."""
        part = found[0]
        mark = part[0]
        if mark in "*_":
            # whether a parser could take the run for the edge of an emphasis
            before = text[found.start() - 1 : found.start()]
            after = text[found.end() : found.end() + 1]
            if mark == "_" and before.isalnum() and after.isalnum():
                return part  # snake_case
            is_blank_before = not before or before.isspace()
            is_blank_after = not after or after.isspace()
            if is_blank_before and is_blank_after:
                return part
        return "".join("\\" + character for character in part)

    return _MARKUP.sub(escape_part, text)


def write_plain(text: str) -> str | None:
    """A block of nothing but text as Markdown; None where there are characters in it that have to
    be looked at.
    """
    folded = fold_plain(text)
    if folded is not None:  # as nearly all
        return escape(folded)
    written = write_part(text)
    if written is None:
        return None
    return finish_line(written)


def write_part(text: str) -> str | None:
    """A part of a block as Markdown; None where there are characters in it that have to be looked
    at.
    """
    folded = fold_white(text)
    if not is_seen(folded):
        return None
    return escape(folded)


def is_seen(text: str) -> bool:
    """Whether a text has none but characters that everybody sees, at a first look."""
    return _SEEN.fullmatch(text) is not None


def is_plain_address(text: str) -> bool:
    """Whether an address has none but signs of ASCII that Markdown takes as they are."""
    return _PLAIN_ADDRESS.fullmatch(text) is not None
