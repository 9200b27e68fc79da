"""What the model is shown of a search: results in, one short text out, in the form that the
contract shows.

Titles and descriptions are from the web: each becomes one line in which nothing is invisible, so
that nothing in them can pass for another result.
"""

from __future__ import annotations

from collections.abc import Sequence

from webquarry._search.models import Result
from webquarry.pages.clean import clean_line, clean_url

MOST_RESULTS = 5
MOST_TOKENS = 1500
MOST_BYTES = 3 * MOST_TOKENS  # on the safe side for every script we know

# Characters of each part of a result.
_TITLE_LENGTH = 200
_ADDRESS_LENGTH = 500
_DESCRIPTION_LENGTH = 200

UNAVAILABLE = "Search unavailable. Please answer from your knowledge."
MISSING_QUERY = "The query parameter is missing. Please answer from your knowledge."
ONE_ONLY = "Only one search is allowed for a question. Please answer with what you have."
UNKNOWN_TOOL = "There is no such tool. Please answer from your knowledge."


def select_results(results: Sequence[Result]) -> tuple[Result, ...]:
    """Those of the results that the text has room for: the first five, fewer if they are long."""
    selected = list(results[:MOST_RESULTS])
    while len(selected) > 1 and len(format_results(selected).encode()) > MOST_BYTES:
        selected.pop()
    return tuple(selected)


def format_results(results: Sequence[Result]) -> str:
    """The text of the tool's result."""
    if not results:
        return "Search Results:\n\nNothing was found."
    parts = []
    for number, result in enumerate(results, 1):
        lines = [
            f"{number}. {shorten(clean_line(result.title), _TITLE_LENGTH)}",
            f"   {shorten(clean_url(result.url), _ADDRESS_LENGTH)}",
        ]
        description = shorten(clean_line(result.snippet), _DESCRIPTION_LENGTH)
        if description:
            lines.append(f"   {description}")
        parts.append("\n".join(lines))
    return "Search Results:\n\n" + "\n\n".join(parts)


def shorten(text: str, most: int) -> str:
    """One line of at most so many characters; what is longer ends between words, in three dots."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    head = line[: most - 3]
    if " " in head[most // 2 :]:
        head = head[: head.rfind(" ")]
    return head.rstrip() + "..."
