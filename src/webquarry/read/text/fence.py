"""Text -> a fenced block of Markdown that nothing inside can close."""

from __future__ import annotations

import re

_TICKS = re.compile(r"`{3,}")


def fence(text: str, language: str) -> str:
    """The text between fences longer than any run of backticks in it."""
    longest = max(map(len, _TICKS.findall(text)), default=2)
    ticks = "`" * (longest + 1)
    content = text.rstrip()
    return f"{ticks}{language}\n{content}\n{ticks}"
