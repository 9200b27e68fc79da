"""Lines of one paragraph -> one text: hyphens at their ends undone, blanks where the script has
blanks.
"""

from __future__ import annotations

import re
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
_LIGATURES = str.maketrans(
    {
        "\ufb00": "ff",
        "\ufb01": "fi",
        "\ufb02": "fl",
        "\ufb03": "ffi",
        "\ufb04": "ffl",
        "\ufb05": "st",
        "\ufb06": "st",
    }
)


class Joiner:
    """Joins lines, knowing how the document writes its compound words elsewhere."""

    def __init__(self, compounds: frozenset[str] = frozenset()) -> None:
        self._compounds = compounds

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Joiner:
        """One that has seen these lines."""
        compounds: set[str] = set()
        for text in texts:
            if "-" in text:
                found = _COMPOUND.findall(text)
                compounds.update(map(str.casefold, found))
        return cls(frozenset(compounds))

    def join(self, texts: Iterable[str]) -> str:
        """Lines of one paragraph as one text."""
        parts: list[str] = []
        for text in texts:
            if not text:
                continue
            if parts:
                parts[-1], between = self._link(parts[-1], text)
                parts.append(between)
            parts.append(text)
        joined = "".join(parts).replace(HYPHEN, "-")
        return joined.translate(_LIGATURES)

    def _link(self, before: str, after: str) -> tuple[str, str]:
        """The end of one line as it should be, and what comes between it and the next."""
        if before.endswith(HYPHEN):
            word = before[:-1]
            return word, self._keep_hyphen(word, after)
        if before.endswith(_SOFT):
            return before[:-1], ""
        if before.endswith("-") and after[0].islower():
            ends_in_word = _LAST_WORD.search(before[-_LONGEST_WORD:-1])
            if ends_in_word:
                word = before[:-1]
                return word, self._keep_hyphen(word, after)
        if _BROKEN_NAME.search(before[-_LONGEST_ADDRESS:]):
            return before, ""
        if _CJK.match(before[-1:]) and _CJK.match(after):
            return before, ""
        return before, " "

    def _keep_hyphen(self, before: str, after: str) -> str:
        """What stays of a hyphen: nothing if a word was broken there, itself if it belongs to the
        word.
        """
        head = _LAST_WORD.search(before[-_LONGEST_WORD:])
        tail = _FIRST_WORD.match(after[:_LONGEST_WORD])
        if head is None or tail is None or not after[0].islower():
            return "-"
        compound = f"{head[0]}-{tail[0]}".casefold()
        if compound in self._compounds:
            return "-"
        if head[0].casefold() in _KEEP_HYPHEN_AFTER:
            return "-"
        return ""
