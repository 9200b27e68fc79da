"""Sources of an answer: pages that were read and scored, and one text of all, within the limits.

Paragraphs that an earlier source has are dropped. Then the passages of all pages that are relevant
to the question compete for the length, or, without a question, the length is shared fairly. Each
source says which part of its text is missing, and how to get it.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from typing import Literal

from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.slices.paragraphs import Repeats, paragraphs_of
from webquarry._read.slices.pieces import cut
from webquarry._read.slices.text import LinkForm, Unit, WrittenText, add_targets, read_line
from webquarry._read.workers.job import Job, JobRunner, job
from webquarry._search.models import Result
from webquarry._search.text import shorten_text
from webquarry.evidence.language.passages import excerpts_of
from webquarry.evidence.models import TRUST, AnswerPart, DomainReputation, fixed
from webquarry.evidence.scores import SourceScores
from webquarry.pages.outgoing import PageTextOrNone
from webquarry.pages.question import PassageStart
from webquarry.pages.read_results import ReadResult
from webquarry.pages.score import build_scored_page, describe_scores
from webquarry.pages.snapshot import digest_of, pack_snapshot, unpack_snapshot

READ_ON = "Call scrape_page with this url for the whole text"
_DEFAULT_LENGTH = 50_000  # of scrape_page, in bytes
_LEAST_PRIOR = 0.75  # weight of the passages of a page with score 0; at most .5 more
_MOST_PASSAGES = 3  # that are listed for a source
_MOST_TRIES = 4
_MAX_TITLE = 200  # characters of a heading
_LINE_FEEDS = 2  # after each text
_NO_RESULT = Result("", "", "", "")  # the text of a page does not depend on its search result


class FilteredOut(AnswerPart, kw_only=True):
    """The omitted part of a source; `matched` is false if nothing is clearly relevant."""

    paragraphs: int
    bytes: int
    matched: bool


class ScrapedSource(AnswerPart, kw_only=True):
    """A page and its evidence. `truncated`, `repeatedParagraphs` and `filtered` describe the
    missing part of the text, `readOn` how to get it.
    """

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
        """Return a page without its text."""
        scored = page.scored
        fields = {
            **page.snapshot.fields,
            "title": scored.title,
            "publishedAt": scored.published,
            "scores": scored.scores.as_dict(),
            "wordCount": scored.words,
            "claimSignal": scored.claim_signal,
            "truncated": False,
        }
        return cls.from_json(fields)


@dataclass(frozen=True)
class SourceOptions:
    """How the texts are returned."""

    with_content: bool
    deduplicate: bool
    most_each: int
    most: int
    question: str | None = None  # the filter of the texts
    fill: bool = False  # whether a filter fills the total
    links: LinkForm | None = None
    with_sentences: bool = True


@dataclass(frozen=True)
class Share:
    """The returned part of a text."""

    content: str
    truncated: bool

    @classmethod
    def of(cls, text: WrittenText, limit: int) -> Share:
        """Return at most `limit` bytes of a text, cut between units."""
        whole = text.data.rstrip()
        if len(whole) <= limit:
            return cls(whole.decode("utf-8", "replace"), truncated=False)
        end = min(cut(text, 0, limit), limit) if limit > 0 else 0
        return cls(text.data[:end].rstrip().decode("utf-8", "ignore"), truncated=True)


@dataclass(frozen=True)
class _Rest:
    """The text of a page without the paragraphs of earlier ones."""

    text: WrittenText
    targets: Sequence[str]  # of numbered links
    digest: str  # of the whole text
    repeated: int = 0
    places: Sequence[tuple[int, int]] = ((0, 0),)  # of its paragraphs, here and in the whole text

    @classmethod
    def of(cls, page: ReadResult, repeats: Repeats, options: SourceOptions) -> _Rest:
        """Return the rest of a page."""
        text, targets = page.snapshot.show_links(options.links)
        digest = digest_of(text.data)
        if not options.deduplicate:
            return cls(text, targets, digest)
        whole = paragraphs_of(text)
        kept = repeats.left_of(whole)
        if len(kept) == len(whole):
            return cls(text, targets, digest)
        starts = list(accumulate((len(one.data) for one in kept), initial=0))
        units = [Unit(start, one.kind) for start, one in zip(starts, kept, strict=False)]
        rest = WrittenText(b"".join(one.data for one in kept), units)
        starts_in_page = accumulate((len(one.data) for one in whole), initial=0)
        place_of = {id(one): start for start, one in zip(starts_in_page, whole, strict=False)}
        places = [(start, place_of[id(one)]) for start, one in zip(starts, kept, strict=False)]
        return cls(rest, targets, digest, len(whole) - len(kept), places or [(0, 0)])

    def place_in_page(self, place: int) -> int:
        """Return the place in the whole text of a place in this one."""
        number = bisect_right(self.places, (place, sys.maxsize)) - 1
        start, start_in_page = self.places[number]
        return start_in_page + place - start


def build_sources(
    pages: Sequence[ReadResult], options: SourceOptions
) -> tuple[list[ScrapedSource], str]:
    """Return the sources, in the same order, and their texts as one."""
    repeats = Repeats()
    rests = [_Rest.of(page, repeats, options) for page in pages]
    sources = []
    for page, rest in zip(pages, rests, strict=True):
        source = ScrapedSource.of(page)
        source.repeated_paragraphs = rest.repeated or None
        sources.append(source)
    headings = _write_headings(pages, options.most)
    room = _room_below(headings, options.most)
    if options.question:
        shares = _filter_texts(pages, rests, sources, options, options.question, max(1, room))
    else:
        texts = [rest.text.with_targets(rest.targets) for rest in rests]
        shares = _share_out(texts, options.most_each, room)
    for page, source, share in zip(pages, sources, shares, strict=True):
        if options.with_content:
            source.content = share.content
        if options.with_sentences or not share.content:
            source.key_sentences = page.scored.key_sentences
        source.truncated = share.truncated
        is_filtered = source.filtered is not None and source.filtered.bytes > 0
        if share.truncated or source.repeated_paragraphs or is_filtered:
            length = source.total_length = len(page.snapshot.data)
            source.read_on = f"{READ_ON}."
            if length > _DEFAULT_LENGTH:
                source.read_on = (
                    f"{READ_ON}, with max_length {length} or piece by piece with nextCursor."
                )
    combined = "\n".join(
        f"{heading}{share.content}\n"
        for heading, share in zip(headings, shares, strict=True)
        if heading or share.content
    )
    return sources, combined


async def build_sources_in_job(
    runner: JobRunner, pages: Sequence[ReadResult], options: SourceOptions
) -> tuple[list[ScrapedSource], str]:
    """Do `build_sources` in a worker."""
    if not pages:
        return build_sources(pages, options)
    arguments = {
        "options": asdict(options),
        "scored": [describe_scores(page.scored) for page in pages],
    }
    pieces = tuple(pack_snapshot(page.snapshot) for page in pages)
    job = Job(build_packed_sources, arguments, pieces, "The pages", ahead=True)
    fields, combined = unpack_fields(await runner.run(job))
    sources = [ScrapedSource.from_json(source) for source in fields["sources"]]
    return sources, combined.decode()


@job("build sources")
def build_packed_sources(job: Job) -> bytes:
    """Build sources in a worker from the pieces of snapshots; their text follows."""
    pages = []
    snapshots = [unpack_snapshot(packed, cached=False) for packed in job.pieces]
    for snapshot, scored in zip(snapshots, job.arguments["scored"], strict=True):
        pages.append(ReadResult(_NO_RESULT, snapshot, build_scored_page(scored)))
    sources, combined = build_sources(pages, SourceOptions(**job.arguments["options"]))
    shown = [source.as_dict() for source in sources]
    return pack_fields({"sources": shown}, combined.encode("utf-8", "replace"))


def _filter_texts(
    pages: Sequence[ReadResult],
    rests: Sequence[_Rest],
    sources: Sequence[ScrapedSource],
    options: SourceOptions,
    question: str,
    budget: int,
) -> list[Share]:
    """Return the relevant passages of each text; note the omitted parts in the sources."""
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

    shares = []
    for page, source, excerpt, rest, content in zip(
        pages, sources, excerpts, rests, contents, strict=True
    ):
        passages = []
        for passage in excerpt.passages[:_MOST_PASSAGES]:
            place = rest.place_in_page(passage.start)
            passages.append(PassageStart.of(passage.section, rest.digest, place))
        source.passages = passages or None
        source.filtered = FilteredOut(
            paragraphs=excerpt.left_out,
            bytes=excerpt.bytes_left_out,
            matched=excerpt.bearing == "clear",
        )
        text = _without_title(content.decode(), page.scored.title)
        shares.append(Share(text, truncated=excerpt.ran_out))
    return shares


def _share_out(texts: Sequence[WrittenText], most_each: int, room: int) -> list[Share]:
    """Return the share of each text: short ones stay whole, the others get equal parts."""
    lengths = [min(len(text.data.rstrip()), most_each) for text in texts]
    limits = [0] * len(texts)
    left = max(0, room)
    shortest_first = sorted(range(len(texts)), key=lengths.__getitem__)
    for number, place in enumerate(shortest_first):
        limits[place] = min(lengths[place], left // (len(texts) - number))
        left -= limits[place]
    return [Share.of(text, limit) for text, limit in zip(texts, limits, strict=True)]


def _write_headings(pages: Sequence[ReadResult], total: int) -> list[str]:
    """Return title and URL of each page; only numbers if those need more than half of the total,
    nothing if numbers do.
    """
    named = []
    for page in pages:
        url = page.snapshot.fields["url"]
        title = shorten_text(page.scored.title, _MAX_TITLE) or url
        named.append(f"# {title}\n\n{url}\n\n")
    numbered = [f"# {number}\n\n" for number in range(1, len(pages) + 1)]
    for headings in (named, numbered):
        if 2 * (total - _room_below(headings, total)) <= total:
            return headings
    return [""] * len(pages)


def _room_below(headings: Sequence[str], total: int) -> int:
    """Return how many bytes are left for the texts."""
    return total - sum(len(heading.encode()) + _LINE_FEEDS for heading in headings)


def _without_title(content: str, title: str) -> str:
    """Return a text without its first level-1 heading if that is the title."""
    start = 0
    if not content.startswith("# "):
        start = content.find("\n# ") + 1
        if not start:
            return content
    line, _, below = content[start:].partition("\n")
    if read_line(line[2:]) != title:
        return content
    return content[:start] + below.lstrip("\n")
