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
from webquarry.pages.snapshot import Snapshot, snapshot_pieces, unpack_snapshot

KEY_SENTENCES = 3
_LONGEST_SENTENCE = 500  # characters
_JUDGED_BYTES = 400_000  # of the text
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
    judged = paragraphs[: bisect_right(text.starts, _JUDGED_BYTES)]
    prose = [paragraph.text for paragraph in judged if paragraph.is_prose]
    sample = " ".join(prose[:_SAMPLE_PARAGRAPHS])
    query_terms = Terms(query.query, sample)
    sought = query_terms
    if query.claim:
        sought = Terms(query.claim, sample)

    key_sentences = []
    for sentence in nearest_sentences(sought, prose, KEY_SENTENCES):
        one_line = " ".join(sentence.split())
        key_sentences.append(shorten_text(one_line, _LONGEST_SENTENCE))
    claim_signal = None
    if query.claim:
        claim_signal = next(iter(key_sentences), "")

    # as stated by the page, by the search engine, or in the citation
    stated_title = fields.get("metadata", {}).get("title")
    cited_title = fields["citation"]["metadata"]["title"]
    title = clean_line(stated_title or result.title or cited_title)
    published = _find_date(fields, result)
    words = words_in(paragraphs)
    reputation_tier = fields.get("sourceReputation", {}).get("tier")
    is_retracted = bool(fields.get("retractionStatus", {}).get("retracted"))
    is_complete = fields.get("extractionQuality") == "complete"
    headings = sum(bool(paragraph.level) for paragraph in judged)
    total = scores.total(
        scores.relevance(query_terms, title, judged),
        scores.freshness(published, query.today),
        scores.authority(fields["authorityTier"], reputation_tier, is_retracted),
        scores.content(is_complete, words, headings),
    )
    return ScoredPage(
        title=title,
        published=published,
        words=words,
        scores=total,
        key_sentences=key_sentences,
        claim_signal=claim_signal,
    )


def _find_date(fields: Mapping[str, Any], result: Result) -> str | None:
    """Return the publication date stated by the page, or else by the search engine."""
    metadata = fields.get("metadata", {})
    stated: str | None = metadata.get("published", {}).get("value")
    if stated:
        return stated
    cited: str = fields["citation"]["metadata"]["date"]  # "n.d." if unknown
    if date_parts(cited):
        return cited
    return result.published


def build_score_job(snapshot: Snapshot, result: Result, query: ScoringQuery) -> Job:
    """Return the job that scores a page."""
    arguments = {
        "result": asdict(result),
        "query": query.query,
        "claim": query.claim,
        "today": query.today.isoformat(),
    }
    pieces = snapshot_pieces(snapshot)
    return Job(score, arguments, pieces, snapshot.fields["url"], ahead=True)


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
    fields, _ = unpack_fields(packed)
    return build_scored_page(fields)


def describe_scores(scored: ScoredPage) -> dict[str, Any]:
    """Return a scored page as JSON values."""
    return vars(scored) | {"scores": scored.scores.as_dict()}


def build_scored_page(fields: dict[str, Any]) -> ScoredPage:
    """Inverse of `describe_scores`."""
    scores = SourceScores.from_json(fields["scores"])
    return ScoredPage(**(fields | {"scores": scores}))
