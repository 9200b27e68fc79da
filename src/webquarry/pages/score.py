"""A page that was read, and the query -> what `search_and_scrape` says of it: scores and sentences.

Work for the processor, done once for each page as it arrives. Very long texts are judged by their
beginning.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from webquarry.evidence import scores
from webquarry.evidence.language.claims import nearest_sentences
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.scores import SourceScores
from webquarry.pages.clean import clean_line
from webquarry.pages.snapshot import Snapshot
from webquarry.read.slices.paragraphs import paragraphs_of, words_in
from webquarry.search.models import Result
from webquarry.search.replies.text import shorten_text

KEY_SENTENCES = 3
_LONGEST_SENTENCE = 500  # characters; a list without full stops is no sentence
_JUDGED_BYTES = 400_000  # of a text that are looked at
_SAMPLE_PARAGRAPHS = 20  # that tell the language of a text
_SPARSE_WORDS = 100  # below which a text is thin


@dataclass(frozen=True)
class ScoringQuery:
    """What sources are judged by."""

    query: str
    claim: str  # empty where none was given
    today: date


@dataclass(frozen=True)
class ScoredPage:
    """What is known of one page, before anything is left out or cut."""

    title: str
    published: str | None
    words: int
    scores: SourceScores
    key_sentences: list[str]
    claim_signal: str | None

    @property
    def is_sparse(self) -> bool:
        """Whether its text is thin."""
        return self.words < _SPARSE_WORDS


def score_page(snapshot: Snapshot, result: Result, query: ScoringQuery) -> ScoredPage:
    """Judge a page by a query, and by a claim if there is one."""
    fields = snapshot.fields
    paragraphs = paragraphs_of(snapshot.data)
    judged = paragraphs
    if len(snapshot.data) > _JUDGED_BYTES:
        judged = paragraphs_of(snapshot.data[:_JUDGED_BYTES])
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

    # as the page states it, or else as the search engine does, or as it is cited
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
    """When it was published, as the page says, or else as the search engine does."""
    metadata = fields.get("metadata", {})
    stated: str | None = metadata.get("published", {}).get("value")
    if stated:
        return stated
    cited: str = fields["citation"]["metadata"]["date"]  # "n.d." where there is none
    if date_parts(cited):
        return cited
    return result.published
