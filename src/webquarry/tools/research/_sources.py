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
from webquarry.evidence.models import TRUST, AnswerPart, DomainReputation
from webquarry.evidence.scores import SourceScores
from webquarry.pages.read_results import ReadResult
from webquarry.pages.share import SharedText, enough_of, share_out
from webquarry.read.slices.repeats import Repeats

READ_ON = "Call scrape_page with this url for the whole text"
_DEFAULT_LENGTH = 50_000  # bytes that a call of scrape_page gives which says nothing of length


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
    extraction_note: str | None = None
    word_count: int
    claim_signal: str | None = None
    key_sentences: list[str]
    truncated: bool
    repeated_paragraphs: int | None = None
    filtered: FilteredOut | None = None
    total_length: int | None = None
    read_on: str | None = None

    @classmethod
    def of(cls, page: ReadResult) -> ScrapedSource:
        """A page but for its text."""
        scored, fields = page.scored, page.snapshot.fields
        return cls(
            url=fields["url"],
            title=scored.title,
            published_at=scored.published,
            content_type=fields["contentType"],
            scores=scored.scores,
            source_type=fields["sourceType"],
            authority_tier=fields["authorityTier"],
            domain_category=fields["domainCategory"],
            source_reputation=fields.get("sourceReputation"),
            extraction_quality=fields.get("extractionQuality"),
            extraction_note=fields.get("extractionNote"),
            word_count=scored.words,
            claim_signal=scored.claim_signal,
            key_sentences=scored.key_sentences,
            truncated=False,
        )

    def say_how_to_read_on(self, length: int) -> None:
        """Something is missing of a page that has so many bytes."""
        self.total_length = length
        self.read_on = f"{READ_ON}."
        if length > _DEFAULT_LENGTH:
            self.read_on = f"{READ_ON}, with max_length {length} or piece by piece with nextCursor."


@dataclass(frozen=True)
class SourceOptions:
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

    @classmethod
    def of(cls, page: ReadResult, repeats: Repeats, options: SourceOptions) -> _Rest:
        """What is left of a page, no more of it than can be given: one long text is in pieces at a
        time.
        """
        whole = page.paragraphs
        parts = whole
        if options.deduplicate:
            parts = repeats.left_of(whole)
        filtered = None
        if options.filter:
            relevant = find_relevant(parts, page.scored.terms)
            kept = set(relevant.kept)
            filtered = FilteredOut(paragraphs=0, bytes=0, matched=relevant.found)
            for at, part in enumerate(parts):
                if at in kept:
                    continue
                filtered.paragraphs += not part.level
                filtered.bytes += len(part.data)
            data = join_paragraphs(parts, relevant.kept)
        else:
            data = b"".join(part.data for part in parts)
        beginning = enough_of(data, options.most_each)
        return cls(beginning, repeated=len(whole) - len(parts), filtered=filtered)


def build_sources(
    pages: Sequence[ReadResult], options: SourceOptions
) -> tuple[list[ScrapedSource], str]:
    """The sources, in the same order, and their texts as one."""
    repeats = Repeats()
    rests = []
    texts = []
    for page in pages:
        rest = _Rest.of(page, repeats, options)
        rests.append(rest)
        url = page.snapshot.fields["url"]
        texts.append(SharedText(page.scored.title, url, rest.data))
    shares, combined = share_out(texts, options.most_each, options.most)

    sources = []
    for page, rest, share in zip(pages, rests, shares, strict=True):
        source = ScrapedSource.of(page)
        if options.with_content:
            source.content = share.content
        source.truncated = share.truncated
        source.repeated_paragraphs = rest.repeated or None
        source.filtered = rest.filtered
        is_filtered = rest.filtered is not None and rest.filtered.bytes > 0
        if share.truncated or rest.repeated > 0 or is_filtered:
            source.say_how_to_read_on(len(page.snapshot.data))
        sources.append(source)
    return sources, combined
