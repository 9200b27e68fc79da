"""Joining of the lines of a paragraph: hyphens, blanks, ligatures."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from webquarry._read.documents.pdf.lines import HYPHEN

_SOFT = ("\u00ad", "\u2010")
_CJK = re.compile(
    r"[\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]"
)
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_FIRST_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[^\W\d_]+-[^\W\d_]+")
_LONGEST_WORD = 60  # characters
_LONGEST_ADDRESS = 300
_KEEP_HYPHEN_AFTER = frozenset({"self", "well", "half", "vice", "quasi"})
_BROKEN_NAME = re.compile(r"(?:\w_|https?://\S+[/=&?._-])$")  # of a variable, or an address
# Ligatures, and radicals that fonts map to in place of the character.
_COMPATIBLE = {
    code: unicodedata.normalize("NFKC", chr(code))
    for code in (*range(0xFB00, 0xFB07), *range(0x2F00, 0x2FD6))
}


class Joiner:
    """Joins lines; a hyphen stays in words that the document hyphenates elsewhere."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._compounds: set[str] = set()
        for text in texts:
            if "-" in text:
                self._compounds.update(map(str.casefold, _COMPOUND.findall(text)))

    def join(self, texts: Iterable[str]) -> str:
        """Return the lines of one paragraph as one text."""
        parts: list[str] = []
        for text in filter(None, texts):
            if parts:
                parts[-1], between = self._link(parts[-1], text)
                parts.append(between)
            parts.append(text)
        return "".join(parts).replace(HYPHEN, "-").translate(_COMPATIBLE)

    def _link(self, before: str, after: str) -> tuple[str, str]:
        """Return the end of a line without a hyphen, and what goes between it and the next."""
        if before.endswith(_SOFT):
            return before[:-1], ""
        is_hyphen = before.endswith("-") and after[0].islower()
        if before.endswith(HYPHEN) or (is_hyphen and _LAST_WORD.search(before[-_LONGEST_WORD:-1])):
            return before[:-1], self._keep_hyphen(before[:-1], after)
        if _BROKEN_NAME.search(before[-_LONGEST_ADDRESS:]):
            return before, ""
        if _CJK.match(before[-1:]) and _CJK.match(after):
            return before, ""
        return before, " "

    def _keep_hyphen(self, before: str, after: str) -> str:
        """Return the hyphen if it belongs to the word, else nothing."""
        head = _LAST_WORD.search(before[-_LONGEST_WORD:])
        tail = _FIRST_WORD.match(after[:_LONGEST_WORD])
        if head is None or tail is None or not after[0].islower():
            return "-"
        compound = f"{head[0]}-{tail[0]}".casefold()
        is_kept = compound in self._compounds or head[0].casefold() in _KEEP_HYPHEN_AFTER
        return "-" if is_kept else ""
