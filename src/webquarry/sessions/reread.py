"""Pages that are read again in a research session: the same part of the same text is not sent
twice if the call has `unchanged: "short"`.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from webquarry._read.slices.outline import Heading
from webquarry._search.identity import identity
from webquarry._search.text import shorten_text
from webquarry.errors import WebquarryError
from webquarry.pages.outgoing import filter_text

if TYPE_CHECKING:
    from webquarry.sessions.models import ReadPart, ResearchSession
    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

# Arguments that do not affect the text.
_NOT_OF_PART = frozenset({"kit", "url", "sessionId", "fresh", "unchanged", "again"})
_NAME_LENGTH = 24
_MOST_HEADINGS = 20
_LONGEST_HEADING = 80  # characters
# Fields of an answer without the text.
KEPT_FIELDS = frozenset(
    {"url", "contentType", "citation", "sourceType", "authorityTier", "domainCategory",
     "retractionStatus"}
)  # fmt: skip


def name_part(url: str, arguments: Mapping[str, Any]) -> str:
    """Return the key of the requested part of a page in a session."""
    deciding = {name: value for name, value in arguments.items() if name not in _NOT_OF_PART}
    text = json.dumps([identity(url), deciding], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_NAME_LENGTH]


def describe_unchanged(earlier: ReadPart, headings: Sequence[Heading]) -> str:
    """Return the content of an answer whose text was sent before: since when, and the outline."""
    lines = [
        f"Unchanged since step {earlier.step} of this session, where this text was given "
        f"({earlier.tokens} tokens). Call without unchanged to get it again."
    ]
    if headings:
        lines.append("\nOutline:")
    for heading in headings[:_MOST_HEADINGS]:
        indent = "  " * (heading.level - 1)
        title = filter_text(shorten_text(heading.title, _LONGEST_HEADING))
        lines.append(f"{indent}- {title}")
    if len(headings) > _MOST_HEADINGS:
        lines.append(f"- and {len(headings) - _MOST_HEADINGS} more headings")
    return "\n".join(lines)


async def find_session(kit: Toolkit, id: str) -> ResearchSession | None:
    """Return the session; None if it cannot be read, which does not fail the call."""
    try:
        return await kit.sessions.read(id)
    except WebquarryError as failure:
        log.warning("the research session cannot be read: %s", failure)
        return None


async def note_read(
    kit: Toolkit, session: ResearchSession, part: str, digest: str, tokens: int
) -> None:
    """Record a read; a failure does not fail the call."""
    try:
        await kit.sessions.record_read(session, part, digest, tokens)
    except WebquarryError as failure:
        log.warning("a read was not recorded in its research session: %s", failure)
