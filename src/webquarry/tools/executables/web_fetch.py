"""The `web_fetch` tool: lines of a page as Markdown.

If the lines are larger than the setting `fetch_max_bytes`, the text ends at the last line that
fits, and the answer says how many lines there are and where to continue. A single line that is
longer is truncated; `cut_line_bytes` is its full size.
"""

from __future__ import annotations

import logging
from typing import Annotated

from msgspec import Meta

from webquarry.errors import Unreadable, WebquarryError
from webquarry.pages.outgoing import PageText
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)


class FetchAnswer(Answer, kw_only=True, rename=None):
    """Lines of a page. The optional fields are present only if the content was cut or lost."""

    content: PageText  # Markdown
    lines_read: int
    total_lines: int | None = None  # lines of the whole page
    next_offset: int | None = None  # line to continue with
    cut_line_bytes: int | None = None  # full size of a line that was cut
    notes: list[str] | None = None  # lost parts of the page


@tool(strict=True)
async def web_fetch(
    kit: Toolkit,
    url: Annotated[
        str, Meta(description="The URL to fetch content from", extra_json_schema={"format": "uri"})
    ],
    offset: Annotated[
        int | None, Meta(description="Line number to start reading from (1-based)", ge=1)
    ] = None,
    limit: Annotated[
        int | None, Meta(description="Maximum number of lines to return", ge=1)
    ] = None,
) -> FetchAnswer:
    """Fetches content from a specified URL and returns it as markdown. Converts HTML to markdown
    using libxml2. Supports pagination via offset and limit parameters similar to file_read.
    """
    try:
        page = await kit.reader.read(url)
    except WebquarryError as error:
        is_unreadable = isinstance(error, Unreadable)
        prefix = "Failed to parse HTML" if is_unreadable else "Failed to fetch URL"
        error.args = (f"{prefix}: {error.message}",)
        raise
    for note in page.notes:
        log.warning("%s", note)
    answer = select_lines(page.markdown, offset or 1, limit, kit.settings.fetch_max_bytes)
    if page.lost:
        answer.notes = list(page.lost)
    return answer


def select_lines(markdown: str, offset: int, limit: int | None, max_bytes: int) -> FetchAnswer:
    """Return at most `limit` lines from `offset` on, within `max_bytes` (0 means no limit)."""
    lines = markdown.removesuffix("\n").split("\n") if markdown else []
    wanted = lines[offset - 1 :][:limit]
    fitting = len(wanted)  # lines that, joined, are within the limit
    if max_bytes:
        size = -1  # the first line has no newline before it
        for count, line in enumerate(wanted):
            size += 1 + len(line.encode())
            if size > max_bytes:
                fitting = count
                break
    if fitting == len(wanted):
        return FetchAnswer(content="\n".join(wanted), lines_read=len(wanted))
    if fitting:
        return FetchAnswer(
            content="\n".join(wanted[:fitting]),
            lines_read=fitting,
            total_lines=len(lines),
            next_offset=offset + fitting,
        )
    first_line = wanted[0].encode()
    return FetchAnswer(
        content=first_line[:max_bytes].decode("utf-8", "ignore"),
        lines_read=1,
        total_lines=len(lines),
        next_offset=offset + 1 if offset < len(lines) else None,
        cut_line_bytes=len(first_line),
    )
