"""A page that was read, and the question -> what `search_and_scrape` says of it: scores, sentences,
its paragraphs.

Work for the processor, done once for each page as it arrives. Very long texts are judged by their
beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from webquarry.evidence.language import scores
from webquarry.evidence.language.claims import nearest_sentences
from webquarry.evidence.language.scores import SourceScores
from webquarry.evidence.language.terms import Terms
from webquarry.evidence.page.dates import date_parts
from webquarry.pages.clean import clean_line
from webquarry.pages.snapshot import Snapshot
from webquarry.read.slices.paragraphs import Paragraph, paragraphs_of, words_in
from webquarry.search.models import Result
from webquarry.search.replies.text import shorten_text

KEY_SENTENCES = 3
_LONGEST_SENTENCE = 500  # characters; a list without full stops is no sentence
_JUDGED = 400_000  # bytes of a text that are looked at
_SPARSE = 100  # words below which a text is thin


@dataclass(frozen=True)
class Question:
    """What sources are judged by."""

    query: str
    claim: str  # empty where none was given
    today: date


@dataclass(frozen=True)
class Study:
    """What is known of one page, before anything is left out or cut."""

    title: str
    published: str | None
    paragraphs: Sequence[Paragraph]
    words: int
    scores: SourceScores
    key_sentences: list[str]
    claim_signal: str | None
    terms: Sequence[Terms]  # of the query, and of the claim if there is one

    @property
    def is_sparse(self) -> bool:
        return self.words < _SPARSE


def study(snapshot: Snapshot, result: Result, question: Question) -> Study:
    """Judge a page."""
    fields = snapshot.fields
    paragraphs = paragraphs_of(snapshot.data)
    if len(snapshot.data) <= _JUDGED:
        judged = paragraphs
    else:
        judged = paragraphs_of(snapshot.data[:_JUDGED])
    prose = [one.text for one in judged if one.is_prose]
    sample = " ".join(prose[:20])
    query = Terms(question.query, sample)
    if question.claim:
        claim = Terms(question.claim, sample)
    else:
        claim = None
    title, published = _title(fields, result), _published(fields, result)
    words = words_in(paragraphs)
    nearest = nearest_sentences(claim or query, prose, KEY_SENTENCES)
    return Study(
        title=title,
        published=published,
        paragraphs=paragraphs,
        words=words,
        scores=scores.total(
            scores.relevance(query, title, judged),
            scores.freshness(published, question.today),
            scores.authority(fields["authorityTier"], _tier(fields), _is_retracted(fields)),
            scores.content(
                fields.get("extractionQuality") == "complete",
                words,
                sum(bool(one.level) for one in judged),
            ),
        ),
        key_sentences=[_one_line(sentence) for sentence in nearest],
        claim_signal=None if claim is None else _one_line(nearest[0]) if nearest else "",
        terms=[query, *([claim] if claim else [])],
    )


def _title(fields: Mapping[str, Any], result: Result) -> str:
    stated = (
        fields.get("metadata", {}).get("title")
        or result.title
        or fields["citation"]["metadata"]["title"]
    )
    return clean_line(stated)


def _published(fields: Mapping[str, Any], result: Result) -> str | None:
    """As the page says, or else as the search engine does."""
    stated: str | None = fields.get("metadata", {}).get("published", {}).get("value")
    cited: str = fields["citation"]["metadata"]["date"]  # "n.d." where there is none
    return stated or (cited if date_parts(cited) else None) or result.published


def _tier(fields: Mapping[str, Any]) -> str | None:
    known: str | None = fields.get("sourceReputation", {}).get("tier")
    return known


def _is_retracted(fields: Mapping[str, Any]) -> bool:
    return bool(fields.get("retractionStatus", {}).get("retracted"))


def _one_line(sentence: str) -> str:
    return shorten_text(" ".join(sentence.split()), _LONGEST_SENTENCE)
