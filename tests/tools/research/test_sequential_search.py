"""The `sequential_search` tool: steps that are kept, and what its depth adds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.engines import Engines, brave, failed
from tests.sessions.kits import A, B, C, kit_on, run, step
from webquarry.errors import BadInput, WebquarryError
from webquarry.toolkit import Toolkit

GOAL = "Costs of tidal energy storage"


def scenario(
    folder: Path,
    work: Callable[[Toolkit], Awaitable[Any]],
    engines: httpx2.AsyncBaseTransport | None = None,
    clock: FakeClock | None = None,
) -> Any:
    async def all_of_it() -> Any:
        async with kit_on(folder, engines, clock) as kit:
            return await work(kit)

    return asyncio.run(all_of_it())


def refused(
    folder: Path, work: Callable[[Toolkit], Awaitable[Any]], kind: type[WebquarryError] = BadInput
) -> str:
    with pytest.raises(kind) as caught:
        scenario(folder, work)
    return f"{caught.value.message} {caught.value.suggested_action}"


def test_first_step_creates_a_session(tmp_path: Path) -> None:
    answer = scenario(tmp_path, lambda kit: step(kit, 1, researchGoal=GOAL, totalStepsEstimate=3))

    assert len(answer.pop("sessionId")) == 36
    assert "Give this sessionId" in answer.pop("hints")[0]
    assert answer == {
        "stepNumber": 1,
        "totalSteps": 1,
        "totalStepsEstimate": 3,
        "status": "in_progress",
        "steps": [{"stepNumber": 1, "text": "Look at part 1."}],
        "sources": [],
        "totalSources": 0,
        "trust": "untrusted-external-content",
    }


@pytest.mark.parametrize("blank", [None, "", " "])
def test_a_later_step_without_its_session_is_refused_and_no_session_is_begun(
    tmp_path: Path, blank: str | None
) -> None:
    async def work(kit: Toolkit) -> None:
        try:
            await step(kit, 2, blank)
        finally:
            assert await kit.sessions.list() == []

    assert "sessionId that step 1 returned" in refused(tmp_path, work)


def test_wrong_step_number_names_the_expected_one(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> None:
        await step(kit, 5, (await step(kit, 1))["sessionId"])

    assert "expects 2" in refused(tmp_path, work)


def test_a_revised_step_shows_what_supersedes_it_and_a_branch_its_name(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> Any:
        id = (await step(kit, 1))["sessionId"]
        await step(kit, 2, id)
        await step(kit, 3, id, isRevision=True, revisesStep=2)
        return await step(kit, 4, id, branchFromStep=1, branchId="cost")

    answer = scenario(tmp_path, work)

    assert answer["branchId"] == "cost"
    assert [
        (one["stepNumber"], one.get("supersededBy"), one.get("branchId")) for one in answer["steps"]
    ] == [
        (1, None, None),
        (2, 3, None),
        (3, None, None),
        (4, None, "cost"),
    ]


def test_no_further_step_needed_finishes_the_session_and_another_one_opens_it(
    tmp_path: Path,
) -> None:
    async def work(kit: Toolkit) -> Any:
        id = (await step(kit, 1))["sessionId"]
        finished = await step(kit, 2, id, nextStepNeeded=False)
        return [finished["status"], finished["hints"], (await step(kit, 3, id))["status"]]

    assert scenario(tmp_path, work) == [
        "finished",
        ["Finished; a further step opens it again."],
        "in_progress",
    ]


def test_quick_adds_nothing_and_standard_adds_coverage_without_requests(tmp_path: Path) -> None:
    engines = Engines(brave=brave(A))

    async def work(kit: Toolkit) -> Any:
        quick = await step(kit, 1, researchGoal=GOAL)
        await run(kit, "web_search", query="x", sessionId=quick["sessionId"])
        return quick, await step(
            kit, 2, quick["sessionId"], depth="standard", knowledgeGap="corrosion"
        )

    quick, standard = scenario(tmp_path, work, engines)

    assert not {"coverage", "refinementQueries", "searches"} & set(quick)
    assert standard["coverage"]["missing"] == ["costs", "tidal", "energy", "storage", "corrosion"]
    assert standard["refinementQueries"][0].startswith("corrosion ")
    assert "searches" not in standard
    assert len(engines.asked) == 1


def test_thorough_runs_up_to_three_queries_and_records_what_they_find_with_the_step(
    tmp_path: Path,
) -> None:
    engines = Engines(brave=[brave(A, B), brave(B, C), brave()])
    answer = scenario(
        tmp_path,
        lambda kit: step(kit, 1, researchGoal=GOAL, knowledgeGap="corrosion", depth="thorough"),
        engines,
    )

    assert [one["query"] for one in answer["searches"]] == answer["refinementQueries"]
    assert 2 <= len(engines.asked) <= 3
    assert {one["url"] for one in answer["sources"]} >= {A, B}
    assert [one["number"] for one in answer["sources"]] == list(
        range(1, len(answer["sources"]) + 1)
    )
    assert "About" not in json.dumps(answer)  # no snippets


def test_a_search_that_fails_does_not_fail_the_step_and_is_recorded(tmp_path: Path) -> None:
    async def work(kit: Toolkit) -> Any:
        answer = await step(kit, 1, researchGoal=GOAL, depth="thorough")
        return answer, await kit.sessions.read(answer["sessionId"])

    answer, session = scenario(tmp_path, work, Engines(brave=failed()))

    assert {one["error"] for one in answer["searches"]} == {"network"}
    assert answer["stepNumber"] == 1
    assert {(error.kind, error.tool) for error in session.errors} == {
        ("network", "sequential_search")
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {"stepNumber": 0},
        {"confidence": "certain"},
        {"rejectedApproaches": [1]},
    ],
)
def test_arguments_that_do_not_fit_are_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    assert next(iter(arguments)) in refused(tmp_path, lambda kit: step(kit, 1, **arguments))
