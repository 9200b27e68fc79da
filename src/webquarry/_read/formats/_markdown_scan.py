"""Markdown that somebody else wrote -> the marks in its prose: tags, comments, images, brackets,
addresses; none that stands in code.

Where it is not certain that something is code, it is taken for prose: what is taken for code by
mistake would get through as it is. One pass over the lines, one over the marks, both linear.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["tag", "comment", "block", "less", "address", "open", "close"]

_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_QUOTE = re.compile(r" {0,3}> ?")
_QUOTES = re.compile(rf"(?:{_QUOTE.pattern})*+")
_ITEM = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])(?=[ \t\n]|\Z)[ \t]*+")
_RULE = re.compile(r"[ \t]*+([-*_])(?:[ \t]*+\1){2,}+[ \t]*+\n?\Z")
_FENCE = re.compile(r"[ \t]*+(`{3,}+(?=[^`]*+\Z)|~{3,}+)")
_MOST_ITEMS = 10  # markers in one line
_INDENTED = 4
_BLOCK_TAGS = """
    address article aside base basefont blockquote body caption center col colgroup dd details
    dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6
    head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option p
    param search section summary table tbody td tfoot th thead title tr track ul
"""
_BLOCK_NAMES = "|".join(_BLOCK_TAGS.split())
_TAG_START = r"</?[A-Za-z][A-Za-z0-9-]*+(?=[\s/>])"
_TAG_SIGN = re.compile(r"[\"'<>]")
_ONE_TAG = rf"{_TAG_START}(?:[^<>\"']++|\"[^\"]*+\"|'[^']*+')*+>"
# What makes lines HTML, and what ends that: a blank line, unless it says otherwise.
_RAW_STARTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"[ \t]*<!--"), "-->"),
    (re.compile(r"[ \t]*<(?:script|pre|style|textarea)(?=[\s>]|\Z)", re.IGNORECASE), "</"),
    (re.compile(r"[ \t]*<\?"), "?>"),
    (re.compile(r"[ \t]*<!\[CDATA\["), "]]>"),
    (re.compile(r"[ \t]*<![A-Za-z]"), ">"),
    (re.compile(rf"[ \t]*</?(?:{_BLOCK_NAMES})(?=[\s/>]|\Z)", re.IGNORECASE), ""),
)
_LONE_TAG = re.compile(rf"[ \t]*{_ONE_TAG}\s*\Z")
_VERBATIM_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_RUN_OF_TICKS = re.compile("`+")
_BLANK_LINE = re.compile(r"\n[ \t>]*+\n")
_COMMENT_ENDS = {"<!--": "-->", "<?": "?>", "<!": ">"}
_ADDRESS = r"<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+>"
_MARK = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])|(?P<ticks>`++)|(?P<comment><!--|<\?|<!(?=[A-Za-z\[]))"
    rf"|(?P<address>{_ADDRESS})|(?P<tag>{_TAG_START})|(?P<less><(?=[A-Za-z/!?]))"
    r"|(?P<open>!?\[)|(?P<close>\])"
)


class SourceMark(NamedTuple):
    """A sign of Markdown or HTML in prose, and where it stands. `less` is a sign that opens nothing
    here, and might elsewhere.
    """

    kind: Kind
    start: int
    stop: int


@dataclass
class _Fence:
    """Fenced code that is open."""

    start: int
    sign: str
    quotes: int
    indent: int  # lines with less end what the fence stands in


def find_marks(text: str, *, knows_html: bool = True) -> Iterator[SourceMark]:
    """The marks of a text, in order, but for those in code and in blocks of HTML. For who knows no
    HTML, what would be a tag or a comment is `less`.
    """
    blocks = find_blocks(text, knows_html=knows_html)
    skipped = sorted(blocks.code + blocks.html)
    starts = [start for start, _ in skipped]
    ticks = _Ticks(text)
    ends = _Ends(text)
    place = 0
    while True:
        found = _MARK.search(text, place)
        if found is None:
            return
        start = found.start()
        block = bisect_right(starts, start) - 1
        if block >= 0 and start < skipped[block][1]:
            place = skipped[block][1]
            continue
        place = found.end()
        kind = found.lastgroup
        if kind in ("comment", "tag") and not knows_html:
            kind = "less"
        match kind:
            case "ticks":
                place = ticks.find_code_end(start, place)
            case "comment":
                end = ends.find_comment_end(found[0], place)
                place = end or start + 1
                yield SourceMark("comment" if end else "less", start, place)
            case "tag":
                end = ends.find_tag_end(place)
                place = end or start + 1
                yield SourceMark("tag" if end else "less", start, place)
            case "less":
                place = start + 1
                yield SourceMark("less", start, place)
            case "address":
                yield SourceMark("address", start, place)
            case "open":
                yield SourceMark("open", start, place)
            case "close":
                yield SourceMark("close", start, place)


class _Ticks:
    """Runs of ticks by their length, so that the end of code is found at once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._unclear_until = 0  # up to there, ticks may pair in other ways than within a line
        self._paragraph_end = -1
        self._runs: dict[int, list[int]] = defaultdict(list)
        for found in _RUN_OF_TICKS.finditer(text):
            self._runs[len(found[0])].append(found.start())

    def find_code_end(self, start: int, stop: int) -> int:
        """Behind the code that these ticks open; behind them, where they open none, or it is not
        clear which ticks belong together: those of several lines, or of cells of a table.
        """
        runs = self._runs[stop - start]
        at = bisect_right(runs, start)
        if at == len(runs) or start < self._unclear_until:
            return stop
        end = runs[at]
        line_end = self._text.find("\n", stop, end)
        if line_end < 0 and self._text.find("|", stop, end) < 0:
            return end + stop - start
        if stop > self._paragraph_end:
            blank = _BLANK_LINE.search(self._text, stop)
            self._paragraph_end = blank.start() if blank else len(self._text)
        if end < self._paragraph_end:
            self._unclear_until = self._paragraph_end
        return stop


