"""Pages that were read and judged -> the sources of an answer and one text of them all, within the
limits.

Paragraphs that an earlier source has are dropped, then what does not bear on the question if that
is asked for, then the length is shared. Whatever is missing of a page is said with its source, and
how to get it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from webquarry.evidence.language.relevant_paragraphs import find_relevant, join_paragraphs
from webquarry.evidence.language.scores import SourceScores
from webquarry.evidence.models import TRUST, AnswerPart, DomainReputation
from webquarry.pages.read_results import Read
from webquarry.pages.share import Share, Text, enough_of, share_out
from webquarry.read.slices.paragraphs import Paragraph
from webquarry.read.slices.repeats import Repeats

READ_ON = "Call scrape_page with this url for the whole text"


class FilteredOut(AnswerPart):
    __doc__ = (
        "What a filter left out of a source. `matched` is false where nothing bears on the "
        "question: then the beginning\n"
        "of the text is there."
    )

    paragraphs: int
    bytes: int
    matched: bool


class ScrapedSource(AnswerPart):
    __doc__ = (
        "A page and what is known of it. `content` is absent where sources were not asked "
        "for; what is missing of the\n"
        "text is told by `truncated`, `repeatedParagraphs` and `filtered`, with `totalLength` "
        "and `readOn`."
    )

    url: str
    title: str
    published_at: str | None = None
    content: str | None = None
    content_type: str
    trust: str = TRUST
    scores: SourceScores
    source_type: str
    authority_tier: Literal["high", "medium", "low"]
    domain_category: str
    source_reputation: DomainReputation | None = None
    extraction_quality: Literal["complete", "partial"] | None = None
    word_count: int
    claim_signal: str | None = None
    key_sentences: list[str]
    truncated: bool
    repeated_paragraphs: int | None = None
    filtered: FilteredOut | None = None
    total_length: int | None = None
    read_on: str | None = None


@dataclass(frozen=True)
class Wishes:
    """How the texts are to be given."""

    with_content: bool
    deduplicate: bool
    filter: bool
    most_each: int
    most: int


@dataclass(frozen=True)
class _Rest:
    """What is left of a page before its length is looked at."""

    data: bytes
    repeated: int = 0
    filtered: FilteredOut | None = None


def build(pages: Sequence[Read], wishes: Wishes) -> tuple[list[ScrapedSource], str]:
    """The sources, in the same order, and their texts as one."""
    repeats = Repeats()
    rests = [_rest(page, repeats, wishes) for page in pages]
    texts = [
        Text(page.study.title, page.snapshot.fields["url"], rest.data)
        for page, rest in zip(pages, rests, strict=True)
    ]
    shares, combined = share_out(texts, wishes.most_each, wishes.most)
    sources = [
        _source(page, rest, share, wishes.with_content)
        for page, rest, share in zip(pages, rests, shares, strict=True)
    ]
    return sources, combined


def _rest(page: Read, repeats: Repeats, wishes: Wishes) -> _Rest:
    """What is left of a page, no more of it than can be given: one long text is in pieces at a
    time.
    """
    whole = page.paragraphs
    parts = repeats.left_of(whole) if wishes.deduplicate else whole
    data, filtered = (
        _filtered(page, parts) if wishes.filter else (b"".join(part.data for part in parts), None)
    )
    return _Rest(enough_of(data, wishes.most_each), len(whole) - len(parts), filtered)


def _filtered(page: Read, parts: Sequence[Paragraph]) -> tuple[bytes, FilteredOut]:
    bearing = find_relevant(parts, page.study.terms)
    kept = set(bearing.kept)
    left = [part for at, part in enumerate(parts) if at not in kept]
    out = FilteredOut(
        paragraphs=sum(not part.level for part in left),
        bytes=sum(len(part.data) for part in left),
        matched=bearing.found,
    )
    return join_paragraphs(parts, bearing.kept), out


def _source(page: Read, rest: _Rest, share: Share, with_content: bool) -> ScrapedSource:
    study, fields = page.study, page.snapshot.fields
    left_out = rest.filtered is not None and rest.filtered.bytes > 0
    lacking = share.truncated or rest.repeated > 0 or left_out
    return ScrapedSource(
        url=fields["url"],
        title=study.title,
        published_at=study.published,
        content=share.content if with_content else None,
        content_type=fields["contentType"],
        scores=study.scores,
        source_type=fields["sourceType"],
        authority_tier=fields["authorityTier"],
        domain_category=fields["domainCategory"],
        source_reputation=fields.get("sourceReputation"),
        extraction_quality=fields.get("extractionQuality"),
        word_count=study.words,
        claim_signal=study.claim_signal,
        key_sentences=study.key_sentences,
        truncated=share.truncated,
        repeated_paragraphs=rest.repeated or None,
        filtered=rest.filtered,
        total_length=len(page.snapshot.data) if lacking else None,
        read_on=_read_on(len(page.snapshot.data)) if lacking else None,
    )


def _read_on(length: int) -> str:
    """How to get all of a page; a call that says nothing of length gives 50,000 bytes at once."""
    return (
        f"{READ_ON}."
        if length <= 50_000
        else f"{READ_ON}, with max_length {length} or piece by piece with nextCursor."
    )
