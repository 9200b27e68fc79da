"""The lines of all pages -> the same without what is printed on every page: running heads and page
numbers.

Only the top and the bottom tenth of a page are looked at. A line goes when the same one, whatever
its digits, stands on many pages, when it carries the number of its page like the others do, or when
it is nothing but that number.
"""

from __future__ import annotations

import re
from collections import Counter

from webquarry._read.documents.pdf.lines import PdfLine

_BAND = 0.1  # of the height of a page
_SHARE = 0.4  # of the pages
_DIGITS = re.compile(r"\d+")
_NUMBER_AT_EDGE = re.compile(r"^\W*(\d{1,4})\b|\b(\d{1,4})\W*$")
_ONLY_NUMBER = re.compile(
    r"(?i)[\W_]*(?:page\s+|p\.\s*|seite\s+|página\s+)?"
    r"(?:\d{1,4}(?:\s*(?:/|of|von|de)\s*\d{1,4})?|[ivxlc]{1,8})[\W_]*"
)


def drop_running_heads(pages: list[list[PdfLine]]) -> list[list[PdfLine]]:
    """The pages without them."""
    texts: Counter[str] = Counter()  # on how many pages each text stands at the edge
    offsets: Counter[int] = Counter()  # on how many pages a number is so far ahead of the page's
    for lines in pages:
        texts_here: set[str] = set()
        offsets_here: set[int] = set()
        for line in lines:
            if _is_at_edge(line):
                texts_here.add(_text_key(line))
                offsets_here |= _number_offsets(line)
        texts.update(texts_here)
        offsets.update(offsets_here)
    least = max(2, _SHARE * len(pages))
    repeated = {text for text, count in texts.items() if count >= least}
    numbering: set[int] = set()
    for offset, count in offsets.items():
        # only pages that are counted from 1 need no more than two witnesses
        enough = least
        if offset != 1:
            enough = max(least, 3)
        if count >= enough:
            numbering.add(offset)
    bare: list[list[PdfLine]] = []
    for lines in pages:
        kept = [line for line in lines if not _is_running(line, repeated, numbering)]
        bare.append(kept)
    return bare


def _is_at_edge(line: PdfLine) -> bool:
    """Whether a line stands at the top or the bottom of its page."""
    return not _BAND < line.height < 1 - _BAND


def _text_key(line: PdfLine) -> str:
    """The text of a line as it is compared: whatever its digits, blanks and capitals."""
    folded = " ".join(line.text.split())
    return _DIGITS.sub("#", folded).casefold()


def _number_offsets(line: PdfLine) -> set[int]:
    """How far the numbers at both ends of a line are ahead of the number of its page."""
    offsets: set[int] = set()
    for before, after in _NUMBER_AT_EDGE.findall(line.text):
        number = before or after
        if number:
            offsets.add(int(number) - line.page)
    return offsets


def _is_running(line: PdfLine, repeated: set[str], numbering: set[int]) -> bool:
    """Whether a line is printed on every page, or is nothing but the number of its page."""
    if not _is_at_edge(line):
        return False
    if _text_key(line) in repeated:
        return True
    offsets = _number_offsets(line)
    if numbering & offsets:
        return True
    if not _ONLY_NUMBER.fullmatch(line.text):
        return False
    is_bare_number = line.text.strip(" -–—").isdigit()
    return not is_bare_number or 1 in offsets
