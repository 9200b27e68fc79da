"""The lines of all pages -> the same without what is printed on every page: running heads and page
numbers.

Only the top and the bottom tenth of a page are looked at. A line goes when the same one, whatever
its digits, stands on many pages, when it carries the number of its page like the others do, or when
it is nothing but that number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from webquarry.read.documents.pdf.lines import PdfLine

_BAND = 0.1  # of the height of a page
_SHARE = 0.4  # of the pages
_DIGITS = re.compile(r"\d+")
_NUMBER_AT_EDGE = re.compile(r"^\W*(\d{1,4})\b|\b(\d{1,4})\W*$")
_ONLY_NUMBER = re.compile(
    r"(?i)[\W_]*(?:page\s+|p\.\s*|seite\s+|página\s+)?(?:\d{1,4}(?:\s*(?:/|of|von|de)\s*\d{1,4})?|[ivxlc]{1,8})[\W_]*"
)


def without_running_heads(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """The pages without them."""
    least = max(2, _SHARE * len(pages))
    texts = Counter(key for lines in pages for key in {_key(line) for line in _at_edges(lines)})
    offsets = Counter(
        offset
        for lines in pages
        for offset in {offset for line in _at_edges(lines) for offset in _offsets(line)}
    )
    repeated = {key for key, count in texts.items() if count >= least}
    numbering = {
        offset
        for offset, count in offsets.items()
        if count >= (least if offset == 1 else max(least, 3))
    }
    return [
        [line for line in lines if not _is_running(line, repeated, numbering)] for lines in pages
    ]


def _at_edges(lines: list[PdfLine]) -> Iterator[PdfLine]:
    return (line for line in lines if _is_at_edge(line))


def _is_at_edge(line: PdfLine) -> bool:
    return not _BAND < line.height < 1 - _BAND


def _key(line: PdfLine) -> str:
    return _DIGITS.sub("#", " ".join(line.text.split())).casefold()


def _offsets(line: PdfLine) -> set[int]:
    """How far the numbers at both ends of a line are ahead of the number of its page."""
    return {
        int(before or after) - line.page
        for before, after in _NUMBER_AT_EDGE.findall(line.text)
        if before or after
    }


def _is_running(line: PdfLine, repeated: set[str], numbering: set[int]) -> bool:
    if not _is_at_edge(line):
        return False
    if _key(line) in repeated or numbering & _offsets(line):
        return True
    return bool(_ONLY_NUMBER.fullmatch(line.text)) and (
        not line.text.strip(" -–—").isdigit() or 1 in _offsets(line)
    )
