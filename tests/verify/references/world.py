"""A small world of indexes for tests: records by index, DOIs that are registered, indexes that are
down. A reference is put through the whole plan, without a network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date

from webquarry._search.scholarly.models import Author, Record, WorkQuestion
from webquarry._search.scholarly.provider import build_record
from webquarry.verify.references.compare import weigh
from webquarry.verify.references.judge import Judgement, RecordState, judge, read_state
from webquarry.verify.references.models import IndexReply, Reference, ReferenceEvidence
from webquarry.verify.references.plan import next_step
from webquarry.verify.references.read import read_references

TODAY = date(2026, 3, 1)
INDEXES = frozenset(
    {
        "crossref", "openalex", "dblp", "semanticscholar", "arxiv", "datacite", "doi", "pubmed",
        "europepmc", "openlibrary", "openreview", "rfceditor",
    }
)  # fmt: skip


def people(text: str) -> tuple[Author, ...]:
    """ "Ann Lee; Wei Wang" as two authors."""
    return tuple(Author(name.strip()) for name in text.split(";") if name.strip())


def record(
    source: str, title: str, authors: str = "", year: int | None = None, **more: object
) -> Record:
    """A record of an index."""
    venue = more.pop("venue", "")
    years = more.pop("years", [year])
    titles = more.pop("titles", [title])
    return build_record(
        source,
        titles=titles,  # type: ignore[arg-type]
        authors=people(authors),
        years=years,  # type: ignore[arg-type]
        venues=[venue] if venue else [],
        **more,  # type: ignore[arg-type]
    )


@dataclass
class World:
    """What the indexes hold."""

    records: Mapping[str, Iterable[Record]] = field(default_factory=dict)
    registered: frozenset[str] = frozenset()
    down: frozenset[str] = frozenset()
    asked: list[tuple[str, WorkQuestion]] = field(default_factory=list)

    def ask(self, index: str, question: WorkQuestion) -> IndexReply:
        self.asked.append((index, question))
        if index in self.down:
            return IndexReply(index, question, failure="network")
        if index == "doi":
            known = question.value in self.registered
            found = [Record("doi", doi=question.value)] if known else []
            return IndexReply(index, question, tuple(found))
        held = list(self.records.get(index, ()))
        topic, value = question.topic, question.value
        if topic == "updates":
            held = [one for one in held if value in one.updates]
        elif topic in ("title", "text"):
            held = [one for one in held if not one.updates]
        else:
            name = {"arxiv": "arxiv_id"}.get(topic, topic)
            held = [one for one in held if getattr(one, name, "") == value]
        return IndexReply(index, question, tuple(held))


def examine(given: str | Reference, world: World) -> ReferenceEvidence:
    """All that the world says about a reference."""
    reference = read_references(given)[0] if isinstance(given, str) else given
    evidence = ReferenceEvidence(reference)
    while True:
        step = next_step(evidence, INDEXES, TODAY)
        if step is None:
            return evidence
        evidence.add(world.ask(*step))


def check(given: str | Reference, world: World) -> Judgement:
    return judge(examine(given, world), TODAY)


def state_of(given: str | Reference, world: World) -> RecordState:
    evidence = examine(given, world)
    return read_state(evidence, weigh(evidence, TODAY))


def differing(judgement: Judgement) -> list[str]:
    return [one.field for one in judgement.checks if one.agrees == "no"]


def bibtex(kind: str = "article", **fields: str) -> str:
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{key,\n{lines}}}"
