"""Plain text -> Markdown: collapse whitespace, and escape what a parser would see as markup.

`escape` is for text within a line; `escape_line_starts` is for complete lines, where a number with
a full stop or a dash would start a list.
"""

from __future__ import annotations

import re

LINK_START = "\x02"  # in front of the text of a link; the writer of blocks removes it
# Characters that are always visible, and spaces: letters of the larger scripts and common
# punctuation. Other characters are classified by `characters.py`.
_VISIBLE = (
    " -~\xa0-\xac\xae-\u024f\u0391-\u03a1\u03a3-\u03ff\u0400-\u0481\u05d0-\u05ea\u0621-\u063a"
    "\u0641-\u064a\u0904-\u0939\u0e01-\u0e3a\u1ea0-\u1eff\u2010-\u2028\u2030-\u205e\u20ac\u2122"
    "\u2190-\u21ff\u2500-\u25ff\u3001-\u3002\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fa5"
    "\uac00-\ud7a3\uff01-\uff5e"
)
_UNSURE = re.compile(f"[^{_VISIBLE}]")
_MARKUP = r"\[\]_*&<`~\\"
_MAY_BE_MARKUP = re.compile(f"[{_MARKUP}]")
_MAY_CHANGE = re.compile(rf"[^ -~]|  |[{_MARKUP}]")  # all other text is Markdown as it is
_HTML_WHITESPACE = re.compile(r"[ \t\n\f\r]{2,}|[\t\n\f\r]")
_SPACES = re.compile("[ \u2028\u2029]{2,}|[\u2028\u2029]")
_STRIPPED = " \n\xa0\u3000"  # at the ends of a line
_IN_LINE = re.compile(
    r"[\[\]`]|(\*+|_+)|~~+|<(?=[A-Za-z/!?])|&(?=#?\w{1,32};)"
    r"|\\(?=[!-/:-@\[-`{-~\n\u2028\u2029]| [\n\u2028\u2029]| ?\Z)"
)
_LINE_MAY_NEED = frozenset("-+*#>=_:|0123456789")
_LINE_START = re.compile(
    r"^(\x02?)(?:([-+*])(?=[ \t\x03]|$)|(\#{1,6})(?=[ \t\x03]|$)|(>)|(\d{1,9})([.)])(?=[ \t\x03]|$)"
    r"|(?=[-=_* \t]+$)([-=_*])|(?=[|: -]+$)(?=[^-\n]*-)([|:-]))",
    re.MULTILINE,
)
_LONGEST_NUMBER = 10  # characters, with the full stop or parenthesis
_CLOSING_HASHES = re.compile(r"(^|[ \t])(#+)$")


def write_part(text: str) -> str | None:
    """Return the Markdown of a part of a block, None if `strip_invisible` must be applied first."""
    if _MAY_CHANGE.search(text) is None:
        return text
    text = fold_white(text)
    return escape(text) if _UNSURE.search(text) is None else None


def fold_white(text: str) -> str:
    """Replace each run of HTML whitespace by one space, also at the ends."""
    return _HTML_WHITESPACE.sub(" ", text)


def finish_line(text: str) -> str:
    """Strip a line, collapse runs of spaces, and replace line separators by newlines."""
    return _SPACES.sub(_join_spaces, text).strip(_STRIPPED)


def _join_spaces(found: re.Match[str]) -> str:
    return "\n" if found[0].strip(" ") else " "


def escape(text: str) -> str:
    """Escape text for the middle of a line, only where a parser could see markup."""
    if _MAY_BE_MARKUP.search(text) is None:
        return text
    return _IN_LINE.sub(_escape_markup, text)


def _escape_markup(found: re.Match[str]) -> str:
    """Return a run of one character with backslashes, or unchanged if it cannot be emphasis."""
    run, text = found[0], found.string
    if found[1]:
        start, end = found.span()
        before, after = text[max(start - 1, 0) : start] or " ", text[end : end + 1] or " "
        is_inside_word = run[0] == "_" and before.isalnum() and after.isalnum()
        if is_inside_word or (before.isspace() and after.isspace()):
            return run
    return "".join("\\" + character for character in run)


def escape_line_starts(text: str) -> str:
    """Escape line starts that a parser would treat as a list, heading, quote or rule."""
    if "\n" in text:
        return _LINE_START.sub(_escape_line_start, text)
    if not _may_start_block(text):
        return text
    return _LINE_START.sub(_escape_line_start, text, count=1)


def _may_start_block(text: str) -> bool:
    """Return whether the start of a line may be markup."""
    text = text.removeprefix(LINK_START)
    first = text[:1]
    if first not in _LINE_MAY_NEED:
        return False
    if first.isdigit():
        number = text[:_LONGEST_NUMBER]
        return "." in number or ")" in number
    return first == ">" or not text[1:2].isalnum()


def _escape_line_start(found: re.Match[str]) -> str:
    """Return the start of a line with a backslash before its markup."""
    number = found[5]
    if number:  # the character after the number starts a list
        return f"{found[1]}{number}\\{found[6]}"
    return f"{found[1]}\\{found[0][len(found[1]) :]}"


def escape_heading(text: str) -> str:
    """Escape number signs at the end of a heading, which a parser would remove."""
    if "#" not in text:
        return text
    return _CLOSING_HASHES.sub(r"\1\\\2", text)


def escape_cell(text: str) -> str:
    """Escape Markdown for a table cell."""
    if "|" in text:
        return text.replace("|", "\\|")
    return text
