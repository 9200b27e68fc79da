"""Text of a script or a style sheet -> the same without its comments of several lines."""

from __future__ import annotations


def remove_comments(text: str) -> str:
    """What stands between `/*` and `*/` goes; one that never ends takes the rest with it."""
    if "/*" not in text:
        return text
    pieces: list[str] = []
    place = 0
    while (start := text.find("/*", place)) >= 0:
        pieces.append(text[place:start])
        end = text.find("*/", start + 2)
        place = len(text)
        if end >= 0:
            place = end + 2
    pieces.append(text[place:])
    return " ".join(pieces)