class _Ends:
    """Where comments and tags end. What has no end is looked for only so often, so that many
    beginnings cost no more than one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._missing: set[str] = set()
        self._left = 4 * len(text) + 10_000  # characters that may be looked at in vain

    def find_comment_end(self, opening: str, place: int) -> int | None:
        """Behind the end of what was opened. A comment that is opened at the beginning of a line
        and never closed hides all the rest.
        """
        end = _COMMENT_ENDS[opening]
        if end not in self._missing:
            found = self._text.find(end, place)
            if found >= 0:
                return found + len(end)
            self._missing.add(end)
        line = self._text.rfind("\n", max(0, place - 8), place) + 1
        if opening == "<!--" and not self._text[line : place - len(opening)].strip():
            return len(self._text)
        return None

    def find_tag_end(self, start: int) -> int | None:
        """Behind the tag whose name ends here; a sign in quotes does not end it."""
        place = start
        reached = len(self._text)
        while self._left > 0:
            sign = _TAG_SIGN.search(self._text, place)
            if sign is None:
                break
            if sign[0] == ">":
                return sign.end()
            if sign[0] == "<":
                reached = sign.start()
                break
            closing = self._text.find(sign[0], sign.end())
            if closing < 0:
                break
            place = closing + 1
        self._left -= reached - start
        return None


class SourceBlocks(NamedTuple):
    """Where code and HTML begin and end that are blocks of their own."""

    code: list[tuple[int, int]]
    html: list[tuple[int, int]]


def find_blocks(text: str, *, knows_html: bool = True) -> SourceBlocks:
    """Where fenced and indented code and blocks of HTML begin and end."""
    return _BlockScan(text, knows_html).run()


class _BlockScan:
    """One pass over the lines of a text."""

    def __init__(self, text: str, knows_html: bool) -> None:
        self._text = text
        self._knows_html = knows_html
        self._found: list[tuple[int, int]] = []
        self._html: list[tuple[int, int]] = []
        self._fence: _Fence | None = None
        self._raw_start = 0
        self._raw_end: str | None = None  # what ends the HTML that is open; "" is a blank line
        self._is_in_list = False
        self._is_after_blank = True
        self._is_after_code = False

    def run(self) -> SourceBlocks:
        """Where code and HTML begin and end."""
        for line in _LINE.finditer(self._text):
            if not self._continue_fence(line) and not self._continue_raw(line):
                self._begin(line)
        if self._fence is not None:
            self._found.append((self._fence.start, len(self._text)))
        if self._raw_end is not None:
            self._html.append((self._raw_start, len(self._text)))
        return SourceBlocks(self._found, self._html)

    def _continue_fence(self, line: re.Match[str]) -> bool:
        """Whether a line belongs to the fenced code that is open."""
        fence = self._fence
        if fence is None:
            return False
        column = 0
        is_left = False
        for _ in range(fence.quotes):
            quote = _QUOTE.match(line[0], column)
            if quote is None:
                is_left = True
                break
            column = quote.end()
        rest = line[0][column:]
        if rest.strip() and count_indent(rest) + column < fence.indent:
            is_left = True
        if is_left:
            self._found.append((fence.start, line.start()))
            self._fence = None
            return False
        closing = rest.strip()
        if closing.startswith(fence.sign) and not closing.strip(fence.sign[0]):
            self._found.append((fence.start, line.end()))
            self._fence = None
        return True

    def _continue_raw(self, line: re.Match[str]) -> bool:
        """Whether a line belongs to the HTML that is open, in which nothing is code."""
        if self._raw_end is None:
            return False
        if self._ends_raw(line[0], self._raw_end):
            is_blank = not line[0].strip()
            self._html.append((self._raw_start, line.start() if is_blank else line.end()))
            self._is_after_blank = is_blank
            self._raw_end = None
        return True

    def _ends_raw(self, line: str, end: str) -> bool:
        if not end:
            return not line.strip()
        if end == "</":
            return _VERBATIM_END.search(line) is not None
        return end in line

    def _begin(self, line: re.Match[str]) -> None:
        """A line outside of fenced code and HTML."""
        prefix = _QUOTES.match(line[0])
        assert prefix is not None
        rest = line[0][prefix.end() :]
        if not rest.strip():
            self._is_after_blank = True
            return
        indent = count_indent(rest)
        may_be_code = self._is_after_blank or self._is_after_code
        is_plain = not prefix[0].strip() and not self._is_in_list
        if is_plain and may_be_code and indent >= _INDENTED:
            self._found.append((line.start(), line.end()))
            self._is_after_code = True
            return
        column = prefix.end()
        has_item = False
        for _ in range(_MOST_ITEMS):
            item = _ITEM.match(rest)
            if item is None or _RULE.match(rest):
                break
            has_item = True
            column += item.end()
            rest = rest[item.end() :]
        if has_item:
            self._is_in_list = True
        elif self._is_after_blank and indent == 0:
            self._is_in_list = False
        self._open(line, rest, prefix[0].count(">"), column)
        self._is_after_blank = False
        self._is_after_code = False

    def _open(self, line: re.Match[str], rest: str, quotes: int, column: int) -> None:
        """Open the fenced code or the HTML that begins here, if any does."""
        indent = count_indent(rest)
        if indent >= _INDENTED and not self._is_in_list:
            return
        fence = _FENCE.match(rest.rstrip("\n"))
        if fence:
            needed = column + indent if self._is_in_list else 0
            self._fence = _Fence(line.start(), fence[1], quotes, needed)
            return
        if self._knows_html:
            self._open_html(line, rest)

    def _open_html(self, line: re.Match[str], rest: str) -> None:
        """Open the HTML that begins here, if any does."""
        self._raw_start = line.end() - len(rest)
        for start, end in _RAW_STARTS:
            if start.match(rest):
                behind = rest.lstrip()[2:]
                if end and self._ends_raw(behind, end):
                    self._html.append((self._raw_start, line.end()))
                else:
                    self._raw_end = end
                return
        if self._is_after_blank and _LONE_TAG.match(rest):
            self._raw_end = ""


def count_indent(line: str) -> int:
    """The columns in front of a line's first word."""
    bare = line.lstrip(" \t")
    return len(line[: len(line) - len(bare)].expandtabs(4))
