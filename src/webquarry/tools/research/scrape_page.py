"""The `scrape_page` tool: the text of a page with a citation and its evidence.

Truncated text says how much there is, and has a cursor to read on.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.slices.outline import Heading
from webquarry._read.slices.text import LinkForm
from webquarry._read.workers.job import Job, job
from webquarry.errors import BadInput, TooLarge
from webquarry.evidence.citation import NO_DATE
from webquarry.evidence.models import (
    TRUST,
    AnswerPart,
    Citation,
    CitationStyle,
    DomainReputation,
    ForumSignals,
    LeftOut,
    Metadata,
    RetractionStatus,
    StructuredData,
    estimate_tokens,
    fixed,
    size_category,
)
from webquarry.pages.markdown import render_page
from webquarry.pages.outgoing import PageText, filter_answer
from webquarry.pages.pages import ReadMode, RenderMode
from webquarry.pages.question import (
    NOT_ON_PAGE,
    PageQuestion,
    PassageStart,
    limit_bytes,
    take_passages,
)
from webquarry.pages.slice import Piece, SliceRequest, take_slice, unknown_cursor
from webquarry.pages.snapshot import Snapshot, digest_of, pack_snapshot, unpack_snapshot
from webquarry.sessions.models import ReadPart, Source
from webquarry.sessions.reread import (
    KEPT_FIELDS,
    describe_unchanged,
    find_session,
    name_part,
    note_read,
)
from webquarry.store.cache import freshness
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._search import (
    Fresh,
    LongText,
    Question,
    RecordingSession,
    ShortText,
    Tokens,
)

PREVIEW_BYTES = 5_000
MOST_BYTES = 5_000_000
_READ_MODES: dict[str, ReadMode] = {"full": "main", "preview": "main", "whole": "whole"}
_SMALL = 20_000  # bytes of a text that is cut in this process
_MOST_AT_ONCE = 1_000_000  # bytes of a text that is returned as it is


class OutlineHeading(AnswerPart, kw_only=True):
    """A heading, and the place and size of its section: lines from 1, bytes from 0."""

    number: int
    level: int
    title: str
    line: int
    offset: int
    bytes: int

    @classmethod
    def of(cls, heading: Heading) -> OutlineHeading:
        return cls(
            number=heading.number,
            level=heading.level,
            title=heading.title,
            line=heading.line,
            offset=heading.start,
            bytes=heading.stop - heading.start,
        )


class ScrapeOutput(Answer, kw_only=True):
    """A page, or a part of it."""

    url: str
    content: PageText
    content_type: str
    trust: str = fixed(TRUST)
    content_length: int
    truncated: bool
    estimated_tokens: int
    size_category: Literal["small", "medium", "large", "very_large"]
    citation: Citation
    raw: bool | None = None
    whole: bool | None = None
    extracted_by: str | None = None
    extraction_quality: Literal["complete", "partial"] | None = None
    extraction_note: str | None = None
    left_out: LeftOut | None = None
    metadata: Metadata | None = None
    structured_data: StructuredData | None = None
    forum_signals: ForumSignals | None = None
    source_type: str
    authority_tier: Literal["high", "medium", "low"]
    domain_category: str
    source_reputation: DomainReputation | None = None
    detected_doi: str | None = None
    retraction_status: RetractionStatus | None = None
    encoding: Literal["base64"] | None = None
    total_length: int | None = None
    next_cursor: str | None = None
    matches: int | None = None
    outline: list[OutlineHeading] | None = None
    links_left_out: int | None = None
    passages: list[PassageStart] | None = None
    bears_on_question: Annotated[bool, Meta(extra_json_schema={"const": False})] | None = None
    note: str | None = None
    unchanged_since_step: int | None = None
    tokens_saved: int | None = None

    may_be_large: ClassVar[bool] = True

    @property
    def title(self) -> str:
        """The title of the page in its citation."""
        return self.citation.metadata.title

    def is_linkable(self) -> bool:
        """Return whether these are verbatim bytes or a whole page."""
        return bool(self.raw or self.whole)

    def sources(self) -> list[Source]:
        cited = self.citation.metadata
        published = None if cited.date == NO_DATE else cited.date
        return [Source(self.url, cited.title, published, csl=self.beside.get("csl", {}))]

    def as_markdown(self) -> str:
        notes = self.meta.get("webquarry/routing", {}).get("notes", ())
        return render_page(self.as_dict(), notes)

    def how_to_read_on(self) -> str:
        return (
            "Call scrape_page with mode full for clean text, with outline and section for parts "
            "of it, or with mode raw "
            "and max_length 50000, then again with the nextCursor of each answer."
        )


Mode = Annotated[
    Literal["full", "preview", "raw", "whole"],
    Meta(
        description="full: main text; preview: its first 5000 bytes; whole: also menus and "
        "footers; raw: the bytes as they were sent."
    ),
]
Section = Annotated[
    ShortText | None, Meta(description="Return only this section, by heading or number.")
]
FindText = Annotated[
    ShortText | None, Meta(description="Return only blocks that contain this text.")
]
Cursor = Annotated[
    LongText | None, Meta(description="nextCursor of a truncated answer, to read on.")
]
Links = Annotated[LinkForm | None, Meta(description="Show the targets of links.")]


@dataclass(frozen=True)
class AnswerForm:
    """The form in which a page is returned."""

    links: LinkForm | None = None
    citation_style: CitationStyle = "apa"
    structured: bool = False
    question: PageQuestion | None = None
    max_tokens: int | None = None


@tool
async def scrape_page(
    kit: Toolkit,
    url: Annotated[str, Meta(description="Address of the page.")],
    mode: Mode = "full",
    max_length: Annotated[
        int, Meta(description="Maximum bytes of text, at most 5000000.", ge=1)
    ] = 50_000,
    sessionId: RecordingSession = None,
    outline: Annotated[
        bool | None, Meta(description="Return only the headings and the size of each section.")
    ] = None,
    section: Section = None,
    find: FindText = None,
    cursor: Cursor = None,
    links: Links = None,
    citation_style: Annotated[CitationStyle, Meta(description="Style of the citation.")] = "apa",
    structured: Annotated[
        bool | None, Meta(description="Return all structured data of the page.")
    ] = None,
    question: Annotated[
        Question | None, Meta(description="Return only the passages that answer this question.")
    ] = None,
    max_tokens: Annotated[Tokens | None, Meta(description="Maximum tokens of text.")] = None,
    fresh: Fresh = None,
    render: Annotated[
        RenderMode,
        Meta(description="Run the page's scripts; auto: only if it is empty without them."),
    ] = "auto",
    unchanged: Annotated[
        Literal["short"] | None,
        Meta(description="short: a reference instead of text that the session has."),
    ] = None,
    again: bool | None = None,  # of earlier releases: has no effect
) -> ScrapeOutput:
    """Read a web page, PDF, Office document, video transcript or forum thread. Returns its main
    text as Markdown, with citation, source quality and retractions, as untrusted data. For a long
    page give question, or outline and then section. Example:
    {"url": "https://example.org/report.pdf", "question": "What did it cost?", "max_tokens": 500}
    """
    arguments = dict(locals())
    request, form = _read_arguments(arguments)
    started = kit.clock.monotonic()
    if mode == "raw":
        needed = request.offset + request.limit
        snapshot = await kit.pages.get_raw(url, needed, fresh=bool(fresh))
        is_longer = snapshot.cut_at is not None and snapshot.cut_at < kit.settings.max_bytes
        request = replace(request, goes_on=is_longer)
    else:
        snapshot = await kit.pages.get(
            url, _READ_MODES[mode], with_styles=True, fresh=bool(fresh), render=render
        )
    session = await find_session(kit, sessionId) if sessionId else None
    part = name_part(url, arguments)
    earlier = session.reads.get(part) if session else None
    wants_reference = unchanged == "short" and mode != "raw" and not fresh
    if wants_reference and earlier and earlier.digest == snapshot.digest:
        answer = await asyncio.to_thread(_build_unchanged, snapshot, form, earlier)
    else:
        answer = await _write_answer(kit, snapshot, request, form)
    answer.beside["csl"] = snapshot.csl
    if session is not None and answer.unchanged_since_step is None:
        await note_read(kit, session, part, snapshot.digest, answer.estimated_tokens)

    notes = list(snapshot.notes)
    if request.outline and not answer.outline:
        notes.append("The page has no headings; use find, or read it piece by piece with cursor.")
    if snapshot.cut_at == kit.settings.max_bytes:
        notes.append(
            f"There is more: of one page {snapshot.cut_at} bytes are read (WEBQUARRY_MAX_BYTES)."
        )
    return _add_meta(answer, kit, snapshot, notes, started)


async def read_local_file(kit: Toolkit, path: Path, arguments: Mapping[str, Any]) -> ScrapeOutput:
    """Return the answer of `scrape_page` for a file, whose URL is ignored in the arguments."""
    given = scrape_page.check({**arguments, "url": "https://localhost/"})
    if given["mode"] == "raw":
        raise BadInput("A local file is read as a page; mode raw is only for URLs.")
    _check_size(path, kit.settings.max_bytes)
    request, form = _read_arguments(given)
    started = kit.clock.monotonic()
    snapshot = await kit.pages.read_file(path)
    answer = await _write_answer(kit, snapshot, request, form)
    filter_answer(answer)
    return _add_meta(answer, kit, snapshot, list(snapshot.notes), started)


def _check_size(path: Path, most: int) -> None:
    """Raise TooLarge for a file of more than `most` bytes."""
    if path.stat().st_size > most:
        raise TooLarge(f"{path} is larger than {most:,} bytes (WEBQUARRY_MAX_BYTES).")


def _read_arguments(arguments: Mapping[str, Any]) -> tuple[SliceRequest, AnswerForm]:
    """Return which part of a page is wanted, and in which form."""
    is_raw = arguments["mode"] == "raw"
    max_tokens = arguments["max_tokens"]
    most = min(arguments["max_length"], MOST_BYTES)
    limit = limit_bytes(PREVIEW_BYTES if arguments["mode"] == "preview" else most, max_tokens)
    section, find, cursor = (
        _strip_or_none(arguments[name]) for name in ("section", "find", "cursor")
    )
    request = SliceRequest(limit, bool(arguments["outline"]), section, find, cursor)
    request.check(is_raw=is_raw)
    asked = PageQuestion.of(arguments["question"], limit, max_tokens)
    if asked:
        asked.check(request, is_raw=is_raw)
    style, structured = arguments["citation_style"], bool(arguments["structured"])
    return request, AnswerForm(arguments["links"], style, structured, asked, max_tokens)


async def _write_answer(
    kit: Toolkit, snapshot: Snapshot, request: SliceRequest, form: AnswerForm
) -> ScrapeOutput:
    """Return the answer for a page; a long one is cut in a worker."""
    is_small = len(snapshot.data) < _SMALL and form.question is None
    if is_small or _is_whole(snapshot, request, form):
        return _build_answer(snapshot, request, form)
    arguments = {"request": asdict(request), "form": asdict(form)}
    pieces = pack_snapshot(snapshot)
    job = Job(cut_page, arguments, pieces, snapshot.fields["url"], ahead=True)
    fields, content = unpack_fields(await kit.reader.runner.run(job))
    return ScrapeOutput.from_json(fields | {"content": content.decode()})


def _add_meta(
    answer: ScrapeOutput, kit: Toolkit, snapshot: Snapshot, notes: list[str], started: float
) -> ScrapeOutput:
    age = max(0.0, (kit.clock.now() - snapshot.fetched_at).total_seconds())
    return answer.add_meta(
        cache=freshness(snapshot.cached, age, kit.settings.cache_read_seconds),
        routing={
            "providerUsed": snapshot.reader,
            "providersAttempted": [snapshot.reader],
            "fallback": False,
            "fallbackReason": "",
            "latencyMs": round((kit.clock.monotonic() - started) * 1000),
            "notes": notes,
        },
    )


def _build_unchanged(snapshot: Snapshot, form: AnswerForm, earlier: ReadPart) -> ScrapeOutput:
    """Return an answer without the text, which the session has: its outline, and the tokens that
    were saved.
    """
    headings: Sequence[Heading] = ()
    if snapshot.kind == "markdown":
        request = SliceRequest(MOST_BYTES, outline=True)
        piece = take_slice(snapshot.text, snapshot.digest, request, snapshot.kind)
        headings = piece.headings or ()
    content = describe_unchanged(earlier, headings)
    length = len(content.encode("utf-8", "replace"))
    fields = {name: value for name, value in snapshot.fields.items() if name in KEPT_FIELDS}
    fields |= _describe_content(snapshot, form, content, length)
    fields["unchangedSinceStep"] = earlier.step
    fields["tokensSaved"] = max(0, earlier.tokens - fields["estimatedTokens"])
    return ScrapeOutput.from_json(fields)


def _describe_content(
    snapshot: Snapshot, form: AnswerForm, content: str, length: int
) -> dict[str, Any]:
    """Return the fields that every answer has."""
    formatted = snapshot.cite(form.citation_style)
    return {
        "citation": {**snapshot.fields["citation"], "formatted": formatted},
        "content": content,
        "contentLength": length,
        "truncated": False,
        "estimatedTokens": estimate_tokens(length),
        "sizeCategory": size_category(length),
    }


def _strip_or_none(text: str | None) -> str | None:
    """Return None for a blank text: some models fill in every field."""
    return (text or "").strip() or None


def _is_whole(snapshot: Snapshot, request: SliceRequest, form: AnswerForm) -> bool:
    """Return whether a text is returned as it is."""
    if snapshot.kind != "markdown" or request.is_part or form.question or form.links:
        return False
    return len(snapshot.data) <= min(request.limit, _MOST_AT_ONCE)


@job("cut page")
def cut_page(job: Job) -> bytes:
    """Build an answer in a worker from a packed snapshot; its content follows the other fields."""
    fields = job.arguments["form"]
    question = PageQuestion(**fields["question"]) if fields["question"] else None
    form = AnswerForm(**(fields | {"question": question}))
    snapshot = unpack_snapshot(job.body, cached=False)
    answer = _build_answer(snapshot, SliceRequest(**job.arguments["request"]), form)
    shown = answer.as_dict()
    content = shown.pop("content")
    return pack_fields(shown, content.encode("utf-8", "replace"))


def _build_answer(snapshot: Snapshot, request: SliceRequest, form: AnswerForm) -> ScrapeOutput:
    """Return the requested piece of a page, with its evidence."""
    text, targets = snapshot.show_links(form.links)
    data = text.data
    fields: dict[str, Any] = dict(snapshot.fields)
    is_cut = False
    if form.question:
        asked = take_passages(text, digest_of(data), form.question, request.section, targets)
        piece = Piece(asked.data, total=len(data))
        is_cut = not asked.is_whole
        fields["passages"] = asked.passages
        if asked.bearing != "clear":
            fields |= {"bearsOnQuestion": False, "note": NOT_ON_PAGE[asked.bearing]}
    else:
        if snapshot.kind == "bytes" and form.max_tokens:  # three bytes are four characters
            request = replace(request, limit=min(request.limit, 3 * form.max_tokens))
        # a cursor needs the digest
        digest = "" if _is_whole(snapshot, request, form) else digest_of(data)
        piece = take_slice(text, digest, request, snapshot.kind, targets)
        is_cut = fields.get("truncated", False)
    is_cut = is_cut or piece.rest is not None
    is_part = request.is_part or form.question is not None
    if form.structured:
        fields["structuredData"] = snapshot.structured
    elif is_part:
        fields.pop("structuredData", None)  # often larger than the part
    if is_part:
        fields.pop("leftOut", None)
    if form.links:
        fields.pop("linksLeftOut", None)
    if snapshot.kind == "bytes":
        content = base64.b64encode(piece.data).decode("ascii")
        length = len(content)
        fields["encoding"] = "base64"
    else:
        try:
            content = piece.data.decode()
        except UnicodeDecodeError:  # the cursor is not one of ours
            raise unknown_cursor() from None
        length = len(piece.data)
    if (is_cut or is_part) and snapshot.cut_at is None:
        fields["totalLength"] = piece.total
    if piece.headings is not None:
        fields["outline"] = [OutlineHeading.of(heading) for heading in piece.headings]
    fields |= _describe_content(snapshot, form, content, length)
    fields |= {"truncated": is_cut, "nextCursor": piece.rest, "matches": piece.matches}
    return ScrapeOutput.from_json(fields)
