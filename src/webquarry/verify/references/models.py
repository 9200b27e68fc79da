"""References, identifiers, replies of indexes and checks of fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Literal

from webquarry._search.scholarly.models import Author, Record, WorkQuestion

Verdict = Literal[
    "confirmed", "differs", "conflict", "not_registered", "not_found", "could_not_verify"
]
Agreement = Literal["yes", "no", "not_checked"]
State = Literal["clean", "retracted", "withdrawn", "concern", "corrected", "reinstated", "unknown"]

# Kinds of work that the indexes do not hold, or hold by chance: a miss says nothing of them.
OUTSIDE = frozenset({"thesis", "report", "standard", "webpage", "law", "patent", "software"})


@dataclass(frozen=True, kw_only=True)
class Identifiers:
    """What a text names a work by; empty where it does not."""

    doi: str = ""
    other_doi: str = ""  # the same without what may not belong to it
    arxiv_id: str = ""
    pmid: str = ""
    pmcid: str = ""
    isbn: str = ""
    rfc: str = ""
    url: str = ""


@dataclass(frozen=True)
class Reference(Identifiers):
    """One reference: what it says of a work, in parts. What it does not say is empty."""

    text: str  # as it was given
    place: int = 1  # of the item in the list that it came in, from 1
    line: int = 1  # of that item, where it begins
    key: str = ""  # of BibTeX, or the id of CSL
    kind: str = ""  # article, book, thesis, report, standard, webpage, dataset, software, ...
    title: str = ""
    authors: tuple[Author, ...] = ()
    is_shortened: bool = False  # the list of authors ends in "et al."
    year: int | None = None
    venue: str = ""
    publisher: str = ""
    accessed: str = ""
    claim: str = ""
    is_free_text: bool = False  # its fields were guessed from a sentence

    @property
    def has_identifier(self) -> bool:
        """Whether some registry can be asked for it by a number."""
        return bool(self.doi or self.arxiv_id or self.pmid or self.pmcid or self.isbn or self.rfc)

    def add_identifiers(self, found: Identifiers) -> Reference:
        """The reference with these identifiers, where it has none of its own."""
        names = [one.name for one in fields(Identifiers)]
        values = {name: getattr(self, name) or getattr(found, name) for name in names}
        return replace(self, **values)


@dataclass(frozen=True)
class IndexReply:
    """What came of one question to one index: records, none, or the kind of an error."""

    index: str
    question: WorkQuestion
    records: tuple[Record, ...] = ()
    failure: str = ""
    why: str = ""
    was_sent: bool = True  # False: known from before, or not admitted

    @property
    def is_empty(self) -> bool:
        """The index answered, and has nothing."""
        return not self.failure and not self.records


@dataclass(frozen=True)
class FieldCheck:
    """One field: what the reference says, what the record says, and whose record it is."""

    field: str
    agrees: Agreement
    given: str
    record: str = ""
    source: str = ""
    note: str = ""


@dataclass
class ReferenceEvidence:
    """All that the indexes said about one reference, in the order in which they were asked."""

    reference: Reference
    replies: list[IndexReply] = field(default_factory=list)

    def add(self, reply: IndexReply) -> None:
        self.replies.append(reply)

    def find(self, index: str, topic: str) -> IndexReply | None:
        """The reply of an index to a question of this topic, if it was asked."""
        for reply in self.replies:
            if reply.index == index and reply.question.topic == topic:
                return reply
        return None

    def was_asked(self, index: str, topic: str) -> bool:
        return self.find(index, topic) is not None

    def records(self, topics: Iterable[str]) -> list[Record]:
        """The records that came by questions of these topics."""
        found: list[Record] = []
        for reply in self.replies:
            if reply.question.topic in topics:
                found += reply.records
        return found

    @property
    def failed(self) -> dict[str, str]:
        """The indexes that gave no answer at all to some question, with the kind of error."""
        return {reply.index: reply.failure for reply in self.replies if reply.failure}

    @property
    def sent(self) -> int:
        """How many requests it took."""
        return sum(reply.was_sent for reply in self.replies)
