"""The part of a text that is relevant to a question, and cursors to read on from its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webquarry._read.slices.outline import find_section, headings_of
from webquarry._read.slices.text import WrittenText, add_targets
from webquarry.errors import BadInput
from webquarry.evidence.models import BYTES_PER_TOKEN, AnswerPart
from webquarry.pages.slice import SliceRequest, cursor_at

if TYPE_CHECKING:
    from webquarry.evidence.language.rank import Bearing

USUAL_TOKENS = 2_000  # default length of an answer to a question
NOT_ON_PAGE = {
    "none": "Nothing on this page bears on the question.",
    "weak": "Hardly anything on this page bears on the question: only single words of it occur.",
}
_MAX_TRIES = 4  # to find room for the targets of numbered links


class PassageStart(AnswerPart, kw_only=True):
    """A passage that bears on the question; the cursor reads on from it."""

    section: str | None = None
    cursor: str

    @classmethod
    def of(cls, section: str, digest: str, offset: int) -> PassageStart:
        """Return the passage at an offset in the text with this digest."""
        return cls(section=section or None, cursor=cursor_at(digest, offset))


@dataclass(frozen=True)
class AskedPiece:
    """The part of a text that is relevant to a question."""

    data: bytes
    passages: Sequence[PassageStart]
    bearing: Bearing
    is_whole: bool


@dataclass(frozen=True)
class PageQuestion:
    """A question about a text, and the budget of the answer."""

    text: str
    budget: int  # bytes
    fill: bool  # whether other text fills the budget

    @classmethod
    def of(cls, text: str | None, limit: int, max_tokens: int | None) -> PageQuestion | None:
        """Return the question; None if it is blank."""
        words = (text or "").strip()
        if not words:
            return None
        if max_tokens is None:
            limit = min(limit, BYTES_PER_TOKEN * USUAL_TOKENS)
        return cls(words, limit, fill=max_tokens is not None)

    def check(self, request: SliceRequest, *, is_raw: bool) -> None:
        """Raise `BadInput` for arguments that exclude each other."""
        others = [way for way in request.ways if way != "section"]
        others += ["mode raw"] if is_raw else []
        if others:
            raise BadInput(
                f"question and {others[0]} were given together.",
                suggested_action="Give question alone or with section; the cursors of its passages "
                "are used without it.",
            )


def limit_bytes(max_length: int, max_tokens: int | None) -> int:
    """Return the smaller of two limits, in bytes."""
    return max_length if max_tokens is None else min(max_length, BYTES_PER_TOKEN * max_tokens)


def take_passages(
    text: WrittenText,
    digest: str,
    question: PageQuestion,
    section: str | None,
    targets: Sequence[str] = (),
) -> AskedPiece:
    """Return the relevant passages of a text, or of one section of it.

    `digest` is that of the text, `targets` are those of its numbered links; they count toward the
    budget.
    """
    from webquarry.evidence.language.passages import excerpt_of  # many tables and patterns

    start, part = 0, text
    if section:
        heading = find_section(headings_of(text), section)
        start, part = heading.start, text.part(heading.start, heading.stop)
    room = question.budget
    for _ in range(_MAX_TRIES):
        excerpt = excerpt_of(part, question.text, room, fill=question.fill)
        content = add_targets(excerpt.content, targets)
        too_long = len(content) - question.budget
        if too_long <= 0:
            break
        room = max(1, room - too_long)
    else:
        content = excerpt.content
    passages = [
        PassageStart.of(passage.section, digest, start + passage.start)
        for passage in excerpt.passages
    ]
    is_whole = excerpt.is_whole and len(part.data) == len(text.data)
    return AskedPiece(content, passages, excerpt.bearing, is_whole)
