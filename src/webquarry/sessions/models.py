"""Data of a research session: steps, sources, quotes and errors.

`ResearchSession` is built from the events of a journal and is read-only; `Sessions` records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import msgspec

# A source was found by a search, its page was read, or a quote was found in it.
Stage = Literal["found", "read", "quoted"]
FOUND_TIERS = ("exact", "typography", "letters", "elided")  # of quotes that were found


class Source(msgspec.Struct, frozen=True, omit_defaults=True):
    """A source that a tool found: enough to find and cite it, without texts of the provider."""

    url: str
    title: str = ""
    published: str | None = None  # ISO 8601
    provider: str | None = None
    csl: Mapping[str, Any] | None = None  # CSL-JSON, if it was read or is a paper

    @property
    def was_read(self) -> bool:
        """Whether its page was fetched; the reference of a paper may come from an index."""
        return bool(self.csl and self.csl.get("accessed"))

    def tells_more_than(self, other: Source) -> bool:
        """Return whether its reference is better: a page was read, or there was none before."""
        return (self.was_read, bool(self.csl)) > (other.was_read, bool(other.csl))

    def merge(self, new: Source) -> Source:
        """Return this source with the fields of a later finding; read pages take precedence."""
        first, second = self, new
        if new.csl and not self.tells_more_than(new):
            first, second = new, self
        return Source(
            url=self.url,
            title=first.title or second.title,
            published=first.published or second.published,
            provider=self.provider or new.provider,
            csl=first.csl or second.csl,
        )


class KeptQuote(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quote that was compared with sources; offsets count in the text of the hash."""

    text: str
    tier: str  # of `check_quotes`
    url: str = ""  # of the source that has it, or comes nearest
    title: str = ""
    text_hash: str = ""  # SHA-256 of the source's text
    read_at: str | None = None
    section: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    matched: tuple[str, ...] = ()  # the source's words, one text for each span
    reason: str | None = None
    checked_at: str | None = None

    @property
    def is_found(self) -> bool:
        """Whether its words are in the source."""
        return bool(self.url) and self.tier in FOUND_TIERS


class StepDraft(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step as a caller sends it; missing fields are None or empty."""

    number: int
    text: str
    reasoning: str = ""
    confidence: str | None = None  # low, medium or high
    rejected: tuple[str, ...] = ()  # rejected approaches
    gap: str = ""  # still unknown
    goal: str = ""  # of the whole session; replaces the earlier one
    summary: str = ""  # of the whole session so far; replaces the earlier one
    estimate: int | None = None  # expected number of steps
    is_revision: bool = False
    revises: int | None = None
    branch_from: int | None = None
    branch_id: str | None = None
    finished: bool = False


@dataclass(frozen=True)
class Step:
    """A recorded step. Numbers are consecutive over all branches and revisions."""

    number: int
    text: str
    at: datetime
    reasoning: str = ""
    confidence: str | None = None
    rejected: tuple[str, ...] = ()
    gap: str = ""
    revises: int | None = None
    superseded_by: int | None = None  # the latest step that revises this one
    branch_from: int | None = None
    branch_id: str | None = None
    sources: tuple[int, ...] = ()  # numbers of those recorded with it, in the order found


@dataclass(frozen=True)
class RecordedSource:
    """A source with its number in the session. One page is one source."""

    number: int  # from 1, in the order they were first found
    source: Source
    steps: tuple[int, ...]
    tools: tuple[str, ...]
    at: datetime  # when it was first found
    quotes: tuple[KeptQuote, ...] = ()  # that were compared with it

    @property
    def stage(self) -> Stage:
        """How far it was used."""
        if self.count_of_quotes:
            return "quoted"
        return "read" if self.source.was_read else "found"

    @property
    def count_of_quotes(self) -> int:
        """The number of quotes found in it."""
        return sum(quote.is_found for quote in self.quotes)


@dataclass(frozen=True)
class RecordedError:
    """A tool call of the session that failed."""

    kind: str
    tool: str
    step: int
    message: str
    at: datetime


@dataclass(frozen=True)
class ReadPart:
    """A part of a page that was returned: the hash of the text, the step and the length."""

    digest: str
    step: int
    tokens: int


@dataclass(frozen=True)
class ResearchSession:
    """The state of a session."""

    id: str
    goal: str
    summary: str
    estimate: int | None
    finished: bool
    began_at: datetime
    touched_at: datetime  # of the last event
    steps: tuple[Step, ...]  # never empty
    sources: tuple[RecordedSource, ...] = ()
    errors: tuple[RecordedError, ...] = ()
    quotes: tuple[KeptQuote, ...] = ()  # all that were checked
    reads: Mapping[str, ReadPart] = field(default_factory=dict)  # by hash of the request
    places: Mapping[str, int] = field(default_factory=dict)  # index of a source by its page
    version: int = 0  # number of entries of its journal

    @property
    def current(self) -> Step:
        """The last step."""
        return self.steps[-1]

    def step(self, number: int) -> Step | None:
        """Return the step of this number, if there is one."""
        return self.steps[number - 1] if 1 <= number <= len(self.steps) else None

    def sources_of(self, step: Step) -> tuple[RecordedSource, ...]:
        """Return the sources that were recorded with a step."""
        return tuple(self.sources[number - 1] for number in step.sources)
