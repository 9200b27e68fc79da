"""The `check_citations` tool: references are compared with the records of the indexes."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from webquarry.errors import BadInput
from webquarry.evidence.styles.csl import to_csl
from webquarry.sessions.export import list_works
from webquarry.tool import tool
from webquarry.toolkit import Toolkit
from webquarry.tools.research._citations import AnyReference, CitationsOutput, list_notes
from webquarry.tools.research._deadline import deadline_for
from webquarry.verify.references.models import Reference
from webquarry.verify.references.read import read_references

_MOST = 2000  # references in one call


@tool(recorded=False)
async def check_citations(
    kit: Toolkit,
    references: Annotated[
        list[AnyReference] | None,
        Meta(
            description="DOIs, ids, URLs, BibTeX, RIS, CSL-JSON, free text or {reference, claim}."
        ),
    ] = None,
    sessionId: Annotated[str | None, Meta(description="Or: a session's sources.")] = None,
) -> CitationsOutput:
    """Check references against indexes: found where, fields that differ, retractions."""
    started = kit.clock.monotonic()
    given: list[AnyReference] = list(references or [])
    if sessionId:
        session = await kit.sessions.read(sessionId)
        given += [to_csl(work) for work in list_works(session)]
    found: list[Reference] = []
    for place, item in enumerate(given, 1):
        found += read_references(item, place)
        if len(found) > _MOST:
            break
    if not 1 <= len(found) <= _MOST:
        raise BadInput(
            f"There are {len(found)} references or more; 1 to {_MOST} can be checked in one call.",
            suggested_action="Give references, or the sessionId of a session with sources.",
        )
    deadline = deadline_for(kit, "check_citations", started)
    results = await kit.citations.check(found, deadline)
    answer = CitationsOutput.of(results, list_notes(results))
    asked = sorted(kit.citations.indexes)
    sent = sum(one.requests for one in results)
    return answer.add_meta(routing={"indexes": asked, "requests": sent})
