"""What a research session is made of: its steps, the sources that tools found on the way, and what
went wrong.

`ResearchSession` is what the events of a journal come to; it is only ever read. What is recorded
goes through `Sessions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import msgspec

from webquarry.sessions.source import Source

# A source was found by a search, its page was read, or words of it were quoted and stand there.
Stage = Literal["found", "read", "quoted"]
FOUND_TIERS = ("exact", "typography", "letters", "elided")  # of quotes whose words stand there


class KeptQuote(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quote that was compared with the texts of sources, and how it stands there: a finding, not
    a verdict. Offsets count in the text of this hash.
    """

    text: str
    tier: str  # as `check_quotes` has it
    url: str = ""  # of the source that has it, or comes nearest; empty where none does
    title: str = ""
    text_hash: str = ""  # SHA-256 of the source's text
    read_at: str | None = None  # when that text was read
    section: str | None = None
    spans: tuple[tuple[int, int], ...] = ()
    matched: tuple[str, ...] = ()  # the source's words, one text for each span
    reason: str | None = None
    checked_at: str | None = None

    @property
    def is_found(self) -> bool:
        """Whether its words stand in the source."""
        return bool(self.url) and self.tier in FOUND_TIERS


class StepDraft(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step as a caller sends it; missing fields are None or empty."""

    number: int
    text: str
    reasoning: str = ""
    confidence: str | None = None  # low, medium or high
    rejected: tuple[str, ...] = ()  # approaches that were tried or thought of, and left
    gap: str = ""  # what is not known yet
    goal: str = ""  # of the whole session; a later one takes its place
    summary: str = ""  # of the whole session so far; likewise
    estimate: int | None = None  # how many steps the caller expects
    is_revision: bool = False
    revises: int | None = None
    branch_from: int | None = None
    branch_id: str | None = None
    finished: bool = False  # no further step is meant to follow


@dataclass(frozen=True)
class Step:
    """A step as it was recorded. Numbers run on over all branches and revisions, without gaps."""

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
    """A source with its number in the session. One page is one source, whoever found it and however
    often.
    """

    number: int  # from 1, in the order they were first found
    source: Source
    steps: tuple[int, ...]  # the steps that it was recorded with
    tools: tuple[str, ...]  # the tools that found it
    at: datetime  # when it was first found
    quotes: tuple[KeptQuote, ...] = ()  # that were compared with it

    @property
    def stage(self) -> Stage:
        """How far it was used: only found, read, or quoted."""
        if any(quote.is_found for quote in self.quotes):
            return "quoted"
        if self.source.was_read:
            return "read"
        return "found"

    @property
    def count_of_quotes(self) -> int:
        """How many quotes stand in it."""
        return sum(quote.is_found for quote in self.quotes)


@dataclass(frozen=True)
class RecordedError:
    """A tool that failed while it worked for the session."""

    kind: str
    tool: str
    step: int
    message: str
    at: datetime


@dataclass(frozen=True)
class ReadPart:
    """A part of a page that was given: which text it was of, when, and how long it was."""

    digest: str
    step: int
    tokens: int


@dataclass(frozen=True)
class ResearchSession:
    """A session as it stands."""

    id: str
    goal: str
    summary: str
    estimate: int | None
    finished: bool
    began_at: datetime
    touched_at: datetime  # when something was last recorded
    steps: tuple[Step, ...]  # never empty: a session begins with its first step
    sources: tuple[RecordedSource, ...] = ()
    errors: tuple[RecordedError, ...] = ()
    quotes: tuple[KeptQuote, ...] = ()  # all that were checked, also those that stand nowhere
    reads: Mapping[str, ReadPart] = field(default_factory=dict)  # by what was asked for
    places: Mapping[str, int] = field(default_factory=dict)  # index of a source by its page
    version: int = 0  # number of entries of its journal

    @property
    def current(self) -> Step:
        """The step that the session is at."""
        return self.steps[-1]

    def step(self, number: int) -> Step | None:
        """The step of this number, if there is one."""
        if 1 <= number <= len(self.steps):
            return self.steps[number - 1]
        return None

    def sources_of(self, step: Step) -> tuple[RecordedSource, ...]:
        """The sources that were recorded with a step."""
        return tuple(self.sources[number - 1] for number in step.sources)
