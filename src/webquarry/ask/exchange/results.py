"""What the model is shown of a search: results in, one short text out, in the form that the
contract shows.

Titles and descriptions are from the web: each becomes one line, so that nothing in them can pass
for another result.
"""

from __future__ import annotations

from collections.abc import Sequence

from webquarry.search.models import Result

MOST_RESULTS = 5
MOST_TOKENS = 1500
_DESCRIPTION = 200  # characters
_TITLE = 200
_ADDRESS = 500
MOST_BYTES = 3 * MOST_TOKENS  # on the safe side for every script we know

UNAVAILABLE = "Search unavailable. Please answer from your knowledge."
MISSING_QUERY = "The query parameter is missing. Please answer from your knowledge."
ONE_ONLY = "Only one search is allowed for a question. Please answer with what you have."
UNKNOWN_TOOL = "There is no such tool. Please answer from your knowledge."


def shown(results: Sequence[Result]) -> tuple[Result, ...]:
    """Those of the results that the text has room for: the first five, fewer where they are long."""
    kept = list(results[:MOST_RESULTS])
    while len(kept) > 1 and len(format_results(kept).encode()) > MOST_BYTES:
        kept.pop()
    return tuple(kept)


def format_results(results: Sequence[Result]) -> str:
    """The text of the tool's result."""
    if not results:
        return "Search Results:\n\nNothing was found."
    parts = [
        "\n".join(
            line
            for line in (f"{number}. {title}", f"   {address}", f"   {text}" if text else "")
            if line
        )
        for number, (title, address, text) in enumerate(map(_lines, results), 1)
    ]
    return "Search Results:\n\n" + "\n\n".join(parts)


def _lines(result: Result) -> tuple[str, str, str]:
    return cut(result.title, _TITLE), cut(result.url, _ADDRESS), cut(result.snippet, _DESCRIPTION)


def cut(text: str, most: int) -> str:
    """One line of at most so many characters; what is longer ends between words, with three dots."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 3]
    return (head[: head.rfind(" ")] if " " in head[most // 2 :] else head).rstrip() + "..."
