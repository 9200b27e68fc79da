"""Text -> a fenced block of Markdown that nothing inside can close."""

from __future__ import annotations

import re

_TICKS = re.compile(r"`{3,}")


def fence(text: str, language: str) -> str:
    """The text between fences longer than any run of backticks in it."""
    longest = 2
    if "```" in text:
        longest = max(map(len, _TICKS.findall(text)))
    ticks = "`" * (longest + 1)
    content = text.rstrip()
    return f"{ticks}{language}\n{content}\n{ticks}"
