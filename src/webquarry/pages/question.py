"""A text, a question and a budget -> the piece of the text that bears on the question, and a cursor
for each of its passages to read on from.
"""

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
    from webquarry.evidence.language.passages import Excerpt
    from webquarry.evidence.language.rank import Bearing

USUAL_TOKENS = 2_000  # most of an answer to a question that says nothing of length
NOT_ON_PAGE = {
    "none": "Nothing on this page bears on the question.",
    "weak": "Hardly anything on this page bears on the question: only single words of it occur.",
}
_LONGEST_QUESTION = 1_000  # characters
_LONGEST_CLAIM = 4_000  # a paragraph that is to be checked
_MOST_TRIES = 4  # to find room for the targets of numbered links


class PassageStart(AnswerPart, kw_only=True):
    """A passage that bears on the question; the cursor reads on from it."""

    section: str | None = None
    cursor: str

    @classmethod
    def of(cls, section: str, digest: str, offset: int) -> PassageStart:
        """The passage at a place in the text of this digest."""
        return cls(section=section or None, cursor=cursor_at(digest, offset))


@dataclass(frozen=True)
class AskedPiece:
    """What bears on a question."""

    data: bytes
    passages: Sequence[PassageStart]
    bearing: Bearing
    is_whole: bool


@dataclass(frozen=True)
class PageQuestion:
    """What is asked of a text."""

    text: str
    budget: int  # bytes
    fill: bool  # whether the budget is to be filled

    @classmethod
    def of(cls, text: str | None, limit: int, max_tokens: int | None) -> PageQuestion | None:
        """The question, if there is one: a blank one is none."""
        words = (text or "").strip()
        if not words:
            return None
        usual = BYTES_PER_TOKEN * USUAL_TOKENS
        if max_tokens is None:
            limit = min(limit, usual)
        return cls(words, limit, fill=max_tokens is not None)

    def check(self, request: SliceRequest, *, is_raw: bool) -> None:
        """Refuse what cannot be meant."""
        others = [way for way in request.ways if way != "section"]
        if is_raw:
            others.append("mode raw")
        if others:
            raise BadInput(
                f"question and {others[0]} were given together.",
                suggested_action="Give question alone or with section; the cursors of its passages "
                "are used without it.",
            )


def check_question(question: str | None, max_tokens: int | None) -> None:
    """Refuse a question that is none, and a budget that holds nothing. The schemas do not say it: a
    model pays for that on every turn.
    """
    if question and len(question) > _LONGEST_QUESTION:
        raise BadInput(
            f"The field 'question' does not fit: it has {len(question)} characters.",
            suggested_action=f"Ask in {_LONGEST_QUESTION} characters at most.",
        )
    if max_tokens is not None and max_tokens < 1:
        raise BadInput(
            f"The field 'max_tokens' does not fit: {max_tokens} tokens hold nothing.",
            suggested_action="Give 1 or more, or leave it out.",
        )


def check_claim(claim: str | None) -> None:
    """Refuse a claim that is a text of its own: every page is compared with all of its words."""
    if claim and len(claim) > _LONGEST_CLAIM:
        raise BadInput(
            f"The field 'claim' does not fit: it has {len(claim)} characters.",
            suggested_action=f"Give one claim of {_LONGEST_CLAIM} characters at most.",
        )


def limit_bytes(max_length: int, max_tokens: int | None) -> int:
    """The smaller of two limits, in bytes."""
    if max_tokens is None:
        return max_length
    return min(max_length, BYTES_PER_TOKEN * max_tokens)


def take_passages(
    text: WrittenText,
    digest: str,
    question: PageQuestion,
    section: str | None,
    targets: Sequence[str] = (),
) -> AskedPiece:
    """The passages of a text, or of one section of it; `digest` is the mark of the text, `targets`
    are those of its numbered links.
    """
    start, part = 0, text
    if section:
        heading = find_section(headings_of(text), section)
        start, part = heading.start, text.part(heading.start, heading.stop)
    excerpt, content = _fit_targets(part, question, targets)
    passages = []
    for passage in excerpt.passages:
        passages.append(PassageStart.of(passage.section, digest, start + passage.start))
    is_whole = excerpt.is_whole and len(part.data) == len(text.data)
    return AskedPiece(content, passages, excerpt.bearing, is_whole)


def _fit_targets(
    text: WrittenText, question: PageQuestion, targets: Sequence[str]
) -> tuple[Excerpt, bytes]:
    """The excerpt, and its content with the targets of its links within the budget."""
    from webquarry.evidence.language.passages import excerpt_of  # many tables and patterns

    room = question.budget
    for _ in range(_MOST_TRIES):
        excerpt = excerpt_of(text, question.text, room, fill=question.fill)
        content = add_targets(excerpt.content, targets)
        too_long = len(content) - question.budget
        if too_long <= 0:
            return excerpt, content
        room = max(1, room - too_long)
    return excerpt, excerpt.content
