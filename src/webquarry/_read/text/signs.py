"""Texts -> whether signs stand in them, asked before patterns are tried, which take longer.
`_signs.pyx` is the same, compiled.
"""

from __future__ import annotations

import re

# Who speaks in the chats of models, and what the parts of their examples are called.
SPEAKERS = (
    "human", "assistant", "system", "user", "developer", "instruction", "response", "input",
)  # fmt: skip
# Every byte of ASCII as "x" where it belongs to a word, else as a blank.
_WORD_BYTES = bytes(b" x"[chr(code).isalnum()] for code in range(256))
_TURN = re.compile(rf"(?aim)^[# ]{{0,7}}(?:{'|'.join(SPEAKERS)})[ \t]{{0,4}}:")


def may_hold_bracket(text: str) -> bool:
    """Whether the last letter of a delimiter in brackets stands before a bracket."""
    return "T]" in text or "S]" in text


def may_start_turn(text: str) -> bool:
    """Whether a line begins with the name of a speaker and a colon, whatever number signs are
    before it.
    """
    return _TURN.search(text) is not None


def count_ascii_words(text: str) -> int:
    """How many words of letters and digits a text in ASCII has."""
    marked = b" " + text.encode().translate(_WORD_BYTES)
    return marked.count(b" x")


class CharacterSet:
    """Characters that are looked for in texts, written as in the brackets of a pattern: single ones
    and ranges.
    """

    def __init__(self, members: str) -> None:
        self._run = re.compile(f"[{members}]+")

    def find_run(self, text: str, start: int) -> tuple[int, int] | None:
        """Where the next characters of the set stand side by side, from a place on: the first, and
        one past the last; None where there are no more.
        """
        found = self._run.search(text, start)
        if found is None:
            return None
        return found.span()
