"""Patents as they are shown, and as a research session keeps them."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from webquarry.evidence.models import TRUST, AnswerPart, ZeroResultHints
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.page.people import Name, parse_person
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_url
from webquarry.search.patents.assignees import Cluster
from webquarry.search.patents.models import Patent
from webquarry.sessions.models import Source
from webquarry.tool import Answer

_SEPARATOR = "; "


class PatentResult(AnswerPart):
    """One publication; what is not known is absent."""

    title: str
    number: str
    url: str
    abstract: str | None = None
    assignee: str | None = None
    inventor: str | None = None
    filed: str | None = None
    published: str | None = None
    granted: str | None = None
    status: str | None = None
    pdf: str | None = None
    snippet: str | None = None


class AssigneeCluster(AnswerPart):
    """One assignee, under all spellings of its name."""

    assignee: str
    count: int
    share: float


class PatentSearchOutput(Answer):
    """The patents, best first; none is an answer too, and has hints."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    patents: list[PatentResult]
    query: str
    result_count: int
    assignee_clusters: list[AssigneeCluster] | None = None
    patents_analysed: int | None = None
    hints: ZeroResultHints | None = None
    trust: str = TRUST

    def sources(self) -> list[Source]:
        provider = self.meta.get("webquarry/routing", {}).get("providerUsed") or None
        return [
            Source(one.url, one.title, one.granted or one.published, provider, _csl(one))
            for one in self.patents
        ]


def as_patent_result(patent: Patent) -> PatentResult:
    """A patent as it is shown."""
    return PatentResult(
        title=clean_line(patent.title),
        number=patent.number.google,
        url=clean_url(patent.url),
        abstract=clean_line(patent.abstract) or None,
        assignee=clean_line(_SEPARATOR.join(patent.assignees)) or None,
        inventor=clean_line(_SEPARATOR.join(patent.inventors)) or None,
        filed=patent.filed,
        published=patent.published,
        granted=patent.granted,
        status=clean_line(patent.status or "") or None,
        pdf=clean_url(patent.pdf) if patent.pdf else None,
        snippet=clean_line(patent.snippet) or None,
    )


def as_cluster(cluster: Cluster) -> AssigneeCluster:
    return AssigneeCluster(
        assignee=clean_line(cluster.assignee), count=cluster.count, share=cluster.share
    )


def _csl(patent: PatentResult) -> dict[str, Any]:
    inventors = [_inventor(name) for name in (patent.inventor or "").split(_SEPARATOR) if name]
    work = Work(
        kind="patent",
        title=patent.title,
        authors=tuple(inventors),
        publisher=patent.assignee or "",
        number=patent.number,
        url=patent.url,
        issued=date_parts(patent.granted or patent.published),
    )
    return to_csl(work)


def _inventor(name: str) -> Name:
    """In capitals the family name comes first, and nothing says where it ends: such a name stays
    whole.
    """
    return (None if name.isupper() else parse_person(name)) or Name(literal=name)
