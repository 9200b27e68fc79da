"""The `get_research_session` tool: what is needed to go on with a session."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.net.doubles import FakeClock
from tests.sessions.kits import A, B, kit_on, run, step
from webquarry.sessions.models import StepDraft
from webquarry.toolkit import Toolkit


def scenario(
    folder: Path, work: Callable[[Toolkit], Awaitable[Any]], clock: FakeClock | None = None
) -> Any:
    async def all_of_it() -> Any:
        async with kit_on(folder, clock=clock) as kit:
            return await work(kit)

    return asyncio.run(all_of_it())


async def five_steps(kit: Toolkit) -> str:
    id = str((await step(kit, 1, researchGoal="Tides"))["sessionId"])
    await step(
        kit,
        2,
        id,
        reasoning="because",
        confidence="low",
        rejectedApproaches=["guess"],
        knowledgeGap="why",
    )
    await run(kit, "web_search", query="tides", sessionId=id)
    await step(kit, 3, id, revisesStep=2)
    await step(kit, 4, id, branchFromStep=1, branchId="moon")
    await step(kit, 5, id, sessionSummary="So far so good.", searchStep="x " * 200)
    return id


async def got(kit: Toolkit, id: str, **arguments: Any) -> dict[str, Any]:
    return (await run(kit, "get_research_session", sessionId=id, **arguments)).as_dict()


def test_recovery_gives_summary_index_the_last_three_steps_and_numbered_sources(
    tmp_path: Path,
) -> None:
    id = scenario(tmp_path, five_steps)
    found = scenario(tmp_path, lambda kit: got(kit, id))  # by another process, as it were

    assert found["summary"] == {
        "researchGoal": "Tides",
        "sessionSummary": "So far so good.",
        "totalSteps": 5,
        "totalSources": 2,
        "totalErrors": 0,
        "startedAt": "2026-03-01T12:00:00Z",
        "updatedAt": found["summary"]["updatedAt"],
    }
    assert found["status"] == "in_progress"
    assert [one["stepNumber"] for one in found["stepIndex"]] == [1, 2, 3, 4, 5]
    assert (found["stepIndex"][1]["supersededBy"], found["stepIndex"][3]["branchId"]) == (3, "moon")
    assert len(found["stepIndex"][4]["text"]) <= 80
    assert [one["stepNumber"] for one in found["lastSteps"]] == [3, 4, 5]
    assert found["lastSteps"][2]["text"] == ("x " * 200).strip()
    assert found["lastSteps"][1]["branchFromStep"] == 1
    assert [(one["number"], one["url"], one["steps"]) for one in found["sources"]] == [
        (1, A, [2]),
        (2, B, [2]),
    ]
    assert found["trust"] == "untrusted-external-content"


def test_one_step_is_given_in_full_with_its_sources(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> Any:
        return await got(kit, await five_steps(kit), stepNumber=2)

    found = scenario(tmp_path, work)

    assert found["step"] == {
        "stepNumber": 2,
        "text": "Look at part 2.",
        "at": found["step"]["at"],
        "reasoning": "because",
        "confidence": "low",
        "rejectedApproaches": ["guess"],
        "knowledgeGap": "why",
        "supersededBy": 3,
        "sources": [1, 2],
    }
    assert [one["url"] for one in found["sources"]] == [A, B]
    assert not {"summary", "stepIndex", "lastSteps"} & set(found)


def test_a_long_session_is_cut_and_says_how_to_read_on(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> dict[str, Any]:
        session = await kit.sessions.begin(StepDraft(1, "one"))
        for number in range(2, 251):
            session, _ = await kit.sessions.add_step(session.id, StepDraft(number, "more"))
        return await got(kit, session.id)

    found = scenario(tmp_path, work)

    assert [one["stepNumber"] for one in found["stepIndex"]] == list(range(51, 251))
    assert found["summary"]["totalSteps"] == 250
    assert "Steps 1 to 50 are left out" in found["hints"][0]
    assert "stepNumber" in found["hints"][0]
