"""Pages that were read and judged -> the sources of an answer and one text of them all, within the
limits.

Paragraphs that an earlier source has are dropped. Then the passages of all pages that bear on the
question compete for the length, or, without a filter, the length is shared fairly. Whatever is
missing of a page is said with its source, and how to get it.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, chain
from typing import Literal

from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.slices.paragraphs import Paragraph, Repeats, paragraphs_of
from webquarry._read.slices.text import LinkForm, Unit, WrittenText, add_targets, read_line
from webquarry._read.workers.job import Job, JobRunner, job
from webquarry._search.models import Result
from webquarry.evidence.language.passages import excerpts_of
from webquarry.evidence.models import TRUST, AnswerPart, DomainReputation, fixed
from webquarry.evidence.scores import SourceScores
from webquarry.pages.link_targets import mark_links
from webquarry.pages.outgoing import PageTextOrNone
from webquarry.pages.question import PassageStart
from webquarry.pages.read_results import ReadResult
from webquarry.pages.score import build_scored_page, describe_scores
from webquarry.pages.share import (
    Share,
    SharedText,
    join_shares,
    room_below,
    share_out,
    write_headings,
)
from webquarry.pages.snapshot import digest_of, join_pieces, snapshot_pieces

READ_ON = "Call scrape_page with this url for the whole text"
_DEFAULT_LENGTH = 50_000  # bytes that a call of scrape_page gives which says nothing of length
_LEAST_PRIOR = 0.75  # what passages of a page count for that has no score; at most .5 more
_MOST_PASSAGES = 3  # that are listed for a source
_MOST_TRIES = 4
_NO_RESULT = Result("", "", "", "")  # which a page was read for; its text does not depend on it


class FilteredOut(AnswerPart, kw_only=True):
    __doc__ = (
        "What is left out of a source. `matched` is false where nothing in it clearly bears on "
        "the question."
    )

    paragraphs: int
    bytes: int
    matched: bool


class ScrapedSource(AnswerPart, kw_only=True):
    __doc__ = (
        "A page and what is known of it. `content` is absent where sources were not asked "
        "for; what is missing of the\n"
        "text is told by `truncated`, `repeatedParagraphs` and `filtered`, with `totalLength` "
        "and `readOn`."
    )

    url: str
    title: str
    published_at: str | None = None
    content: PageTextOrNone = None
    content_type: str
    trust: str = fixed(TRUST)
    scores: SourceScores
    source_type: str
    authority_tier: Literal["high", "medium", "low"]
    domain_category: str
    source_reputation: DomainReputation | None = None
    extraction_quality: Literal["complete", "partial"] | None = None
    extraction_note: str | None = None
    word_count: int
    claim_signal: str | None = None
    key_sentences: list[str] | None = None
    truncated: bool
    repeated_paragraphs: int | None = None
    filtered: FilteredOut | None = None
    total_length: int | None = None
    read_on: str | None = None
    passages: list[PassageStart] | None = None

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
    most_each: int
    most: int
    question: str | None = None  # what the texts are filtered by; None gives all of them
    fill: bool = False  # whether a filter fills the total
    links: LinkForm | None = None
    with_sentences: bool = True


@dataclass(frozen=True)
class _Rest:
    """What is left of a page without what earlier ones have, before its length is looked at."""

    text: WrittenText
    targets: Sequence[str]  # of numbered links
    digest: str  # of the whole text
    repeated: int
    places: Sequence[tuple[int, int]]  # where each run of `text` starts, here and in the whole text

    @classmethod
    def of(cls, page: ReadResult, repeats: Repeats, options: SourceOptions) -> _Rest:
        """What is left of a page; one long text is in pieces at a time."""
        text, targets = mark_links(page.snapshot, options.links)
        digest = digest_of(text.data)
        if not options.deduplicate:
            return cls(text, targets, digest, 0, [(0, 0)])
        whole = paragraphs_of(text)
        kept = repeats.left_of(whole)
        if len(kept) == len(whole):
            return cls(text, targets, digest, 0, [(0, 0)])
        places = _find_places(whole, kept)
        return cls(_join_paragraphs(kept), targets, digest, len(whole) - len(kept), places)

    def place_in_page(self, place: int) -> int:
        """Where something stands in the whole text that stands there in what is left of it."""
        run = bisect_right(self.places, (place, sys.maxsize)) - 1
        start, start_in_page = self.places[run]
        return start_in_page + place - start


@dataclass(frozen=True)
class _Given:
    """What is given of a page."""

    share: Share
    filtered: FilteredOut | None = None
    passages: Sequence[PassageStart] = ()


def build_sources(
    pages: Sequence[ReadResult], options: SourceOptions
) -> tuple[list[ScrapedSource], str]:
    """The sources, in the same order, and their texts as one."""
    repeats = Repeats()
    rests = [_Rest.of(page, repeats, options) for page in pages]
    if options.question:
        given, combined = _filter_texts(pages, rests, options, options.question)
    else:
        given, combined = _share_texts(pages, rests, options)

    sources = []
    for page, rest, one in zip(pages, rests, given, strict=True):
        source = ScrapedSource.of(page)
        if options.with_content:
            source.content = one.share.content
        if options.with_sentences or not one.share.content:
            source.key_sentences = page.scored.key_sentences
        source.truncated = one.share.truncated
        source.repeated_paragraphs = rest.repeated or None
        source.filtered = one.filtered
        source.passages = list(one.passages) or None
        is_filtered = one.filtered is not None and one.filtered.bytes > 0
        if one.share.truncated or rest.repeated > 0 or is_filtered:
            source.say_how_to_read_on(len(page.snapshot.data))
        sources.append(source)
    return sources, combined


async def build_sources_in_job(
    runner: JobRunner, pages: Sequence[ReadResult], options: SourceOptions
) -> tuple[list[ScrapedSource], str]:
    """The same as `build_sources`, beside other callers."""
    if not pages:
        return build_sources(pages, options)
    packed = [snapshot_pieces(page.snapshot) for page in pages]
    arguments = {
        "options": asdict(options),
        "scored": [describe_scores(page.scored) for page in pages],
    }
    pieces = tuple(chain.from_iterable(packed))
    job = Job(build_packed_sources, arguments, pieces, "The pages", ahead=True)
    fields, combined = unpack_fields(await runner.run(job))
    sources = [ScrapedSource.from_json(source) for source in fields["sources"]]
    return sources, combined.decode()


@job("build sources")
def build_packed_sources(job: Job) -> bytes:
    """A job: the pieces of snapshots, one behind the other -> the sources, and their texts as
    one.
    """
    pages = []
    snapshots = join_pieces(job.pieces)
    for snapshot, scored in zip(snapshots, job.arguments["scored"], strict=True):
        pages.append(ReadResult(_NO_RESULT, snapshot, build_scored_page(scored)))
    sources, combined = build_sources(pages, SourceOptions(**job.arguments["options"]))
    shown = []
    for source in sources:
        shown.append(source.as_dict())
    return pack_fields({"sources": shown}, combined.encode("utf-8", "replace"))


def _share_texts(
    pages: Sequence[ReadResult], rests: Sequence[_Rest], options: SourceOptions
) -> tuple[list[_Given], str]:
    """All of the texts, as far as there is room."""
    texts = []
    for page, rest in zip(pages, rests, strict=True):
        texts.append(_build_shared_text(page, rest.text.with_targets(rest.targets)))
    shares, combined = share_out(texts, options.most_each, options.most)
    return [_Given(share) for share in shares], combined


def _filter_texts(
    pages: Sequence[ReadResult], rests: Sequence[_Rest], options: SourceOptions, question: str
) -> tuple[list[_Given], str]:
    """What of the texts bears on the question; each gets as much of the total as it is worth."""
    headings = write_headings(
        [_build_shared_text(page, WrittenText(b"")) for page in pages], options.most
    )
    budget = max(1, room_below(headings, options.most))
    priors = [_LEAST_PRIOR + page.scored.scores.overall / 2 for page in pages]
    room = budget
    for _ in range(_MOST_TRIES):  # to find room for the targets of numbered links
        excerpts = excerpts_of(
            [rest.text for rest in rests],
            question,
            room,
            most_each=options.most_each,
            priors=priors,
            fill=options.fill,
        )
        contents = []
        for excerpt, rest in zip(excerpts, rests, strict=True):
            contents.append(add_targets(excerpt.content, rest.targets).strip())
        too_long = sum(map(len, contents)) - budget
        if too_long <= 0:
            break
        room = max(1, room - too_long)
    else:
        contents = [excerpt.content.strip() for excerpt in excerpts]

    given = []
    for page, excerpt, rest, content in zip(pages, excerpts, rests, contents, strict=True):
        passages = []
        for passage in excerpt.passages[:_MOST_PASSAGES]:
            place = rest.place_in_page(passage.start)
            passages.append(PassageStart.of(passage.section, rest.digest, place))
        filtered = FilteredOut(
            paragraphs=excerpt.left_out,
            bytes=excerpt.bytes_left_out,
            matched=excerpt.bearing == "clear",
        )
        text = _without_title(content.decode(), page.scored.title)
        share = Share(text, truncated=excerpt.ran_out)
        given.append(_Given(share, filtered, passages))
    combined = join_shares(headings, [one.share for one in given])
    return given, combined


def _without_title(content: str, title: str) -> str:
    """A text without its highest heading, where that is the title that stands above it anyway."""
    start = 0
    if not content.startswith("# "):
        start = content.find("\n# ") + 1
        if not start:
            return content
    line, _, below = content[start:].partition("\n")
    if read_line(line[2:]) != title:
        return content
    return content[:start] + below.lstrip("\n")


def _build_shared_text(page: ReadResult, text: WrittenText) -> SharedText:
    """A text with the title and the address of its page."""
    return SharedText(page.scored.title, page.snapshot.fields["url"], text)


def _join_paragraphs(paragraphs: Sequence[Paragraph]) -> WrittenText:
    """Return a text of some paragraphs of another one."""
    starts = accumulate((len(one.data) for one in paragraphs), initial=0)
    units = [Unit(start, one.kind) for start, one in zip(starts, paragraphs, strict=False)]
    return WrittenText(b"".join(one.data for one in paragraphs), units)


def _find_places(whole: Sequence[Paragraph], kept: Sequence[Paragraph]) -> list[tuple[int, int]]:
    """Where each run of kept paragraphs starts, without the others and with them."""
    places: list[tuple[int, int]] = []
    remaining = iter(kept)
    wanted = next(remaining, None)
    start = start_in_page = 0
    follows = False  # whether the paragraph before was kept, too
    for paragraph in whole:
        if paragraph is wanted:
            if not follows:
                places.append((start, start_in_page))
            start += len(paragraph.data)
            wanted = next(remaining, None)
            follows = True
        else:
            follows = False
        start_in_page += len(paragraph.data)
    return places or [(0, 0)]
