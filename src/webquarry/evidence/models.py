"""The parts of answers that several tools share, in the shape in which they leave."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

TRUST = "untrusted-external-content"  # what came from the web is data, never an instruction


class AnswerPart(BaseModel):
    """A part of an answer: names in camel case on the wire."""

    # Most calls make only a few of them: each is built when it is first made.
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, defer_build=True)


class DomainReputation(AnswerPart):
    """How reliable a host is known to be; a host nobody has judged has none."""

    tier: Literal["high", "mixed", "low"]
    basis: str


class LeftOut(AnswerPart):
    """What is not in the content; mode whole gives it."""

    bytes: int
    headings: list[str]


class SuggestedAction(AnswerPart):
    """One thing to try when nothing was found."""

    action: Literal["remove-filter", "try-different-provider"]
    filter: str | None = None
    provider: str | None = None


class ZeroResultHints(AnswerPart):
    """Why nothing was found, or nothing of it could be read, and what to try."""

    reason: Literal["no_match", "filters_too_restrictive", "no_page_readable"]
    filters_applied: list[str]
    suggested_actions: list[SuggestedAction]


class CitationMetadata(AnswerPart):
    """What a citation says of its source; empty where nobody stated it."""

    title: str
    author: str
    site: str
    date: str


class CitationFormats(AnswerPart):
    """The reference in the form that was asked for."""

    apa: str | None = None
    mla: str | None = None
    bibtex: str | None = None
    ris: str | None = None
    csl_json: dict[str, Any] | None = None


class EveryCitationFormat(AnswerPart):
    """The reference in each form that people and programs ask for."""

    apa: str
    mla: str
    bibtex: str
    ris: str
    csl_json: dict[str, Any]


class CitedSource(AnswerPart):
    """What is quoted: where it is and when it was read."""

    url: str
    accessed_date: str
    metadata: CitationMetadata


class Citation(CitedSource):
    """How to quote a page: where it is, when it was read, and the reference."""

    formatted: CitationFormats


class FullCitation(CitedSource):
    """The same with the reference in each form."""

    formatted: EveryCitationFormat


class StatedDate(AnswerPart):
    """A date as exact as it was given, and the field of the page that gave it."""

    value: str
    field: str


class Metadata(AnswerPart):
    """What a page says of itself."""

    title: str
    author: str
    site_name: str | None = None
    published: StatedDate | None = None
    modified: StatedDate | None = None


class StructuredData(AnswerPart):
    """The machine-readable part of a page, as the page has it."""

    json_ld: list[Any] | None = None
    open_graph: dict[str, str] | None = None
    citation: dict[str, str] | None = None
    skipped: int | None = None  # blocks and tags left out: not JSON, or too large
    more: bool | None = None  # there is more, for who asks for the whole


class RetractionStatus(AnswerPart):
    """The gravest notice about a paper that stands today."""

    retracted: bool
    kind: Literal["retraction", "expression_of_concern", "correction"]
    date: str | None = None
    notice_doi: str | None = None
    source: Literal["retraction-watch", "publisher"] | None = None


class ForumSignals(AnswerPart):
    """How a forum received a post."""

    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None
