"""Scores and key sentences of a page for a query, as `search_and_scrape` returns them.

Each page is scored once, in a job. Of a very long text only the beginning is scored.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from webquarry._read.page_form import pack_fields, unpack_fields
from webquarry._read.slices.paragraphs import paragraphs_of, words_in
from webquarry._read.workers.job import Job, job
from webquarry._search.models import Result
from webquarry._search.text import shorten_text
from webquarry.evidence import scores
from webquarry.evidence.language.claims import nearest_sentences
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.scores import SourceScores
from webquarry.pages.clean import clean_line
from webquarry.pages.snapshot import Snapshot, pack_snapshot, unpack_snapshot

KEY_SENTENCES = 3
_MAX_SENTENCE = 500  # characters
_MAX_SCORED = 400_000  # bytes of the text
_SAMPLE_PARAGRAPHS = 20  # for language detection
_SPARSE_WORDS = 100  # a shorter text is sparse


@dataclass(frozen=True)
class ScoringQuery:
    """The query that pages are scored for."""

    query: str
    claim: str  # may be empty
    today: date


@dataclass(frozen=True)
class ScoredPage:
    """Scores and key facts of one page."""

    title: str
    published: str | None
    words: int
    scores: SourceScores
    key_sentences: list[str]
    claim_signal: str | None

    @property
    def is_sparse(self) -> bool:
        """Whether the text is short."""
        return self.words < _SPARSE_WORDS


def score_page(snapshot: Snapshot, result: Result, query: ScoringQuery) -> ScoredPage:
    """Score a page for a query, and for a claim if there is one."""
    fields = snapshot.fields
    text = snapshot.text
    paragraphs = paragraphs_of(text)
    scored = paragraphs[: bisect_right(text.starts, _MAX_SCORED)]
    prose = [paragraph.text for paragraph in scored if paragraph.is_prose]
    sample = " ".join(prose[:_SAMPLE_PARAGRAPHS])
    query_terms = Terms(query.query, sample)
    wanted = Terms(query.claim, sample) if query.claim else query_terms
    key_sentences = [
        shorten_text(sentence, _MAX_SENTENCE)
        for sentence in nearest_sentences(wanted, prose, KEY_SENTENCES)
    ]
    # as stated by the page, by the search engine, or in the citation
    stated_title = fields.get("metadata", {}).get("title")
    title = clean_line(stated_title or result.title or fields["citation"]["metadata"]["title"])
    published = _find_date(fields, result)
    words = words_in(paragraphs)
    total = scores.total(
        scores.relevance(query_terms, title, scored),
        scores.freshness(published, query.today),
        scores.authority(
            fields["authorityTier"],
            fields.get("sourceReputation", {}).get("tier"),
            bool(fields.get("retractionStatus", {}).get("retracted")),
        ),
        scores.content(
            fields.get("extractionQuality") == "complete",
            words,
            sum(bool(paragraph.level) for paragraph in scored),
        ),
    )
    return ScoredPage(
        title=title,
        published=published,
        words=words,
        scores=total,
        key_sentences=key_sentences,
        claim_signal=next(iter(key_sentences), "") if query.claim else None,
    )


def _find_date(fields: Mapping[str, Any], result: Result) -> str | None:
    """Return the publication date stated by the page, or else by the search engine."""
    stated: str | None = fields.get("metadata", {}).get("published", {}).get("value")
    cited: str = fields["citation"]["metadata"]["date"]  # "n.d." if unknown
    return stated or (cited if date_parts(cited) else result.published)


def build_score_job(snapshot: Snapshot, result: Result, query: ScoringQuery) -> Job:
    """Return the job that scores a page."""
    arguments = {
        "result": asdict(result),
        "query": query.query,
        "claim": query.claim,
        "today": query.today.isoformat(),
    }
    return Job(score, arguments, pack_snapshot(snapshot), snapshot.fields["url"], ahead=True)


@job("score page")
def score(job: Job) -> bytes:
    """Score a packed snapshot."""
    arguments = job.arguments
    today = date.fromisoformat(arguments["today"])
    query = ScoringQuery(arguments["query"], arguments["claim"], today)
    snapshot = unpack_snapshot(job.body, cached=False)
    scored = score_page(snapshot, Result(**arguments["result"]), query)
    return pack_fields(describe_scores(scored))


def read_scores(packed: bytes) -> ScoredPage:
    """Unpack the result of a score job."""
    return build_scored_page(unpack_fields(packed)[0])


def describe_scores(scored: ScoredPage) -> dict[str, Any]:
    """Return a scored page as JSON values."""
    return vars(scored) | {"scores": scored.scores.as_dict()}


def build_scored_page(fields: dict[str, Any]) -> ScoredPage:
    """Inverse of `describe_scores`."""
    return ScoredPage(**(fields | {"scores": SourceScores.from_json(fields["scores"])}))
