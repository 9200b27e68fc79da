"""Patents as they are shown, and as a research session keeps them."""

from __future__ import annotations

from typing import Any

from webquarry._search.patents.numbers import Cluster
from webquarry._search.patents.provider import Patent
from webquarry.evidence.models import TRUST, AnswerPart, ZeroResultHints, fixed
from webquarry.evidence.page.dates import date_parts
from webquarry.evidence.styles.csl import to_csl
from webquarry.evidence.styles.work import Work
from webquarry.pages.clean import clean_line, clean_url
from webquarry.sessions.references import parse_inventors
from webquarry.sessions.source import Source
from webquarry.tool import Answer

_SEPARATOR = "; "


class PatentResult(AnswerPart, kw_only=True):
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

    @classmethod
    def of(cls, patent: Patent) -> PatentResult:
        """A patent as it is shown."""
        pdf = None
        if patent.pdf:
            pdf = clean_url(patent.pdf)
        return cls(
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
            pdf=pdf,
            snippet=clean_line(patent.snippet) or None,
        )

    def reference(self) -> dict[str, Any]:
        """The patent as CSL-JSON."""
        inventors = [name for name in (self.inventor or "").split(_SEPARATOR) if name]
        work = Work(
            kind="patent",
            title=self.title,
            authors=parse_inventors(inventors),
            publisher=self.assignee or "",
            number=self.number,
            url=self.url,
            issued=date_parts(self.granted or self.published),
        )
        return to_csl(work)


class AssigneeCluster(AnswerPart, kw_only=True):
    """One assignee, under all spellings of its name."""

    assignee: str
    count: int
    share: float

    @classmethod
    def of(cls, cluster: Cluster) -> AssigneeCluster:
        assignee = clean_line(cluster.assignee)
        return cls(assignee=assignee, count=cluster.count, share=cluster.share)


class PatentSearchOutput(Answer, kw_only=True):
    """The patents, best first; none is an answer too, and has hints."""

    patents: list[PatentResult]
    query: str
    result_count: int
    assignee_clusters: list[AssigneeCluster] | None = None
    patents_analysed: int | None = None
    hints: ZeroResultHints | None = None
    trust: str = fixed(TRUST)

    def sources(self) -> list[Source]:
        routing = self.meta.get("webquarry/routing", {})
        provider = routing.get("providerUsed") or None
        sources = []
        for patent in self.patents:
            published = patent.granted or patent.published
            source = Source(patent.url, patent.title, published, provider, patent.reference())
            sources.append(source)
        return sources
