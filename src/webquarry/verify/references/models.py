"""References, identifiers, replies of indexes and checks of fields."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Literal

from webquarry._search.scholarly.models import Author, Record, WorkQuestion

Verdict = Literal[
    "confirmed", "differs", "conflict", "not_registered", "not_found", "could_not_verify"
]
Agreement = Literal["yes", "no", "not_checked"]
State = Literal["clean", "retracted", "withdrawn", "concern", "corrected", "reinstated", "unknown"]

# Kinds of work that the indexes hold by chance: a miss is no evidence.
OUTSIDE = frozenset({"thesis", "report", "standard", "webpage", "law", "patent", "software"})


@dataclass(frozen=True, kw_only=True)
class Identifiers:
    """Identifiers and URL of a work; empty if unknown."""

    doi: str = ""
    other_doi: str = ""  # the DOI without a suffix that may be a view of the publisher
    arxiv_id: str = ""
    pmid: str = ""
    pmcid: str = ""
    isbn: str = ""
    rfc: str = ""
    url: str = ""


@dataclass(frozen=True)
class Reference(Identifiers):
    """One reference; unknown fields are empty."""

    text: str  # as given
    place: int = 1  # number of the item in the input, from 1
    line: int = 1  # in that item
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
    is_free_text: bool = False  # the fields were guessed from a sentence

    @property
    def has_identifier(self) -> bool:
        """Whether it has an identifier that an index can look up."""
        return bool(self.doi or self.arxiv_id or self.pmid or self.pmcid or self.isbn or self.rfc)

    def add_identifiers(self, found: Identifiers) -> Reference:
        """Return the reference with these identifiers in empty fields."""
        names = [one.name for one in fields(Identifiers)]
        return replace(
            self, **{name: getattr(self, name) or getattr(found, name) for name in names}
        )


@dataclass(frozen=True)
class IndexReply:
    """The reply to one lookup: records, none, or the kind of an error."""

    index: str
    question: WorkQuestion
    records: tuple[Record, ...] = ()
    failure: str = ""
    was_sent: bool = True  # False: from the cache, or not admitted


@dataclass(frozen=True)
class FieldCheck:
    """A field of the reference compared with that of a record."""

    field: str
    agrees: Agreement
    given: str
    record: str = ""
    source: str = ""
    note: str = ""


@dataclass
class ReferenceEvidence:
    """The replies about one reference, in the order of the lookups."""

    reference: Reference
    replies: list[IndexReply] = field(default_factory=list)

    def add(self, reply: IndexReply) -> None:
        self.replies.append(reply)

    def lacks(self, index: str, value: str) -> bool:
        """Return whether an index was asked for an identifier and returned no record."""
        reply = self._find_reply(index, value)
        return reply is not None and not reply.records

    def is_empty(self, index: str, value: str) -> bool:
        """Return whether an index answered that it has no record of an identifier."""
        reply = self._find_reply(index, value)
        return reply is not None and not reply.records and not reply.failure

    def _find_reply(self, index: str, value: str) -> IndexReply | None:
        for reply in self.replies:
            question = reply.question
            if (reply.index, question.value) == (index, value) and question.topic != "updates":
                return reply
        return None

    @property
    def failed(self) -> dict[str, str]:
        """The indexes that failed, with the kind of error."""
        return {reply.index: reply.failure for reply in self.replies if reply.failure}

    @property
    def sent(self) -> int:
        """The number of requests."""
        return sum(reply.was_sent for reply in self.replies)
