"""Plain text -> Markdown: collapse whitespace, and escape what a parser would see as markup.

`escape` is for text within a line; `escape_line_starts` is for complete lines, where a number with
a full stop or a dash would start a list.
"""

from __future__ import annotations

import re

LINK_START = "\x02"  # in front of the text of a link; the writer of blocks removes it
_MARKUP = r"\[\]_*&<`~\\"
_MAY_CHANGE = re.compile(rf"[^ -~]|  |[{_MARKUP}]")  # all other text is Markdown as it is
_HTML_WHITESPACE = re.compile(r"[ \t\n\f\r]{2,}|[\t\n\f\r]")
_SPACES = re.compile("[ \u2028\u2029]{2,}|[\u2028\u2029]")
_STRIPPED = " \n\xa0\u3000"  # at the ends of a line
_IN_LINE = re.compile(
    r"[\[\]`]|(\*+|_+)|~~+|<(?=[A-Za-z/!?])|&(?=#?\w{1,32};)"
    r"|\\(?=[!-/:-@\[-`{-~\n\u2028\u2029]| [\n\u2028\u2029]| ?\Z)"
)
_LINE_START = re.compile(
    r"^(\x02?)(?:([-+*])(?=[ \t\x03]|$)|(\#{1,6})(?=[ \t\x03]|$)|(>)|(\d{1,9})([.)])(?=[ \t\x03]|$)"
    r"|(?=[-=_* \t]+$)([-=_*])|(?=[|: -]+$)(?=[^-]*-)([|:-]))"
)
_CLOSING_HASHES = re.compile(r"(^|[ \t])(#+)$")


def is_plain(text: str) -> bool:
    """Return whether a text is Markdown as it is: ASCII without markup and runs of spaces."""
    return _MAY_CHANGE.search(text) is None


def fold_white(text: str) -> str:
    """Replace each run of HTML whitespace by one space, also at the ends."""
    return _HTML_WHITESPACE.sub(" ", text)


def finish_line(text: str) -> str:
    """Strip a line, collapse runs of spaces, and replace line separators by newlines."""
    text = _SPACES.sub(lambda found: "\n" if found[0].strip(" ") else " ", text)
    return text.strip(_STRIPPED)


def escape(text: str) -> str:
    """Escape text for the middle of a line, only where a parser could see markup."""
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
    return "\n".join(map(_escape_line_start, text.split("\n")))


def _escape_line_start(line: str) -> str:
    found = _LINE_START.match(line)
    if found is None:
        return line
    # a list number is escaped behind its digits
    mark = f"{found[5]}\\{found[6]}" if found[5] else f"\\{found[0][len(found[1]) :]}"
    return found[1] + mark + line[found.end() :]


def escape_heading(text: str) -> str:
    """Escape number signs at the end of a heading, which a parser would remove."""
    return _CLOSING_HASHES.sub(r"\1\\\2", text)
